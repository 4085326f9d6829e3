// Package clock chooses the clock that times, and makes a global clock of the ranks' own: it
// sends the messages of package measure/clocks/methods, and keeps the model that comes of them. It
// times no call.
package clock

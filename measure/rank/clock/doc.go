// Package clock chooses the clock that times, and makes a global clock of the ranks' own: it
// exchanges messages, and package measure/clocks computes with what they say. It times no
// call.
package clock

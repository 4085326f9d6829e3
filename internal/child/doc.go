// Package child starts programs that end with this one. A command goes in; what it started is gone when it has been
// told to end, or at the latest after a grace. It knows nothing of what it starts.
package child

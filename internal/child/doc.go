// Package child starts programs that end with this one. What a command has started is gone when it has been told to
// end, or at the latest after a grace. The package knows nothing of what it starts.
package child

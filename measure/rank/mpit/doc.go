// Package mpit asks the library about itself through MPI_T: the algorithms that it has of its
// own and how a call comes to one of them, its control variables, and the messages that it sends
// inside of its calls.
package mpit

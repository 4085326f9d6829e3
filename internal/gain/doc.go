// Package gain says what an application gains: it runs programs, joins what they call with what a check and a
// remedy have shown, and compares the prediction with runs of the program by turns. It judges no guideline itself.
package gain

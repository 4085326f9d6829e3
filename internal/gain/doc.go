// Package gain says what an application gains: it runs programs, joins what they call with what a check and a
// remedy have shown, and compares the prediction with alternating runs of the program. It judges no guideline itself.
package gain

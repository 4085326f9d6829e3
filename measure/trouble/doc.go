// Package trouble explains why an mpirun failed. In come the words of its launcher, its ranks and its libraries; out
// come what was wrong, what to try, and the lines that say so. It knows kinds of failure, not single versions: a text
// that it does not know is shown, and never explained. It starts nothing and opens no file.
package trouble

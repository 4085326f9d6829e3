// Package conf holds what every reader of a setting needs: errors that name the key, sizes and durations as people
// write them, and guesses at misspelt names. It imports nothing of pgmpi.
package conf

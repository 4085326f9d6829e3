// Package conf is what every reader of a setting needs: errors that name the
// key, sizes and durations as people write them, and what an unknown name was
// probably meant to be. It is a leaf: it imports nothing of pgmpi.
package conf

// Package profile reads what measure/preload writes: which collectives a program calls, how often and for how long.
// A file is anybody's, so that sizes and numbers are checked. It starts nothing and judges nothing.
package profile

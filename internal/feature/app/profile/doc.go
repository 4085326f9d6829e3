// Package profile reads what measure/preload writes: which collectives a program calls, how often and for how long.
// A file may come from anybody, so sizes and numbers are checked. The package starts nothing and judges nothing.
package profile

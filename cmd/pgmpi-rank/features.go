//go:build cgo && !core

package main

import (
	overlap "pgmpi/internal/feature/overlap/rank"
	remedy "pgmpi/internal/feature/remedy/rank"
	"pgmpi/measure/rank"
)

// works lists what the ranks do for the features of cmd/pgmpi. Nothing else names them.
var works = []rank.Work{
	overlap.Work,
	remedy.Work,
}

//go:build cgo

package main

import (
	overlap "pgmpi/internal/feature/overlap/rank"
	"pgmpi/measure/rank"
)

// works are what the ranks do for the features of cmd/pgmpi. Nothing else names them.
var works = []rank.Work{
	overlap.Work,
}

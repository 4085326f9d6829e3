//go:build cgo && core

package main

import "pgmpi/measure/rank"

// works is empty, since cmd/pgmpi has no feature.
var works []rank.Work

//go:build cgo && core

package main

import "pgmpi/measure/rank"

// works are none, as no feature is in cmd/pgmpi.
var works []rank.Work

//go:build core

package main

import "pgmpi/internal/feature"

// features is empty: pgmpi check and the rest of the core need no tool.
var features []*feature.Feature

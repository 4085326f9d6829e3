//go:build core

package main

import "pgmpi/internal/feature"

// features are none: pgmpi check and all that stands on no tool.
var features []*feature.Feature

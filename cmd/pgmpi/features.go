//go:build !core

package main

import (
	"pgmpi/internal/feature"
	"pgmpi/internal/feature/app"
	"pgmpi/internal/feature/averages"
	"pgmpi/internal/feature/bisect"
	"pgmpi/internal/feature/calls"
	"pgmpi/internal/feature/clocks"
	"pgmpi/internal/feature/explore"
	"pgmpi/internal/feature/export"
	"pgmpi/internal/feature/figures"
	"pgmpi/internal/feature/imported"
	"pgmpi/internal/feature/lint"
	"pgmpi/internal/feature/overlap"
	"pgmpi/internal/feature/remedy"
	"pgmpi/internal/feature/selftest"
	"pgmpi/internal/feature/which"
)

// features lists the tools that stand on the core. Nothing else names them; `go build -tags core` leaves all out.
var features = feature.Use(
	app.Feature,
	averages.Feature,
	bisect.Feature,
	calls.Feature,
	clocks.Feature,
	explore.Feature,
	export.Feature,
	figures.Feature,
	imported.Feature,
	lint.Feature,
	overlap.Feature,
	remedy.Feature,
	selftest.Feature,
	which.Feature,
)

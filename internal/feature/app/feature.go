// Package app finds out how much an application gains by what a check has shown.
//
// It runs programs as they are started, with a preloaded library that counts their collectives (pgmpi profile),
// joins these calls with the verdicts of a check and with its remedy (pgmpi gain), and puts mock-ups into a
// program's calls where runs show that this makes it faster (pgmpi apply). It holds predictions, and settings of the
// user's own (pgmpi try), against alternating runs of the program, and judges no guideline itself. With --calls, pgmpi check takes a profile, and checks what
// the program calls.
package app

import (
	"pgmpi/internal/document"
	"pgmpi/internal/feature"
	"pgmpi/internal/settings"
)

// Feature has `pgmpi profile`, `pgmpi gain`, `pgmpi try` and `pgmpi apply`.
var Feature = &feature.Feature{
	Commands: []feature.Command{{Group: group, Make: newProfile}, {Group: group, Make: newGain},
		{Group: group, Make: newTry}, {Group: group, Make: newApply}},
	Narrows:   []settings.Narrow{byCalls},
	Documents: []document.Forms{profiles, gains, tries, applications},
}

const group = "Gain"

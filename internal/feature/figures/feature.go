// Package figures draws what was measured for a paper, and writes the data of each picture.
//
// In come results folders, each judged by its own settings; out come files of the formats that internal/picture has,
// several folders in one picture: patterns with their run medians, run-times, heat maps, losses, mpiruns, and the
// samples of single cases. It measures nothing.
package figures

import "pgmpi/internal/feature"

// Feature is `pgmpi figures`.
var Feature = &feature.Feature{
	Commands: []feature.Command{{Group: "Data", Before: "times", Make: newCommand}},
}

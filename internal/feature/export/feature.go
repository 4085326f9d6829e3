// Package export writes what was measured and found as tables for other programs: one row for each sample, run
// median or verdict, as csv or Parquet.
//
// In come results folders, which may be of several libraries and hosts; out comes one table of all. It judges
// verdicts again by each folder's own settings. It takes a few thousand rows at a time and keeps none, so that memory
// does not grow with their number, and passes texts of others through internal/clean.
package export

import "pgmpi/internal/feature"

// Feature is `pgmpi export`.
var Feature = &feature.Feature{
	Commands: []feature.Command{{Group: "Data", Before: "times", Make: newCommand}},
}

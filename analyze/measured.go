package analyze

import "pgmpi/analyze/medians"

// Measured is what the verdicts of a report were made from. A report that was read
// from report.json has none of it.
type Measured struct {
	Cases []medians.CaseMedians // with a valid run median, in the Plan's order
}

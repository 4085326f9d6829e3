// Package explore tests what a library chooses against its own algorithms and against mock-ups.
//
// Every collective at a size is a cell, and every comparison in it a pattern of the plan. The medians
// of some mpiruns choose the candidates of each cell, and other mpiruns test whether they beat the
// default: data that choose never test. The Exploration has an answer for each cell. What another
// program has measured of own algorithms is only compared.
package explore

import (
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/feature"
)

// Feature is `pgmpi explore`.
var Feature = &feature.Feature{
	Sections: []conf.Section{Section},
	Kinds:    []*run.Experiment{Experiment},
	Commands: []feature.Command{{Group: "Mend", Before: "ab", Make: newCommand}},
	Submits: []feature.Submit{{Command: "explore", Measures: Experiment,
		Usage: "the job of pgmpi explore in place of a check; its flags come after --"}},
	Notes:     []run.Note{imported},
	Documents: []document.Forms{kind},
}

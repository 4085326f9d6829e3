package experiment

import (
	"slices"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/measure/results"
)

// table has the experiments. The first of a kind tells how a folder of that kind is judged.
var table = []*run.Experiment{Check, Predict, Measure, Explore, Overlap, Pipelined, fingerprint, Side, Imported}

func of(kind results.Kind) *run.Experiment {
	i := slices.IndexFunc(table, func(x *run.Experiment) bool { return x.Kind == kind })
	if i < 0 {
		return nil
	}
	return table[i]
}

func defaults(change func(*glfile.File)) func() *glfile.File {
	return func() *glfile.File {
		f := glfile.Default()
		change(&f)
		return &f
	}
}

// usualSizes are measured where [check] says nothing of sizes that matter.
var usualSizes = guidelines.MsizeList{"8", "1Ki", "16Ki", "64Ki", "256Ki", "1Mi"}

package experiment

import "pgmpi/internal/experiment/run"

// Kinds lists the core's experiments. The first of a kind tells how a folder of that kind is
// judged.
var Kinds = []*run.Experiment{Check, Predict, Measure, Side}

package analyze

// remedies says, for each Warning, what to do about it. Each id is also a
// heading in docs/statistics.md.
var remedies = map[string]string{
	"paper-method":         "use method default, which avoids them",
	"normal-approximation": "none needed: the approximation is good at this R",
	"oversubscribed":       "give each process a core of its own",
	"repeated":             "if it happens again, look at the rank program's last words in manifest.json",
	"iqr-zero":             "trust no difference below two clock steps; message sizes that take longer do not have this",
	"out-of-sync":          "where they took too long, a longer measure.window or sync = \"round_time\"; where they started late, cores of their own, or a barrier (measure.sync)",
	"slow-mpirun":          "more mpiruns (--mpiruns), or measure again when nothing else uses the machine",
	"drift":                "measure.clock_sync = \"hca3+shared\", which follows drift; a core for each process; or a larger measure.max_drift where the calls take long",
	"dependent-samples":    "lower nrep.rse or raise nrep.min or nrep.min_time: more repetitions",
	"nrep-not-converged":   "raise nrep.max or nrep.max_time",
	"blind-look":           "a later look, or a larger weight for it",
	"incomplete":           "`pgmpi check --resume` measures the mpiruns that are missing; samples out of sync need what out-of-sync says",
}

// newWarning adds to what happened what to do about it and where it is explained.
func newWarning(id, text string) Warning {
	return Warning{ID: id, Text: text, Remedy: remedies[id], Docs: "docs/statistics.md#" + id}
}

// Package nrep decides how often a case must be repeated until its run-time is stable: the NREP problem
// of the PGMPI paper, §4.2.
//
// It takes a Config, the [nrep] section of gl.toml, and the samples of one case in the order of
// measurement, in any one unit. It tells whether they suffice at the next check point. Each of several
// mpiruns makes a prediction, the largest counts.
//
// The package measures nothing, and it knows neither time nor MPI: the time limit
// and a fixed number of repetitions are in Config for the caller to obey. Undefined metrics
// are NaN, which does not satisfy.
package nrep

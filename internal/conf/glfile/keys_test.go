package glfile

import (
	"testing"

	"pgmpi/testkit/should"
)

func TestFlagsSetTheirKeys(t *testing.T) {
	for _, test := range []struct{ flag, text, key, want string }{
		{"np", "2,4", "job.np", "[2,4]"},
		{"msizes", "8,1Ki..4Ki*4", "job.msizes", `["8","1Ki..4Ki*4"]`},
		{"seed", "18446744073709551615", "job.seed", "18446744073709551615"},
		{"alpha", ".01", "analyze.alpha", "0.01"},
		{"stall", "3m", "measure.stall", `"3m"`},
		{"job-file", "true", "mpi.job_file", "true"},
		{"launch", " srun  -n {np}", "mpi.launch", `["srun","-n","{np}"]`},
		{"nrep-metrics", "rse,cov_median", "nrep.metrics", `["rse","cov_median"]`},
		{"nrep-cov-mean", "0.02", "nrep.cov_mean.threshold", "0.02"},
		{"looks", "10, 20", "job.looks", "[10,20]"},
		{"looks", "10:.2,20:.8", "job.look_weights", "[0.2,0.8]"},
		{"no-split-experiment", "true", "measure.split_experiment", "false"},
	} {
		f := Default()
		should.Do(t, FlagKey(test.flag).Set(&f, test.text))
		should.Equal(t, (Key{Name: test.key}).TOML(&f), test.want, "--%s %s: %s", test.flag, test.text, test.key)
	}
}

func TestFlagsRefuseWhatTheirKeysDo(t *testing.T) {
	for _, test := range []struct{ flag, text, want string }{
		{"np", "2,two", `"two" is no number of processes`},
		{"mpiruns", "1.5", `"1.5" is no whole number`},
		{"seed", "-1", `"-1" is no whole number from 0 on`},
		{"alpha", "5%", `"5%" is no number (5 % is 0.05, and 5 % more is a factor of 1.05)`},
		{"stall", "2", `"2" is no duration such as "2s" or "500ms"`},
		{"job-file", "x", `"x" is neither true nor false`},
		{"launch", " ", "it is empty"},
	} {
		f := Default()
		err := FlagKey(test.flag).Set(&f, test.text)
		should.Hold(t, err != nil && err.Error() == test.want, "--%s %s: got %v, want %s", test.flag, test.text, err, test.want)
	}
}

func TestUsageHasTheDefaultsOfTheFile(t *testing.T) {
	f := Default()
	f.Job.MPIRuns, f.Job.NP = 7, []int{3, 5}
	for flag, want := range map[string]string{
		"mpiruns": "R, mpiruns that measure everything, for each number of processes (default 7)",
		"np":      "numbers of processes: 2,4 (default 3,5)",
		"stall":   "end an mpirun in which no case finishes for this long (default 2m)",
		"rank":    "path of the rank program (default: PGMPI_RANK, pgmpi-rank beside pgmpi, or an installed one)",
	} {
		should.Equal(t, FlagKey(flag).Usage(&f), want, "--%s", flag)
	}
}

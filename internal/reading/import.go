package reading

import (
	"errors"
	"os"

	"pgmpi/analyze"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure/results/reprompi"
)

// Import judges output files of ReproMPI's mpibenchmark, each of them one mpirun.
func Import(paths []string, config *glfile.File, version string) (*analyze.Report, error) {
	var files []*reprompi.File
	for _, path := range paths {
		f, err := reprompi.Read(path)
		var missing *os.PathError
		if errors.As(err, &missing) {
			return nil, fail.AsSetup(err)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	m, runs, err := reprompi.Import(files, config.Check, config.Guideline)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	m.Version = version
	a, err := analyze.Analyze(m, runs, config.Analyze)
	if err != nil {
		return nil, err
	}
	return a.Report, nil
}

package calls

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pgmpi/analyze/selector"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// These say what a fingerprint measures where nothing says otherwise.
const (
	fingerprintRepetitions = 1000
	fingerprintMPIRuns     = 5
)

var fingerprint = Experiment("")

// Experiment measures the one case that "FUNCTION:MSIZE[:SHAPE]" names. It makes the nrep.fixed repetitions in a
// row.
func Experiment(text string) *run.Experiment {
	return &run.Experiment{Kind: results.Fingerprint,
		Defaults: run.Defaults(func(f *glfile.File) { f.Job.MPIRuns = fingerprintMPIRuns }),
		Prepare: func(_ context.Context, config *glfile.File, _ run.Options) (*glfile.File, error) {
			// A file may set these for check, which uses other values.
			config.Measure.PerRank, config.Measure.Turns = true, 1
			config.NREP.Fixed = cmp.Or(config.NREP.Fixed, fingerprintRepetitions)
			config.Job.MPIRuns = cmp.Or(config.Job.MPIRuns, fingerprintMPIRuns)
			return config, onShape(&config.Job, text)
		},
		Plan: func(config *glfile.File) (*guidelines.Plan, error) {
			function, size, _, err := parseCase(text)
			if err != nil {
				return nil, err
			}
			if extent := guidelines.Extent(config.Job.Datatype, function); size%extent != 0 {
				return nil, fail.Setupf("%s is no multiple of the %d bytes of job.datatype = %q", conf.HumanSize(size),
					extent, config.Job.Datatype)
			}
			p, err := config.CasesOnly(config.Job.NP, []string{function}, size)
			if err == nil && len(p.Shapes) > 1 {
				err = errors.New("a fingerprint is of one number of processes or one shape")
			}
			return p, err
		},
		Stages: []run.Stage{run.Measure},
		Judge: func(c *run.Campaign) (*run.Found, error) {
			f, err := fingerprintOf(c.Folder(), c.Manifest, text)
			if err != nil {
				return nil, err
			}
			return &run.Found{Document: fingerprints.Document(f)}, nil
		},
		Answer: fingerprints, Others: []results.Kind{results.Check, results.Explore, results.Imported}}
}

// onShape sets the shape that a case may name, instead of the configuration's.
func onShape(job *measure.JobConfig, text string) error {
	_, _, on, err := parseCase(text)
	switch {
	case err != nil:
		return fail.AsSetup(err)
	case on == "":
		return nil
	}
	shape, err := guidelines.ParseShape(strings.TrimPrefix(on, "p"))
	if np, e := strconv.Atoi(strings.TrimPrefix(on, "p")); strings.HasPrefix(on, "p") && e == nil {
		shape, err = guidelines.Shape{NP: np}, nil
	}
	if err != nil {
		return fail.AsSetup(err)
	}
	job.NP, job.Shapes = nil, nil
	if shape.Nodes > 0 {
		job.Shapes = []string{shape.String()}
	} else {
		job.NP = []int{shape.NP}
	}
	return nil
}

// fingerprintOf describes the samples of a case from the raw files of stage 2. "FUNCTION:MSIZE[:SHAPE]" names the
// case.
func fingerprintOf(folder *results.Folder, m *results.Manifest, text string) (*Fingerprint, error) {
	cases, err := selector.SelectCases(&m.Plan, text)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	i := cases[0]
	var runs []*results.Run
	for r, err := range folder.Runs(protocol.ModeMeasure, m.Plan.Cases[i].Shape, &m.Plan) {
		if err != nil {
			return nil, err
		}
		runs = append(runs, only(r, i))
	}
	name, err := reading.Name(folder.Path)
	if err != nil {
		return nil, err
	}
	f, err := newFingerprint(name, m, i, runs)
	if err != nil {
		return nil, err
	}
	f.AddReading(runs, i)
	var byRank []RanksOfRun
	for _, r := range runs {
		counters, counts, err := folder.CountsOfCase(r.Shape, r.Run, i)
		if err != nil {
			return nil, err
		}
		f.AddCounts(r.Run, counters, counts)
		ranks, err := folder.RanksOfCase(r.Shape, r.Run, i)
		if err != nil {
			return nil, err
		}
		if ranks != nil {
			byRank = append(byRank, RanksOfRun{Run: r.Run, NS: ranks})
		}
	}
	if err := errors.Join(f.Correlate(), f.AddRanks(byRank)); err != nil {
		return nil, err
	}
	return f, nil
}

// both describes a call in two folders.
func both(paths []string, text string) (*[2]*Fingerprint, error) {
	var both [2]*Fingerprint
	for i := range both {
		folder, m, err := reading.Open(paths[i], fingerprint.Judges()...)
		if err != nil {
			return nil, err
		}
		if both[i], err = fingerprintOf(folder, m, text); err != nil {
			return nil, fmt.Errorf("%s: %w", paths[i], err)
		}
	}
	if a, b := both[0], both[1]; a.Cell != b.Cell || a.Operation != b.Operation {
		return nil, fail.Setupf("%s and %s are about other shapes or operations: %s, %s; %s, %s", paths[0], paths[1],
			a.Shape, a.Operation.Text(), b.Shape, b.Operation.Text())
	}
	return &both, nil
}

// only removes the samples of other cases from an mpirun.
func only(r *results.Run, plan int) *results.Run {
	for k, c := range r.Cases {
		if c.Plan != plan {
			r.Samples[k] = nil
		}
	}
	return r
}

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/guidelines"
	"pgmpi/internal/campaign"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// settings are the flags that stand for keys of gl.toml, and where they go.
type settings struct {
	fs             *pflag.FlagSet
	base           *glfile.File // in place of the defaults; nil: glfile.Default
	guidelines     string
	np             []int
	mpiruns        int
	msizes         []string
	launch         string
	rank           string
	jobFile        bool
	seed           uint64
	stall          string
	sync           string
	clock          string
	clockSync      string
	cache          string
	method         string
	test           string
	alpha          float64
	adjust         string
	minSlowdown    float64
	splitTolerance float64
	looks          string
	maxRuns        int
	maxTime        string
	noSplit        bool
}

func (s *settings) measuring(fs *pflag.FlagSet) {
	s.fs = fs
	fs.StringVar(&s.guidelines, "guidelines", "", "the configuration `FILE`, gl.toml; without it the embedded catalogue GL1–GL17 and the defaults")
	s.design(fs)
	fs.StringVar(&s.launch, "launch", "", "the launcher, a `TEXT` that is split at spaces: \"mpirun.mpich -np {np}\" (default: that of the rank program's library)")
	fs.StringVar(&s.rank, "rank", "", "the rank program `FILE` (default: pgmpi-rank beside pgmpi)")
	fs.BoolVar(&s.jobFile, "job-file", false, "hand the job to rank 0 by a file in the results folder, where the launcher forwards no standard input")
}

// design has the flags that hold for both sides of `pgmpi ab`.
func (s *settings) design(fs *pflag.FlagSet) {
	s.fs = fs
	fs.IntSliceVar(&s.np, "np", nil, "numbers of processes, a comma `LIST` (default: the slots of the allocation, else the cores)")
	fs.IntVar(&s.mpiruns, "mpiruns", 0, "`R`, mpiruns that measure (default 10)")
	fs.StringSliceVar(&s.msizes, "msizes", nil, "message sizes in bytes, a comma `LIST`: 8,1Ki,64Ki..4Mi,1..1Mi*4 (default 1..1Mi)")
	fs.Uint64Var(&s.seed, "seed", 0, "seed `N` of the order of the cases (default 1)")
	fs.StringVar(&s.stall, "stall", "", "end an mpirun in which no case finishes for this `TIME` (default 2m)")
	fs.StringVar(&s.sync, "sync", "", "`METHOD` by which processes are synchronised before a repetition: auto, "+strings.Join(protocol.Syncs, ", ")+" (default barrier)")
	fs.StringVar(&s.clock, "clock", "", "`CLOCK` that times a repetition: "+strings.Join(protocol.Clocks, ", ")+" (default monotonic)")
	fs.StringVar(&s.clockSync, "clock-sync", "", "`METHOD` by which the processes' clocks become a global one: "+strings.Join(protocol.ClockSyncs, ", ")+" (default shared)")
	fs.StringVar(&s.cache, "cache", "", "`STATE` of the caches before a repetition: "+strings.Join(protocol.Caches, ", ")+" (default warm)")
}

// ending are the flags that say when a check is over.
func (s *settings) ending(fs *pflag.FlagSet) {
	fs.StringVar(&s.looks, "looks", "", "drop what is decided after so many mpiruns, a comma `LIST` whose last is R: 10,20,30 or 10:.2,20:.3,30:.5 (default: one look, at R)")
	fs.IntVar(&s.maxRuns, "max-mpiruns", 0, "at most `N` mpiruns of stage 2, in place of the looks behind them (default: no limit)")
	fs.StringVar(&s.maxTime, "max-time", "", "begin no mpirun that would end after this `TIME`, such as 10m, but for stage 1 (default: no limit)")
	fs.BoolVar(&s.noSplit, "no-split-experiment", false, "leave suspected split-robustness untested")
}

func (s *settings) judging(fs *pflag.FlagSet) {
	s.fs = fs
	fs.StringVar(&s.method, "method", "", "`METHOD` of judging: default, ci, paper or margin (default \"default\")")
	fs.StringVar(&s.test, "test", "", "`TEST` of a guideline: auto (the method's), ranksum, signedrank or ks (default auto)")
	fs.Float64Var(&s.alpha, "alpha", 0, "`LEVEL` of the whole check (default 0.05)")
	fs.StringVar(&s.adjust, "adjust", "", "`METHOD` of adjustment for many tests: auto (the method's), bh, holm or none (default auto)")
	fs.Float64Var(&s.minSlowdown, "min-slowdown", 0, "least `RATIO` that is a violation (default 1.05)")
	fs.Float64Var(&s.splitTolerance, "split-tolerance", 0, "slack `N` of split-robustness: 0.05 is 5 % (default 0.05)")
}

// apply puts the given flags over the file; a flag beats the file.
func (s *settings) apply(f *glfile.File) error {
	keys := map[string]string{}
	var failed error
	set := func(flag, key string, put func() error) {
		if s.fs.Lookup(flag) == nil || !s.fs.Changed(flag) {
			return
		}
		keys[key] = "--" + flag
		if err := put(); err != nil && failed == nil {
			failed = setupf("--%s: %w", flag, err)
		}
	}
	plain := func(put func()) func() error { return func() error { put(); return nil } }
	set("np", "job.np", plain(func() { f.Job.NP = s.np }))
	set("mpiruns", "job.mpiruns", plain(func() { f.Job.MPIRuns = s.mpiruns }))
	set("msizes", "job.msizes", plain(func() { f.Job.Msizes = guidelines.MsizeList(s.msizes) }))
	set("launch", "mpi.launch", func() error {
		f.MPI.Launch = strings.Fields(s.launch)
		if len(f.MPI.Launch) == 0 {
			return errors.New("it is empty")
		}
		return nil
	})
	set("rank", "mpi.rank", plain(func() { f.MPI.Rank = s.rank }))
	set("job-file", "mpi.job_file", plain(func() { f.MPI.JobFile = s.jobFile }))
	set("seed", "job.seed", plain(func() { f.Job.Seed = s.seed }))
	set("stall", "measure.stall", func() error {
		var d conf.Duration
		err := d.UnmarshalText([]byte(s.stall))
		f.Measure.Stall = d
		return err
	})
	set("sync", "measure.sync", plain(func() { f.Measure.Sync = s.sync }))
	set("clock", "measure.clock", plain(func() { f.Measure.Clock = s.clock }))
	set("clock-sync", "measure.clock_sync", plain(func() { f.Measure.ClockSync = s.clockSync }))
	set("cache", "measure.cache", plain(func() { f.Measure.Cache = s.cache }))
	set("looks", "job.looks", func() (err error) {
		f.Job.Looks, f.Job.LookWeights, err = parseLooks(s.looks)
		return err
	})
	set("max-mpiruns", "job.max_mpiruns", plain(func() { f.Job.MaxMPIRuns = s.maxRuns }))
	set("max-time", "job.max_time", func() error { return f.Job.MaxTime.UnmarshalText([]byte(s.maxTime)) })
	set("no-split-experiment", "measure.split_experiment", plain(func() { f.Measure.SplitExperiment = !s.noSplit }))
	if len(f.Job.Looks) > 0 && s.fs.Lookup("mpiruns") != nil && s.fs.Changed("mpiruns") {
		return setupf("--mpiruns: the last look is the number of mpiruns; end earlier with --max-mpiruns")
	}
	set("method", "analyze.method", plain(func() { f.Analyze.Method = s.method }))
	set("test", "analyze.test", plain(func() { f.Analyze.Test = s.test }))
	set("alpha", "analyze.alpha", plain(func() { f.Analyze.Alpha = s.alpha }))
	set("adjust", "analyze.adjust", plain(func() { f.Analyze.Adjust = s.adjust }))
	set("min-slowdown", "analyze.min_slowdown", plain(func() { f.Analyze.MinSlowdown = s.minSlowdown }))
	set("split-tolerance", "analyze.split_tolerance", plain(func() { f.Analyze.SplitTolerance = s.splitTolerance }))
	if failed != nil {
		return failed
	}
	if err := f.Validate(keys); err != nil {
		return setup(err)
	}
	return nil
}

// load reads the configuration: the named file, that of the results folder
// which is resumed, or the defaults.
func (s *settings) load(m *results.Manifest) (*glfile.File, error) {
	var f *glfile.File
	switch {
	case s.guidelines != "":
		var err error
		f, err = glfile.Load(s.guidelines)
		if errors.Is(err, fs.ErrNotExist) && isSelector(s.guidelines) {
			return nil, setupf("--guidelines: %s is a guideline, and a file is wanted. Write into one, such as gl.toml:\n  [check]\n  guidelines = [%s]",
				s.guidelines, quoteAll(strings.Split(s.guidelines, ",")))
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil, setupf("%w; `pgmpi init` writes one", err)
		}
		if err != nil {
			return nil, setup(err)
		}
	case m != nil:
		var err error
		if f, err = campaign.ConfigOf(m); err != nil {
			return nil, err
		}
	case s.base != nil:
		f = s.base
	default:
		d := glfile.Default()
		f = &d
	}
	return f, s.apply(f)
}

// isSelector tells whether a comma list is what check.guidelines may hold.
func isSelector(list string) bool {
	return len(guidelines.Config{Guidelines: strings.Split(list, ",")}.Validate(nil)) == 0
}

// parseLooks reads --looks: "10,20,30", or with weights "10:.2,20:.3,30:.5".
func parseLooks(text string) (looks []int, weights []float64, err error) {
	for _, part := range strings.Split(text, ",") {
		before, after, weighted := strings.Cut(strings.TrimSpace(part), ":")
		at, err := strconv.Atoi(before)
		if err != nil {
			return nil, nil, fmt.Errorf("%q is no number of mpiruns, as in 10,20,30", part)
		}
		looks = append(looks, at)
		if !weighted {
			continue
		}
		w, err := strconv.ParseFloat(after, 64)
		if err != nil {
			return nil, nil, fmt.Errorf("%q has no weight behind its colon, as in 10:.2,20:.3,30:.5", part)
		}
		weights = append(weights, w)
	}
	return looks, weights, nil
}

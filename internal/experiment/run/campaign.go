package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/measure"
	"pgmpi/measure/batch"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Campaign is one configuration that is measured into one results folder.
type Campaign struct {
	Config   *glfile.File
	Manifest *results.Manifest
	Path     string // of the results folder
	RankPath string
	Resumed  bool            // in a folder with finished mpiruns
	Tell     func(Event)     // set before Open
	Start    measure.Starter // nil: measure.Exec
	// LaunchTime is what the start of an mpirun is taken to cost by Estimate; 0: unknown.
	LaunchTime time.Duration
	Job        batch.Job // that all this is in; Open asks where it is not set

	session measure.Session
	Against *series.Baselines // what [gate] names; nil: nothing
	tally   *tally
	data    collection
	dropped map[int]bool       // cases that no undecided test needs, by index into Plan.Cases
	counted []guidelines.Shape // whose counters the user has heard of
	spent   time.Duration
	last    map[guidelines.Shape]time.Duration // wall-clock of the last mpirun
	opened  time.Time
	// sawSettings: what mpi.env chooses was looked at.
	sawSettings bool
	// predicted is the last prediction of a shape: one mpirun may make several.
	predicted map[guidelines.Shape]int
}

// New makes the Plan, and finds rank program and launcher, which are asked for
// their versions. before is the manifest of the folder that is resumed (see
// Before), or nil. No MPI is started and nothing is written.
func New(config *glfile.File, path string, before *results.Manifest, version string) (*Campaign, error) {
	return Prepared(config, path, before, version, findLaunch)
}

// NewDry is New for a Plan that is only shown: nothing at all is started.
func NewDry(config *glfile.File, path string, before *results.Manifest, version string) (*Campaign, error) {
	return Prepared(config, path, before, version, func(config *glfile.File, m *results.Manifest) (string, error) {
		return seeLaunch(config, m, before)
	})
}

func Prepared(config *glfile.File, path string, before *results.Manifest, version string,
	find func(*glfile.File, *results.Manifest) (string, error)) (*Campaign, error) {
	return planned(config, path, before, version, find, func(np []int) (*guidelines.Plan, error) {
		plan, err := config.Plan(np)
		if err == nil && len(plan.Tests) == 0 {
			err = errors.New("there is nothing to check: no guideline of [check] has a size to be checked at")
		}
		return plan, err
	})
}

// planned is a campaign for what a plan has.
func planned(config *glfile.File, path string, before *results.Manifest, version string,
	find func(*glfile.File, *results.Manifest) (string, error), planFor func(np []int) (*guidelines.Plan, error)) (*Campaign, error) {
	config.Job.NP = config.Job.NPOr(launch.DefaultNP)
	plan, err := planFor(config.Job.NP)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	m := &results.Manifest{
		Version: version, Created: time.Now().UTC().Format(time.RFC3339), TOML: config.Source,
		Plan: *plan, Seed: config.Job.Seed, Factors: Factors(),
		SplitExperiment: config.Measure.SplitExperiment && slices.ContainsFunc(plan.Tests, func(t guidelines.Test) bool { return t.Type == guidelines.Split }),
	}
	usual := analyze.Usual(m, config.Analyze)
	m.R, m.Looks, m.LookWeights = config.Job.Schedule(usual.Looks, usual.Weights)
	if m.Config, err = json.Marshal(config); err != nil {
		return nil, err
	}
	rankPath, err := find(config, m)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	if before != nil {
		if m, err = goOn(before, m, config, path); err != nil {
			return nil, err
		}
	}
	if n := config.NREP.Fixed; n > 0 { // stage 1 has nothing to predict
		m.Fixed(n)
	}
	return &Campaign{Config: config, Manifest: m, Path: path, RankPath: rankPath, Resumed: before != nil,
		tally:   &tally{planned: map[protocol.Mode]int{}, done: map[protocol.Mode]int{}},
		dropped: map[int]bool{}, last: map[guidelines.Shape]time.Duration{}, predicted: map[guidelines.Shape]int{}}, nil
}

// findLaunch fills the rank program and the launcher into the manifest.
func findLaunch(config *glfile.File, m *results.Manifest) (string, error) {
	path, err := launch.FindRank(config.MPI.Rank)
	if err != nil {
		return "", err
	}
	if m.Rank, err = launch.Probe(path); err != nil {
		return "", err
	}
	m.Launch = map[string][]string{}
	for _, s := range m.Plan.Shapes {
		if m.Launch[s.String()], err = launch.Launch(config.MPI.Launcher(), m.Rank, s); err != nil {
			return "", err
		}
	}
	return path, nil
}

// seeLaunch is findLaunch by what lies on disk: the program files, and the manifest
// of the folder that is resumed, or nil.
func seeLaunch(config *glfile.File, m, before *results.Manifest) (string, error) {
	path, err := launch.FindRank(config.MPI.Rank)
	if err != nil {
		return "", err
	}
	if m.Rank, err = launch.Look(path); err != nil {
		return "", err
	}
	if before != nil && before.Rank.Hash == m.Rank.Hash {
		m.Rank = before.Rank
	}
	m.Launch = map[string][]string{}
	for _, s := range m.Plan.Shapes {
		argv, err := launch.Likely(config.MPI.Launcher(), m.Rank, s)
		if err != nil {
			return "", err
		}
		m.Launch[s.String()] = argv
	}
	return path, nil
}

// Factors collects what can change a result (S-REVISITED, Table VI) and can be
// seen by the driver. The ranks add what they see.
func Factors() host.Factors {
	k := host.ReadKind(os.DirFS("/"))
	f := host.Factors{Kernel: k.Kernel, CPU: k.CPU, Cores: launch.Cores(), Go: runtime.Version(), Env: host.Env(os.Environ()), Job: host.ReadJob()}
	f.Hostname, _ = os.Hostname()
	return f
}

// Open opens the results folder, which is locked until Close.
func (c *Campaign) Open() error {
	folder, err := results.Create(c.Path)
	if err != nil {
		return fail.AsSetup(err)
	}
	c.Manifest.FolderID = folder.ID()
	if err := folder.WriteManifest(c.Manifest); err != nil {
		folder.Close()
		return fail.Setupf("%w; make room there, or choose another folder with --out", err)
	}
	c.session = measure.Session{Folder: folder, Manifest: c.Manifest, RankPath: c.RankPath, MPI: c.Config.MPI,
		NREP: c.Config.NREP, Measure: c.Config.Measure, Overlap: c.Config.Overlap, Own: c.Config.Mockup, Start: c.Start}
	if c.Job.ID == "" {
		c.Job = batch.Here()
	}
	c.opened = time.Now()
	for _, note := range c.Manifest.Plan.Notes {
		c.say("note: %s", note)
	}
	return nil
}

// Close unlocks the results folder.
func (c *Campaign) Close() error { return c.Folder().Close() }

// Folder is the results folder, once it is open.
func (c *Campaign) Folder() *results.Folder { return c.session.Folder }

func (c *Campaign) say(format string, args ...any) {
	c.Tell(Event{Sentence: fmt.Sprintf(format, args...)})
}

// predictions is how many mpiruns of each shape stage 1 has; with nrep.fixed, none.
func (c *Campaign) predictions() int {
	if c.Config.NREP.Fixed > 0 {
		return 0
	}
	return c.Config.NREP.Predictions
}

// plan counts the mpiruns of a stage for the progress.
func (c *Campaign) plan(mode protocol.Mode, runs int) {
	c.tally.planned[mode] += runs * len(c.Manifest.Plan.Shapes)
}

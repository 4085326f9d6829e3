package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/phrase"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
	"pgmpi/measure/batch"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Campaign runs an experiment with one configuration, in one results folder.
type Campaign struct {
	*Experiment
	Options
	Config   *glfile.File
	Manifest *results.Manifest
	RankPath string
	Against  *series.Baselines // the baselines of [gate], if the experiment has read them
	Job      batch.Job         // the batch job around all this; Open finds it unless it is set
	Lost     *fail.Failed      // the mpirun of it that failed twice, which ended the experiment

	session     measure.Session
	beside      []*Campaign // all campaigns that it alternates with, and itself
	tally       *tally
	data        collection
	begun       []protocol.Mode    // stages that have been done, and the current one
	dropped     map[int]bool       // cases that no undecided test needs, by index into Plan.Cases
	counted     []guidelines.Shape // shapes whose counters the user has heard of
	spent       time.Duration
	last        map[guidelines.Shape]time.Duration // wall-clock of the last mpirun
	opened      time.Time
	sawSettings bool                     // whether the variables of mpi.env were looked at
	idle        []string                 // settings that do nothing, which was said
	heard       bool                     // something besides the ranks prints on standard output, which was said
	predicted   map[guidelines.Shape]int // by the last prediction of a shape: one mpirun may make several
	riding      riding
}

type Options struct {
	Path    string            // of the results folder
	Before  *results.Manifest // of the folder to go on in (see Before); nil for a new one
	Version string
	Line    []string        // of the command
	Label   []string        // KEY=VALUE
	Tell    func(Event)     // nil if nobody listens
	Start   measure.Starter // nil for measure.Exec
	// Dry shows the Plan, and starts nothing. LaunchTime is then the assumed time of the start of
	// an mpirun, or 0 if unknown.
	Dry        bool
	LaunchTime time.Duration
	// NoLauncher looks for no launcher, as the estimate of a job needs none: it may not be on this
	// machine, and srun starts nothing outside of a job.
	NoLauncher bool
	Notes      []Note // of features, on what another program has measured
}

// Note adds sections to the report on what another program has measured, or none.
type Note func(*results.Manifest, *medians.Set, judge.Config) ([]document.Section, error)

// New makes the Plan, and finds rank program and launcher, whose versions it asks for. It starts no
// mpirun, unless the experiment has to ask the library what it has, and writes nothing.
func New(ctx context.Context, x *Experiment, config *glfile.File, o Options) (*Campaign, error) {
	if o.Tell == nil {
		o.Tell = func(Event) {}
	}
	config.Job.NP = config.Job.NPOr(launch.DefaultNP)
	var err error
	if config.MPI, err = config.MPI.Installed(); err != nil {
		return nil, fail.AsSetup(err)
	}
	if x.Prepare != nil {
		if config, err = x.Prepare(ctx, config, o); err != nil {
			return nil, err
		}
	}
	plan, err := x.Plan(config)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	m := &results.Manifest{
		Kind: x.Kind, Version: o.Version, Command: o.Line, Created: time.Now().UTC().Format(time.RFC3339), TOML: config.Source,
		Plan: *plan, Seed: config.Job.Seed, Factors: Factors(),
		SplitExperiment: config.Measure.SplitExperiment && slices.ContainsFunc(plan.Tests, func(t guidelines.Test) bool { return t.Type == guidelines.Split }),
	}
	usual := analyze.Usual(m, config.Analyze)
	m.R, m.Looks, m.LookWeights = config.Job.Schedule(usual.Looks, usual.Weights)
	if x.R != nil {
		m.R, m.Looks, m.LookWeights = x.R(config), nil, nil
	}
	rankPath, err := o.launch(config, m)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	if m.Config, err = json.Marshal(config); err != nil {
		return nil, err
	}
	if o.Before != nil {
		if m, err = goOn(o.Before, m, config, o.Path); err != nil {
			return nil, err
		}
	}
	if err := label(m, o.Label); err != nil {
		return nil, err
	}
	if o.Dry {
		m.Plan.Notes = append(m.Plan.Notes, absent(config, os.Getenv)...)
	}
	if n := config.NREP.Fixed; n > 0 { // stage 1 has nothing to predict
		m.Fixed(n)
	}
	return &Campaign{Experiment: x, Options: o, Config: config, Manifest: m, RankPath: rankPath,
		tally: &tally{x.Stages, map[protocol.Mode]int{}, map[protocol.Mode]int{}, map[protocol.Mode]int{}}, dropped: map[int]bool{},
		last: map[guidelines.Shape]time.Duration{}, predicted: map[guidelines.Shape]int{}, riding: newRiding()}, nil
}

// absent names files that the ranks need and that are not on this host, as a check would find only in its first mpirun.
func absent(config *glfile.File, getenv func(string) string) (notes []string) {
	for _, own := range config.Mockup {
		if _, err := os.Stat(own.File); errors.Is(err, fs.ErrNotExist) {
			notes = append(notes, fmt.Sprintf("mockup.file: %s is not there, on this host.", own.File))
		}
	}
	for _, file := range strings.FieldsFunc(cmp.Or(config.MPI.Env[tuning.Preload], getenv(tuning.Preload)), func(r rune) bool { return r == ':' || r == ' ' }) {
		if _, err := os.Stat(file); strings.Contains(file, "/") && errors.Is(err, fs.ErrNotExist) {
			notes = append(notes, fmt.Sprintf("%s: %s is not there, on this host.", tuning.Preload, file))
		}
	}
	return notes
}

// Read returns an experiment whose folder has been measured, to judge it with a configuration.
func Read(x *Experiment, folder *results.Folder, m *results.Manifest, config *glfile.File) *Campaign {
	return &Campaign{Experiment: x, Options: Options{Path: folder.Path, Before: m}, Config: config, Manifest: m, session: measure.Session{Folder: folder}}
}

// launch fills the rank program and the launcher into the manifest. A dry run takes the files on
// disk.
func (o *Options) launch(config *glfile.File, m *results.Manifest) (rank string, err error) {
	words := launch.Launch
	ask := func(path string) (protocol.RankInfo, error) {
		return launch.Probe(path, config.MPI.Env)
	}
	if o.Dry {
		ask, words = launch.Look, launch.Likely
	}
	path, err := launch.FindRank(config.MPI.Rank)
	if err != nil {
		return "", err
	}
	if !o.NoLauncher {
		if config.MPI, err = config.MPI.Loading(path); err != nil {
			return "", err
		}
	}
	if m.Rank, err = ask(path); err != nil {
		return "", err
	}
	if o.Dry && o.Before != nil && o.Before.Rank.Hash == m.Rank.Hash {
		m.Rank = o.Before.Rank
	}
	if m.Rank.Library == "" && launch.ForABI(path) {
		m.Rank.Library = config.MPI.Launcher().Family()
	}
	if m.Launch = map[string][]string{}; o.NoLauncher {
		return path, nil
	}
	for _, s := range m.Plan.Shapes {
		if m.Launch[s.String()], err = words(config.MPI.Launcher(), m.Rank, s); err != nil {
			return "", err
		}
	}
	return path, nil
}

// Factors collects what can change a result (S-REVISITED, Table VI) and what the driver can see.
// The ranks add what they see.
func Factors() host.Factors {
	k := host.ReadKind(os.DirFS("/"))
	f := host.Factors{Kernel: k.Kernel, CPU: k.CPU, Cores: launch.Cores(), Go: runtime.Version(), Env: host.Env(os.Environ()), EnvOf: host.EnvOf(), Job: host.ReadJob()}
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
		return fail.Setupf("%w; %s", err, cmp.Or(fail.Remedy(err), "choose another folder with --out"))
	}
	c.session = measure.Session{Folder: folder, Manifest: c.Manifest, RankPath: c.RankPath, MPI: c.Config.MPI,
		NREP: c.Config.NREP, Measure: c.Config.Measure, Own: c.Config.Mockup, Start: c.Start}
	if c.Job.ID == "" {
		c.Job = batch.Here()
	}
	c.opened = time.Now()
	for _, note := range c.Manifest.Plan.Notes {
		c.Say("note: %s", note)
	}
	c.noteCrowded()
	return nil
}

// noteCrowded says, for each shape whose ranks share cores, what that costs and what can be seen.
func (c *Campaign) noteCrowded() {
	for _, shape := range c.Manifest.Plan.Shapes {
		cores, crowded := launch.Crowded(shape, c.Config.MPI.CPUsPerRank)
		if !crowded {
			continue
		}
		fits := fmt.Sprintf("--np %d", cores)
		if shape.Nodes > 0 {
			fits = fmt.Sprintf("--shape %dx%d", shape.Nodes, cores)
		}
		wait := time.Duration(launch.StartUpOf(c.Manifest.Rank.Library).SharedStep * 1e9)
		c.Say("note: %s: more processes than the %d cores%s: in each step of a call one may wait for another's turn, with this library for some %v, "+
			"and mpiruns take as much longer. Only differences beyond that say something about the library; a core for each: %s",
			shape, cores, phrase.When(shape.Nodes > 0, " of a node"), wait, fits)
	}
}

func (c *Campaign) Close() error { return c.Folder().Close() }

// Folder returns the results folder, once it is open.
func (c *Campaign) Folder() *results.Folder { return c.session.Folder }

func (c *Campaign) Say(format string, args ...any) {
	c.Tell(Event{Sentence: fmt.Sprintf(format, args...)})
}

// seeSettings notes once which variables choose an algorithm without effect, or name rules without. It measures
// nothing, and starts nothing if there is no such variable.
func (c *Campaign) seeSettings(ctx context.Context) {
	for _, name := range slices.Sorted(maps.Keys(c.Config.MPI.Env)) {
		if !host.Reads(name, c.Manifest.Rank.LibVersion) && !untimed.ChoosesAlgorithm(name) {
			c.ignores(name + " in mpi.env does nothing: the ranks have another MPI library")
		}
	}
	env := measure.Env(host.Env(os.Environ()), c.Config.MPI.Env)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(env)), func(name string) bool { return !untimed.ChoosesAlgorithm(name) })
	if c.sawSettings || len(names) == 0 {
		return
	}
	c.sawSettings = true
	o := untimed.OnceWith(c.Config, c.Start, c.RankPath, c.Manifest.Rank)
	found, err := o.Ignored(ctx, c.Manifest.Plan.Shapes[0], env, names)
	if err != nil {
		return // the first mpirun that measures tells why, and the remedy
	}
	for _, text := range found {
		c.ignores(text)
	}
}

// ignores notes once that a setting does nothing.
func (c *Campaign) ignores(text string) {
	if c.Manifest.Ignored(text) {
		c.Say("note: %s", text)
	}
}

// Event reports what a campaign does: a sentence for the user, a step that begins, what a look has
// found, or, if all are empty, the progress.
type Event struct {
	Sentence string
	Step     string // to show progress
	Found    string // by an interim look, to show beside progress on a terminal
	Progress
}

type Progress struct {
	Doing       string // the stage in words
	Shape       guidelines.Shape
	Run, Runs   int  // this mpirun, 1-based, and how many its stage has
	Before, All int  // mpiruns of all stages, before this one and in all
	Done, Total int  // cases of this mpirun
	Finished    bool // this mpirun is on disk
}

type tally struct {
	stages        []Stage
	planned, done map[protocol.Mode]int
	expected      map[protocol.Mode]int // of stages whose plan rests on mpiruns to come
}

// expect counts the mpiruns of its own that a stage usually has in a check that finds something, so that the bar
// stands for the whole check from its beginning.
func (c *Campaign) expect(s Stage) {
	if s.Usual == 0 || !c.followsUp(s) {
		return
	}
	carrying := 0
	if i := slices.IndexFunc(c.Stages, func(of Stage) bool { return of.Mode == s.With }); i >= 0 {
		carrying = c.Stages[i].Usual
		if looks := c.Manifest.Looks; s.With == protocol.ModeMeasure && len(looks) > 1 {
			carrying = looks[len(looks)-1] - looks[0]
		}
	}
	c.tally.expected[s.Mode] = max(0, s.Usual-carrying) * len(c.Manifest.Plan.Shapes)
}

func (c *Campaign) count(s Stage, runs int) {
	c.tally.planned[s.Mode] += runs * len(c.Manifest.Plan.Shapes)
}

func (y *tally) at(t measure.Task) Progress {
	p := Progress{Shape: t.Shape, Run: y.done[t.Mode] + 1, Runs: y.planned[t.Mode]}
	p.Before = y.done[t.Mode]
	for _, s := range y.stages {
		if s.Mode == t.Mode {
			p.Doing = s.Doing
			p.Before += p.All
		}
		p.All += y.planned[s.Mode] + y.expected[s.Mode]
	}
	return p
}

var labelKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)

// longestLabel leaves room for a commit, a ticket, a job: one line of a table.
const longestLabel = 200

func ValidateLabels(pairs []string) error {
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		switch {
		case !ok || !labelKey.MatchString(key):
			return fail.Setupf("--label: %q is not of the form KEY=VALUE, such as commit=4f3c2a1", pair)
		case len(value) > longestLabel:
			return fail.Setupf("--label: the value of %s has %d bytes; at most %d", key, len(value), longestLabel)
		case !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return unicode.Is(unicode.C, r) }):
			return fail.Setupf("--label: the value of %s has control characters", key)
		}
	}
	return nil
}

// label notes KEY=VALUE pairs in the manifest. A folder that is resumed keeps its labels, unless
// they are given again.
func label(m *results.Manifest, pairs []string) error {
	if err := ValidateLabels(pairs); err != nil {
		return err
	}
	for _, pair := range pairs {
		key, value, _ := strings.Cut(pair, "=")
		m.Labelled(key, value)
	}
	return nil
}

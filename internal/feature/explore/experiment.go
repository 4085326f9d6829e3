package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/which"
	"pgmpi/internal/lists"
	"pgmpi/internal/reading"
	"pgmpi/internal/untimed"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// Experiment compares what a library chooses with its own algorithms, mock-ups and textbook algorithms. Every
// comparison is a pattern of its Plan; stage 2 selects, and other mpiruns test.
var Experiment = &run.Experiment{Kind: results.Explore, Prepare: prepare, Plan: run.Tests, Medians: true,
	Defaults: run.Defaults(func(f *glfile.File) { f.Job.Msizes, f.NREP.Predictions = run.UsualSizes, 1 }),
	R:        func(config *glfile.File) int { return glfile.Of(config, Section).Select },
	Stages:   []run.Stage{run.Predict, run.Measure, testCandidates},
	Mpiruns: func(c *run.Campaign) (text string, assumed int) {
		if c.Before == nil {
			assumed = assumedAlgorithms
		}
		return fmt.Sprintf("%d choose among them, about %d others test what was chosen", c.Manifest.R, testCandidates.Runs(c.Manifest, c.Config)), assumed
	},
	Judge: run.ByMedians(func(c *run.Campaign, data *medians.Set) (*run.Found, error) {
		e, err := Judge(c.Manifest, data, c.Config.Analyze)
		if err != nil {
			return nil, err
		}
		return &run.Found{Document: kind.Document(e)}, nil
	}),
	Answer: kind, Analyzed: true}

// At explores every collective at sizes of its own, and compares more with it.
func At(sizes map[string]guidelines.MsizeList, more []guidelines.UserPattern) *run.Experiment {
	x := *Experiment
	x.Prepare = func(ctx context.Context, config *glfile.File, o run.Options) (*glfile.File, error) {
		f, err := prepare(ctx, config, o)
		if err != nil {
			return nil, err
		}
		f.Guideline = slices.DeleteFunc(slices.Clone(f.Guideline), func(u guidelines.User) bool { // no setting takes one
			other, _ := mockups.Get(u.Pattern.Mockup)
			return other.Textbook != ""
		})
		for _, p := range more {
			f.Guideline = append(f.Guideline, comparison(p.Function, p.Mockup))
		}
		for i, u := range f.Guideline {
			f.Guideline[i].Msizes = slices.Clone(sizes[u.Pattern.Function])
			if _, segment, _ := mockups.Parameters(mockups.Algorithm(u.Pattern.Mockup)); segment > 0 { // below, it is the algorithm itself
				f.Guideline[i].Msizes = slices.DeleteFunc(f.Guideline[i].Msizes, func(text string) bool {
					size, err := conf.ParseSize(text)
					return err != nil || size <= segment
				})
			}
		}
		f.Guideline = slices.DeleteFunc(f.Guideline, func(u guidelines.User) bool {
			return len(u.Msizes) == 0 && guidelines.HasSize(u.Pattern.Function)
		})
		return f, nil
	}
	return &x
}

var testCandidates = run.Stage{Mode: protocol.ModeExplore, Name: "test of candidates", Doing: "testing candidates", Alone: true, Load: 2. / run.Pointing, // by explorations of two libraries
	Runs: func(m *results.Manifest, config *glfile.File) int {
		if x := m.FollowUps[protocol.ModeExplore]; x != nil {
			return x.R
		}
		cells := map[medians.Cell]bool{}
		for _, t := range m.Plan.Tests {
			cells[medians.CellOf(m.Plan.Cases[t.Case])] = true
		}
		return cmp.Or(config.Job.MPIRuns, testsFor(config.Analyze.Alpha, len(cells)))
	},
	Plan: func(c *run.Campaign, data *medians.Set) (*results.FollowUps, error) {
		x := planTests(c.Manifest, data, c.Config.Analyze, c.Config.Job.MPIRuns)
		if x == nil {
			return nil, nil
		}
		return x, refuseTests(c.Config, candidatesOf(c.Manifest, x))
	}}

// prepare replaces the guidelines by comparisons. It asks the library for its algorithms in an mpirun
// of its own. A dry run knows them only in a folder that has been begun, and else assumes some.
func prepare(ctx context.Context, config *glfile.File, o run.Options) (*glfile.File, error) {
	if config.Measure.Fresh {
		return nil, fail.Setupf("measure.fresh times the first call of a process, and an algorithm that may be refused is called before, to see whether it is: leave it out to explore")
	}
	var users []guidelines.User
	switch {
	case !o.Dry:
		if err := forced(config); err != nil {
			return nil, fail.AsSetup(err)
		}
		list, err := untimed.ReadAlgorithms(ctx, config, o.Start)
		if err != nil {
			return nil, err
		}
		if err := glfile.Of(config, Section).Known(list.Collectives); err != nil {
			return nil, fail.Setupf("explore.algorithms: %w", err)
		}
		n, _ := list.Count()
		if users = comparisons(list, config); n == 0 || len(users) == 0 {
			return nil, fail.Setupf("nothing to explore: %s", nothing(list))
		}
	case o.Before != nil:
		old, err := reading.ConfigOf(o.Before)
		if err != nil {
			return nil, err
		}
		users = old.Guideline
	default:
		users = comparisons(assumed(config), config)
	}
	if err := refuseTests(config, 1); err != nil {
		return nil, err
	}
	f := *config
	f.Check.Guidelines, f.Check.Exclude, f.Guideline = []string{}, []string{}, users
	own := glfile.Of(config, Section)
	own.Takes = taken(ctx, &f, o)
	glfile.Put(&f, Section, own)
	f.Measure = f.Measure.AsInPrograms()
	rounds := own.Rounds
	if rounds > 0 && f.Measure.Turns == 0 && !f.Measure.Provable && f.Measure.Cache == protocol.CacheWarm {
		f.Measure.Turns = min(rounds, f.NREP.Most())
	}
	return &f, nil
}

// taken asks the library which algorithms it takes by itself. Without an answer the exploration goes on, and does not
// know which of its own algorithms is the same.
func taken(ctx context.Context, f *glfile.File, o run.Options) []Taken {
	if o.Before != nil {
		if old, err := reading.ConfigOf(o.Before); err == nil {
			return glfile.Of(old, Section).Takes
		}
	}
	if o.Dry {
		return nil
	}
	ask := *f
	ask.Check.Functions = nil
	for _, u := range f.Guideline {
		ask.Check.Functions = lists.With(ask.Check.Functions, u.Pattern.Function)
	}
	if o.Tell != nil {
		o.Tell(run.Event{Step: "asking which algorithms the library takes"})
	}
	w, err := which.Ask(ctx, &ask, o.Start)
	if err != nil {
		if o.Tell != nil && ctx.Err() == nil {
			o.Tell(run.Event{Sentence: fmt.Sprintf("note: which algorithms the library takes is not known: %v", err)})
		}
		return nil
	}
	var out []Taken
	for _, r := range w.Rows {
		if len(r.Algorithms) > 0 {
			out = append(out, Taken{medians.Cell{Function: r.Collective, Msize: r.Msize, Shape: r.Shape}, r.Algorithms})
		}
	}
	return out
}

// forced returns an error if mpi.env forces an algorithm of a collective that is to be explored.
func forced(config *glfile.File) error {
	only := config.Check.Functions
	return config.Forced(func(c string) bool {
		return glfile.Of(config, Section).Names(c) && (len(only) == 0 || slices.Contains(only, c))
	})
}

// refuseTests returns a *Refused where job.mpiruns cannot show any of m candidates to be faster.
// Without job.mpiruns as many are made as suit.
func refuseTests(config *glfile.File, m int) error {
	if config.Job.MPIRuns == 0 {
		return nil
	}
	return run.Refused(judge.NewDesign(config.Analyze, judge.Once(config.Job.MPIRuns), m))
}

// assumedAlgorithms is the usual number of a collective's algorithms: Open MPI 4.1.4 and MPICH 4.0.2
// have 3 to 4 in the mean.
const assumedAlgorithms = 4

// assumed returns the algorithms to assume for a library that was not asked, and the named ones.
func assumed(config *glfile.File) *report.Algorithms {
	out := &report.Algorithms{}
	for _, c := range mockups.Collectives() {
		of := protocol.Algorithms{Collective: c}
		for i := range assumedAlgorithms {
			of.Names = append(of.Names, protocol.Algorithm{Name: fmt.Sprint(i + 1)})
		}
		for _, id := range glfile.Of(config, Section).Algorithms {
			if name, ok := strings.CutPrefix(id, c+"@"); ok {
				of.Names = append(of.Names, protocol.Algorithm{Name: name})
			}
		}
		out.Collectives = append(out.Collectives, of)
	}
	return out
}

func comparison(collective, other string) guidelines.User {
	id := strings.NewReplacer("@", "-", ".", "_", "+", "-").Replace(strings.TrimPrefix(other, "MPI_"))
	return guidelines.User{ID: "explore-" + id, Pattern: &guidelines.UserPattern{Function: collective, Mockup: other}}
}

func nothing(list *report.Algorithms) string {
	if n, _ := list.Count(); n == 0 {
		return list.None()
	}
	return "explore.algorithms and check.functions leave none of the library's own algorithms; `pgmpi list --algorithms` shows them"
}

// comparisons compares every collective of which an own algorithm is wanted: with
// itself once more, with these algorithms, and with its mock-ups and textbook algorithms, those that divide their
// work among nodes only where all shapes let them. A collective whose algorithms are not known for
// this version of the library is compared with its mock-ups alone.
func comparisons(list *report.Algorithms, config *glfile.File) (out []guidelines.User) {
	add := func(collective, other string) { out = append(out, comparison(collective, other)) }
	shapes := config.Job.On(config.Job.NP)
	lanes := len(shapes) > 0 && !slices.ContainsFunc(shapes, func(s guidelines.Shape) bool { return !s.HasLanes() })
	only := config.Check.Functions
	for _, c := range list.Collectives {
		var wanted []string
		for _, a := range c.Names {
			id := mockups.AlgorithmID(c.Collective, a.Name)
			if f, ok := mockups.Get(id); ok && !c.Fixed && glfile.Of(config, Section).Wants(id) && (len(only) == 0 || slices.Contains(only, f.Of)) {
				wanted = append(wanted, id)
			}
		}
		unknown := c.Unknown() && glfile.Of(config, Section).Wants(c.Collective) && (len(only) == 0 || slices.Contains(only, c.Collective))
		if len(wanted) == 0 && !unknown {
			continue
		}
		add(c.Collective, mockups.AlgorithmID(c.Collective, mockups.DefaultAlgorithm))
		for _, id := range wanted {
			add(c.Collective, id)
		}
		for _, id := range append(mockups.Mockups(c.Collective), guidelines.OwnMockups(config.Mockup, c.Collective)...) {
			if f, _ := mockups.Get(id); f.Fewer == "" && (f.Over == "" || lanes) {
				add(c.Collective, id)
			}
		}
	}
	return out
}

// imported compares own algorithms that another program has measured, if it has measured some.
func imported(m *results.Manifest, data *medians.Set, cfg judge.Config) ([]document.Section, error) {
	if !slices.ContainsFunc(m.Plan.Cases, func(k guidelines.Case) bool { return mockups.Algorithm(k.Function) != "" }) {
		return nil, nil
	}
	e, err := Judge(m, data, cfg)
	if err != nil {
		return nil, err
	}
	return fastestOwn(e), nil
}

// Pair names a collective and one of the library's own algorithms of it.
type Pair struct{ Function, Algorithm string }

// Beside measures own algorithms beside what the library chooses, at sizes of their own, in one mpirun. It tests
// nothing.
func Beside(wanted map[Pair][]int64) *run.Experiment {
	x := *Experiment
	x.R = func(*glfile.File) int { return 1 }
	x.Stages = []run.Stage{run.Predict, run.Measure}
	x.Prepare = func(_ context.Context, config *glfile.File, _ run.Options) (*glfile.File, error) {
		f := *config
		f.Check = guidelines.Default()
		f.Check.Guidelines, f.Guideline = []string{}, nil
		for _, p := range slices.SortedFunc(maps.Keys(wanted), func(a, b Pair) int {
			return cmp.Or(cmp.Compare(a.Function, b.Function), cmp.Compare(a.Algorithm, b.Algorithm))
		}) {
			u := comparison(p.Function, mockups.AlgorithmID(p.Function, p.Algorithm))
			for _, size := range wanted[p] {
				u.Msizes = append(u.Msizes, fmt.Sprint(size))
			}
			f.Guideline = append(f.Guideline, u)
		}
		return &f, nil
	}
	return &x
}

package measure

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
	"pgmpi/nrep"
)

// Session measures one Plan into one results folder, one mpirun at a time. The caller of Run calls
// Finish in the end.
type Session struct {
	Folder   *results.Folder
	Manifest *results.Manifest // with Plan, R, Seed, Launch and Rank
	RankPath string
	MPI      MPIConfig
	NREP     nrep.Config
	Measure  Config
	Own      []guidelines.Mockups // the user's own
	Start    Starter              // Exec if nil
	// Anew lists files that each mpirun reads from the disk: where code lies in memory can decide how
	// fast it is, and does not change while a file stays there.
	Anew  []string
	Watch bool           // Code is wanted
	Code  []string       // files with code that the last mpirun ran on this host
	Heard []string       // lines of the last mpirun's standard output that are not its ranks'
	Rode  []*results.Run // what the riders of the last mpirun have measured
	Fault error          // of the rider after these, if any

	seen    map[guidelines.Shape]bool // shapes whose factors an mpirun of this process has recorded
	leaving *mpirun                   // if set, its samples are on disk, and it goes through MPI_Finalize
	ahead   *mpirun                   // if set, waits for the task of the next Run
}

// Run does one mpirun and stores it. A failure of the mpirun is an *Error.
// progress is called at most twice a second.
func (s *Session) Run(ctx context.Context, t Task, progress func(done, total int)) (*results.Run, error) {
	if s.seen == nil {
		s.seen = map[guidelines.Shape]bool{}
		for _, killed := range s.Folder.Killed {
			if _, _, alive := readStat(killed.PID); !alive {
				removeSessions(killed)
			}
		}
	}
	x, err := s.asked(t)
	if err != nil {
		return nil, err
	}
	riders, err := s.ridersOf(t, x.job)
	if err != nil {
		return nil, err
	}
	t, job := x.Task, x.job
	jobFile := ""
	if s.MPI.JobFile {
		if jobFile, err = s.Folder.WriteJob(job); err != nil {
			return nil, err
		}
		defer os.Remove(jobFile)
	}
	m, err := s.started(ctx, t, jobFile)
	if err != nil {
		return nil, err
	}
	m.progress = func(done, total int, _ string) { progress(done, total) }
	if t.Mode == protocol.ModeNREP && jobFile == "" {
		m.ready = s.predictAtOnce(t, job, x.seed)
	}
	out, err := m.serve(ctx, job)
	s.Code, s.Heard, s.Rode, s.Fault = m.code, m.others, nil, m.fault
	if err != nil {
		s.keepPart(x, m)
		return nil, err
	}
	if m.fault == nil {
		s.leaving = m
	}
	r, err := s.stored(x, m.header(x), m, out)
	if err != nil {
		return nil, err
	}
	s.Manifest.Learned(r, s.NREP)
	if err := s.keepRiders(riders, r, m); err != nil {
		return nil, err
	}
	loaded := slices.DeleteFunc(out.End.Mockups, func(f protocol.Mockups) bool {
		return !slices.ContainsFunc(job.Mockups, func(asked protocol.Mockups) bool { return asked.File == f.File })
	})
	s.Manifest.Saw(r, m.hello.PML, loaded)
	if out.Layout != nil {
		s.seen[t.Shape] = true
		out.Layout.Settings = out.End.Settings
		s.Manifest.Ran(r, out.Layout, m.argv)
	}
	return r, s.Folder.WriteManifest(s.Manifest)
}

// asked is a task with the job that its ranks get, and what earlier attempts have left of it.
type asked struct {
	Task
	part *results.Run
	job  *protocol.Job
	seed uint64
}

func (s *Session) asked(t Task) (x asked, err error) {
	x.part = s.part(&t)
	x.Task = t
	x.job, x.seed, err = s.job(t)
	return x, err
}

// ridersOf makes the jobs of the riders of a task, and puts them into its job.
func (s *Session) ridersOf(t Task, job *protocol.Job) (riders []asked, err error) {
	for _, r := range t.Riders {
		x, err := s.asked(r)
		if err != nil {
			return nil, err
		}
		riders, job.Riders = append(riders, x), append(job.Riders, x.job.CallsJob)
	}
	return riders, nil
}

// keepRiders stores what riders of an mpirun have measured, each by itself, and the part of one that was
// cut off.
func (s *Session) keepRiders(riders []asked, with *results.Run, m *mpirun) error {
	for i, x := range riders {
		if i == len(m.rode) {
			s.keepPart(x, m)
			return nil
		}
		h := m.header(x)
		h.With, h.WallNS, h.LaunchNS = results.RawName(with.Mode, with.Shape, with.Run), m.rode[i].wall.Nanoseconds(), 0
		r, err := s.stored(x, h, m, m.rode[i].out)
		if damaged := (*Error)(nil); errors.As(err, &damaged) {
			s.Fault = err
			return nil
		}
		if err != nil {
			return err
		}
		s.Manifest.Learned(r, s.NREP)
		s.Rode = append(s.Rode, r)
	}
	return nil
}

// started returns the mpirun for a task, which it starts unless it was started ahead. It waits for the
// end of the one before.
func (s *Session) started(ctx context.Context, t Task, jobFile string) (*mpirun, error) {
	m := s.ahead
	s.ahead = nil
	s.leave(ctx)
	if m != nil {
		return m, nil
	}
	if ctx.Err() != nil { // asked before ranks are there: once told to end, the driver ends them
		return nil, context.Cause(ctx)
	}
	for _, file := range s.Anew {
		readAnew(file)
	}
	m = s.mpirunOf(t.Shape, jobFile)
	if t.Mode == protocol.ModeMessages {
		m.env = environment(Env(launch.CountingEnv(s.Manifest.Rank), s.MPI.Env))
	}
	return m, m.start()
}

func (s *Session) mpirunOf(shape guidelines.Shape, jobFile string) *mpirun {
	argv := launch.RankArgv(s.Manifest.Launch[shape.String()], s.RankPath, shape, s.MPI.RankArgs()...)
	if jobFile != "" {
		argv = append(argv, "--job", jobFile)
	}
	m := newMpirun(s.Start, argv, s.envOf(shape), limitsFor(s.MPI, shape.NP, time.Duration(s.Measure.Stall)))
	m.jobFile, m.rank, m.folder, m.watched = jobFile != "", &s.Manifest.Rank, s.Folder, s.Watch
	m.shaped = shape.Nodes > 0
	return m
}

// Ahead starts the mpirun that the next Run is certain to want, if mayMeet. The one before it still
// goes through MPI_Finalize. A failure to start appears again in its Run.
func (s *Session) Ahead(shape guidelines.Shape) {
	if s.MPI.JobFile || s.ahead != nil || len(s.Anew) > 0 || !mayMeet(s.Manifest.Factors.Layouts, shape) {
		return
	}
	if m := s.mpirunOf(shape, ""); m.start() == nil {
		s.ahead = m
	}
}

// mayMeet tells whether two mpiruns of a shape take nothing from each other: all
// ranks are on this host, without a batch system that lets steps wait for each
// other's processors, without network adapters, whose contexts are few, and
// with shared memory enough.
func mayMeet(layouts []host.Layout, shape guidelines.Shape) bool {
	self, _ := os.Hostname()
	here := slices.ContainsFunc(layouts, func(l host.Layout) bool {
		return l.Shape == shape.String() && len(l.Nodes) == 1 && l.Nodes[0].Host == self
	})
	infiniband, _ := filepath.Glob("/sys/class/infiniband/*")
	slingshot, _ := filepath.Glob("/sys/class/cxi/*")
	var shm syscall.Statfs_t
	return here && host.ReadJob() == nil && len(infiniband)+len(slingshot) == 0 &&
		syscall.Statfs("/dev/shm", &shm) == nil && shm.Bfree > shm.Blocks/2
}

// Finish waits for the end of the last mpirun, while there is time. It ends one that was started ahead
// and is not needed.
func (s *Session) Finish(ctx context.Context) {
	if s.ahead != nil {
		s.ahead.kill()
		s.ahead = nil
	}
	s.leave(ctx)
}

func (s *Session) leave(ctx context.Context) {
	if s.leaving != nil {
		s.leaving.end(ctx)
		s.leaving = nil
	}
}

func (s *Session) stored(x asked, h results.Header, m *mpirun, out *protocol.Output) (*results.Run, error) {
	r, t := &results.Run{Header: h}, x.Task
	r.Order = slices.DeleteFunc(slices.Clone(x.job.Order), func(i int) bool { return i >= len(t.Cases) }) // without the fillers
	r.MemoryCap, r.MeasureNS, r.TimedNS, r.Load = out.End.MemoryCap, out.End.MeasureNS, out.End.TimedNS, out.End.Load
	r.Counters, r.Timing, r.Clock, r.Clocks, r.Probes = out.End.Counters, out.End.Timing, out.End.Clock, out.End.Clocks, out.End.Probes
	if r.Clock != nil {
		r.Rank.ClockTickNS = r.Clock.TickNS
	}
	if err := s.fill(r, out, t, t.Cases); err != nil {
		return nil, &Error{Argv: m.argv, What: err.Error(), Started: true}
	}
	r.Join(x.part)
	for _, series := range []*results.Series{results.RanksOf(r, out.Ranks), results.CountsOf(r, out.Counts)} {
		if series == nil {
			continue
		}
		if err := s.Folder.WriteSeries(series); err != nil {
			return nil, err
		}
	}
	return r, s.Folder.WriteRun(r)
}

func (m *mpirun) header(x asked) results.Header {
	h := results.Header{Mode: x.Mode, Shape: x.Shape, Run: x.Run, Seed: x.seed, Rank: m.hello.Rank,
		WallNS: m.wall.Nanoseconds(), LaunchNS: m.launch.Nanoseconds(), FinishedAt: time.Now().UTC().Format(time.RFC3339)}
	if p := x.job.Predict; p != nil {
		h.Predictions = p.Times
	}
	return h
}

func (s *Session) fill(r *results.Run, out *protocol.Output, t Task, cases []Sampled) error {
	if len(out.Cases) != len(cases) {
		return fmt.Errorf("the ranks reported %d cases of %d", len(out.Cases), len(cases))
	}
	for i, sampled := range cases {
		c := s.Manifest.Plan.Cases[sampled.Plan]
		got := out.Cases[i]
		if got.Case != i || got.NRep != len(out.Samples[i]) {
			return fmt.Errorf("case %d (%s at %s) came with %d samples, %d were announced", i, c.Function, conf.HumanSize(c.Msize), len(out.Samples[i]), got.NRep)
		}
		for rep, sample := range out.Samples[i] {
			if err := r.Possible(sample); err != nil {
				return fmt.Errorf("case %d (%s at %s), repetition %d: %w", i, c.Function, conf.HumanSize(c.Msize), rep, err)
			}
		}
		if got.Status == protocol.StatusWrong && got.Message != "" {
			got.Message = t.nameOf(r) + ": " + got.Message
		}
		if got.Message != "" {
			got.Message += guidelines.MadeBy(s.Own, c.Function)
		}
		got.Count(out.Samples[i])
		r.Cases = append(r.Cases, results.CaseInfo{Plan: sampled.Plan, Function: c.Function, Msize: c.Msize, Calls: sampled.Calls, Pair: sampled.Pair, CaseResult: got})
		r.Samples = append(r.Samples, out.Samples[i])
	}
	return nil
}

var nameOfMode = map[protocol.Mode]string{
	protocol.ModeNREP:      "mpirun %d of stage 1",
	protocol.ModeMeasure:   "mpirun %d of stage 2",
	protocol.ModeConfirm:   "mpirun %d of stage 2",
	protocol.ModeAlternate: "mpirun %d of alternating calls",
	protocol.ModeMalloc:    "mpirun %d in the other state of malloc",
	protocol.ModeSplit:     "mpirun %d of the split experiment",
	protocol.ModeTextbook:  "mpirun %d of the tests of textbook algorithms",
	protocol.ModeFewer:     "mpirun %d of the tests of calls on fewer processes",
	protocol.ModeExplore:   "mpirun %d of the tests of candidates",
}

func (t Task) nameOf(r *results.Run) string {
	switch {
	case r.Mode == protocol.ModeMessages:
		return "the mpirun that counts messages"
	case t.Work != nil:
		return fmt.Sprintf("mpirun %d of %s", r.Run, t.Work.Calls)
	}
	return fmt.Sprintf(nameOfMode[r.Mode], r.Run)
}

// Open MPI chooses its point-to-point messaging layer (PML) again in every mpirun. For that it loads
// even the layers that it does not choose: with Debian's Open MPI 4 two thirds of MPI_Init.
const (
	pmlVariable = "OMPI_MCA_pml"
	// pmlKept is the only layer that is worth naming; the others load what they need.
	pmlKept = "ob1"
)

// envOf returns the variables for the next mpirun of a shape: those that the library's own
// algorithms need, if the Plan has some, the configured ones, and the layer that the first mpirun
// of this process chose, unless somebody chose it by hand.
func (s *Session) envOf(shape guidelines.Shape) map[string]string {
	var own, pml map[string]string
	if slices.ContainsFunc(s.Manifest.Plan.Cases, func(c guidelines.Case) bool { return mockups.Algorithm(c.Function) != "" }) {
		own = launch.AlgorithmEnv(s.Manifest.Rank.Library)
	}
	if s.Measure.countsMessages() { // in a layer that OMPI_MCA_pml would leave out
		return Env(own, launch.CountingEnv(s.Manifest.Rank), s.MPI.Env)
	}
	_, byHand := s.MPI.Env[pmlVariable]
	if s.MPI.KeepPML && s.seen[shape] && s.Manifest.PML[shape.String()] == pmlKept && !byHand && os.Getenv(pmlVariable) == "" {
		pml = map[string]string{pmlVariable: pmlKept}
	}
	return Env(own, s.MPI.Env, pml)
}

// Outside does jobs outside of any results folder, each in an mpirun of its own. Nothing is
// stored.
type Outside struct {
	MPI   MPIConfig
	Start Starter           // Exec if nil
	Path  string            // of the rank program
	Info  protocol.RankInfo // of the rank program
}

func FindRanks(mpi MPIConfig, start Starter) (o *Outside, err error) {
	if mpi, err = mpi.Installed(); err != nil {
		return nil, err
	}
	o = &Outside{MPI: mpi, Start: start}
	if o.Path, err = launch.FindRank(mpi.Rank); err != nil {
		return o, err
	}
	if o.MPI, err = mpi.Loading(o.Path); err == nil {
		o.Info, err = launch.Probe(o.Path, o.MPI.Env)
	}
	return o, err
}

// Do runs a job on a shape, with an environment besides mpi.env. progress may be nil. A failure of the
// mpirun is an *Error.
func (o *Outside) Do(ctx context.Context, shape guidelines.Shape, env map[string]string, job *protocol.Job,
	progress func(done, total int, name string)) (*protocol.Output, error) {
	words, err := launch.Launch(o.MPI.Launcher(), o.Info, shape)
	if err != nil {
		return nil, err
	}
	if job.NP = shape.NP; shape.Nodes > 0 {
		job.Place = shape.String()
	}
	argv := launch.RankArgv(words, o.Path, shape, o.MPI.RankArgs()...)
	m := newMpirun(o.Start, argv, Env(o.MPI.Env, env), limitsFor(o.MPI, shape.NP, time.Duration(job.StallNS)))
	if job.Layout {
		job.Asked = host.Asked(m.env, words)
	}
	m.progress = progress
	out, err := m.run(ctx, job)
	if err == nil && out.Layout != nil {
		out.Layout.Shape, out.Layout.Command, out.Layout.Settings = shape.String(), argv, out.End.Settings
	}
	return out, err
}

func Env(sets ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, set := range sets {
		maps.Copy(all, set)
	}
	return all
}

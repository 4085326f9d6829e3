package measure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/nrep"
)

// Session measures one Plan into one results folder.
type Session struct {
	Folder   *results.Folder
	Manifest *results.Manifest // Plan, R, Seed, Launch and Rank are set
	RankPath string
	Env      map[string]string // for the ranks
	JobFile  bool              // hand the job over by a file, see MPIConfig
	KeepPML  bool              // see MPIConfig
	NREP     nrep.Config
	Measure  Config
	Progress func(Progress) // called between mpiruns and at most twice a second inside one
	Repeated func(*Error)   // called when an mpirun has failed and is repeated
	// AtLook is called after the mpiruns of each of Manifest.Looks but the last,
	// and returns the indices of the cases that undecided tests still need.
	AtLook  func(run int) (map[int]bool, error)
	MaxTime time.Duration // for all mpiruns of the folder; 0: no limit

	needed map[int]bool // what AtLook said; nil: every case
	spent  time.Duration
	last   map[guidelines.Shape]time.Duration // wall-clock of the last mpirun

	seen map[guidelines.Shape]bool // shapes that this process has had an mpirun of, and its factors

	ahead *mpirun // started already, see startAhead
}

// Progress says how far a stage is.
type Progress struct {
	Mode       protocol.Mode
	Shape      guidelines.Shape
	Run, Runs  int  // this mpirun, 1-based, and how many the stage has
	Done       int  // cases measured in this mpirun
	Total      int  // cases of this mpirun
	Finished   bool // this mpirun is on disk
	MoreStages bool // stage 2 follows
	Case       string
}

// Resume reads the finished mpiruns and restores what they decided: the memory
// cap, the cases that are not timed, the predicted repetitions.
func (s *Session) Resume() error {
	for _, shape := range s.Manifest.Plan.Shapes {
		for _, mode := range []protocol.Mode{protocol.ModeNREP, protocol.ModeMeasure, protocol.ModeSplit} {
			runs, err := s.Folder.Finished(mode, shape)
			if err != nil {
				return err
			}
			for _, i := range runs {
				r, err := s.Folder.ReadRun(mode, shape, i, &s.Manifest.Plan)
				if err != nil {
					return err
				}
				s.learn(r)
				s.clocked(r)
			}
		}
	}
	return nil
}

// learn takes over what a finished mpirun decided for the ones after it.
func (s *Session) learn(r *results.Run) {
	m := s.Manifest
	if m.MemoryCap == nil {
		m.MemoryCap = map[string]int64{}
	}
	if m.Skip == nil {
		m.Skip = map[int]protocol.CaseResult{} // a manifest without any has none
	}
	if m.NRep == nil {
		m.NRep = map[int]results.NRep{} // nrep.fixed has set it before the first mpirun
	}
	if _, ok := m.MemoryCap[r.Shape.String()]; !ok {
		m.MemoryCap[r.Shape.String()] = r.MemoryCap
	}
	if m.Timing == nil {
		m.Timing = map[string]protocol.Timing{}
	}
	if _, ok := m.Timing[r.Shape.String()]; !ok {
		m.Timing[r.Shape.String()] = r.Timing
	}
	if m.Clock == nil && r.Clock != nil {
		m.Clock, m.Clocks, m.Rank.ClockTickNS = r.Clock, r.Clocks, r.Clock.TickNS
	}
	for i, c := range r.Cases {
		if c.Status != protocol.StatusOK {
			if _, known := m.Skip[c.Plan]; !known {
				m.Skip[c.Plan] = c.CaseResult
			}
			continue
		}
		if r.Mode != protocol.ModeNREP {
			continue
		}
		before, predicted := m.NRep[c.Plan]
		// Only valid samples were predicted from.
		valid := max(1, c.NRep-c.Invalid, s.NREP.ForMinTime(protocol.ValidSeconds(r.Samples[i])))
		now := results.NRep{N: valid, Converged: c.Converged, Reason: c.Reason}
		if predicted {
			now.N = nrep.MaxOverPredictions([]int{before.N, valid})
			now.Converged = before.Converged && c.Converged
			if !before.Converged {
				now.Reason = before.Reason
			}
		}
		m.NRep[c.Plan] = now
	}
}

// Predict is stage 1 (S-PGMPI §4.2): nrep.predictions mpiruns predict the
// repetitions of every case. With nrep.fixed there is nothing to do.
func (s *Session) Predict(ctx context.Context, moreStages bool) error {
	return s.PredictUpTo(ctx, s.NREP.Predictions, moreStages)
}

// PredictUpTo does the first mpiruns of stage 1 for every shape, as far as they
// are not on disk, so that those of another session can come in between.
func (s *Session) PredictUpTo(ctx context.Context, runs int, moreStages bool) error {
	if s.NREP.Fixed > 0 {
		s.fix()
		return s.Folder.WriteManifest(s.Manifest)
	}
	return s.stage(ctx, protocol.ModeNREP, runs, moreStages)
}

func (s *Session) fix() {
	if s.Manifest.NRep == nil {
		s.Manifest.NRep = map[int]results.NRep{}
	}
	for i := range s.Manifest.Plan.Cases {
		s.Manifest.NRep[i] = results.NRep{N: s.NREP.Fixed, Converged: true}
	}
}

// MeasureAll is stage 2 (S-REVISITED, Algorithm 5): R mpiruns, each of which
// measures all cases of a shape in an order of its own.
func (s *Session) MeasureAll(ctx context.Context) error {
	return s.MeasureUpTo(ctx, s.Manifest.R)
}

// MeasureUpTo is PredictUpTo for stage 2.
func (s *Session) MeasureUpTo(ctx context.Context, runs int) error {
	if err := Unpredicted(s.Manifest, s.Folder.Path); err != nil {
		return err
	}
	return s.stage(ctx, protocol.ModeMeasure, runs, false)
}

// Unpredicted is the error that stage 1 has not been done in a folder.
func Unpredicted(m *results.Manifest, folder string) error {
	for i, c := range m.Plan.Cases {
		if _, skipped := m.Skip[i]; !skipped && m.NRep[i].N < 1 {
			return fmt.Errorf("%s has no repetitions for %s at %d bytes: run `pgmpi nrep --out %s` first, or give nrep.fixed",
				folder, c.Function, c.Msize, folder)
		}
	}
	return nil
}

// stage does the mpiruns that are not on disk yet. Shapes take turns, so that
// what drifts on the machine hits all of them.
func (s *Session) stage(ctx context.Context, mode protocol.Mode, runs int, moreStages bool) error {
	defer s.dismiss()
	shapes := s.Manifest.Plan.Shapes
	for i := range runs * len(shapes) {
		shape, run := shapes[i%len(shapes)], i/len(shapes)+1
		if i%len(shapes) == 0 && mode != protocol.ModeNREP {
			if goesOn, err := s.goesOn(mode, run); err != nil || !goesOn {
				return err
			}
		}
		if len(s.cases(mode, shape)) == 0 {
			continue
		}
		p := Progress{Mode: mode, Shape: shape, Run: i + 1, Runs: runs * len(shapes), MoreStages: moreStages}
		if !s.Folder.Has(mode, shape, run) {
			s.Progress(p)
			if err := s.oneOrAgain(ctx, mode, shape, run, p); err != nil {
				return err
			}
		}
		p.Finished = true
		s.Progress(p)
	}
	return nil
}

// oneOrAgain repeats an mpirun that failed once, and notes it in the manifest.
// A set-up that has never worked is not tried again.
func (s *Session) oneOrAgain(ctx context.Context, mode protocol.Mode, shape guidelines.Shape, run int, p Progress) error {
	err := s.one(ctx, mode, shape, run, p)
	var failed *Error
	if !errors.As(err, &failed) || ctx.Err() != nil || (!failed.Started && len(s.Manifest.MemoryCap) == 0) {
		return err
	}
	s.Manifest.Events = append(s.Manifest.Events, fmt.Sprintf("%s failed and was repeated: %s", results.RawName(mode, shape, run), failed.What))
	if err := s.Folder.WriteManifest(s.Manifest); err != nil {
		return err
	}
	s.Repeated(failed)
	return s.one(ctx, mode, shape, run, p)
}

// one does a single mpirun and stores it. When it is on disk, and before it has
// ended, the one that follows may be started.
func (s *Session) one(ctx context.Context, mode protocol.Mode, shape guidelines.Shape, run int, p Progress) error {
	cases := s.cases(mode, shape)
	job, seed, err := s.job(mode, shape, run, cases)
	if err != nil {
		return err
	}
	job.Layout = !s.seen[shape]
	jobFile := ""
	if s.JobFile {
		if jobFile, err = s.Folder.WriteJob(job); err != nil {
			return err
		}
		defer os.Remove(jobFile)
	}
	m, err := s.started(shape, jobFile)
	if err != nil {
		return err
	}
	m.job = job
	m.progress = func(done, total int, name string) {
		p.Done, p.Total, p.Case = done, total, name
		s.Progress(p)
	}
	out, err := m.serve(ctx)
	if err != nil {
		return err
	}
	defer m.end()
	r := &results.Run{Header: results.Header{
		Mode: mode, Shape: shape, Run: run, Seed: seed, Order: job.Order, Rank: m.hello.Rank,
		MemoryCap: out.End.MemoryCap, MeasureNS: out.End.MeasureNS, TimedNS: out.End.TimedNS, Load: out.End.Load,
		Timing: out.End.Timing,
		WallNS: m.wall.Nanoseconds(), LaunchNS: m.launch.Nanoseconds(), FinishedAt: time.Now().UTC().Format(time.RFC3339),
	}}
	r.Clocks = out.End.Clocks
	if r.Clock = out.End.Clock; r.Clock != nil {
		r.Rank.ClockTickNS = r.Clock.TickNS
	}
	if err := s.fill(r, out, cases); err != nil {
		return &Error{Argv: m.argv, What: err.Error(), Started: true}
	}
	if err := s.Folder.WriteRun(r); err != nil {
		return err
	}
	s.learn(r)
	s.seePML(shape, m.hello)
	s.seeFactors(r, out.Layout, m.argv)
	s.startAhead(p)
	s.clocked(r)
	return s.Folder.WriteManifest(s.Manifest)
}

// fill brings the output of an mpirun into the form of a raw file.
func (s *Session) fill(r *results.Run, out *protocol.Output, cases []sampled) error {
	if r.Rank.Hash != s.Manifest.Rank.Hash {
		return fmt.Errorf("rank 0 runs another rank program (%s) than this results folder was made with (%s)", r.Rank.Hash, s.Manifest.Rank.Hash)
	}
	if len(out.Cases) != len(cases) {
		return fmt.Errorf("the ranks reported %d cases of %d", len(out.Cases), len(cases))
	}
	for i, sampled := range cases {
		c := s.Manifest.Plan.Cases[sampled.plan]
		got := out.Cases[i]
		if got.Case != i || got.NRep != len(out.Samples[i]) {
			return fmt.Errorf("case %d (%s at %d bytes) came with %d samples, %d were announced", i, c.Function, c.Msize, len(out.Samples[i]), got.NRep)
		}
		got.Count(out.Samples[i])
		info := results.CaseInfo{Plan: sampled.plan, Function: c.Function, Msize: c.Msize, CaseResult: got}
		if sampled.calls > 1 {
			info.Calls = sampled.calls
		}
		r.Cases = append(r.Cases, info)
		r.Samples = append(r.Samples, out.Samples[i])
	}
	return nil
}

func (s *Session) job(mode protocol.Mode, shape guidelines.Shape, run int, cases []sampled) (*protocol.Job, uint64, error) {
	m := s.Manifest
	j := &protocol.Job{
		Mode: mode, NP: shape.NP, PPN: shape.PPN, Datatype: m.Plan.Datatype, Op: m.Plan.Op, Root: m.Plan.Root,
		Sync: s.Measure.Sync, Sample: s.Measure.Sample, WindowNS: int64(s.Measure.Window), SliceNS: int64(s.Measure.Slice),
		MaxDriftNS: int64(s.Measure.MaxDrift), Cache: s.Measure.Cache, Provable: s.Measure.Provable,
		Clock: s.Measure.Clock, ClockSync: s.Measure.ClockSync, FirstCalls: s.Measure.FirstCalls, Warmup: s.Measure.Warmup, WarmupNS: int64(s.Measure.WarmupTime),
		TempMemory: int64(s.Measure.TempMemory), StallNS: int64(s.Measure.Stall),
		MemoryCap: m.MemoryCap[shape.String()],
	}
	if j.PPN == 0 {
		j.PPN = shape.NP
	}
	// The first mpirun of a shape meets every case, and decides the cap.
	j.Verify = j.MemoryCap == 0
	for _, i := range cases {
		c := protocol.JobCase{Function: m.Plan.Cases[i.plan].Function, Msize: m.Plan.Cases[i.plan].Msize, Skip: m.Skip[i.plan].Status, NRep: i.nrep}
		if i.calls > 1 {
			c.Calls = i.calls
		}
		j.Cases = append(j.Cases, c)
	}
	seed := runSeed(m.Seed, mode, shape, run)
	j.Order = rand.New(rand.NewPCG(seed, 0)).Perm(len(cases))
	if mode == protocol.ModeNREP {
		text, err := json.Marshal(s.NREP)
		if err != nil {
			return nil, 0, err
		}
		j.NREP = text
	}
	return j, seed, nil
}

// runSeed gives every mpirun an order of its own that the configured seed determines.
func runSeed(seed uint64, mode protocol.Mode, shape guidelines.Shape, run int) uint64 {
	stream := uint64(run)
	for _, b := range []byte(string(mode) + shape.String()) {
		stream = stream*131 + uint64(b)
	}
	return rand.NewPCG(seed, stream).Uint64() >> 1
}

// environment is this process's with the configured variables, without what
// makes launchers put labels before every line.
func environment(extra map[string]string) []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name != "SLURM_LABELIO" && name != "OMPI_MCA_orte_tag_output" {
			env = append(env, v)
		}
	}
	names := make([]string, 0, len(extra))
	for name := range extra {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		env = append(env, name+"="+extra[name])
	}
	return env
}

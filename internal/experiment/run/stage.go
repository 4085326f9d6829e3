package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
	"pgmpi/measure"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// stage does a mode's mpiruns of all shapes from first to last. It takes in the ones on disk.
// Shapes alternate, so that drift of the machine hits all of them.
func (c *Campaign) stage(ctx context.Context, mode protocol.Mode, first, last int) error {
	defer c.session.Finish(ctx)
	c.seeSettings(ctx)
	for run := first; run <= last; run++ {
		if mode == protocol.ModeNREP && run > 1 && !c.timeToPredict(run, last) {
			return nil
		}
		if mode != protocol.ModeNREP {
			if goesOn, err := c.goesOn(mode, run); err != nil || !goesOn {
				return c.failure(ctx, err)
			}
		}
		for _, shape := range c.Manifest.Plan.Shapes {
			t := measure.Task{Mode: mode, Shape: shape, Run: run, Cases: c.cases(mode, shape), Work: c.work(mode)}
			if len(t.Cases) > 0 && (mode != protocol.ModeNREP || run > c.predicted[shape]) {
				if !c.alone(mode) {
					t = t.WithFillers(c.Manifest)
				}
				var err error
				if t.Riders, err = c.riders(t, last); err != nil {
					return c.failure(ctx, err)
				}
				if err := c.mpirun(ctx, t, last); err != nil {
					return c.failure(ctx, err)
				}
			}
			c.tally.done[mode]++
		}
	}
	return nil
}

// work says for what a mode's cases are called; it returns nil for the core's kinds.
func (c *Campaign) work(mode protocol.Mode) *measure.Work {
	i := slices.IndexFunc(c.Stages, func(s Stage) bool { return s.Mode == mode })
	if i < 0 || c.Stages[i].Work == nil {
		return nil
	}
	return c.Stages[i].Work(c.Config)
}

func (c *Campaign) alone(mode protocol.Mode) bool {
	return slices.ContainsFunc(c.Stages, func(s Stage) bool { return s.Mode == mode && s.Alone })
}

// cases returns what the next mpirun of a shape samples: with looks, what undecided tests still
// need.
func (c *Campaign) cases(mode protocol.Mode, shape guidelines.Shape) []measure.Sampled {
	all := measure.Cases(c.Manifest, mode, shape)
	if mode.FollowsUp() || mode == protocol.ModeMessages {
		return all
	}
	return slices.DeleteFunc(all, func(s measure.Sampled) bool {
		return c.dropped[s.Plan] || mode == protocol.ModeNREP && c.Manifest.NRep[s.Plan].Spent
	})
}

func (c *Campaign) mpirun(ctx context.Context, t measure.Task, last int) error {
	p := c.tally.at(t)
	var r *results.Run
	var err error
	if c.Folder().Has(t.Mode, t.Shape, t.Run) {
		if r, err = c.Folder().ReadRun(t.Mode, t.Shape, t.Run, &c.Manifest.Plan); err != nil {
			return err
		}
		c.Manifest.Learned(r, c.Config.NREP)
		c.clock(r)
		err = c.rodeBefore(t)
	} else {
		if err := c.fits(t.Shape); err != nil {
			return err
		}
		c.Tell(Event{Progress: p})
		if r, err = c.onceOrAgain(ctx, t, p); err != nil {
			return err
		}
		c.sayCounters(r)
		c.clock(r)
		err = c.rode(ctx, t)
		if c.session.Fault == nil {
			c.startAhead(t, last)
		}
	}
	if err != nil {
		return err
	}
	if c.Medians {
		c.data.add(c.Manifest, r)
	}
	p.Finished = true
	c.Tell(Event{Progress: p})
	return nil
}

// onceOrAgain repeats an mpirun that failed once, and notes it in the manifest. It does not repeat
// a set-up that has never worked, unless a rank crashed in MPI_Init, as one did once under srun.
func (c *Campaign) onceOrAgain(ctx context.Context, t measure.Task, p Progress) (*results.Run, error) {
	r, err := c.withoutThoseThatEndIt(ctx, t, p)
	var failed *measure.Error
	if !errors.As(err, &failed) || ctx.Err() != nil || c.neverWorked(failed) && !failed.Again {
		return r, err
	}
	c.Manifest.Repeated(results.RawName(t.Mode, t.Shape, t.Run), failed.What)
	if err := c.Folder().WriteManifest(c.Manifest); err != nil {
		return nil, err
	}
	c.Say("an mpirun failed and is repeated once: %s", failed.What)
	t.Careful, t.Riders = true, nil
	return c.withoutThoseThatEndIt(ctx, t, p)
}

// withoutThoseThatEndIt repeats an mpirun without the functions that end it, until none ends it.
func (c *Campaign) withoutThoseThatEndIt(ctx context.Context, t measure.Task, p Progress) (*results.Run, error) {
	for {
		r, err := c.attempt(ctx, t, p)
		var failed *measure.Error
		if !errors.As(err, &failed) || ctx.Err() != nil || !c.leaveOut(failed) {
			return r, err
		}
		if err := c.Folder().WriteManifest(c.Manifest); err != nil {
			return nil, err
		}
	}
}

// leaveOut skips a function that hung or ended the mpirun, in all its cases. The function is one of
// the library's own algorithms, a mock-up of the user's own, or another way to call. leaveOut
// returns false for other functions, and for one that was skipped already.
func (c *Campaign) leaveOut(e *measure.Error) bool {
	function := e.Hung
	result := protocol.CaseResult{Status: protocol.StatusHangs, Message: fmt.Sprintf("it did not return within %v (measure.stall)", c.Config.Measure.Stall)}
	if e.Crashed != "" {
		function = e.Crashed
		result = protocol.CaseResult{Status: protocol.StatusCrashes, Message: "a call ended the mpirun: " + howEnded(e)}
	}
	if e.Lacks != "" { // no fault of the library
		result = protocol.CaseResult{Status: protocol.StatusUnavailable, Message: "not measured: the loader finds no " + e.Lacks}
	}
	f, _ := mockups.Get(function)
	if !f.MayEnd() {
		return false
	}
	result.Message += guidelines.MadeBy(c.Config.Mockup, function)
	if !c.Manifest.LeftOut(function, result) {
		return false
	}
	c.data.stale = true
	c.Say("%s %s: the mpirun is repeated without it (%s)", function, result.Status, result.Message)
	return true
}

func howEnded(e *measure.Error) string {
	for _, sign := range []string{"SIGSEGV", "egmentation fault"} {
		if strings.Contains(e.Stderr, sign) {
			return "a rank crashed (SIGSEGV)"
		}
	}
	line, _, _ := strings.Cut(e.What, "\n")
	return line
}

// attempt runs one mpirun. The end of its batch job is no failure of the mpirun.
func (c *Campaign) attempt(ctx context.Context, t measure.Task, p Progress) (*results.Run, error) {
	c.session.Watch = len(c.beside) > 0 || c.Config.MPI.Library != ""
	c.session.Anew = c.compared()
	r, err := c.session.Run(ctx, t, func(done, total int) {
		p.Done, p.Total = done, total
		c.Tell(Event{Progress: p})
	})
	if err == nil && len(c.session.Heard) > 0 && !c.heard {
		c.heard = true
		c.Say("note: something besides the ranks prints on mpirun's standard output, which is set aside: %.200q. "+
			"UCX_LOG_FILE=/dev/stderr sends UCX's there; a script around mpirun may end its prints with >&2", c.session.Heard[0])
	}
	for _, l := range c.Manifest.Factors.Layouts {
		for _, text := range l.Settings.Idle() {
			if !slices.Contains(c.idle, text) && !slices.Contains(c.Manifest.Settings, text) {
				c.idle = append(c.idle, text)
				c.Say("note: %s", text)
			}
		}
	}
	var failed *measure.Error
	if errors.As(err, &failed) && c.jobIsOver(ctx, failed) {
		return nil, &fail.Interrupted{Why: "batch job " + c.Job.ID + " is at its end"}
	}
	return r, err
}

// compared returns the files with code that are compared with others: files that not all sides run,
// and a library named by its folder, which every night makes again. With one place in memory for
// all mpiruns, places would be compared instead.
func (c *Campaign) compared() []string {
	library, err := filepath.EvalSymlinks(c.Config.MPI.Library)
	return lists.Keep(c.session.Code, func(file string) bool {
		return err == nil && strings.HasPrefix(file, library+"/") ||
			slices.ContainsFunc(c.beside, func(o *Campaign) bool { return len(o.session.Code) > 0 && !slices.Contains(o.session.Code, file) })
	})
}

// neverWorked tells whether an mpirun failed before its ranks had a job. No earlier one got
// further, either.
func (c *Campaign) neverWorked(e *measure.Error) bool {
	return !e.Started && len(c.Manifest.MemoryCap) == 0
}

func (c *Campaign) failure(ctx context.Context, err error) error {
	var failed *measure.Error
	var interrupted *fail.Interrupted
	var refused *fail.Refused
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return refused
	case errors.As(err, &interrupted):
		return interrupted
	case ctx.Err() != nil:
		return &fail.Interrupted{}
	case !errors.As(err, &failed):
		return &fail.Failed{Err: err}
	case len(c.Manifest.Settings) > 0 && failed.Remedy == "":
		failed.Remedy = "what the settings name first: " + strings.Join(c.Manifest.Settings, "; ")
	}
	if c.neverWorked(failed) {
		return fail.AsSetup(err)
	}
	c.Lost = &fail.Failed{Err: err, Twice: true}
	return c.Lost
}

func (c *Campaign) startAhead(t measure.Task, last int) {
	shapes, run := c.Manifest.Plan.Shapes, t.Run
	i := slices.Index(shapes, t.Shape) + 1
	if i == len(shapes) {
		i, run = 0, run+1
	}
	_, stopped := c.Manifest.Stopped[t.Mode]
	uncertain := run > last || i < len(shapes) && c.fits(shapes[i]) != nil || c.Config.Job.MaxTime > 0 || stopped || i == 0 && c.looksAfter(t.Mode, t.Run)
	if !uncertain && !c.Folder().Has(t.Mode, shapes[i], run) && len(c.cases(t.Mode, shapes[i])) > 0 {
		c.session.Ahead(shapes[i])
	}
}

// goesOn tells whether anything is left to measure, and time for it. It asks before the mpiruns
// number run of all shapes.
func (c *Campaign) goesOn(mode protocol.Mode, run int) (bool, error) {
	m := c.Manifest
	if n, ok := m.Stopped[mode]; ok && run > n {
		return false, nil
	}
	if err := c.look(mode, run-1); err != nil {
		return false, err
	}
	var next time.Duration
	left := 0
	for _, shape := range m.Plan.Shapes {
		n := len(c.cases(mode, shape))
		left += n
		if n > 0 && !c.Folder().Has(mode, shape, run) {
			next += c.last[shape]
		}
	}
	limit := time.Duration(c.Config.Job.MaxTime)
	if left == 0 || limit == 0 || c.spent+next <= limit {
		return left > 0, nil
	}
	// Nothing on disk may lie after the end: a gap is filled.
	for _, shape := range m.Plan.Shapes {
		there, err := c.Folder().Finished(mode, shape)
		if err != nil || len(there) > 0 && there[len(there)-1] >= run {
			return err == nil, err
		}
	}
	m.StopAfter(mode, run-1)
	c.data.stale = true
	return false, c.Folder().WriteManifest(m)
}

// timeToPredict tells whether the predictions number run of all shapes leave max_time for stage 2.
// Verdicts need its mpiruns; if time is short, the predictions on disk suffice.
func (c *Campaign) timeToPredict(run, last int) bool {
	limit := time.Duration(c.Config.Job.MaxTime)
	if limit == 0 {
		return true
	}
	var each time.Duration // of an mpirun of all shapes; stage 2 repeats short calls more often
	for _, shape := range c.Manifest.Plan.Shapes {
		if c.Folder().Has(protocol.ModeNREP, shape, run) || c.predicted[shape] >= run {
			return true
		}
		each += c.last[shape]
	}
	needed := c.leastR()
	if c.spent+time.Duration(last-run+1+needed)*each <= limit {
		return true
	}
	c.Say("stage 1 ends after %s: max_time is needed for stage 2", conf.Plural(run-1, "prediction"))
	return false
}

func (c *Campaign) leastR() int {
	one := *c.Manifest
	one.R, one.Looks, one.LookWeights = 1, nil, nil
	if d, err := analyze.Design(&one, c.Config.Analyze); err == nil && d.Refused != nil {
		return min(d.Refused.RNeeded, c.Manifest.R)
	}
	return 1
}

// look drops the cases that no undecided test needs after a look's mpiruns.
func (c *Campaign) look(mode protocol.Mode, done int) error {
	if !c.looksAfter(mode, done) {
		return nil
	}
	data, err := c.collected(done)
	if err != nil {
		return err
	}
	look, err := analyze.Look(c.Manifest, data, c.Config.Analyze, done)
	for i := range c.Manifest.Plan.Cases {
		c.dropped[i] = !look.Needed[i]
	}
	if len(look.Found) > 0 {
		c.Tell(Event{Found: found(look.Found)})
	}
	return err
}

// mostFound bounds what is shown of findings while a check goes on.
const mostFound = 3

func found(of []analyze.Verdict) string {
	shown, more := phrase.First(of, mostFound, ", %d more")
	return "violated so far: " + phrase.List(", ", lists.Map(shown, func(v analyze.Verdict) string {
		return fmt.Sprintf("%s %s %s %s", v.Guideline, phrase.Plain(v.Function), phrase.Size(v.Msize), phrase.Ratio(v.Ratio))
	})...) + more
}

// looksAfter tells whether there is a look after this many mpiruns, with more to follow.
func (c *Campaign) looksAfter(mode protocol.Mode, done int) bool {
	looks := c.Manifest.Looks
	return mode == protocol.ModeMeasure && c.Medians && slices.Contains(looks[:max(0, len(looks)-1)], done)
}

// clock counts the time of an mpirun once. A rider has made its mpirun longer.
func (c *Campaign) clock(r *results.Run) {
	name, wall := results.RawName(r.Mode, r.Shape, r.Run), time.Duration(r.WallNS)
	if c.riding.counted[name] {
		return
	}
	if c.spent += wall; r.With == "" {
		c.last[r.Shape] = wall
	} else {
		c.riding.counted[name] = true
		c.last[r.Shape] += wall
	}
	if r.Mode == protocol.ModeNREP {
		c.predicted[r.Shape] = r.Predicted()
	}
}

// sayCounters tells, once for each shape, which counters could not be read. It also tells the cost
// of reading the others.
func (c *Campaign) sayCounters(r *results.Run) {
	if len(r.Counters) == 0 || slices.Contains(c.counted, r.Shape) {
		return
	}
	c.counted = append(c.counted, r.Shape)
	for _, k := range r.Counters {
		if k.Why != "" {
			c.Say("note: measure.counters: %s is not read on %s: %s", k.Name, r.Shape, k.Why)
		}
	}
	var ratios []float64
	for _, k := range r.Cases {
		if k.Counting != nil {
			ratios = append(ratios, k.Counting.WithNS/k.Counting.WithoutNS)
		}
	}
	if len(ratios) > 0 {
		c.Say("note: measure.counters: on %s a call takes %.3f times as long with them as without (median of %s, in repetitions that alternate)",
			r.Shape, stats.MedianFinite(ratios), conf.Plural(len(ratios), "case"))
	}
}

// fits returns an *Interrupted if a shape's next mpirun would outlast the batch job. It assumes the
// time of the last one.
func (c *Campaign) fits(shape guidelines.Shape) error {
	if c.Job.Ends.IsZero() {
		return nil
	}
	left, takes := time.Until(c.Job.Ends), c.last[shape]
	switch {
	case left <= 0:
		return &fail.Interrupted{Why: fmt.Sprintf("batch job %s is past its time limit", c.Job.ID)}
	case left <= takes && !c.onlyInParts(takes, left):
		return &fail.Interrupted{Why: fmt.Sprintf("batch job %s ends at %s, in %v, and an mpirun takes about %v",
			c.Job.ID, c.Job.Ends.Format(time.TimeOnly), left.Round(time.Second), takes.Round(time.Second))}
	}
	return nil
}

// onlyInParts tells whether an mpirun outlasts the whole batch job, and can leave parts. The time
// that is left must suffice for a part.
func (c *Campaign) onlyInParts(takes, left time.Duration) bool {
	return takes >= c.Job.Ends.Sub(c.opened) && left > measure.PartTime && c.Config.Measure.LeavesParts()
}

// signalGrace bounds how late the driver gets the signal that ends a job. The ranks, which die of
// it, may get it earlier.
const signalGrace = time.Second

// jobIsOver tells whether an mpirun failed because its batch job is at its end. If the end comes
// with a signal, it leaves that to the context.
func (c *Campaign) jobIsOver(ctx context.Context, e *measure.Error) bool {
	if c.Job.ID == "" {
		return false
	}
	if e.JobOver || !c.Job.Ends.IsZero() && !time.Now().Before(c.Job.Ends) {
		return true
	}
	select {
	case <-ctx.Done():
	case <-time.After(signalGrace):
	}
	return false
}

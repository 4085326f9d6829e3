// Package conformance has the ranks make conformance calls, with and without a setting. It tells what
// became of each.
//
// They are calls that MPI allows and that are easy to get wrong. Package work says what driver and ranks exchange.
package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/remedy/work"
	"pgmpi/internal/tuning"
	"pgmpi/internal/untimed"
	"pgmpi/measure"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

type Outcome struct {
	Call     string `json:"call"` // names the function, and what is special about its arguments
	Function string `json:"function"`
	Shape    string `json:"shape"` // of the mpirun
	NP       int    `json:"np"`    // processes of the communicator
	Msize    int64  `json:"msize"` // bytes of one block, if any
	State    State  `json:"state"`
	Message  string `json:"message,omitempty"` // what was wrong
	Cause    string `json:"cause,omitempty"`   // the place in a file of the environment that explains it
}

type State string

const (
	Right   State = "right"
	Wrong   State = "wrong"   // other data than MPI defines
	Error   State = "error"   // an MPI error: most programs abort with it
	Aborted State = "aborted" // the mpirun ended in it
	Hangs   State = "hangs"   // it did not return within measure.stall
)

// msizes are bytes of a block, on both sides of what rules usually switch at. Parts of
// the world are called on with the first two.
var msizes = []int64{64, 64 << 10, 4 << 10, 1 << 20}

// stall limits the time of a conformance call, unless measure.stall is shorter.
const stall = 10 * time.Second

// unit divides the size of a conformance call.
const unit = 16

// Make makes conformance calls under an environment besides mpi.env, and returns what became of each.
// It calls every collective on the world of each configured shape and on parts of it, and, at the sizes
// that entries of a setting apply to, on all communicators of their numbers of processes. Around an eager limit it calls
// with messages of which some are sent at once and others not. A kind of call that ends the mpirun is not made again. With
// functions only these are called. It returns an error only if nothing could be called.
func Make(ctx context.Context, o *untimed.Once, env map[string]string, entries []tuning.Entry, functions ...string) (out []Outcome, err error) {
	job := work.Job{Msizes: msizes, Functions: functions}
	for _, e := range entries {
		if limit := e.Choice.EagerLimit() / unit * unit; limit > 0 {
			for _, shape := range o.Shapes() {
				job.More = append(job.More, work.Sizes{Function: "MPI_Send", NP: shape.NP, Msizes: []int64{limit, 2 * limit}})
			}
		}
		inside, outside := e.Probes(unit)
		sizes := slices.DeleteFunc(append(inside, outside...), func(size int64) bool { return size%unit != 0 })
		if e.Choice.Function != "" && len(sizes) > 0 {
			job.More = append(job.More, work.Sizes{Function: e.Choice.Function, NP: e.Choice.NP, Msizes: sizes})
		}
	}
	for _, shape := range o.Shapes() {
		of, err := on(ctx, o, shape, env, job)
		if err != nil {
			return nil, err
		}
		out = append(out, of...)
	}
	blame(out, measure.Env(o.Config.MPI.Env, env))
	return out, nil
}

// mostEnded limits the conformance calls that end an mpirun; calls after the last of them are not made.
const mostEnded = 30

func on(ctx context.Context, o *untimed.Once, shape guidelines.Shape, env map[string]string, calls work.Job) (bad []Outcome, err error) {
	job := &protocol.Job{StallNS: int64(min(stall, time.Duration(o.Config.Measure.Stall)))}
	pause := &calls.PauseNS
	var first *measure.Error // of an mpirun that ended in a call: it is made again with pauses
	var near string          // the last name that came through, or "" if it was among the first
	for len(bad) < mostEnded {
		var last *work.Call
		at := 0
		got, err := once(ctx, o, shape, env, job, calls, func(i, _ int, name string) {
			var c work.Call
			if json.Unmarshal([]byte(name), &c) == nil {
				last, at = &c, i
			}
		})
		var failed *measure.Error
		switch {
		case err == nil:
			all := outcomes(shape, got)
			if first != nil && len(all) > 0 {
				i := max(0, slices.IndexFunc(all, func(x Outcome) bool { return x.Call == near }))
				all[i] = ended(shape, got[i], first)
				all[i].Message += "; it was this call or one near it, and all went well when they were made again"
			}
			return append(bad, all...), nil
		case ctx.Err() != nil:
			return nil, &fail.Interrupted{}
		case !errors.As(err, &failed):
			return nil, err
		case *pause == 0 && (last == nil || ended(shape, *last, failed).State == Aborted):
			*pause, calls.PauseFrom = int64(namePause), max(0, at-ranksAhead)
			if failed.Started {
				first = failed
			}
			if last != nil {
				near = last.Name()
			}
			continue
		case last == nil && *pause < int64(longestPause):
			*pause *= 10 // a busy machine
			continue
		case last == nil:
			return nil, fail.AsSetup(err)
		}
		bad = append(bad, ended(shape, *last, failed))
		calls.Skip = append(slices.Clone(calls.Skip), last.Kind())
		*pause, first, near = 0, nil, ""
	}
	return bad, nil
}

// once makes the calls in one mpirun.
func once(ctx context.Context, o *untimed.Once, shape guidelines.Shape, env map[string]string, job *protocol.Job, calls work.Job,
	progress func(done, total int, name string)) ([]work.Call, error) {
	var err error
	if job.Work, err = work.Work.Ask(calls); err != nil {
		return nil, err
	}
	out, err := o.Do(ctx, shape, env, job, progress)
	if err != nil {
		return nil, err
	}
	made, err := work.Work.Found(out.End.Answer)
	if err != nil {
		return nil, err
	}
	return *made, nil
}

func outcomes(shape guidelines.Shape, calls []work.Call) (out []Outcome) {
	for _, c := range calls {
		x := outcomeOf(shape, c)
		if x.State = Right; c.Wrong != "" {
			x.State, x.Message = Wrong, c.Wrong
		}
		out = append(out, x)
	}
	return out
}

func outcomeOf(shape guidelines.Shape, c work.Call) Outcome {
	return Outcome{Call: c.Name(), Function: c.Function, Shape: shape.String(), NP: c.NP, Msize: c.Msize}
}

func ended(shape guidelines.Shape, c work.Call, e *measure.Error) Outcome {
	x := outcomeOf(shape, c)
	x.Message, _, _ = strings.Cut(e.What, "; the last case that was reported finished")
	switch {
	case strings.Contains(e.What, work.ErrorText):
		x.State = Error
		x.Message = strings.Replace(x.Message, work.ErrorText+c.Name()+": ", "", 1)
	case strings.Contains(e.What, "measure.stall"):
		x.State = Hangs
		x.Message, _, _ = strings.Cut(x.Message, "; the one running is")
	default:
		x.State = Aborted
		if e.Stderr != "" {
			x.Message += ": " + launch.LastLines(e.Stderr, 1)
		}
	}
	return x
}

// namePause separates a call's name from the call, near the one in which an mpirun has ended. It grows
// up to longestPause where no name at all has come through. Rank 0 may have named ranksAhead calls more
// than the rank that ended it has made.
const namePause, longestPause, ranksAhead = 30 * time.Millisecond, 300 * time.Millisecond, 16

func blame(out []Outcome, env map[string]string) {
	path, rules, err := untimed.RulesOf(env, untimed.SettingFiles[0].Variable, untimed.SettingFiles[0].Writer)
	if err != nil || len(rules) == 0 {
		return
	}
	for i, o := range out {
		if trap, ok := tuning.FindTrap(rules, o.Function, o.NP); ok && o.State != Right {
			out[i].Cause = fmt.Sprintf("%s:%d: %s", path, trap.Line, trap.Why)
		}
	}
}

// NewlyBad returns the outcomes of calls that are wrong after, and were right before: a setting is not
// blamed for faults of the library itself.
func NewlyBad(before, after []Outcome) (out []Outcome) {
	type key struct{ call, shape string }
	was := map[key]State{}
	for _, o := range before {
		was[key{o.Call, o.Shape}] = o.State
	}
	for _, o := range after {
		if old, known := was[key{o.Call, o.Shape}]; o.State != Right && (!known || old == Right) {
			out = append(out, o)
		}
	}
	return out
}

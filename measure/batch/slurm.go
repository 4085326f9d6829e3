package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

func (r *Request) directives() []string {
	d := []string{"--job-name=pgmpi"}
	switch {
	case r.PPN > 0:
		d = append(d, fmt.Sprintf("--nodes=%d", r.Nodes), fmt.Sprintf("--ntasks-per-node=%d", r.PPN))
	case r.Nodes > 0:
		d = append(d, fmt.Sprintf("--nodes=%d", r.Nodes), fmt.Sprintf("--ntasks=%d", r.NP))
	default:
		d = append(d, fmt.Sprintf("--ntasks=%d", r.NP))
	}
	d = append(d, "--time="+r.clock())
	for _, o := range [][2]string{{"--account", r.Account}, {"--partition", r.Partition}, {"--constraint", r.Constraint}} {
		if o[1] != "" {
			d = append(d, o[0]+"="+o[1])
		}
	}
	if r.Exclusive {
		d = append(d, "--exclusive")
	}
	d = append(d, "--requeue", "--open-mode=append", fmt.Sprintf("--signal=B:USR1@%.0f", lead.Seconds()),
		`--output="`+strings.ReplaceAll(r.Log, "%", "%%")+`"`)
	return append(d, r.Options...)
}

// over are texts of Slurm's programs that say that a job is at its end: from the time
// limit on Slurm refuses steps; its signal comes up to 30 s later.
var over = []string{"Job/step already completing or completed", "DUE TO TIME LIMIT", "DUE TO PREEMPTION"}

// Over tells whether the words of a launcher say that the batch system has ended
// the job: they are not the launcher's failure.
func Over(words string) bool {
	return slices.ContainsFunc(over, func(text string) bool { return strings.Contains(words, text) })
}

// slurmEnd asks squeue, which knows of a limit that has been changed, and else
// takes what newer versions put into the environment.
func slurmEnd(ctx context.Context, job string) (time.Time, error) {
	text, err := squeue(ctx, "--jobs="+job, "--format=%e")
	if err == nil {
		return time.Parse("2006-01-02T15:04:05", text) // or "NONE"
	}
	if s, e := strconv.ParseInt(os.Getenv("SLURM_JOB_END_TIME"), 10, 64); e == nil {
		return time.Unix(s, 0), nil
	}
	return time.Time{}, err
}

// squeue is asked for times without a zone, of which local ones come twice when summer ends.
func squeue(ctx context.Context, args ...string) (string, error) {
	return ask(ctx, []string{"TZ=UTC", "SLURM_TIME_FORMAT=standard"}, "squeue", append([]string{"--noheader"}, args...)...)
}

type State struct {
	Word  string // such as RUNNING; "": the job is no longer known
	Nodes string // where it runs
	Why   string // it waits
	Left  string // of its time limit, as Slurm writes it
}

// Over tells whether the job has certainly ended.
func (s State) Over() bool {
	return slices.Contains([]string{"", "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "TIMEOUT"}, s.Word)
}

func StateOf(job string) (State, error) {
	if !IsJob(job) {
		return State{}, fmt.Errorf("%q is no job of Slurm's", job)
	}
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	text, err := squeue(ctx, "--states=all", "--jobs="+job, "--format=%T|%N|%r|%L")
	switch {
	case err != nil && strings.Contains(err.Error(), "Invalid job id"):
		return State{}, nil
	case err != nil || text == "":
		return State{}, err
	}
	f := strings.SplitN(text, "|", 4)
	if len(f) != 4 {
		return State{}, errors.New("squeue answered " + strconv.Quote(text))
	}
	s := State{Word: f[0], Nodes: f[1]}
	switch {
	case s.Word == "PENDING":
		s.Why = f[2]
	case !s.Over():
		s.Left = f[3]
	}
	return s, nil
}

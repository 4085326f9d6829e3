package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
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

// over holds texts of Slurm's programs about a job at its end: from the time limit on Slurm refuses
// steps; its signal comes up to 30 s later.
var over = []string{"Job/step already completing or completed", "DUE TO TIME LIMIT", "DUE TO PREEMPTION"}

// Over tells whether the words of a launcher say that the batch system has ended
// the job: they are not the launcher's failure.
func Over(words string) bool {
	return slices.ContainsFunc(over, func(text string) bool { return strings.Contains(words, text) })
}

// slurmEnd asks squeue, which knows of a changed limit. Else it takes what newer versions put into the
// environment.
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
	Word  string // such as RUNNING, or "" if the job is no longer known
	Nodes string // where it runs
	Why   string // why it waits
	Left  string // of its time limit, as Slurm writes it
}

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

type Job struct {
	ID   string    // or "" outside of a job
	Ends time.Time // zero if not known
}

// Here returns the job of this process. It asks Slurm once: Slurm serves many.
var Here = sync.OnceValue(func() Job { return here(os.Getenv) })

func here(getenv func(string) string) Job {
	j := Job{ID: getenv("SLURM_JOB_ID")}
	if IsJob(j.ID) {
		ctx, cancel := context.WithTimeout(context.Background(), askLimit)
		defer cancel()
		j.Ends, _ = slurmEnd(ctx, j.ID) // what Slurm does not tell stays unknown
	}
	return j
}

// A batch system that is busy answers late.
const (
	askLimit    = 10 * time.Second
	submitLimit = time.Minute
)

var jobs = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._+\[\]-]{0,99}$`)

// IsJob tells whether a text can be a job's id: it comes from the environment or
// from a file, and must be no option of a program.
func IsJob(text string) bool { return jobs.MatchString(text) }

func ask(ctx context.Context, env []string, program string, args ...string) (string, error) {
	var said strings.Builder
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr, cmd.Env = &said, append(os.Environ(), env...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	text := strings.TrimSpace(string(out))
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s did not answer in time", program)
	case errors.Is(err, exec.ErrNotFound):
		return "", fmt.Errorf("there is no %s on the PATH", program)
	case err != nil:
		return text, fmt.Errorf("%s: %w: %.300s", program, err, strings.TrimSpace(said.String()))
	}
	return text, nil
}

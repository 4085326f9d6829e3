package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// Scheduler is all that pgmpi knows of one batch system.
type Scheduler struct {
	Name     string
	Untested bool
	Submit   string // the program that takes a script, as a user types it
	// go submits a script; nil: pgmpi only writes it.
	submit func(ctx context.Context, script string) (job string, err error)

	jobID string // the variable that holds a job's id inside of it
	// ends asks when a job ends; nil, or zero: not known.
	ends func(ctx context.Context, job string) (time.Time, error)
	// state asks for the state of a job; nil: not known how.
	state func(ctx context.Context, job string) (State, error)
	// over are texts of its programs that say that the job is at its end.
	over []string

	directives func(r *Request) []string
	restarted  string // shell: how often the job was started before
	again      string // shell: puts the job back in the queue; {script} is the script, {next} the number of the restart
}

// schedulers has a line for every batch system.
var schedulers = []*Scheduler{&slurm, &pbs, &flux, &lsf}

// Names are those of the batch systems.
func Names() (names []string) {
	for _, s := range schedulers {
		names = append(names, s.Name)
	}
	return names
}

// Known tells whether there is a batch system of a name.
func Known(name string) bool { return slices.Contains(Names(), name) }

// Get is a batch system by its name; there must be one.
func Get(name string) *Scheduler {
	return schedulers[slices.IndexFunc(schedulers, func(s *Scheduler) bool { return s.Name == name })]
}

// Job is the batch job that a process is in.
type Job struct {
	ID   string    // "": none
	Ends time.Time // zero: not known
}

// Here is the job of this process. The batch system is asked once: it serves many.
var Here = sync.OnceValue(func() Job { return here(os.Getenv) })

func here(getenv func(string) string) Job {
	for _, s := range schedulers {
		id := getenv(s.jobID)
		if id == "" {
			continue
		}
		j := Job{ID: id}
		if s.ends != nil && isJob(id) {
			ctx, cancel := context.WithTimeout(context.Background(), askLimit)
			defer cancel()
			j.Ends, _ = s.ends(ctx, id) // what it does not tell stays unknown
		}
		return j
	}
	return Job{}
}

// Over tells whether the words of a launcher say that the batch system has ended
// the job: they are not the launcher's failure.
func Over(words string) bool {
	return slices.ContainsFunc(schedulers, func(s *Scheduler) bool {
		return slices.ContainsFunc(s.over, func(text string) bool { return strings.Contains(words, text) })
	})
}

// State is that of a job, in the words of its batch system.
type State struct {
	Word  string // such as RUNNING; "": the job is no longer known
	Nodes string // where it runs
	Why   string // it waits
	Left  string // of its time limit, as the batch system writes it
}

// Lives tells whether the job is waiting, running, or ending.
func (s State) Lives() bool {
	return slices.Contains([]string{"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "STOPPED", "COMPLETING", "REQUEUED", "REQUEUE_HOLD", "STAGE_OUT"}, s.Word)
}

// State asks for the state of a job.
func (s *Scheduler) State(job string) (State, error) {
	switch {
	case s.state == nil:
		return State{}, fmt.Errorf("pgmpi does not know how to ask %s", s.Name)
	case !isJob(job):
		return State{}, fmt.Errorf("%q is no job of %s", job, s.Name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), askLimit)
	defer cancel()
	return s.state(ctx, job)
}

// Put submits a script and returns the job's id.
func (s *Scheduler) Put(script string) (job string, err error) {
	if s.submit == nil {
		return "", fmt.Errorf("pgmpi submits to slurm only; by hand: %s %s", s.Submit, script)
	}
	ctx, cancel := context.WithTimeout(context.Background(), submitLimit)
	defer cancel()
	job, err = s.submit(ctx, script)
	if err == nil && !isJob(job) {
		err = fmt.Errorf("%s answered %.80q, and the id of a job was expected", s.Submit, job)
	}
	return job, err
}

// A batch system that is busy answers late.
const (
	askLimit    = 10 * time.Second
	submitLimit = time.Minute
)

var jobs = regexp.MustCompile(`^[0-9A-Za-zƒ][0-9A-Za-z_.\[\]-]*$`)

// isJob tells whether a text can be a job's id: it comes from the environment or
// from a file, and must be no option of a program.
func isJob(text string) bool { return jobs.MatchString(text) }

// ask runs a program of a batch system and returns what it says.
func ask(ctx context.Context, program string, args ...string) (string, error) {
	var said strings.Builder
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stderr = &said
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

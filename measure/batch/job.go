package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

type Job struct {
	ID   string    // "": none
	Ends time.Time // zero: not known
}

// Here is the job of this process. Slurm is asked once: it serves many.
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

// ask runs a program of a batch system, with more variables, and returns what it says.
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

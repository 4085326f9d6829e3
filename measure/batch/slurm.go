package batch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

var slurm = Scheduler{
	Name:   "slurm",
	Submit: "sbatch",
	submit: func(ctx context.Context, script string) (string, error) {
		out, err := ask(ctx, "sbatch", "--parsable", script)
		job, _, _ := strings.Cut(out, ";") // the cluster's name may follow
		return job, err
	},
	jobID: "SLURM_JOB_ID",
	ends:  slurmEnd,
	state: slurmState,
	// From the time limit on Slurm refuses steps; its signal comes up to 30 s later.
	over: []string{"Job/step already completing or completed", "DUE TO TIME LIMIT", "DUE TO PREEMPTION"},
	directives: func(r *Request) []string {
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
		d = append(d, "--requeue", "--open-mode=append", "--signal=B:USR1@90",
			`--output="`+strings.ReplaceAll(r.Log, "%", "%%")+`"`)
		return prefixed("#SBATCH ", append(d, r.Options...))
	},
	restarted: "${SLURM_RESTART_COUNT:-0}",
	again:     `scontrol requeue "$SLURM_JOB_ID"`,
}

// prefixed puts the word of a directive before every option.
func prefixed(word string, options []string) (lines []string) {
	for _, o := range options {
		lines = append(lines, word+o)
	}
	return lines
}

// slurmEnd asks squeue, which knows of a limit that has been changed, and else
// takes what newer versions put into the environment.
func slurmEnd(ctx context.Context, job string) (time.Time, error) {
	text, err := ask(ctx, "squeue", "--noheader", "--jobs="+job, "--format=%e")
	if err == nil {
		return time.ParseInLocation("2006-01-02T15:04:05", text, time.Local) // or "NONE"
	}
	if s, e := strconv.ParseInt(os.Getenv("SLURM_JOB_END_TIME"), 10, 64); e == nil {
		return time.Unix(s, 0), nil
	}
	return time.Time{}, err
}

func slurmState(ctx context.Context, job string) (State, error) {
	text, err := ask(ctx, "squeue", "--noheader", "--states=all", "--jobs="+job, "--format=%T|%N|%r|%L")
	if err != nil {
		if strings.Contains(err.Error(), "Invalid job id") {
			return State{}, nil
		}
		return State{}, err
	}
	if text == "" {
		return State{}, nil
	}
	f := strings.SplitN(text, "|", 4)
	if len(f) != 4 {
		return State{}, errors.New("squeue answered " + strconv.Quote(text))
	}
	s := State{Word: f[0], Nodes: f[1], Left: f[3]}
	if s.Word == "PENDING" {
		s.Why, s.Left = f[2], ""
	}
	return s, nil
}

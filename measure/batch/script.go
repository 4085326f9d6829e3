package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/regular"
)

type Request struct {
	Config
	NP         int           // most processes of an mpirun
	Nodes, PPN int           // of the allocation, or 0 for as many nodes as NP processes need
	Time       time.Duration // limit of an allocation, in whole minutes
	Log        string        // where the job's output goes
	Path       string        // of the script
	Dir        string        // where it runs
	Command    []string      // pgmpi and its arguments; exit status 130 is an interruption
}

func (r *Request) Minutes() int { return int(r.Time / time.Minute) }

func (r *Request) clock() string { return fmt.Sprintf("%d:%02d:00", r.Minutes()/60, r.Minutes()%60) }

// Script returns the batch script: for Slurm, or the user's template with the request for its
// placeholders.
func (r *Request) Script() (string, error) {
	if r.Template == "" {
		if strings.ContainsAny(r.Log, `"\`) || strings.ContainsFunc(r.Log, unicode.IsControl) {
			return "", fmt.Errorf("the folder of %q has a quote, a backslash or a control character, which no line #SBATCH can hold: take another with --out", r.Log)
		}
		return r.forSlurm(), nil
	}
	template, err := regular.Read(r.Template, mostTemplate)
	if err != nil {
		return "", fmt.Errorf("batch.template: %w", err)
	}
	if !strings.Contains(string(template), "{command}") {
		return "", fmt.Errorf("batch.template: %s lacks {command}, which stands for pgmpi and its arguments", r.Template)
	}
	if strings.Contains(string(template), "{log}") && conf.Quote(r.Log) != r.Log {
		return "", fmt.Errorf("{log} of %s would be %q, with characters that a batch system may take apart: take another folder with --out", r.Template, r.Log)
	}
	nodes := max(1, r.Nodes)
	ppn := cmp.Or(r.PPN, (r.NP+nodes-1)/nodes)
	return strings.NewReplacer("{command}", quoted(r.Command), "{dir}", conf.Quote(r.Dir), "{log}", r.Log, "{name}", "pgmpi",
		"{np}", strconv.Itoa(r.NP), "{nodes}", strconv.Itoa(nodes), "{ppn}", strconv.Itoa(ppn),
		"{time}", r.clock(), "{minutes}", strconv.Itoa(r.Minutes())).Replace(string(template)), nil
}

const mostTemplate = 1 << 20

// forSlurm returns a script that goes on by itself. Before its time limit pgmpi ends with 130, and the
// script puts its job back in the queue. A job that was cancelled does not come back: the signal for
// that, SIGTERM, is not the one that warns of the time limit, SIGUSR1.
func (r *Request) forSlurm() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("#!/bin/bash")
	for _, d := range r.directives() {
		line("#SBATCH %s", d)
	}
	line("# Written by pgmpi submit. Before the time limit it puts its job back in the")
	line("# queue, at most %s, and goes on where it was.", conf.Plural(r.Restarts, "time"))
	line("")
	line("cd %s || exit 2", conf.Quote(r.Dir))
	if len(r.Modules) > 0 {
		line("type module >/dev/null 2>&1 || . /etc/profile")
		line("module purge") // what the environment of the submission had loaded
		line("module load %s || exit 2", quoted(r.Modules))
	}
	for _, l := range r.Prolog {
		line("%s", l)
	}
	b.WriteString(strings.NewReplacer("{command}", quoted(r.Command), "{most}", strconv.Itoa(r.Restarts),
		"{submit}", conf.Quote(r.SubmitLine())).Replace(body))
	return b.String()
}

// SubmitLine returns the command that submits the script, or "" if it is not known.
func (r *Request) SubmitLine() string {
	switch {
	case r.Template == "":
		return quoted([]string{"sbatch", r.Path})
	case len(r.Submit) == 0:
		return ""
	}
	return quoted(slices.Concat(r.Submit, []string{r.Path}))
}

// Put submits the script. It returns the job's id, or the words of another batch system than Slurm.
func (r *Request) Put() (job string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), submitLimit)
	defer cancel()
	switch {
	case r.Template == "":
		out, err := ask(ctx, nil, "sbatch", "--parsable", r.Path)
		job, _, _ := strings.Cut(out, ";") // the cluster's name may follow
		if err == nil && !IsJob(job) {
			err = fmt.Errorf("sbatch answered %.80q, and the id of a job was expected", job)
		}
		return job, err
	case len(r.Submit) == 0:
		return "", errors.New("batch.submit is empty: it has the words that submit a script made from batch.template")
	}
	return ask(ctx, nil, r.Submit[0], slices.Concat(r.Submit[1:], []string{r.Path})...)
}

func quoted(words []string) string { return strings.Join(lists.Map(words, conf.Quote), " ") }

const body = `
restarts=${SLURM_RESTART_COUNT:-0}
cancelled= signalled=
{command} &
pgmpi=$!
trap 'signalled=1; kill -TERM $pgmpi 2>/dev/null' USR1
trap 'signalled=1 cancelled=1; kill -TERM $pgmpi 2>/dev/null' TERM
while :; do
    wait $pgmpi; status=$?
    [ -n "$signalled" ] || break
    signalled= # a signal has ended the wait, not pgmpi
done
if [ $status -eq 130 ] && [ -z "$cancelled" ]; then
    if [ "$restarts" -lt {most} ]; then
        echo "pgmpi: restart $((restarts + 1)) of at most {most}" >&2
        scontrol requeue "$SLURM_JOB_ID" && exit $status
    fi
    printf 'pgmpi: not finished after %s restarts; go on with: %s\n' "$restarts" {submit} >&2
fi
exit $status
`

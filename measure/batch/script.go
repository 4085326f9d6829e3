package batch

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"pgmpi/internal/conf"
)

// Request is what a batch script is to do.
type Request struct {
	Config
	NP         int           // most processes of an mpirun
	Nodes, PPN int           // of the allocation; 0: as many nodes as NP processes need
	Time       time.Duration // limit of an allocation, in whole minutes
	Log        string        // where the job's output goes
	Path       string        // of the script
	Dir        string        // where it runs
	Command    []string      // pgmpi and its arguments; exit status 130 is an interruption
}

// Minutes are those of the time limit.
func (r *Request) Minutes() int { return int(r.Time / time.Minute) }

// clock is the time limit as h:mm:ss.
func (r *Request) clock() string { return fmt.Sprintf("%d:%02d:00", r.Minutes()/60, r.Minutes()%60) }

// Script is a batch script that goes on by itself: before its time limit pgmpi
// ends with 130, and the script puts its job back in the queue. A job that was
// cancelled does not come back: the signal for that, SIGTERM, is not the one that
// warns of the time limit, SIGUSR1.
func (s *Scheduler) Script(r *Request) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("#!/bin/bash")
	for _, d := range s.directives(r) {
		line("%s", d)
	}
	line("# Written by pgmpi submit. Before the time limit it puts its job back in the")
	line("# queue, at most %s, and goes on where it was.", conf.Plural(r.Restarts, "time"))
	if s.Untested {
		line("# UNTESTED with %s: written after its documentation.", s.Name)
	}
	line("")
	line("cd %s || exit 2", conf.Quote(r.Dir))
	if len(r.Modules) > 0 {
		line("type module >/dev/null 2>&1 || . /etc/profile")
		line("module load %s || exit 2", quoted(r.Modules))
	}
	for _, l := range r.Prolog {
		line("%s", l)
	}
	b.WriteString(strings.NewReplacer("{command}", quoted(r.Command), "{restarts}", s.restarted,
		"{most}", strconv.Itoa(r.Restarts), "{again}", s.resubmit(r), "{submit}", s.Submit+" "+conf.Quote(r.Path)).Replace(body))
	return b.String()
}

// quoted are words for a shell.
func quoted(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = conf.Quote(w)
	}
	return strings.Join(out, " ")
}

func (s *Scheduler) resubmit(r *Request) string {
	return strings.NewReplacer("{script}", conf.Quote(r.Path), "{next}", "$((restarts + 1))").Replace(s.again)
}

const body = `
restarts={restarts}
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
        {again} && exit $status
    fi
    echo "pgmpi: not finished after $restarts restarts; go on with: {submit}" >&2
fi
exit $status
`

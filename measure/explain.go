package measure

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pgmpi/measure/batch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/trouble"
)

func (m *mpirun) explain(err error) *Error {
	e := &Error{Argv: m.argv, What: err.Error(), Started: m.taken, JobOver: batch.Over(m.stderr.String())}
	said := rankError("")
	byRank, late := errors.As(err, &said), lateError("")
	e.Late = errors.As(err, &late)
	if !byRank && strings.HasPrefix(m.first, protocol.MockupFault) {
		e.What = m.first + ": the ranks did not come back from loading it: " + e.What
	}
	clues := e.What
	if !byRank {
		// After a rank's own words comes only the launcher's noise about the abort.
		clues += "\n" + m.stderr.String()
		e.Stderr = trouble.Excerpt(m.stderr.String())
	}
	if errors.Is(err, errEnded) {
		status := "exit status 0, silently: a rank left without a word"
		switch {
		case m.ranks != nil && !m.ended:
			status = "standard output was closed, and the launcher went on"
		case m.ranks != nil && m.ranks.Err != nil:
			status = m.ranks.Err.Error()
		}
		clues += "\n" + status
		e.What = fmt.Sprintf("%s (%s)", e.What, status)
		if said := ranksWords.FindStringSubmatch(e.Stderr); said != nil {
			e.What, e.Stderr = said[1], ""
		}
		if m.bad != nil {
			e.What += fmt.Sprintf("; before that, %v", m.bad)
		}
	}
	if errors.Is(err, errEnded) && !killed.MatchString(clues) {
		e.Crashed, _, _ = strings.Cut(m.first, " ")
	}
	if said := unlinked.FindStringSubmatch(clues); said != nil {
		e.Lacks = said[1]
	}
	what := e.What
	e.Started = e.Started && !unstarted.MatchString(clues)
	e.advise(trouble.Explain(&trouble.Said{Words: clues, Greeted: m.hello != nil, Shaped: m.shaped}))
	switch {
	case !errors.Is(err, errEnded):
	case m.hello == nil && e.What == what:
		e.What += "; rank 0 had not come through MPI_Init"
	case m.last != "":
		e.What += "; the last case that was reported finished is " + m.last
	}
	if said := hung.FindStringSubmatch(err.Error()); said != nil {
		e.Hung = said[1]
	}
	return e
}

// advise adds what is known of the cause, and what to try.
func (e *Error) advise(a *trouble.Advice) {
	switch {
	case a == nil && !e.Started:
		e.Remedy = "the command above by hand with --version at its end, which starts the ranks without MPI_Init: " +
			"if that works, any MPI program will fail like this. --launch names another launcher"
	case a == nil:
	case a.What == "":
		e.Remedy, e.Again = a.Try, a.Again
	default:
		e.What, e.Stderr, e.Remedy, e.Again = a.What, a.Lines, a.Try, a.Again
	}
}

// killed matches words about an mpirun that something else has ended.
var killed = regexp.MustCompile(`[Ss]ignal:? (9|15|killed|terminated)|EXIT CODE: (9|15)\b`)

// unlinked matches the loader's last word where a call leads to a function that no library has.
var unlinked = regexp.MustCompile(`symbol lookup error: .*undefined symbol: (\w+)`)

// hung matches the message of the ranks' watchdog about a function.
var hung = regexp.MustCompile(`\(measure\.stall\); the one running is (\S+) at `)

// ranksWords matches a rank's message on standard error before it gives up.
var ranksWords = regexp.MustCompile(`(?m)^pgmpi-rank: (.*)$`)

// unstarted matches faults of a set-up in which no rank can begin its job.
var unstarted = regexp.MustCompile(`the ranks are placed as|the library has the ranks on|\.tmp-job: no such file|` +
	regexp.QuoteMeta(protocol.MockupFault))

// hopeless matches words of hydra, which waits for ever after it could not start a rank.
var hopeless = regexp.MustCompile(`execvp error on file .*\n`)

// tail keeps the first and the last of what launcher and ranks print.
type tail struct {
	mu   sync.Mutex
	head []byte // once text is too long for all
	text []byte
	shut bool          // the driver is ending the mpirun: what follows is its own doing
	lost chan struct{} // mpirun.lost, until it is closed
}

const headBytes, tailBytes = 16 << 10, 256 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return len(p), nil
	}
	t.text = append(t.text, p...)
	if t.lost != nil && hopeless.Match(t.text) {
		close(t.lost)
		t.lost = nil
	}
	if n := len(t.text); n > tailBytes {
		if t.head == nil {
			t.head = slices.Clone(t.text[:headBytes])
		}
		t.text = append(t.text[:0], t.text[n-tailBytes:]...)
	}
	return len(p), nil
}

func (t *tail) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.shut = true
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.head) + string(t.text)
}

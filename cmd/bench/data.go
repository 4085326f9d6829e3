package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/mockups"
)

// exhaustiveBench compares every collective and mock-up with its definition in one
// combination of so many of counts, roots, datatypes, operators and communicators
// (testdata/exhaustive).
func exhaustiveBench(ctx context.Context, e *env) error {
	e.title("exhaustive: every collective and mock-up against its definition, one of %d combinations", e.every)
	if e.processes == nil {
		e.processes = []int{1, 2, 3, 4, 5, 6, 7, 8, 9}
	}
	t := newTable("p", "calls", "failures", "seconds")
	all, bad := 0, 0
	for _, p := range e.processes {
		start := time.Now()
		said, err := e.plain(ctx, p, "exhaustive", fmt.Sprint(e.every))
		var of, calls, failures int
		if _, e := fmt.Sscanf(said, "p = %d: %d calls, %d failures", &of, &calls, &failures); e != nil || of != p {
			return fmt.Errorf("p = %d: %w: %q", p, err, said)
		}
		if err != nil {
			fmt.Println(err) // what is wrong
		}
		all, bad = all+calls, bad+failures
		t.row(p, calls, failures, fmt.Sprintf("%.1f", time.Since(start).Seconds()))
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return outcome(fmt.Sprintf("failures of %d calls", all), fmt.Sprint(bad), "none", bad == 0)
}

// A program of a test suite takes no longer than this.
const programLimit = 2 * time.Minute

// program is a line of MPICH's testlist: what is run on how many processes. One
// that is right says "No Errors".
type program struct {
	argv []string
	np   int
}

func (p program) String() string { return fmt.Sprintf("%s on %d", filepath.Base(p.argv[0]), p.np) }

// interposeBench sends the collectives of programs that check their results
// through each mock-up (testdata/interpose): those of MPICH's test suite where it
// is given, else one of ours.
func interposeBench(ctx context.Context, e *env) error {
	programs := []program{{[]string{e.program("calls")}, 4}, {[]string{e.program("calls")}, 5}}
	what := "testdata/interpose/calls.c"
	if e.suite != "" {
		what = filepath.Join(e.suite, e.library)
		var err error
		if programs, err = readTestlist(what); err != nil {
			return err
		}
	}
	e.title("interposed: the programs of %s through every mock-up", what)
	uses := make([]map[string]bool, len(programs)) // the collectives of each
	right := 0
	for i, p := range programs {
		counted, err := e.interposed(ctx, p, "none")
		if err != nil {
			fmt.Printf("   left out: %s, not right without a mock-up\n", p)
			continue
		}
		right++
		uses[i] = map[string]bool{}
		for id, c := range counted {
			f, _ := mockups.Get(id)
			if c.through > 0 {
				uses[i][f.Of] = true
			}
		}
	}
	t := newTable("programs", "through", "fell back", "failed", "wrong", "  mock-up")
	bad := 0
	for _, f := range mockups.All() {
		if !f.IsMockup() || f.Identity || f.Over != "" { // interpose.c knows no nodes
			continue
		}
		var sum calls
		n, wrong := 0, 0
		for i, p := range programs {
			if !uses[i][f.Of] {
				continue
			}
			counted, err := e.interposed(ctx, p, f.ID)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if n++; err != nil {
				wrong++
				fmt.Printf("   %s through %s: %v\n", p, f.ID, err)
			}
			c := counted[f.ID]
			sum.through, sum.fellBack, sum.failed = sum.through+c.through, sum.fellBack+c.fellBack, sum.failed+c.failed
		}
		bad += sum.failed + wrong
		t.row(n, sum.through, sum.fellBack, sum.failed, wrong, "  "+f.ID)
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return outcome(fmt.Sprintf("failed calls and wrong programs, of %d programs", right), fmt.Sprint(bad), "none", bad == 0 && right > 0)
}

// calls are what became of the calls of a collective.
type calls struct{ through, fellBack, failed int }

// interposed runs a program with a mock-up, and returns its calls by the ids of
// the mock-ups that were used. A program that does not end well is an error.
func (e *env) interposed(ctx context.Context, p program, mockup string) (map[string]calls, error) {
	ctx, cancel := context.WithTimeout(ctx, programLimit)
	defer cancel()
	preload := filepath.Join(e.bin, "interpose-"+e.library+".so")
	if e.library == "mpich" {
		preload += ":" + filepath.Join(e.bin, "yield.so")
	}
	counts := filepath.Join(e.dir, "interposed")
	_ = os.Remove(counts)
	said, err := e.start(ctx, p.np, append([]string{"env", "LD_PRELOAD=" + preload, "PGMPI_MOCKUP=" + mockup, "PGMPI_INTERPOSED=" + counts}, p.argv...)...)
	if err == nil && !strings.Contains(said, "No Errors") {
		err = fmt.Errorf("it does not say \"No Errors\": %.500q", said)
	}
	text, _ := os.ReadFile(counts) // one that was aborted writes none
	found := map[string]calls{}
	for line := range strings.Lines(string(text)) {
		var id string
		var c calls
		if _, e := fmt.Sscan(line, &id, &c.through, &c.fellBack, &c.failed); e == nil {
			found[id] = c
		}
	}
	return found, err
}

// readTestlist reads which programs of a folder are to be run. Those that were not
// built, or are expected to fail, are left out.
func readTestlist(folder string) ([]program, error) {
	text, err := os.ReadFile(filepath.Join(folder, "testlist"))
	if err != nil {
		return nil, fmt.Errorf("%w: interpose needs the built programs of a test suite and their testlist there (docs/mockups.md)", err)
	}
	var all []program
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 2 || strings.HasPrefix(line, "#") || slices.ContainsFunc(f, func(w string) bool { return strings.HasPrefix(w, "xfail=") }) {
			continue
		}
		p := program{argv: []string{filepath.Join(folder, f[0])}}
		if p.np, err = strconv.Atoi(f[1]); err != nil {
			return nil, fmt.Errorf("%s/testlist: %q: the second word is to be the number of processes", folder, strings.TrimSpace(line))
		}
		for _, w := range f[2:] {
			if arg, ok := strings.CutPrefix(w, "arg="); ok {
				p.argv = append(p.argv, arg)
			}
		}
		if _, err := os.Stat(p.argv[0]); err == nil {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: none of the programs of its testlist is built", folder)
	}
	return all, nil
}

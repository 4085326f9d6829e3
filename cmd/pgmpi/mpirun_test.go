package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	plans "pgmpi/testkit/fixture"
	"pgmpi/testkit/mpirun"
)

// fixture adds what only tests of this package need.
type fixture struct{ mpirun.Fixture }

func own(test func(*testing.T, *fixture)) func(*testing.T, *mpirun.Fixture) {
	return func(t *testing.T, b *mpirun.Fixture) { test(t, &fixture{*b}) }
}

func eachLibrary(t *testing.T, test func(*testing.T, *fixture))   { mpirun.EachLibrary(t, own(test)) }
func eitherLibrary(t *testing.T, test func(*testing.T, *fixture)) { mpirun.EitherLibrary(t, own(test)) }
func eitherAtOnce(t *testing.T, test func(*testing.T, *fixture))  { mpirun.EitherAtOnce(t, own(test)) }
func bothAtOnce(t *testing.T, test func(*testing.T, *fixture))    { mpirun.BothAtOnce(t, own(test)) }
func eachInjected(t *testing.T, test func(*testing.T, *fixture))  { mpirun.EachInjected(t, own(test)) }

func emptyFixture(t *testing.T, dir string) *fixture { return &fixture{*mpirun.Empty(t, dir)} }

func newFixture(t *testing.T, l mpirun.Library) *fixture {
	t.Helper()
	return &fixture{*mpirun.New(t, l)}
}

func (b *fixture) with(fault string) *fixture { return &fixture{*b.With(fault)} }

// mostRanks limits the ranks of tests of data: whatever appears beyond four, such as a second round for the ranks
// that no power of two has, appears with three.
func mostRanks(all int) int {
	if mpirun.Everything {
		return all
	}
	return min(all, 4)
}

// fewRanks limits the ranks of tests for which three are as good as more: a first, a last, and one that is neither.
func fewRanks() int {
	if mpirun.Everything {
		return 5
	}
	return 3
}

// has tells whether this library is to show a part of a claim about pgmpi.
func (b *fixture) has(part int) bool { return part%len(mpirun.Libraries) == b.LibraryIndex() }

const quick = plans.Quick

// twice is quick with two mpiruns, for tests to which no verdict matters.
var twice = fewer(quick, 2)

// fewer has one or two of the three mpiruns that the paper's method needs: a level beyond all reason allows it.
func fewer(text string, mpiruns int) string {
	level := map[int]string{1: "0.6", 2: "0.2"}[mpiruns]
	return strings.NewReplacer("mpiruns = 3", fmt.Sprint("mpiruns = ", mpiruns), `method = "paper"`,
		"method = \"paper\"\nalpha = "+level).Replace(text)
}

// long lasts until a signal ends it.
const long = `
[check]
guidelines = ["GL8"]
[job]
np = [2]
mpiruns = 3
msizes = ["8", "64Ki"]
[nrep]
fixed = 5000000
[analyze]
method = "paper"
`

// inProcess runs a command line that starts no mpirun.
func inProcess(args ...string) mpirun.Said {
	var out, errs bytes.Buffer
	code := execute(context.Background(), args, &out, &errs)
	return mpirun.Said{Code: code, Stdout: out.String(), Stderr: errs.String()}
}

package main

import (
	"context"
	"os"
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

func TestEveryBenchIsDescribedOnceInTheDocs(t *testing.T) {
	text, err := os.ReadFile("../docs/dev/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range benches {
		n := strings.Count(string(text), "\n| `"+b.name+"` |")
		should.Hold(t, n == 1, "%s: in %d rows of the table", b.name, n)
	}
}

func TestUnknownBenchesAndBadNumbersAreUsageErrors(t *testing.T) {
	for _, args := range [][]string{{"nosuch"}, {"size", "--times", "-1"}, {"stability", "--times", "1"}, {"nights", "--times", "3"}, {"--mpiruns", "-1"}, {"--nosuch"}} {
		should.Equal(t, run(context.Background(), args), 2, "%v: exit status", args)
	}
}

func TestFailedBenchEndsWith1(t *testing.T) {
	should.Equal(t, run(context.Background(), []string{"size", "loop", "--bin", t.TempDir(), "--library", "openmpi"}), 1, "exit status")
}

func TestOnlyFailuresAreCaughtAndMissedAimsGoOn(t *testing.T) {
	var e env
	kept := e.run(context.Background(), bench{run: func(_ context.Context, e *env) {
		e.outcome("one", "2", "1", false)
		e.outcome("another", "1", "1", true)
	}}, "")
	should.Hold(t, !kept, "the first aim is not missed")
	defer func() {
		r := recover()
		should.Hold(t, r == "a bug", "recovered %v", r)
	}()
	_ = try(func() { panic("a bug") })
}

package main

import (
	"context"
	"os"
	"strings"
	"testing"
)

func TestEveryBenchIsDescribedOnceInTheDocs(t *testing.T) {
	text, err := os.ReadFile("../../docs/dev/benchmarks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range benches {
		if n := strings.Count(string(text), "\n| `"+b.name+"` |"); n != 1 {
			t.Errorf("%s: in %d rows of the table", b.name, n)
		}
	}
}

func TestUnknownBenchesAndBadNumbersAreUsageErrors(t *testing.T) {
	for _, args := range [][]string{{"nosuch"}, {"size", "--times", "-1"}, {"--mpiruns", "-1"}, {"--nosuch"}} {
		if status := run(context.Background(), args); status != 2 {
			t.Errorf("%v: exit status %d, expected 2", args, status)
		}
	}
}

func TestFailedBenchEndsWith1(t *testing.T) {
	if status := run(context.Background(), []string{"size", "loop", "--bin", t.TempDir(), "--library", "openmpi"}); status != 1 {
		t.Errorf("exit status %d, expected 1", status)
	}
}

func TestOnlyFailuresAreCaughtAndMissedAimsGoOn(t *testing.T) {
	var e env
	err := e.run(context.Background(), bench{run: func(_ context.Context, e *env) {
		e.outcome("one", "2", "1", false)
		e.outcome("another", "1", "1", true)
	}}, "")
	if err != errMissed {
		t.Errorf("got %v", err)
	}
	defer func() {
		if r := recover(); r != "a bug" {
			t.Errorf("recovered %v", r)
		}
	}()
	_ = try(func() { panic("a bug") })
}

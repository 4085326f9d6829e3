package clocks

import (
	"strings"
	"testing"

	"pgmpi/internal/exitcode"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/mpirun"
)

func TestClocksCommandShowsEveryMethod(t *testing.T) {
	t.Parallel()
	mpirun.EachLibrary(t, func(t *testing.T, b *mpirun.Fixture) {
		got := b.Pgmpi("clocks", "--rank", b.Rank, "--shape", "1x2", "--clock-sync", "shared,netgauge,hca3", "--seconds", "0.5")
		if got.Code != 0 {
			t.Fatalf("exit %d:\n%s", got.Code, got.Stderr)
		}
		for _, want := range append([]string{"after 0.5 s", "1x2", "shared ", "netgauge ", "hca3 "}, protocol.Clocks...) {
			if !strings.Contains(got.Stdout, want) {
				t.Errorf("no %q in:\n%s", want, got.Stdout)
			}
		}
		if got := b.Pgmpi("clocks", "--rank", b.Rank, "--np", "2", "--clock-sync", "nonsense"); got.Code != exitcode.Setup {
			t.Errorf("an unknown method ends with %d, want %d", got.Code, exitcode.Setup)
		}
		why := map[string]string{"openmpi": "fewer nodes than the shape", "mpich": "placed as 1x2 (nodes × ranks on each), and 2x1 is wanted"}[b.Lib.Name]
		b.Pgmpi("clocks", "--rank", b.Rank, "--shape", "2x1", "--clock-sync", "shared").Exits(t, exitcode.Setup).Says(t, why)
	})
	mpirun.EachInjected(t, func(t *testing.T, b *mpirun.Fixture) {
		got := b.Pgmpi("clocks", "--rank", b.Rank, "--np", "2", "--clock-sync", "shared", "--format", "json")
		if got.Code != exitcode.Failed || !strings.Contains(got.Stdout, "though both are on one host") {
			t.Errorf("when every method fails the exit status is %d, want %d:\n%s", got.Code, exitcode.Failed, got.Stdout)
		}
	})
}

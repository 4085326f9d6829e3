package clocks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgmpi/internal/exitcode"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestClocksCommandShowsEveryMethod(t *testing.T) {
	t.Parallel()
	mpirun.EachLibrary(t, func(t *testing.T, b *mpirun.Fixture) {
		got := b.Pgmpi("clocks", "--rank", b.Rank, "--shape", "1x2", "--clock-sync", "shared,netgauge,hca3", "--seconds", "0.1")
		if got.Code != 0 {
			t.Fatalf("exit %d:\n%s", got.Code, got.Stderr)
		}
		for _, want := range append([]string{"after 0.1 s", "1x2", "shared ", "netgauge ", "hca3 "}, protocol.Clocks...) {
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

// The exits of MPI_Barrier are times of one clock, and their statistics agree with each other.
func TestClocksShowWhenRanksLeaveTheBarrier(t *testing.T) {
	const calls = 300
	// It returns nil where on a busy machine some rank was late for each barrier.
	exits := func(t *testing.T, b *mpirun.Fixture, np int, args ...string) *BarrierExits {
		t.Helper()
		got := b.Pgmpi(append([]string{"clocks", "--barrier", "--calls", fmt.Sprint(calls), "--rank", b.Rank, "--np", fmt.Sprint(np), "--format", "json"}, args...)...)
		if got.Code == exitcode.Failed && strings.Contains(got.Stderr, fmt.Sprintf("in none of %d barriers all ranks came in time", 2*calls)) {
			return nil
		}
		var all []BarrierExits
		err := json.Unmarshal([]byte(got.Stdout), &all)
		must.Hold(t, err == nil && got.Code == 0 && len(all) == 1, "exit %d, %v:\n%s%s", got.Code, err, got.Stdout, got.Stderr)
		return &all[0]
	}
	mpirun.EitherLibrary(t, func(t *testing.T, b *mpirun.Fixture) {
		e := exits(t, b, 2)
		if e == nil {
			return
		}
		must.Hold(t, e.ClockSync == "shared" && e.Calls >= 1 && e.Calls <= calls && e.Calls+e.Late <= 2*calls && len(e.Ranks) == 2, "%+v", e)
		should.Hold(t, e.Ranks[0].First+e.Ranks[1].First >= 1 && e.Ranks[0].Last+e.Ranks[1].Last >= 1 && min(e.Ranks[0].MinNS, e.Ranks[1].MinNS) == 0,
			"somebody leaves every barrier first, and somebody last: %+v", e.Ranks)
		should.Hold(t, e.Ranks[0].BoundNS == [2]int64{} && min(e.Ranks[1].BoundNS[0], e.Ranks[1].BoundNS[1]) >= 1,
			"rank 0 is the reference, and the clock of the other is known to half of a round trip: %+v", e.Ranks)
		b.Pgmpi("clocks", "--barrier", "--calls", "20", "--rank", b.Rank, "--np", "1").Exits(t, 0).Shows(t, "the last rank leaves 0 after the first")
	})
	// The clocks of the ranks are 2 s apart: only on the global clock the exits are not.
	mpirun.EachInjected(t, func(t *testing.T, b *mpirun.Fixture) {
		if e := exits(t, b, 2, "--clock-sync", "netgauge"); e != nil {
			should.Hold(t, e.ApartNS <= 1e9, "the last exit is %.0f ns after the first: these are readings of different clocks", e.ApartNS)
		}
		b.Pgmpi("clocks", "--barrier", "--rank", b.Rank, "--np", "2").Exits(t, exitcode.Failed).Says(t, "though both are on one host")
	})
}

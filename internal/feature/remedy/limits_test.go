package remedy

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze/medians"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/tuning"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const vader = "OMPI_MCA_btl_vader_eager_limit"

// sending is a check of messages alone.
var sending = strings.NewReplacer(`"GL8"`, `"GL2:MPI_Send"`, `"8", "256Ki"`, `"1Ki", "4Ki", "16Ki", "64Ki"`).Replace(faulting)

// limited lets messages up to a limit, 4 KiB with headers by default, take a µs and half a nanosecond a byte, and others
// late more.
func limited(late, harm func(limit, size int64) time.Duration) func(env []string, c protocol.JobCase) time.Duration {
	return func(env []string, c protocol.JobCase) time.Duration {
		limit := int64(4096)
		for _, line := range env {
			if text, ok := strings.CutPrefix(line, vader+"="); ok {
				limit, _ = strconv.ParseInt(text, 10, 64)
			}
		}
		takes := 2*time.Microsecond + time.Duration(c.Msize/2)
		if c.Msize+56 > limit {
			takes += late(limit, c.Msize)
		}
		return takes + harm(limit, c.Msize)
	}
}

func TestTheEagerLimitIsFoundByBisection(t *testing.T) {
	t.Parallel()
	always := func(d time.Duration) func(int64, int64) time.Duration {
		return func(int64, int64) time.Duration { return d }
	}
	for name, c := range map[string]struct {
		late, harm func(limit, size int64) time.Duration
		want       string
		proofs     int
	}{
		"the middle one is enough": {always(20 * time.Microsecond), always(0), "32768", 1},
		"it harms a long message": {always(20 * time.Microsecond), func(limit, size int64) time.Duration {
			if limit > 8192 && size == 64<<10 {
				return 100 * time.Microsecond
			}
			return 0
		}, "8192", 2},
		"a long message is left": {func(_, size int64) time.Duration {
			if size == 64<<10 {
				return 300 * time.Microsecond
			}
			return 20 * time.Microsecond
		}, always(0), "131072", 2},
		"none has an effect": {func(_, size int64) time.Duration { return 20 * time.Microsecond }, func(limit, size int64) time.Duration {
			if size == 4<<10 && limit > 4096 {
				return 20 * time.Microsecond
			}
			return 0
		}, "", 1},
	} {
		bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
			b.Fake.Under = limited(c.late, c.harm)
			b.Checked(sending)
			x := must.Get(begin(t.Context(), must.Get(Prepare(asked(b, sending)))(t), silent))(t)
			must.Hold(t, len(x.Cells) > 0 && x.Cells[0].Function == "MPI_Send", "%s: %+v", name, x.Cells)
			var of []tuning.Choice
			for _, bytes := range []int{8 << 10, 32 << 10, 128 << 10} {
				of = append(of, tuning.Choice{Kind: tuning.ByComponent, Component: "larger eager limit", Env: map[string]string{vader: fmt.Sprint(bytes)}})
			}
			should.Equal(t, x.slowSends(x.Cells)[0].Sizes, []int64{4 << 10, 16 << 10, 64 << 10}, "%s: sizes", name)
			held := must.Get(x.bisect(t.Context(), setting{}, of))(t)
			should.Equal(t, held.env[vader], c.want, "%s: %+v", name, x.found.Rejected)
			should.Equal(t, len(x.found.Proofs), c.proofs, "%s: proofs", name)
			should.Equal(t, slices.ContainsFunc(x.found.Proofs, func(p Proof) bool { return p.Holds }), c.want != "", "%s: one holds", name)
			mended := x.found.Cells[0].State == CellMended || x.found.Cells[0].State == CellFaster
			should.Equal(t, mended, c.want != "", "%s: %s", name, x.found.Cells[0].State)
		})
	}
}

// What is slow between nodes has another limit than what is slow on one.
func TestLimitsAreOfTheTransportBetweenTheRanks(t *testing.T) {
	two := host.Layout{Shape: "2x1", Kinds: []host.NodeKind{{}}, Pinnings: [][]host.Pin{{{CPUs: host.Ranges{0}, Ranks: 1}}},
		Nodes: []host.Node{{Host: "a", Ranks: host.Ranges{0}}, {Host: "b", Ranks: host.Ranges{1}}}}
	f := glfile.Default()
	task := &Task{Request: Request{Config: &f}, checked: &results.Manifest{PML: map[string]string{"2x1": "ob1"}}}
	task.checked.Rank.Library, task.checked.Rank.LibVersion = "openmpi", "Open MPI v4.1.4"
	cell := Cell{Cell: medians.Cell{Function: "MPI_Send", Msize: 4096, Shape: "2x1"}, NP: 2, SplitOf: 2048}
	setting := func() string {
		of := task.slowSends([]Cell{cell})
		must.Hold(t, len(of) == 1, "%+v", of)
		text, _ := of[0].Usual()
		return text
	}
	should.Equal(t, setting(), vader+"=32768", "where ranks are is not known")
	task.checked.Factors.Layouts = []host.Layout{two}
	should.Equal(t, setting(), "OMPI_MCA_btl_tcp_eager_limit=131072", "between nodes")
	cell.Function = "MPI_Bcast"
	should.Equal(t, setting(), vader+"=32768", "a collective")
	cell.Function, cell.Msize = "MPI_Send", 128<<10
	should.Equal(t, len(task.slowSends([]Cell{cell})), 0, "a long message")
}

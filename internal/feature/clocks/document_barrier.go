package clocks

import (
	"fmt"
	"math"

	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/measure/protocol"
)

// barrierLists are what `pgmpi clocks --barrier` found, one mpirun after the other.
var barrierLists = document.Kind[[]BarrierExits]{Name: "barrier", Sections: barrierSections, Rows: barrierRows, JSON: true}

// BarrierExits are when the ranks of an mpirun leave MPI_Barrier (S-REVISITED §4.6).
type BarrierExits struct {
	Shape       string `json:"shape"`
	NP          int    `json:"np"`
	Library     string `json:"library"`
	Clock       string `json:"clock"`
	ClockTickNS int64  `json:"clock_tick_ns"`
	protocol.Barriers
	Ranks []protocol.Exit `json:"ranks"`
	Host  string          `json:"-"` // that started it
}

// barrierColumns are for one row per rank. New columns go to the end.
var barrierColumns = []string{"shape", "np", "library", "clock", "clock_sync", "calls", "late", "rank", "mean_ns", "ci_ns", "min_ns", "p5_ns", "q1_ns", "median_ns",
	"q3_ns", "p95_ns", "max_ns", "first", "last", "error_before_ns", "error_after_ns", "bound_before_ns", "bound_after_ns"}

func barrierRows(list *[]BarrierExits) [][]string {
	out := [][]string{barrierColumns}
	for _, b := range *list {
		for _, x := range b.Ranks {
			out = append(out, phrase.Row(b.Shape, b.NP, phrase.ShortVersion(b.Library), b.Clock, b.ClockSync, b.Calls, b.Late, x.Rank, x.MeanNS, x.CINS, x.MinNS, x.P5NS, x.Q1NS, x.MedianNS,
				x.Q3NS, x.P95NS, x.MaxNS, x.First, x.Last, x.ErrorNS[0], x.ErrorNS[1], x.BoundNS[0], x.BoundNS[1]))
		}
	}
	return out
}

// known is how far off the clocks may be, by the rank with most, ns: half of the shortest round trip.
func (b *BarrierExits) known() (ns int64) {
	for _, x := range b.Ranks {
		ns = max(ns, x.BoundNS[0], x.BoundNS[1])
	}
	return ns
}

// off is how far the clocks were off at most before (0) and after (1) the barriers, ns.
func (b *BarrierExits) off(when int) (ns int64) {
	for _, x := range b.Ranks {
		ns = max(ns, protocol.Worst(x.ErrorNS[when:when+1]))
	}
	return ns
}

func (b *BarrierExits) oneClock() bool { return b.ClockSync == protocol.ClockSyncShared }

func barrierSections(list *[]BarrierExits) []document.Section {
	var out []document.Section
	for i := range *list {
		out = append(out, barrierSection(&(*list)[i], i))
	}
	if len(out) > 0 {
		out[len(out)-1].Note(`All ranks enter MPI_Barrier at the same time on the global clock, and each stamps when it leaves. Times are those after the first ` +
			`rank's exit. mean ±: its 95 %% interval. first, last: the share of barriers in which no rank left earlier, or later. off: how far the rank's clock ` +
			`was from rank 0's before and after, as exchanges with it show it, and ± how far off that may be. A benchmark that synchronises ` +
			`by MPI_Barrier begins its calls so far apart (measure.sync).`)
	}
	return out
}

func barrierSection(b *BarrierExits, number int) document.Section {
	s := document.Titled("MPI_Barrier of %s, %s: the last rank leaves %s after the first", phrase.ShortVersion(b.Library), b.Shape, after(b.ApartNS))
	s.Fact("Apart", "%s in the median, at most %s in 95 %% of the barriers; from the first entry to the last exit a barrier takes %s", after(b.ApartNS), after(b.ApartP95NS), after(b.TimeNS))
	s.Fact("Barriers", "%d%s", b.Calls, phrase.When(b.Late > 0, "; %d more do not count, which some rank entered late", b.Late))
	s.Fact("Clock", "%s, in steps of %d ns, made global by %s (started from %s)", b.Clock, b.ClockTickNS, b.ClockSync, b.Host)
	s.Fact("Its error", "%s", b.clockError())
	t := &document.Table{Head: []string{"rank", "mean", "±", "min", "Q1", "median", "Q3", "95 %", "max", "first", "last", "off", "then", "±"}, Align: "rrrrrrrrrrrrrr", Spare: []int{4, 6, 12, 3}}
	for _, x := range b.Ranks {
		t.Add(fmt.Sprint(x.Rank), after(x.MeanNS), after(x.CINS), after(x.MinNS), after(x.Q1NS), after(x.MedianNS), after(x.Q3NS), after(x.P95NS), after(x.MaxNS),
			phrase.Percent(x.First), phrase.Percent(x.Last), signed(x.ErrorNS[0]), signed(x.ErrorNS[1]), after(float64(max(x.BoundNS[0], x.BoundNS[1]))))
	}
	s.Table = t
	s.Figures = []picture.Figure{exitFigure(b, number)}
	return s
}

// clockError says how much of the exits the clocks alone can explain.
func (b *BarrierExits) clockError() string {
	known := b.known()
	if b.oneClock() {
		return fmt.Sprintf("none but its step: all ranks read one clock, which exchanges of messages confirm to ±%s", after(float64(known)))
	}
	text := fmt.Sprintf("at most %s before the barriers and %s after them, known to ±%s", after(float64(b.off(0))), after(float64(b.off(1))), after(float64(known)))
	if b.ApartNS <= float64(known+max(b.off(0), b.off(1))) {
		text += ": as much as the exits are apart, so that these may be the clocks' alone; --clock-sync names other methods"
	}
	return text
}

func after(ns float64) string {
	if ns == 0 {
		return "0"
	}
	return phrase.Nanoseconds(ns)
}

func signed(ns int64) string {
	if ns < 0 {
		return "-" + after(float64(-ns))
	}
	return after(float64(ns))
}

// exitFigure is S-REVISITED, Fig. 10: the exits by rank.
func exitFigure(b *BarrierExits, number int) picture.Figure {
	f := picture.Figure{ID: picture.Anchor("barrier", fmt.Sprint(number+1), b.Shape, phrase.ShortVersion(b.Library)), Title: fmt.Sprintf("Exit from MPI_Barrier, %s, %s", phrase.ShortVersion(b.Library), b.Shape),
		X: picture.Axis{Title: "rank", Scale: picture.Named}, Y: picture.Axis{Title: "after the first exit", Unit: picture.Seconds, Holds: []float64{0}}}
	middle, mean := picture.Series{Name: "median, 5 % to 95 %", Role: picture.Call, Form: picture.Dots}, picture.Series{Name: "mean, its 95 % interval", Role: picture.Instead, Form: picture.Dots}
	for i, x := range b.Ranks {
		f.X.Names = append(f.X.Names, fmt.Sprint(x.Rank))
		at := float64(i)
		middle.Points = append(middle.Points, picture.Point{X: at, Y: x.MedianNS / 1e9, Lo: x.P5NS / 1e9, Hi: x.P95NS / 1e9})
		mean.Points = append(mean.Points, picture.Point{X: at, Y: x.MeanNS / 1e9, Lo: math.Max(0, x.MeanNS-x.CINS) / 1e9, Hi: (x.MeanNS + x.CINS) / 1e9})
	}
	f.Series = []picture.Series{middle, mean}
	f.Text = fmt.Sprintf("When each of %s leaves MPI_Barrier, after the first of them, in %s. The clocks are known to ±%s.",
		conf.Plural(b.NP, "rank"), conf.Plural(b.Calls, "barrier"), after(float64(b.known())))
	return f
}

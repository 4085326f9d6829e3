package analyze

import (
	"math"
	"strings"
	"testing"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/fixture"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
)

// wave gives n samples that stay high and low for `long` samples in turn.
func wave(n, long int) []protocol.Sample {
	out := make([]protocol.Sample, n)
	for i := range out {
		out[i].NS = 10000 + int64(i*37%11)
		if i/long%2 == 1 {
			out[i].NS += 100
		}
	}
	return out
}

func TestStronglyDependentSamplesAreWarnedOf(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	if r := analyzed(t, m, runs, judge.Default()); r.Dependence.Series != 0 {
		t.Errorf("%+v of 4 samples", r.Dependence)
	}
	for i := range runs {
		runs[i].Samples[0] = wave(200, 20)
		runs[i].Samples[2] = wave(200, 1)
	}
	r := analyzed(t, m, runs, judge.Default())
	d := r.Dependence
	if d.Series != 2*fixture.R || d.Significant != fixture.R || d.Lags != 10 || len(d.Strong) != 1 {
		t.Fatalf("%+v", d)
	}
	if k := d.Strong[0]; k.Function != "MPI_Reduce" || k.Msize != 8 || k.Shape != "p2" || k.Lag1 < 0.8 || k.Inefficiency < 5 || k.Inefficiency > 21 {
		t.Errorf("%+v", k)
	}
	w := warning(r, "dependent-samples")
	if w == nil || !strings.Contains(w.Text, "MPI_Reduce at 8 B") || !strings.Contains(w.Remedy, "nrep.rse") {
		t.Errorf("%+v", w)
	}
}

func warning(r *Report, id remark.ID) *remark.Remark {
	for i := range r.Warnings {
		if r.Warnings[i].ID == id {
			return &r.Warnings[i]
		}
	}
	return nil
}

func TestLateAndLongSamplesAreCountedByCase(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 15000, 20000, 30000, 20000, 25000)
	runs[0].Samples[2][0].Flags = protocol.FlagLate
	runs[1].Samples[2][1].Flags = protocol.FlagLong
	runs[2].Samples[2][1].Flags = protocol.FlagLong | protocol.FlagLate
	for i := range runs {
		runs[i].Samples[4][0].Flags = protocol.FlagLate
		runs[i].Samples[4][1].Flags = protocol.FlagLate
	}
	r := analyzed(t, m, runs, judge.Default())
	if len(r.OutOfSync) != 2 {
		t.Fatalf("%+v", r.OutOfSync)
	}
	want := medians.OutOfSync{Cell: medians.Cell{Function: "reduce_as_allreduce", Msize: 8, Shape: "p2"}, Samples: 4 * fixture.R, Invalid: 3, Late: 2, Long: 2, Share: 3.0 / (4 * fixture.R)}
	if r.OutOfSync[0] != want {
		t.Errorf("%+v, want %+v", r.OutOfSync[0], want)
	}
	if k := r.OutOfSync[1]; !k.TooMany || k.Share != 0.5 || r.Verdicts[4].Verdict != judge.Undecided || r.Verdicts[4].RunsNeeded != nil {
		t.Errorf("%+v, %s", k, r.Verdicts[4].Verdict)
	}
	w := warning(r, "out-of-sync")
	if w == nil || !strings.Contains(w.Text, "more than 25 % of them are inconclusive (1 here)") {
		t.Errorf("%+v", w)
	}
}

func TestEveryTestedVerdictHasItsInterval(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	for _, method := range judge.Methods {
		cfg := judge.Default()
		cfg.Method = method
		r := analyzed(t, m, runs, cfg)
		for i, v := range r.Verdicts {
			if i == 1 { // split, from medians
				if v.RatioLo95 != nil || v.RatioHi95 != nil || v.Ratio == nil {
					t.Errorf("%s: split has %v [%v, %v]", method, v.Ratio, v.RatioLo95, v.RatioHi95)
				}
				continue
			}
			if v.RatioLo95 == nil || v.RatioHi95 == nil || *v.RatioLo95 > *v.Ratio || *v.RatioHi95 < *v.Ratio {
				t.Errorf("%s, test %d: %v [%v, %v]", method, i, v.Ratio, v.RatioLo95, v.RatioHi95)
			}
		}
	}
	// By hand: 12 paired ratios (50000+n)/(30000+n), all between these two.
	if v := analyzed(t, m, runs, judge.Default()).Verdicts[3]; math.Abs(*v.RatioLo95-50012./30012) > 1e-3 || *v.RatioHi95-*v.RatioLo95 > 1e-3 || *v.RatioHi95 <= *v.RatioLo95 {
		t.Errorf("[%g, %g]", *v.RatioLo95, *v.RatioHi95)
	}
}

// A coarse clock can make all samples equal; they depend on nothing.
func TestEqualSamplesHaveNoDependence(t *testing.T) {
	m := fixture.Manifest()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)
	for i := range runs {
		runs[i].Samples[0] = make([]protocol.Sample, 50)
		for k := range runs[i].Samples[0] {
			runs[i].Samples[0][k].NS = 10000
		}
	}
	if r := analyzed(t, m, runs, judge.Default()); r.Dependence.Series != 0 || r.Verdicts[0].Verdict != judge.Kept {
		t.Errorf("%+v, %s", r.Dependence, r.Verdicts[0].Verdict)
	}
	if e := explained(t, m, runs, judge.Default(), 0); e.Call.Runs[0].ACF != nil || len(e.Call.Runs[0].Kept) != 50 {
		t.Errorf("%+v", e.Call.Runs[0])
	}
}

// With looks, or an end by max_time, a case has fewer mpiruns than R.
func TestDependenceIsSeenInTheMpirunsThatACaseHas(t *testing.T) {
	m := fixture.WithLooks()
	runs := fixture.Measured(m, 10000, 50000, 20000, 30000, 20000, 25000)[:10]
	for i := range runs {
		runs[i].Samples[0] = nil
		for k := range 60 { // a slow wave
			runs[i].Samples[0] = append(runs[i].Samples[0], protocol.Sample{NS: int64(10000 + 500*math.Sin(float64(k)/5))})
		}
	}
	if r := analyzed(t, m, runs, judge.Default()); len(r.Dependence.Strong) != 1 || r.Dependence.Strong[0].Msize != 8 {
		t.Errorf("%+v", r.Dependence)
	}
}

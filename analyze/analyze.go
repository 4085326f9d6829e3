package analyze

import (
	"fmt"
	"math"

	"pgmpi/guidelines"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Analyze makes the Report of a results folder from all its stage-2 mpiruns.
// Where the raw samples are large, a Collector takes them one by one.
func Analyze(m *results.Manifest, runs []results.Run, cfg Config) (*Report, error) {
	c := NewCollector(m)
	for i := range runs {
		if err := c.Add(&runs[i]); err != nil {
			return nil, err
		}
	}
	return c.Report(cfg)
}

// Report tests everything that the Plan asks for. A Plan that contradicts
// itself and a configuration with unknown names are errors; too few mpiruns
// and missing data are in the Report.
func (c *Collector) Report(cfg Config) (*Report, error) {
	if err := c.checkPlan(); err != nil {
		return nil, err
	}
	r := c.frame(cfg)
	family := c.family(r)
	p, refusal, err := NewProcedure(cfg, r.R, len(family))
	if err != nil {
		return nil, err
	}
	p.Tick = float64(c.tickNS)
	r.Test, r.Adjust, r.M, r.PMin, r.Refused = p.Test, p.Adjust, p.M, p.PMin, refusal
	if c.schedule.several() {
		err = c.sequential(r, cfg, family)
	} else {
		err = c.test(r, p, family)
	}
	if err != nil {
		return nil, err
	}
	if err := c.runsNeeded(r, p, cfg, family); err != nil {
		return nil, err
	}
	c.split(r, cfg)
	if err := c.experiment(r, cfg); err != nil {
		return nil, err
	}
	c.alternatives(r)
	summarize(r, &c.manifest.Plan)
	r.Warnings = c.warnings(r)
	r.Exit = r.ExitCode()
	return r, nil
}

// checkPlan refuses indices that point nowhere: the manifest is a file that
// anybody can edit.
func (c *Collector) checkPlan() error {
	if c.manifest.R > results.MaxMPIRuns {
		return fmt.Errorf("manifest: %d mpiruns are more than %d", c.manifest.R, results.MaxMPIRuns)
	}
	if err := c.manifest.CheckIndices(); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	for i, t := range c.manifest.Plan.Tests {
		if t.Type != guidelines.Split && len(t.Others) != 1 {
			return fmt.Errorf("manifest: test %d (%s) compares with %d cases, not one", i, t.Guideline, len(t.Others))
		}
	}
	return c.checkSchedule()
}

// family returns the planned tests of monotony and patterns that can be
// measured, by index into r.Verdicts, and settles those that cannot. It is
// fixed by the Plan and by what the first mpirun could not measure, so a wrong
// or an incomplete test stays in and counts.
func (c *Collector) family(r *Report) []int {
	var family []int
	for i, t := range c.manifest.Plan.Tests {
		v := &r.Verdicts[i]
		if t.Type == guidelines.Split {
			continue
		}
		v.MsizeOther = c.manifest.Plan.Cases[t.Others[0]].Msize
		cases := []int{t.Case, t.Others[0]}
		if c.schedule.several() {
			c.settleStatus(v, cases)
		} else {
			c.settle(v, cases, 0)
		}
		if v.Verdict != NotMeasured {
			family = append(family, i)
		}
	}
	return family
}

// settle gives the verdict where one of the cases cannot be compared: wrong
// before not_measured before incomplete. Else the verdict stays empty. at is the
// look, in mpiruns, that they must have data for; 0: the last that each has.
func (c *Collector) settle(v *Verdict, cases []int, at int) {
	if c.settleStatus(v, cases); v.Verdict != "" {
		return
	}
	for _, i := range cases {
		problem := c.problem(i)
		if at > 0 {
			problem = c.cases[i].problem(at)
		}
		if problem != "" {
			v.Verdict, v.Reason = Undecided, c.manifest.Plan.Cases[i].Function+": "+problem
			return
		}
	}
}

// settleStatus is settle without what more mpiruns, or fewer, would change.
func (c *Collector) settleStatus(v *Verdict, cases []int) {
	for _, status := range []struct {
		of      protocol.Status
		verdict string
	}{
		{protocol.StatusWrong, Wrong}, {protocol.StatusNotMeasured, NotMeasured},
	} {
		for _, i := range cases {
			if k := &c.cases[i]; k.status == status.of {
				v.Verdict, v.Reason = status.verdict, c.manifest.Plan.Cases[i].Function+": "+k.message
				return
			}
		}
	}
}

// test runs the procedure over the family and fills the verdicts in.
func (c *Collector) test(r *Report, p Procedure, family []int) error {
	pairs := make([]Pair, len(family))
	var rhos []float64
	for n, i := range family {
		t, v := &c.manifest.Plan.Tests[i], &r.Verdicts[i]
		orig, other := &c.cases[t.Case], &c.cases[t.Others[0]]
		v.MedianS, v.OtherMedianS = seconds(orig.median()), seconds(other.median())
		if v.Verdict != "" {
			continue
		}
		pairs[n] = Pair{Orig: orig.medians, Other: other.medians}
		if rho, err := stats.Pearson(logs(orig.medians), logs(other.medians)); err == nil {
			rhos = append(rhos, rho)
		}
		if err := countTies(r, p, pairs[n]); err != nil {
			return err
		}
	}
	r.Rho = number(median(rhos))
	outcomes, err := p.Apply(pairs)
	if err != nil {
		return err
	}
	for n, i := range family {
		if v := &r.Verdicts[i]; v.Verdict == "" {
			v.set(outcomes[n], r.Refused)
			v.Runs = p.R
		} else if v.Verdict == Undecided {
			r.Incomplete = append(r.Incomplete, incomplete(v))
		}
	}
	return nil
}

func (v *Verdict) set(o Outcome, refused *Refusal) {
	v.PValue, v.PAdjusted, v.PKept, v.Ratio = number(o.P), number(o.PAdjusted), number(o.PKept), number(o.Ratio)
	v.RatioLo95, v.RatioHi95 = number(o.Lo95), number(o.Hi95)
	v.Stars, v.Verdict = o.Stars, o.Verdict
	if refused != nil {
		v.Stars, v.Reason = "", "R is too small for the level"
	}
}

// countTies counts what the test itself meets: for method margin the other
// side times the minimum slowdown.
func countTies(r *Report, p Procedure, pair Pair) error {
	pair.Other = p.against(pair)
	seen := map[float64]bool{}
	for _, x := range append(append([]float64{}, pair.Orig...), pair.Other...) {
		seen[x] = true
	}
	if len(seen) < len(pair.Orig)+len(pair.Other) {
		r.TiedTests++
	}
	if p.Test != TestSignedRank {
		return nil
	}
	zeros, err := stats.ZeroDifferences(pair.Orig, pair.Other)
	r.ZeroDifferences += zeros
	return err
}

func incomplete(v *Verdict) Incomplete {
	return Incomplete{Guideline: v.Guideline, Function: v.Function, Msize: v.Msize, Shape: v.Shape, Reason: v.Reason}
}

// number is null where x is undefined, which JSON has no number for.
func number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// seconds turns nanoseconds into the Report's unit.
func seconds(ns float64) *float64 { return number(ns / 1e9) }

func logs(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = math.Log(x)
	}
	return out
}

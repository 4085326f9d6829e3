package analyze

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/stats"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// Analysis holds the verdicts on a results folder: its Report, and what single verdicts rest on.
type Analysis struct {
	Report   *Report
	manifest *results.Manifest
	set      *medians.Set
	cfg      judge.Config

	verdicts   []Verdict // by test of the Plan
	tests      []int     // of the Plan, by test of the family
	family     *judge.Family
	split      *FollowedUp            // of suspicions; may be nil
	messages   *FollowedUp            // likewise
	apart      map[string]*FollowedUp // by guideline, of OneOf: its tests, each a family of its own
	incomplete []Incomplete

	// Of the tests of the family.
	rhos        []float64
	ties, zeros int
	half        *judge.Half // or nil if nothing would decide half of what is undecided
	decided     []int       // by the look that decided them
}

// Analyze judges a results folder from all its mpiruns. Where the raw samples
// are large, a medians.Set takes them one by one, for Judge.
func Analyze(m *results.Manifest, runs []results.Run, cfg judge.Config) (*Analysis, error) {
	set := medians.New(m)
	for i := range runs {
		if err := set.Add(&runs[i]); err != nil {
			return nil, err
		}
	}
	return Judge(m, set, cfg)
}

// Judge tests everything that the Plan asks for. A Plan that contradicts
// itself and a configuration with unknown names are errors; too few mpiruns
// and missing data are in the Report.
func Judge(m *results.Manifest, set *medians.Set, cfg judge.Config) (*Analysis, error) {
	a, err := begin(m, set, cfg)
	if err != nil {
		return nil, err
	}
	if m.SeenOnce() {
		a.seeOnce()
	} else {
		if err := a.look(); err != nil {
			return nil, err
		}
		a.family.Replicate()
		a.conclude()
	}
	states := a.states()
	if err := a.byState(states); err != nil {
		return nil, err
	}
	a.averages()
	a.judgeSplit()
	a.judgeMessages()
	a.judgeOneOf()
	if err := errors.Join(a.experiment(), a.oneOf()); err != nil {
		return nil, err
	}
	err = errors.Join(a.elsewhere(protocol.ModeAlternate, func(v *Verdict) **Elsewhere { return &v.Alternating }),
		a.elsewhere(protocol.ModeMalloc, func(v *Verdict) **Elsewhere { return &v.OtherMalloc }))
	if err != nil {
		return nil, err
	}
	a.usage()
	a.payoffs()
	alternatives(a.verdicts)
	a.Report = a.report(states)
	if a.Report.Across, err = a.across(); err != nil {
		return nil, err
	}
	a.Report.Stand()
	a.Report.OfAnotherCheck(betweenOf(m, cfg))
	return a, nil
}

// Design returns the design by which the tests of a Plan will be judged; it needs no data.
func Design(m *results.Manifest, cfg judge.Config) (*judge.Design, error) {
	a, err := begin(m, medians.New(m), cfg)
	if err != nil {
		return nil, err
	}
	return a.family.Design, nil
}

// begin checks the manifest and fixes the family: the planned tests of monotony
// and patterns that can be measured, by the Plan and by what the first mpirun
// could not measure. A wrong or an incomplete test stays in and counts.
func begin(m *results.Manifest, set *medians.Set, cfg judge.Config) (*Analysis, error) {
	if err := CheckManifest(m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	a := &Analysis{manifest: m, set: set, cfg: cfg, verdicts: make([]Verdict, len(m.Plan.Tests)), incomplete: []Incomplete{}}
	for i, t := range m.Plan.Tests {
		v := &a.verdicts[i]
		*v = Verdict{Guideline: t.Guideline, Type: t.Type, Function: t.Function, Mockup: t.Mockup,
			Msize: t.Msize, MsizeOther: t.Msize, Shape: t.Shape.String(), NP: t.Shape.NP, Tolerant: t.Tolerant, Elements: t.Elements}
		v.Datatype, v.Op = m.Plan.ElementsOf(m.Plan.Cases[t.Case])
		if t.Apart() {
			continue
		}
		v.MsizeOther = m.Plan.Cases[t.Others[0]].Msize
		a.settleStatus(v, t.Case, t.Others[0])
		if v.Verdict != judge.NotMeasured {
			a.tests = append(a.tests, i)
		}
	}
	own, _ := levels(m, cfg)
	d, err := judge.NewDesign(own, scheduleOf(m), len(a.tests))
	if err != nil {
		return nil, fmt.Errorf("analyze: %w", err)
	}
	a.family = d.Family(float64(set.TickNS))
	a.family.Between = betweenOf(m, cfg).Tau
	return a, nil
}

// CheckManifest refuses indices and looks that lead nowhere, since anybody can edit the manifest.
func CheckManifest(m *results.Manifest) error {
	if m.R > results.MaxMPIRuns {
		return fmt.Errorf("%d mpiruns are more than %d", m.R, results.MaxMPIRuns)
	}
	if err := m.CheckIndices(); err != nil {
		return err
	}
	for i, t := range m.Plan.Tests {
		if len(t.Others) != 1 && t.Type != guidelines.Split && !guidelines.OneOf(t.Guideline) {
			return fmt.Errorf("test %d (%s) compares with %d cases, not one", i, t.Guideline, len(t.Others))
		}
	}
	return judge.Schedule{Looks: m.Looks, Weights: m.LookWeights}.Check(m.R)
}

func (a *Analysis) sides(i int) (orig, other *medians.Case) {
	t := &a.manifest.Plan.Tests[i]
	orig, other = &a.set.Cases[t.Case], &a.set.Cases[t.Others[0]]
	if t.Tolerant {
		with := *other
		with.Medians = allowed(a.cfg, other.Medians)
		other = &with
	}
	return orig, other
}

// allowed returns by how many ns a tolerant test lets the call exceed its other side. A request has
// a price.
func allowed(cfg judge.Config, medians []float64) []float64 {
	return lists.Map(medians, func(ns float64) float64 { return (1+cfg.NBTolerance)*ns + float64(cfg.NBAllowance) })
}

// settle decides a test whose cases cannot all be compared: wrong before not_measured before
// incomplete, which it notes. Otherwise the verdict stays empty.
func (a *Analysis) settle(v *Verdict, s judge.Schedule, cases ...int) {
	if a.settleStatus(v, cases...); v.Verdict != "" {
		return
	}
	for _, i := range cases {
		if problem := problem(s, &a.set.Cases[i]); problem != "" {
			v.Verdict, v.Reason = judge.Undecided, a.manifest.Plan.Cases[i].Function+": "+problem
			a.isIncomplete(v)
			return
		}
	}
}

// problem returns why a case gives no verdict. It asks at the last look that the case has data for.
func problem(s judge.Schedule, k *medians.Case) string {
	return k.Problem(s.Looks[max(0, s.After(k.Runs))])
}

// settleStatus settles a test by what the number of mpiruns does not change.
func (a *Analysis) settleStatus(v *Verdict, cases ...int) {
	for _, status := range slices.Backward(protocol.NotTimed) {
		for _, i := range cases {
			if k := &a.set.Cases[i]; k.Status == status {
				v.Verdict = judge.NotMeasured
				if a.isWrong(i) {
					v.Verdict = judge.Wrong
				}
				v.Reason = a.manifest.Plan.Cases[i].Function + ": " + k.Message
				return
			}
		}
	}
}

// look judges at every look that the data suffice for. A case that was dropped ends with the look
// it was dropped at; so do its tests.
func (a *Analysis) look() error {
	for _, at := range a.family.Looks {
		pairs := make([]judge.Pair, len(a.tests))
		general := a.general(at)
		enough := false
		for n, i := range a.tests {
			orig, other := a.sides(i)
			if a.verdicts[i].Verdict != "" || orig.Problem(at) != "" || other.Problem(at) != "" {
				continue
			}
			pairs[n] = judge.Pair{Orig: orig.Medians[:at], Other: other.Medians[:at], Factor: general[a.manifest.Plan.Tests[i].Shape]}
			enough = true
		}
		if !enough {
			break
		}
		if err := a.family.Look(pairs); err != nil {
			return err
		}
	}
	return nil
}

func (a *Analysis) general(runs int) map[guidelines.Shape][]float64 {
	out := map[guidelines.Shape][]float64{}
	for _, shape := range a.manifest.Plan.Shapes {
		out[shape] = a.set.General(shape, runs)
	}
	return out
}

func (a *Analysis) conclude() {
	a.decided = make([]int, len(a.family.Looks))
	outlook := a.family.Outlook()
	a.half = outlook.Half
	for n, i := range a.tests {
		v, o := &a.verdicts[i], a.family.Outcomes[n]
		orig, other := a.sides(i)
		runs := o.Runs
		if runs == 0 {
			runs = len(orig.Medians)
		}
		v.MedianS, v.OtherMedianS = Seconds(orig.MedianOf(runs)), Seconds(other.MedianOf(runs))
		// A decided test stays decided, whatever happens to a case that others still need.
		if t := &a.manifest.Plan.Tests[i]; !o.Done() {
			a.settle(v, a.family.Schedule, t.Case, t.Others[0])
		}
		if v.Verdict != "" {
			continue
		}
		v.set(o, a.family.Refused)
		if a.family.OnTwoSteps(n) {
			v.Reason = fmt.Sprintf("it rests on two steps of the clock (%d ns each)", a.set.TickNS)
		}
		switch {
		case o.OnClock:
			v.Reason = fmt.Sprintf("steps of the clock (%d ns) could hide a slowdown of %g×", a.set.TickNS, a.cfg.MinSlowdown)
		case o.TooNear:
			v.Reason = TooNear(a.cfg.MinSlowdown, a.cfg.BetweenChecks)
		}
		v.RunsNeeded = outlook.Needed[n]
		a.account(v, o, orig, other)
		pair := judge.Pair{Orig: orig.Medians[:o.Runs], Other: other.Medians[:o.Runs]}
		if rho, err := stats.Pearson(stats.Logs(pair.Orig), stats.Logs(pair.Other)); err == nil {
			a.rhos = append(a.rhos, rho)
		}
		a.count(pair)
	}
}

func (v *Verdict) set(o judge.Outcome, refused *judge.Refusal) {
	v.Tested, v.PKept = TestedBy(o), Number(o.PKept)
	v.Stars, v.Verdict, v.Runs = o.Stars, o.Verdict, o.Runs
	if o.Replication > 0 {
		v.Replication, v.Firm = Number(o.Replication), o.Firm()
	}
	if refused != nil {
		v.Stars, v.Reason = "", "R is too small for the level"
	}
}

// account notes at which look a test was decided, or why it has not been.
func (a *Analysis) account(v *Verdict, o judge.Outcome, orig, other *medians.Case) {
	d := a.family
	switch {
	case o.Decided:
		a.decided[d.After(o.Runs)]++
	case o.Stopped:
	case o.Runs == d.R() || d.Refused != nil:
	case min(orig.Runs, other.Runs) < len(a.set.Took[v.Shape]):
		v.Reason = fmt.Sprintf("not measured beyond %d mpiruns: other [analyze] settings had decided it", o.Runs)
	default:
		v.Reason = fmt.Sprintf("only %d of %d mpiruns were made", len(a.set.Took[v.Shape]), d.R())
		a.isIncomplete(v)
	}
}

// count counts ties and zero differences as the test meets them: for method margin with the
// other side times the minimum slowdown.
func (a *Analysis) count(pair judge.Pair) {
	against := a.family.Against(pair)
	all := slices.Concat(pair.Orig, against)
	slices.Sort(all)
	if len(slices.Compact(all)) < len(pair.Orig)+len(against) {
		a.ties++
	}
	if a.family.Test(a.family.Last()).Paired {
		a.zeros += judge.ZeroDifferences(pair.Orig, against)
	}
}

func (a *Analysis) isIncomplete(v *Verdict) {
	a.incomplete = append(a.incomplete, Incomplete{v.Guideline, v.Cell(), v.Reason})
}

// Number returns nil for an undefined x, for which JSON has no number.
func Number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Or returns the number, or another one where it is undefined.
func Or(x *float64, undefined float64) float64 {
	if x == nil {
		return undefined
	}
	return *x
}

// Seconds turns nanoseconds into the unit of reports.
func Seconds(ns float64) *float64 { return Number(ns / 1e9) }

// seeOnce describes imports with too few mpiruns, or with means only: ratios of medians, with an
// interval as far as samples within the mpiruns give one. There is no test, so nothing is violated
// and nothing kept.
func (a *Analysis) seeOnce() {
	a.decided = make([]int, len(a.family.Looks))
	for _, i := range a.tests {
		v := &a.verdicts[i]
		orig, other := a.sides(i)
		v.MedianS, v.OtherMedianS = Seconds(orig.Median()), Seconds(other.Median())
		t := &a.manifest.Plan.Tests[i]
		a.settle(v, judge.Once(a.family.R()), t.Case, t.Others[0])
		if v.Verdict != "" {
			continue
		}
		ratio := orig.Median() / other.Median()
		half := 1.96 * math.Hypot(orig.Spread(), other.Spread())
		v.Ratio, v.RatioLo95, v.RatioHi95 = Number(ratio), Number(ratio*math.Exp(-half)), Number(ratio*math.Exp(half))
		v.Runs, v.Verdict, v.Reason = orig.Runs, judge.Undecided, once(a.manifest)
		if ratio >= a.cfg.MinSlowdown && (v.RatioLo95 == nil || *v.RatioLo95 > 1) {
			v.Verdict = judge.SeenOnce
		}
	}
}

func once(m *results.Manifest) string {
	return phrase.Either(m.Imported.Statistic == results.Mean, "means, of which there is no test", conf.Plural(m.R, "mpirun")+": another may differ")
}

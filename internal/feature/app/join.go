package app

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/feature/remedy"
	"pgmpi/internal/feature/remedy/effect"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/tuning"
	"pgmpi/mockups"
)

// nearest limits the factor between a measured size and the size of a call.
const nearest = math.Sqrt2

// join puts what a program calls next to what is known about these calls.
type join struct {
	report *analyze.Report
	remedy *remedy.Result // nil if there is none
	calls  *profile.Profile
	out    *GainResult
}

// Join finds out how much a program would gain. Only what is proved counts: a setting by a remedy, a mock-up by a
// violation.
func Join(r *analyze.Report, m *remedy.Result, p *profile.Profile) *GainResult {
	x := join{r, m, p, &GainResult{Schema: GainSchema, Program: phrase.Known(p.Program), Library: r.Library.Version, WallS: p.Wall(), CollectiveS: p.Collective(),
		Calls: []GainCall{}, Findings: []GainFinding{}, Messages: []GainMessages{}, Trades: []GainTrade{}, Notes: []string{}}}
	for _, c := range p.Blocking() {
		x.out.WaitingS += p.Waiting(c)
		of := x.verdicts(c)
		if x.measures(c, of) {
			x.out.CoveredS += p.Seconds(c)
		}
		x.need(c, of)
		if len(of) > 0 {
			x.add(c, of)
		}
	}
	slices.SortStableFunc(x.out.Findings, func(a, b GainFinding) int { return cmp.Compare(b.Saved.S, a.Saved.S) })
	if m != nil {
		for _, t := range m.Trades {
			x.out.Trades = append(x.out.Trades, x.weighed(t))
		}
		if held := m.Holding(); held != nil {
			x.out.SetUp = held.SetUp
		}
	}
	x.out.Setting.limit(x.out.WallS)
	x.setUp(&x.out.Setting, x.out.SetUp, "the setting")
	x.out.Mockup.limit(x.out.WallS)
	x.out.AtMostS = min(x.out.AtMostS, x.out.WallS)
	x.messages()
	x.notes()
	return x.out
}

// need splits the time of a call into what the library needs for it by the check, and the rest. It stays whole where
// the check has not measured the call, or in another state of malloc.
func (x *join) need(c profile.Call, of []*analyze.Verdict) {
	k := GainCall{Function: c.Function, Bytes: c.Bytes, Uneven: c.Uneven, Processes: c.Processes, Communicator: c.Communicator,
		Datatype: c.Datatype, Op: c.Op, Root: c.Root, Calls: x.calls.CallsOfRank(c), RuntimeS: x.calls.Seconds(c)}
	if x.measures(c, of) && !differ(of[0].PageFaults, c.FaultsPerCall()) {
		needs := min(k.RuntimeS, k.Calls*atItsSize(c, of[0], *of[0].MedianS))
		k.NeedsS = &needs
		x.out.NeedsS, x.out.RestS = x.out.NeedsS+needs, x.out.RestS+k.RuntimeS-needs
	} else {
		x.out.RestS += x.calls.Waiting(c)
	}
	x.out.Calls = append(x.out.Calls, k)
}

func (x *join) note(format string, args ...any) {
	x.out.Notes = append(x.out.Notes, fmt.Sprintf(format, args...))
}

// setUp takes off what each run takes longer to set up. A check has one communicator; each that the program makes may
// take as long, for which the lower bound has room.
func (x *join) setUp(s *Saved, longer *series.SetUp, with string) {
	if longer == nil {
		return
	}
	n := x.calls.Communicators()
	s.Add(Saved{-longer.S, -longer.Hi * (1 + n), -longer.Lo})
	if n > 0 {
		x.note("with %s each of the %.0f communicators, windows and files that a rank makes may take as long to set up as a "+
			"run does, %s: the interval has room for that", with, n, phrase.Duration(&longer.S))
	}
}

// made weighs one call in place of two that the program makes, by the check's times of both, if these take a share of
// the run-time.
func (x *join) made(m profile.Made) {
	if x.calls.Seconds(m.Call) < leastShown*x.calls.Wall() {
		return
	}
	v := lists.First(x.report.Verdicts, func(v analyze.Verdict) bool {
		return v.Mockup == m.Mockup() && v.Function == m.Function && v.Msize == m.Bytes && v.NP == m.Processes && v.MedianS != nil && v.OtherMedianS != nil && x.other(m.Call, &v) == ""
	})
	if v == nil {
		return
	}
	spared := x.calls.CallsOfRank(m.Call) * (*v.OtherMedianS - *v.MedianS)
	x.note("the program calls %s of %s one after the other, %.0f times in a rank: in the check they take %s, and one %s %s, which %s",
		strings.ReplaceAll(m.By, "MPI_", ""), conf.HumanSize(m.Bytes), x.calls.CallsOfRank(m.Call), phrase.Duration(v.OtherMedianS), phrase.Function(m.Function),
		phrase.Duration(v.MedianS), phrase.Either(spared > 0, "would spare "+phrase.Duration(&spared)+" ("+phrase.Percent(spared/x.calls.Wall())+" of the run-time)", "spares nothing"))
}

func (x *join) notes() {
	for _, m := range x.calls.Made {
		x.made(m)
	}
	if !x.calls.Finished {
		x.note("the profile is of %d of %d ranks, of a program that did not end by itself", x.calls.Ranks, x.calls.Processes)
	}
	if x.calls.Sync {
		x.note("the profile was made with --sync: its barriers change the program's times")
	}
	if x.remedy == nil && len(x.out.Findings) > 0 {
		x.note("there is no remedy in the folder: `pgmpi remedy` finds out which setting mends what")
	}
	if x.remedy != nil && x.calls.MallocMmap != "" && x.remedy.Env["MALLOC_MMAP_THRESHOLD_"] != "" {
		x.note("the program ran with malloc's variables already, so that it may gain less")
	}
}

// verdicts returns the check's verdicts on a call, at the measured size nearest to it.
func (x *join) verdicts(c profile.Call) (out []*analyze.Verdict) {
	if !c.Comparable() {
		return nil
	}
	best := nearest * (1 + 1e-9)
	for i := range x.report.Verdicts {
		v := &x.report.Verdicts[i]
		if v.Function != c.Function || v.NP != c.Processes || v.MedianS == nil {
			continue
		}
		a, b := float64(v.Msize+1), float64(c.Bytes+1)
		far := max(a, b) / min(a, b)
		if x.other(c, v) != "" {
			far *= nearest // other elements or another root count only where the check has nothing nearer
		}
		switch {
		case far < best:
			best, out = far, []*analyze.Verdict{v}
		case far == best:
			out = append(out, v)
		}
	}
	return out
}

// span returns the time of a call without waiting, and what it lies between. It is the check's, or the upper end where
// that is longer. Where all calls of the program are slower, it is the mean of the rank that spends least.
func span(c profile.Call, v *analyze.Verdict) (least, work, most float64, slower bool) {
	least, work, most = float64(c.LeastCallNS)/1e9, atItsSize(c, v, *v.MedianS), c.MostWork()
	if slower = work < least; slower {
		work = c.LeastMean()
	}
	return least, min(work, most), most, slower
}

// saved multiplies the calls of a mean rank by the time that each saves. Of its time, a call saves by the same factor as in the check, or saves all
// above the time that the call takes there with what is set: the bounds have room for both, which differ where the
// program's calls are slower.
func (x *join) saved(c profile.Call, v *analyze.Verdict, f *GainFinding) (s Saved) {
	least, work, most, slower := span(c, v)
	s = Saved{S: work * part(f.Ratio), Lo: least * part(f.RatioLo), Hi: most * part(f.RatioHi)}
	if f.AfterS != nil {
		after := atItsSize(c, v, *f.AfterS)
		s.Lo, s.Hi = min(s.Lo, max(0, least-after)), max(s.Hi, most-after)
		if slower {
			s.S = (s.S + most - after) / 2
		}
	}
	n := x.calls.CallsOfRank(c)
	return Saved{S: n * s.S, Lo: n * s.Lo, Hi: n * s.Hi}
}

// atItsSize scales a time of the check to the size of the call.
func atItsSize(c profile.Call, v *analyze.Verdict, s float64) float64 {
	if v.Msize > 0 && c.Bytes > 0 {
		s *= float64(c.Bytes) / float64(v.Msize)
	}
	return s
}

// part returns the part of a time that a factor saves. It is 0 if the factor is no gain.
func part(ratio float64) float64 {
	if ratio <= 1 || math.IsNaN(ratio) {
		return 0
	}
	return 1 - 1/ratio
}

func (x *join) add(c profile.Call, of []*analyze.Verdict) {
	f, v := x.bySetting(c, of)
	if f == nil || f.Why != "" {
		if by, at := x.byMockup(c, of); by != nil && (f == nil || by.Why == "") {
			f, v = by, at
		}
	}
	if f == nil {
		if x.otherRoot(c, of[0]) == "" {
			x.out.AtMostS += max(x.atMost(c, of), x.faulting(c, of[0]))
		}
		return
	}
	f.Function, f.Bytes, f.Processes, f.Msize = c.Function, c.Bytes, c.Processes, v.Msize
	f.Calls, f.RuntimeS = x.calls.CallsOfRank(c), x.calls.SlowestSeconds(c)
	f.Saved = x.saved(c, v, f)
	if f.Why = cmp.Or(f.Why, x.other(c, v)); f.Why == "" {
		if f.Mockup != "" {
			x.out.Mockup.Add(f.Saved)
		} else {
			x.out.Setting.Add(f.Saved)
		}
	}
	x.out.Findings = append(x.out.Findings, *f)
}

// atMost limits the gain of calls that are not shown to be too slow.
func (x *join) atMost(c profile.Call, of []*analyze.Verdict) (most float64) {
	for _, v := range of {
		if v.RatioHi95 != nil && v.Type == guidelines.Pattern {
			most = max(most, x.saved(c, v, &GainFinding{Ratio: 1, RatioLo: 1, RatioHi: *v.RatioHi95}).Hi)
		}
	}
	return most
}

// faulting limits the gain of calls that meet page faults in the program alone: nothing has shown how little they
// can take.
func (x *join) faulting(c profile.Call, v *analyze.Verdict) float64 {
	faults := c.FaultsPerCall()
	if !differ(v.PageFaults, faults) || *faults < tuning.FaultsFrom {
		return 0
	}
	x.note("%s of %s meets %.0f page faults a call in the program and none in the check: what malloc's variables would gain there was not measured",
		phrase.Function(c.Function), conf.HumanSize(c.Bytes), *faults)
	return x.calls.Seconds(c)
}

// bySetting returns what a remedy has proved of the call, if anything.
func (x *join) bySetting(c profile.Call, of []*analyze.Verdict) (*GainFinding, *analyze.Verdict) {
	if x.remedy == nil {
		return nil, nil
	}
	v := of[0]
	k := lists.First(x.remedy.Cells, func(k remedy.Cell) bool {
		return k.Function == c.Function && k.NP == c.Processes && k.Msize == v.Msize && k.Elements == v.Elements && (k.State == remedy.CellMended || k.State == remedy.CellFaster)
	})
	if k == nil || k.Gain == nil || k.GainLo == nil || k.GainHi == nil {
		return nil, nil
	}
	f := &GainFinding{By: strings.Join(k.By, " + "), Ratio: *k.Gain, RatioLo: *k.GainLo, RatioHi: *k.GainHi, AfterS: k.AfterS}
	if c.Bytes != v.Msize && !x.reaches(c) {
		f.Why = fmt.Sprintf("the setting was proved at %s and does not hold at this size", conf.HumanSize(v.Msize))
	}
	if faults := c.FaultsPerCall(); differ(k.PageFaults, faults) {
		f.Why = mallocDiffers(k.PageFaults, faults)
	}
	return f, v
}

// reaches tells whether the setting holds at the size of a call.
func (x *join) reaches(c profile.Call) bool {
	return slices.ContainsFunc(x.remedy.Effects, func(e effect.Effect) bool {
		k := e.Entry.Choice
		return k.Kind == tuning.ByEnv || k.Function == c.Function && k.NP == c.Processes && e.Entry.Covers(c.Bytes)
	})
}

// byMockup returns the violation by a mock-up that is shown to be largest, if any.
func (x *join) byMockup(c profile.Call, of []*analyze.Verdict) (f *GainFinding, at *analyze.Verdict) {
	faults := c.FaultsPerCall()
	for _, v := range of {
		if v.Verdict != judge.Violated || v.Type != guidelines.Pattern || v.Standing == analyze.GoneInTurns || strings.HasPrefix(v.Mockup, "MPI_") || v.RatioLo95 == nil || v.RatioHi95 == nil {
			continue
		}
		effect, why, after := v.Effect, "", v.OtherMedianS
		if v.Apart(v.Alternating) && v.Alternating.RatioLo95 != nil && v.Alternating.RatioHi95 != nil {
			effect, after = v.Alternating.Effect, nil
		}
		if differ(v.PageFaults, faults) {
			if o := v.OtherMalloc; o != nil && o.Verdict == judge.Violated && o.RatioLo95 != nil && o.RatioHi95 != nil {
				effect, after = o.Effect, nil
			} else {
				why = mallocDiffers(v.PageFaults, faults)
			}
		}
		better := f == nil || *effect.RatioLo95 > f.RatioLo
		if f != nil && mockups.Applies(v.Mockup) != mockups.Applies(f.Mockup) { // what pgmpi apply can make comes first
			better = mockups.Applies(v.Mockup)
		}
		if better {
			f, at = &GainFinding{By: v.Mockup, Mockup: v.Mockup, Ratio: *effect.Ratio, RatioLo: *effect.RatioLo95, RatioHi: *effect.RatioHi95, AfterS: after, Why: why}, v
		}
	}
	return f, at
}

// differ tells whether malloc was in another state: calls met page faults on one side alone.
func differ(check, program *float64) bool {
	return check != nil && program != nil && (*check >= tuning.FaultsFrom) != (*program >= tuning.FaultsFrom)
}

func mallocDiffers(check, program *float64) string {
	return fmt.Sprintf("malloc is in another state: a call met %.1f page faults in the check, and %.1f in the program", *check, *program)
}

// weighed adds up what a trade gains and costs in the calls that the program makes.
func (x *join) weighed(t remedy.Trade) GainTrade {
	out := GainTrade{What: t.Label, Folder: t.Folder}
	for _, c := range x.calls.Calls {
		of := x.verdicts(c)
		if !x.measures(c, of) || differ(of[0].PageFaults, c.FaultsPerCall()) {
			continue
		}
		at := func(list []remedy.Traded) *remedy.Traded {
			return lists.First(list, func(k remedy.Traded) bool {
				return k.Function == c.Function && k.NP == c.Processes && k.Msize == of[0].Msize && k.Elements == of[0].Elements && k.Ratio != nil && k.Lo != nil && k.Hi != nil
			})
		}
		least, work, most, _ := span(c, of[0])
		n, s := x.calls.CallsOfRank(c), Saved{}
		if k := at(t.Mends); k != nil {
			s = Saved{work * part(*k.Ratio), least * part(*k.Lo), most * part(*k.Hi)}
			out.Faster++
		} else if k := at(t.Harms); k != nil {
			s = Saved{-work * more(*k.Ratio), -most * more(*k.Hi), -least * more(*k.Lo)}
			out.Slower++
		}
		out.Saved.Add(Saved{n * s.S, n * s.Lo, n * s.Hi})
	}
	x.setUp(&out.Saved, t.SetUp, t.Label)
	return out
}

// more returns the part of a time that a slowdown adds.
func more(ratio float64) float64 { return max(0, ratio-1) }

// measures tells whether verdicts are about such calls: with their elements and root.
func (x *join) measures(c profile.Call, of []*analyze.Verdict) bool {
	return len(of) > 0 && x.other(c, of[0]) == ""
}

// other says if calls have other elements or another root than a verdict.
func (x *join) other(c profile.Call, v *analyze.Verdict) string {
	return cmp.Or(otherDatatype(c, v), x.otherRoot(c, v))
}

// otherRoot says if calls have another root than a verdict.
func (x *join) otherRoot(c profile.Call, v *analyze.Verdict) string {
	root := mockups.RootOf(v.Elements, x.report.Operation.Root)
	if c.RootIs(root) {
		return ""
	}
	its := fmt.Sprintf("these calls have root %d", c.Root)
	switch {
	case c.Root < 0:
		its = "these calls have several roots"
	case c.Root == 0 && c.OtherRoot > 0:
		its = "most of these calls have another root"
	}
	return fmt.Sprintf("%s, and the check root %d", its, root)
}

// otherDatatype says if a reduction was measured with other elements than the program has.
func otherDatatype(c profile.Call, v *analyze.Verdict) string {
	if sameElements(c, v.Datatype, v.Op) {
		return ""
	}
	return fmt.Sprintf("the check reduced %s by %s, the program %s by %s", v.Datatype, v.Op, c.Datatype, c.Op)
}

// sameElements tells whether a call reduces such elements by such an operator, by whatever name. It is true for what
// reduces nothing.
func sameElements(c profile.Call, datatype, op string) bool {
	f, _ := mockups.Get(c.Function)
	return !f.Reduces || c.Elements() == datatype && c.Op == "MPI_"+strings.ToUpper(op)
}

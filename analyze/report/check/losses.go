package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// loss holds one row of the losses: a collective at all sizes at which one alternative is faster.
type loss struct {
	group  string // collective and shape
	sizes  []*analyze.Verdict
	worst  *analyze.Verdict // the one of these that loses most
	broken []string         // guidelines
	now    string           // the library's algorithm, or ""
}

// byDefault says what the library does at a verdict: "the default is pipeline, 128 KiB segments".
// It returns "" if that is not known.
func byDefault(r *analyze.Report, v *analyze.Verdict) string {
	name := r.Which.Of(v.Function, v.Shape, v.Msize).Default()
	return phrase.When(name != "", "the default is %s", name)
}

// lost returns what a call loses at least, in seconds, in all conditions that it was measured in.
func lost(v *analyze.Verdict) float64 {
	if v.MedianS == nil || v.PossibleS() == nil {
		return 0
	}
	if least := v.Least().Ratio; least != nil && (v.Apart(v.Alternating) || v.Apart(v.OtherMalloc)) {
		return *v.MedianS * max(0, 1 - 1 / *least)
	}
	return *v.MedianS - *v.PossibleS()
}

// losses returns a row for each collective and alternative, with a strip of the sizes at which it is
// certainly faster. Times and factor are of the size that loses most. What is not sure has tables of its own.
func losses(r *analyze.Report) []document.Section {
	all := sizesOf(r)
	t := &document.Table{Head: []string{"call", stripHead(all), "worst", "now", "possible", "slower [95 %]", "another check", "instead [guideline]"}, Align: "llrrrlll", Flex: 7, Factor: 5, Limit: r.MinSlowdown,
		Grouped: true, Spare: []int{6, 4, 3}, Tone: document.ToneOf(map[int]picture.Tone{3: picture.Slow, 4: picture.Possible})}
	among := stands(analyze.Sure)
	if r.SeenOnce != "" {
		t.Tone = document.ToneOf(map[int]picture.Tone{5: picture.Open})
		among = func(v *analyze.Verdict) bool { return v.Verdict == judge.SeenOnce }
	}
	for _, l := range lossRows(r, among, byDefault) {
		v := l.worst
		t.Add(l.group, l.strip(all), phrase.Size(v.Msize), phrase.Duration(v.MedianS), phrase.Duration(v.PossibleS()), effect(v.Effect), phrase.Interval(v.AnotherLo95, v.AnotherHi95),
			l.instead()+phrase.When(l.now != "", "; %s", l.now)+elsewhere(v))
		t.Factors = append(t.Factors, factor(&v.Effect))
	}
	if !slices.ContainsFunc(t.Rows, func(row []string) bool { return row[6] != "" }) {
		t.Drop(6)
		t.Spare, t.Flex = []int{4, 3}, 6
	}
	if len(all) < 2 { // worst says it
		t.Drop(1)
		t.Flex, t.Factor, t.Spare, t.Tone = t.Flex-1, t.Factor-1, nil, shifted(t.Tone)
	}
	if r.SeenOnce != "" {
		return document.Tabled(t, phrase.Capital(r.SeenOnce)+".", "%s", lossTitle(r))
	}
	return append(document.Tabled(t, between(r), "%s", lossTitle(r)), notSureTables(r)...)
}

func lossTitle(r *analyze.Report) string {
	return cmp.Or(phrase.When(r.SeenOnce != "", "Seen once"), phrase.Either(rated(r), "Sure", "Too slow")) + ", the largest loss per call first"
}

func factor(e *analyze.Effect) document.Factor {
	f := document.Factor{Ratio: *e.Ratio}
	if e.RatioLo95 != nil && e.RatioHi95 != nil {
		f.Lo, f.Hi = *e.RatioLo95, *e.RatioHi95
	}
	return f
}

// elsewhere says what another condition has shown, where its interval does not touch the check's.
func elsewhere(v *analyze.Verdict) (out string) {
	for _, c := range apart(v) {
		out += "; " + c.condition + " " + effect(c.Effect)
	}
	return out
}

type underCondition struct {
	condition string
	analyze.Effect
}

func apart(v *analyze.Verdict) (out []underCondition) {
	if v.Apart(v.Alternating) {
		out = append(out, underCondition{"alternating", v.Alternating.Effect})
	}
	if e := v.OtherMalloc; v.Apart(e) {
		out = append(out, underCondition{"malloc " + e.Malloc, e.Effect})
	}
	return out
}

// between says how far other checks may be from this one.
func between(r *analyze.Report) string {
	from := map[string]string{
		analyze.TauMeasured: "as measured",
		analyze.TauQuiet:    "by the table in docs/statistics.md",
		analyze.TauBusy:     "by the table in docs/statistics.md, beside other programs",
	}[r.Between.Source]
	return phrase.When(from != "" && r.Method.Rules().Slowdown, "[95 %%]: of this check. Another check: its ratio, which differs by %.3g %% from check to check (%s).", 100*r.Between.Tau, from)
}

func briefBetween(r *analyze.Report) string {
	return phrase.When(r.Between.Source != "" && r.Method.Rules().Slowdown, "From check to check a ratio differs by %.3g %%.", 100*r.Between.Tau)
}

// notSureTables returns a table for each reason for which violations are not sure, with both numbers.
func notSureTables(r *analyze.Report) (out []document.Section) {
	for _, of := range notSureKinds(r) {
		all := sizesOf(r)
		t := &document.Table{Head: []string{"call", stripHead(all), "worst", "now", "repeated [95 %]", "otherwise [95 %]", "instead [guideline]"}, Align: "llrrlll", Flex: 5, Yields: []int{6}, Grouped: true,
			Spare: []int{3, 1}, Tone: document.ToneOf(map[int]picture.Tone{4: picture.Open})}
		for _, l := range lossRows(r, among(of), byDefault) {
			v := l.worst
			t.Add(l.group, l.strip(all), phrase.Size(v.Msize), phrase.Duration(v.MedianS), effect(v.Effect), otherwise(v), l.instead())
		}
		if !of[0].Standing.Conditional() {
			t.Head[4] = "slower [95 %]"
			t.Drop(5)
			t.Flex, t.Yields = 5, nil
		}
		out = append(out, document.Tabled(t, "", "%s: %d", phrase.Capital(inWords(of[0])), len(of))...)
	}
	return out
}

// notSureKinds returns the violations that are not sure, by reason, in the order of standings.
func notSureKinds(r *analyze.Report) (out [][]*analyze.Verdict) {
	for _, s := range standings {
		out = append(out, analyze.Grouped(r.Where(stands(s.as)), inWords)...)
	}
	return out
}

func among(of []*analyze.Verdict) func(*analyze.Verdict) bool {
	return func(v *analyze.Verdict) bool { return slices.Contains(of, v) }
}

// otherwise returns the answers under other conditions.
func otherwise(v *analyze.Verdict) string {
	var out []string
	if e := v.Alternating; e != nil {
		out = append(out, "alternating "+effect(e.Effect))
	}
	if e := v.OtherMalloc; e != nil {
		out = append(out, fmt.Sprintf("malloc %s %s", e.Malloc, effect(e.Effect)))
	}
	return strings.Join(out, "; ")
}

// instead names what to call instead, and the guidelines that say so.
func (l *loss) instead() string { return instance(l.worst) + " [" + strings.Join(l.broken, ",") + "]" }

// shifted is the tone of a table that has lost its second column.
func shifted(tone func([]string, int) picture.Tone) func([]string, int) picture.Tone {
	return func(row []string, column int) picture.Tone { return tone(row, column+1) }
}

// sizesOf returns the sizes of all tests in bytes, ascending.
func sizesOf(r *analyze.Report) []int64 {
	sizes := lists.Map(r.Verdicts, func(v analyze.Verdict) int64 { return v.Msize })
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// stripHead says where a strip begins and ends: "1…1M".
func stripHead(all []int64) string {
	if len(all) == 0 {
		return ""
	}
	return conf.ShortSize(all[0]) + phrase.When(len(all) > 1, "…%s", conf.ShortSize(all[len(all)-1]))
}

// mostSigns limits a strip: with more sizes a sign is for several.
const mostSigns = 21

// strip has a sign for each size: whether the row is about it.
func (l *loss) strip(all []int64) string {
	var out strings.Builder
	for sizes := range slices.Chunk(all, (len(all)+mostSigns-1)/mostSigns) {
		out.WriteString(phrase.Either(slices.ContainsFunc(l.sizes, func(v *analyze.Verdict) bool { return slices.Contains(sizes, v.Msize) }), "■", "·"))
	}
	return out.String()
}

// lossRows returns the rows of some tests. now says what the library takes: other algorithms are other rows.
func lossRows(r *analyze.Report, among func(*analyze.Verdict) bool, now func(*analyze.Report, *analyze.Verdict) string) []loss {
	name := func(v *analyze.Verdict) string {
		return phrase.Plain(v.Cell().Call()) + phrase.When(len(r.Shapes) > 1, ", %s", v.Shape)
	}
	most := map[string]float64{}
	var groups [][]loss
	for _, of := range analyze.Grouped(r.Where(func(*analyze.Verdict) bool { return true }), name) {
		slices.SortStableFunc(of, func(a, b *analyze.Verdict) int { return cmp.Compare(a.Msize, b.Msize) })
		var rows []loss
		for _, tests := range analyze.Grouped(of, func(v *analyze.Verdict) int64 { return v.Msize }) {
			l := &loss{group: name(of[0]), now: now(r, tests[0])}
			for _, v := range tests {
				if among(v) && v.Ratio != nil {
					l.breaks(v)
					most[l.group] = max(most[l.group], lost(l.worst))
				}
			}
			if l.worst == nil {
				continue
			}
			if row := lists.First(rows, func(of loss) bool { return of.takes(l) }); row != nil {
				row.join(l)
			} else {
				rows = append(rows, *l)
			}
		}
		if len(rows) > 0 {
			groups = append(groups, rows)
		}
	}
	slices.SortStableFunc(groups, func(a, b []loss) int { return cmp.Compare(most[b[0].group], most[a[0].group]) })
	return slices.Concat(groups...)
}

func (l *loss) breaks(v *analyze.Verdict) {
	if l.worst == nil || lost(v) > lost(l.worst) {
		l.worst, l.sizes = v, []*analyze.Verdict{v}
	}
	l.broken = lists.With(l.broken, v.Guideline)
}

// takes tells whether another size belongs into the same row: it has the same algorithm, and the same
// call to make instead, be it at whatever size.
func (l *loss) takes(next *loss) bool {
	a, b := l.worst, next.worst
	return a.Type == b.Type && a.Mockup == b.Mockup && l.now == next.now
}

func (l *loss) join(next *loss) {
	l.sizes = append(l.sizes, next.sizes...)
	for _, guideline := range next.broken {
		l.broken = lists.With(l.broken, guideline)
	}
	if lost(next.worst) > lost(l.worst) {
		l.worst = next.worst
	}
}

// instance names what the call is compared with: "Exscan + Reduce_local", "itself at 64 B", "16
// calls of 16 KiB".
func instance(v *analyze.Verdict) string {
	if v.Type == guidelines.Pattern {
		return emulation(v.Mockup)
	}
	return rival(v)
}

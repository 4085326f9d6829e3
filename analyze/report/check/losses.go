package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// loss holds one row of the losses: a collective at a size, and neighbouring sizes with the same
// alternative.
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

func lost(v *analyze.Verdict) float64 {
	if v.MedianS == nil || v.PossibleS() == nil {
		return 0
	}
	return *v.MedianS - *v.PossibleS()
}

// losses returns a row for each collective and size that is certainly too slow: its time, the time
// without the violation that costs most, and how many times slower it is. A row also takes larger
// sizes, up to wide times the first. What is too slow only when repeated comes last, in groups of
// its own.
func losses(r *analyze.Report) []document.Section {
	t := &document.Table{Head: []string{"collective", "size", "now", "possible", "slower [95 %]", "call instead [guideline]"}, Align: "lrrrll", Flex: 5, Factor: 4, Limit: r.MinSlowdown,
		Grouped: true, Tone: document.ToneOf(map[int]picture.Tone{2: picture.Slow, 3: picture.Possible})}
	among := isSure(r)
	if r.SeenOnce != "" {
		t.Tone = document.ToneOf(map[int]picture.Tone{4: picture.Open})
		among = func(v *analyze.Verdict) bool { return v.Verdict == judge.SeenOnce }
	}
	sure, repeated := lossRows(r, among), lossRows(r, (*analyze.Verdict).OnlyRepeated)
	for i, l := range slices.Concat(sure, repeated) {
		v := l.worst
		apart := ""
		if i >= len(sure) {
			l.group += ", only when repeated"
			apart = "; alternating " + effect(v.Alternating.Effect)
		}
		also := lists.Map(lists.Keep(l.sizes, func(other *analyze.Verdict) bool { return other != v }), sizeAndRatio)
		if e := v.OtherMalloc; e != nil {
			apart += fmt.Sprintf("; malloc %s %s, %s", e.Malloc, effect(e.Effect), phrase.Words(e.Verdict))
		}
		t.Add(l.group, phrase.Size(v.Msize), phrase.Duration(v.MedianS), phrase.Duration(v.PossibleS()), effect(v.Effect),
			instance(v)+" ["+strings.Join(l.broken, ",")+"]"+phrase.When(len(also) > 0, ", also %s", strings.Join(also, ", "))+phrase.When(l.now != "", "; %s", l.now)+apart)
		t.Factors = append(t.Factors, factor(&v.Effect))
	}
	if r.SeenOnce != "" {
		return document.Tabled(t, phrase.Capital(r.SeenOnce)+".", "Seen once, the largest loss per call first")
	}
	if len(sure) == 0 {
		return document.Tabled(t, "", "Too slow only when repeated, not where both sides alternate call by call")
	}
	note := phrase.When(len(repeated) > 0, "Only when repeated: not where both sides alternate call by call.")
	return document.Tabled(t, note, "%s, the largest loss per call first", phrase.Either(rated(r), "Sure", "Too slow"))
}

func factor(e *analyze.Effect) document.Factor {
	f := document.Factor{Ratio: *e.Ratio}
	if e.RatioLo95 != nil && e.RatioHi95 != nil {
		f.Lo, f.Hi = *e.RatioLo95, *e.RatioHi95
	}
	return f
}

// wide limits the last size of a row, in multiples of the first.
const wide = 4

func lossRows(r *analyze.Report, among func(*analyze.Verdict) bool) []loss {
	name := func(v *analyze.Verdict) string { return v.Function + phrase.When(len(r.Shapes) > 1, ", %s", v.Shape) }
	most := map[string]float64{}
	var groups [][]loss
	for _, of := range analyze.Grouped(r.Where(func(*analyze.Verdict) bool { return true }), name) {
		slices.SortStableFunc(of, func(a, b *analyze.Verdict) int { return cmp.Compare(a.Msize, b.Msize) })
		var rows []loss
		beside := false // the size before is in the last row
		for _, tests := range analyze.Grouped(of, func(v *analyze.Verdict) int64 { return v.Msize }) {
			l := &loss{group: name(of[0]), now: byDefault(r, tests[0])}
			for _, v := range tests {
				if among(v) && v.Ratio != nil {
					l.breaks(v)
					most[l.group] = max(most[l.group], lost(l.worst))
				}
			}
			switch {
			case l.worst == nil:
			case beside && rows[len(rows)-1].takes(l):
				rows[len(rows)-1].join(l)
			default:
				rows = append(rows, *l)
			}
			beside = l.worst != nil
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

// takes tells whether the next size belongs into the same row: it has the same guidelines and
// algorithm, and the same call to make instead.
func (l *loss) takes(next *loss) bool {
	a, b := l.worst, next.worst
	alike := a.Type == b.Type && a.Mockup == b.Mockup && (a.Type == guidelines.Pattern || a.MsizeOther == b.MsizeOther)
	return alike && l.now == next.now && slices.Equal(l.broken, next.broken) && next.sizes[0].Msize <= wide*l.sizes[0].Msize
}

func (l *loss) join(next *loss) {
	l.sizes = append(l.sizes, next.sizes...)
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

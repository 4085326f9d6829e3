package check

import (
	"cmp"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// loss is one row of the losses: a collective at a size, and neighbouring sizes with the same alternative.
type loss struct {
	group  string // collective and shape
	sizes  []*analyze.Verdict
	worst  *analyze.Verdict // of these, what loses most
	broken []string         // guidelines
}

func lost(v *analyze.Verdict) float64 {
	if v.MedianS == nil || v.PossibleS() == nil {
		return 0
	}
	return *v.MedianS - *v.PossibleS()
}

// losses has a row for each collective and size that is too slow for sure: what it takes, what it would take without
// the violation that costs most, and how many times slower it is. Up to wide times larger sizes are in the same row.
func losses(r *analyze.Report) []document.Section {
	t := &document.Table{Head: []string{"collective", "size", "now", "possible", "slower [95 %]", "call instead [guideline]"}, Align: "lrrrll", Flex: 5, Factor: 4,
		Grouped: true, Tone: document.ToneOf(map[int]picture.Tone{2: picture.Slow, 3: picture.Possible})}
	for _, l := range lossRows(r) {
		v := l.worst
		var also []string
		for _, other := range l.sizes {
			if other != v {
				also = append(also, sizeAndRatio(other))
			}
		}
		t.Add(l.group, phrase.Size(v.Msize), phrase.Duration(v.MedianS), phrase.Duration(v.PossibleS()), effect(v),
			instance(v)+" ["+strings.Join(l.broken, ",")+"]"+phrase.When(len(also) > 0, ", also %s", strings.Join(also, ", ")))
		t.Factors = append(t.Factors, *v.Ratio)
	}
	if rated(r) {
		return document.Tabled(t, "", "Sure, the largest loss per call first")
	}
	return document.Tabled(t, "", "Too slow, the largest loss per call first")
}

// wide is how many times larger the last size of a row may be than the first.
const wide = 4

func lossRows(r *analyze.Report) []loss {
	var groups []string
	measured := map[string][]int64{} // sizes by group
	cells := map[string]map[int64]*loss{}
	sure := isSure(r)
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		group := v.Function + phrase.When(len(r.Shapes) > 1, ", %s", v.Shape)
		if cells[group] == nil {
			cells[group] = map[int64]*loss{}
			groups = append(groups, group)
		}
		measured[group] = append(measured[group], v.Msize)
		if sure(v) && v.Ratio != nil {
			if cells[group][v.Msize] == nil {
				cells[group][v.Msize] = &loss{group: group}
			}
			cells[group][v.Msize].breaks(v)
		}
	}
	most := map[string]float64{}
	for group, of := range cells {
		for _, l := range of {
			most[group] = max(most[group], lost(l.worst))
		}
	}
	slices.SortStableFunc(groups, func(a, b string) int { return cmp.Compare(most[b], most[a]) })
	var out []loss
	for _, group := range groups {
		sizes := measured[group]
		slices.Sort(sizes)
		beside := false // the size before is in the last row
		for _, size := range slices.Compact(sizes) {
			l := cells[group][size]
			switch {
			case l == nil:
			case beside && out[len(out)-1].takes(l):
				out[len(out)-1].join(l)
			default:
				out = append(out, *l)
			}
			beside = l != nil
		}
	}
	return out
}

// breaks adds a violation at the size of the loss.
func (l *loss) breaks(v *analyze.Verdict) {
	if l.worst == nil || lost(v) > lost(l.worst) {
		l.worst, l.sizes = v, []*analyze.Verdict{v}
	}
	if !slices.Contains(l.broken, v.Guideline) {
		l.broken = append(l.broken, v.Guideline)
	}
}

// takes tells whether the next size belongs into the same row: the same guidelines, and the same to be called instead.
func (l *loss) takes(next *loss) bool {
	a, b := l.worst, next.worst
	alike := a.Type == b.Type && a.Mockup == b.Mockup && (a.Type == guidelines.Pattern || a.MsizeOther == b.MsizeOther)
	return alike && slices.Equal(l.broken, next.broken) && next.sizes[0].Msize <= wide*l.sizes[0].Msize
}

func (l *loss) join(next *loss) {
	l.sizes = append(l.sizes, next.sizes...)
	if lost(next.worst) > lost(l.worst) {
		l.worst = next.worst
	}
}

// instance is what the call is compared with: "Exscan + Reduce_local", "itself at 64 B", "16 calls of 16 KiB".
func instance(v *analyze.Verdict) string {
	if v.Type == guidelines.Pattern {
		return emulation(v.Mockup)
	}
	return rival(v)
}

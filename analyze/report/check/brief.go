package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// Bounds of a screen, so that a default check has at most 40 lines of 80 columns.
const (
	mostLossLines = 10
	mostNotSure   = 6 // rows
	mostHalves    = 11
	mostNamed     = 2  // tests of a sentence
	wideInstead   = 25 // columns that an alternative has where a call has a long name
)

// briefLosses returns a line for each collective and alternative, and one more where another condition has another
// answer.
func briefLosses(r *analyze.Report) []document.Section {
	all := sizesOf(r)
	t := &document.Table{Head: []string{"call", stripHead(all), "worst", "now", "possible", "slower [95 %]", "instead [guideline]"}, Align: "llrrrll", Flex: 6, Yields: []int{0}, Spare: []int{4, 3},
		Whole: true, Tone: document.ToneOf(map[int]picture.Tone{3: picture.Slow, 4: picture.Possible})}
	is := stands(analyze.Sure)
	if r.SeenOnce != "" {
		is = func(v *analyze.Verdict) bool { return v.Verdict == judge.SeenOnce }
	}
	rows, last := lossRows(r, is, byNothing), ""
	shown := mostTelling(rows)
	for _, l := range shown {
		v := l.worst
		t.Add(phrase.When(l.group != last, "%s", phrase.Plain(l.group)), l.halves(all), phrase.Size(v.Msize), phrase.Duration(v.MedianS), phrase.Duration(v.PossibleS()), effect(v.Effect), l.instead())
		if other := leastApart(v); other != nil {
			t.Add("", "", "", "", "", effect(other.Effect), other.condition)
		}
		last = l.group
	}
	if len(all) < 2 { // worst says it
		t.Drop(1)
		t.Flex, t.Spare, t.Tone = 5, []int{3, 2}, shifted(t.Tone)
	}
	note := phrase.When(len(rows) > len(shown), "%s more with --full.", conf.Plural(len(rows)-len(shown), "row"))
	if r.SeenOnce != "" {
		note = phrase.List(" ", note, phrase.Capital(r.SeenOnce)+".")
	} else {
		note = phrase.List(" ", note, briefBetween(r))
	}
	return dense(document.Tabled(t, note, "%s", strings.TrimSuffix(lossTitle(r), ", the largest loss per call first")))
}

// byNothing lets rows that differ in what the library takes be one.
func byNothing(*analyze.Report, *analyze.Verdict) string { return "" }

// mostTelling returns the rows that a screen has room for, as they are sorted: the largest loss of each call before
// another row of any.
func mostTelling(rows []loss) []loss {
	place := make([]int, len(rows)) // among the rows of its call
	order := make([]int, len(rows))
	for i := range rows {
		order[i] = i
		for k := range rows {
			if rows[k].group == rows[i].group && (lost(rows[k].worst) > lost(rows[i].worst) || k < i && lost(rows[k].worst) == lost(rows[i].worst)) {
				place[i]++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(place[a], place[b]) })
	shown, lines := 0, 0
	for shown < len(rows) {
		l := rows[order[shown]]
		if lines += l.lines(); shown > 0 && lines > mostLossLines {
			break
		}
		shown++
	}
	order = order[:shown]
	slices.Sort(order)
	return lists.Map(order, func(i int) loss { return rows[i] })
}

// lines returns how many lines of 80 columns a row takes.
func (l *loss) lines() int {
	n := 1 + utf8.RuneCountInString(l.instead())/wideInstead
	if leastApart(l.worst) != nil {
		n++
	}
	return n
}

// leastApart returns the least answer of another condition that is not the check's, or nil.
func leastApart(v *analyze.Verdict) *underCondition {
	least := apart(v)
	slices.SortStableFunc(least, func(a, b underCondition) int { return cmp.Compare(*a.Ratio, *b.Ratio) })
	if len(least) == 0 {
		return nil
	}
	return &least[0]
}

func dense(sections []document.Section) []document.Section {
	for i := range sections {
		sections[i].Dense = true
	}
	return sections
}

// halves is a strip in which a sign has two sizes, if there are many.
func (l *loss) halves(all []int64) string {
	if len(all) <= mostHalves {
		return l.strip(all)
	}
	signs := []rune(l.strip(all))
	if len(signs)%2 == 1 {
		signs = append(signs, '·')
	}
	var out strings.Builder
	for pair := range slices.Chunk(signs, 2) {
		out.WriteString(map[string]string{"··": "·", "■·": "▌", "·■": "▐", "■■": "█"}[string(pair)])
	}
	return out.String()
}

// briefNotSure returns a table of the violations that are not sure, with the reason, and sentences on what has no
// answer.
func briefNotSure(r *analyze.Report) []document.Section {
	kinds := notSureKinds(r)
	t := &document.Table{Head: []string{"why", "the largest", "slower [95 %]", "otherwise"}, Align: "llll", Flex: 0, Tone: document.ToneOf(map[int]picture.Tone{2: picture.Open})}
	for _, of := range kinds {
		rows, _ := phrase.First(lossRows(r, among(of), byNothing), max(1, mostNotSure/len(kinds)), "")
		reason := fmt.Sprintf("%d %s", len(of), inWords(of[0]))
		for _, l := range rows {
			v := l.worst
			t.Add(reason, phrase.Plain(l.group)+" "+phrase.Size(v.Msize), effect(v.Effect), phrase.Ratio(decisive(v).Ratio))
			reason = ""
		}
	}
	if !slices.ContainsFunc(kinds, func(of []*analyze.Verdict) bool { return of[0].Standing.Conditional() }) {
		t.Drop(3)
	}
	out := dense(document.Tabled(t, "", "Not sure"))
	s := document.Section{Tone: picture.Open}
	if len(out) == 0 {
		s.Title = "Not sure"
	}
	for _, slow := range eager(r) {
		s.Fact("Eager limit", "%s", slow.fact())
	}
	notDecided(&s, r, true)
	s.Facts("Disturbed", disturbances(r))
	s.Facts("States", briefStates(r))
	if len(s.Text) > 0 {
		out = append(out, s)
	}
	return out
}

// briefStates says how far the states of the machine differ that matter.
func briefStates(r *analyze.Report) []string {
	return statesThatMatter(r, func(states []medians.State, shape string) string {
		n, least, most := 0, 1.0, 1.0
		for _, s := range states {
			if s.Shape == shape {
				n++
				least, most = min(least, analyze.Or(s.Ratio, 1)), max(most, analyze.Or(s.Ratio, 1))
			}
		}
		answers, _, _ := strings.Cut(r.StateAnswers(shape), " (")
		return fmt.Sprintf("%d, in which calls take %s to %s as long; %s", n, phrase.Ratio(&least), phrase.Ratio(&most), answers)
	})
}

// decisive returns the answer that a violation is not sure for, or an empty one.
func decisive(v *analyze.Verdict) analyze.Effect {
	for _, e := range []*analyze.Elsewhere{v.Alternating, v.OtherMalloc} {
		if v.Standing.Conditional() && e != nil && e.Verdict != judge.Violated {
			return e.Effect
		}
	}
	return analyze.Effect{}
}

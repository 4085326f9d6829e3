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
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/measure/protocol"
)

// reportScreen is what a reader wants to know first: the verdict, what is too slow and what to call
// instead, what may be, and what disturbed the measurement.
func reportScreen(r *analyze.Report) []document.Section {
	return explainMark(slices.Concat(findings(r), matrix(r), more(r)))
}

// findings are what screen and full report begin with.
func findings(r *analyze.Report) []document.Section {
	return slices.Concat(verdict(r), gateSections(r), wrongCases(r), losses(r), probably(r), disturbed(r))
}

// verdict is the answer in a sentence, and what limits it in another.
func verdict(r *analyze.Report) []document.Section {
	title, tone := headline(r)
	s := document.Titled("%s. %s.", title, setting(r))
	s.Tone = tone
	slow := map[string]bool{}
	found, firm, known := 0, 0, false
	for i := range r.Verdicts {
		if v := &r.Verdicts[i]; v.Verdict == judge.Violated {
			found++
			slow[v.Function] = true
			known = known || v.Replication != nil
			if v.Firm {
				firm++
			}
		}
	}
	var parts []string
	add := func(n int, format string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	count := countVerdicts(r)
	disturbed := len(r.Disturbed())
	add(len(slow), "%s slower than need be", subject(len(slow), "collective", "is", "are"))
	if known {
		add(found, "%d of %s would probably show again (firm)", firm, conf.Plural(found, "finding"))
	}
	add(count[judge.Undecided], "%s undecided", subject(count[judge.Undecided], "test", "is", "are"))
	add(count[judge.Suspected], "%s suspected without a test", subject(count[judge.Suspected], "split", "is", "are"))
	add(len(r.NotMeasured), "%s not measured", subject(len(r.NotMeasured), "case", "was", "were"))
	add(len(r.Incomplete), "%s without a verdict for lack of data", subject(len(r.Incomplete), "test", "is", "are"))
	add(disturbed, "%d of %s disturbed", disturbed, subject(r.R*len(r.Shapes), "mpirun", "was", "were"))
	if len(parts) > 0 {
		s.Say("%s.", strings.Join(parts, "; "))
	}
	return []document.Section{s}
}

// subject is a number of things with its verb: "1 test is", "2 tests are".
func subject(n int, what, one, many string) string {
	verb := many
	if n == 1 {
		verb = one
	}
	return conf.Plural(n, what) + " " + verb
}

func countVerdicts(r *analyze.Report) map[judge.Verdict]int {
	count := map[judge.Verdict]int{}
	for i := range r.Verdicts {
		count[r.Verdicts[i].Verdict]++
	}
	return count
}

func headline(r *analyze.Report) (string, picture.Tone) {
	count := countVerdicts(r)
	violated := fmt.Sprintf("%d of %s", count[judge.Violated], conf.Plural(len(r.Verdicts), "test"))
	switch {
	case len(r.Wrong) > 0 && r.Gate != nil:
		return Faults(r.Wrong) + "; " + gateVerdict(r), picture.Slow
	case len(r.Wrong) > 0:
		return fmt.Sprintf("%s; %s violated", Faults(r.Wrong), violated), picture.Slow
	case r.Refused != nil:
		return "NO VERDICT: " + r.Refused.Reason, picture.Open
	case r.Gate != nil && r.Gate.Alarms > 0:
		return gateVerdict(r), picture.Slow
	case r.Gate != nil:
		return gateVerdict(r), picture.Plain
	case count[judge.Violated] > 0:
		return "VIOLATED: " + violated, picture.Slow
	case len(r.Incomplete) > 0:
		return fmt.Sprintf("NO VERDICT on %d of %s for lack of data; no other is violated", len(r.Incomplete), conf.Plural(len(r.Verdicts), "test")), picture.Open
	}
	return fmt.Sprintf("No violation found in %s, %d shown to be kept", conf.Plural(len(r.Verdicts), "test"), count[judge.Kept]), picture.Plain
}

var faultKinds = []struct {
	name   string
	status []protocol.Status
}{
	{"WRONG DATA", []protocol.Status{protocol.StatusWrong, ""}},
	{"NO RETURN", []protocol.Status{protocol.StatusHangs}},
	{"CRASH", []protocol.Status{protocol.StatusCrashes}},
}

func byKind(wrong []analyze.CaseMessage, f func(name string, of []analyze.CaseMessage)) {
	for _, k := range faultKinds {
		of := slices.DeleteFunc(slices.Clone(wrong), func(c analyze.CaseMessage) bool { return !slices.Contains(k.status, c.Status) })
		if len(of) > 0 {
			f(k.name, of)
		}
	}
}

// Faults counts wrong cases: "WRONG DATA in 1 case, NO RETURN in 2 cases".
func Faults(wrong []analyze.CaseMessage) string {
	var out []string
	byKind(wrong, func(name string, of []analyze.CaseMessage) {
		out = append(out, fmt.Sprintf("%s in %s", name, conf.Plural(len(of), "case")))
	})
	return strings.Join(out, ", ")
}

func wrongWords(r *analyze.Report) string {
	if slices.ContainsFunc(r.Wrong, func(c analyze.CaseMessage) bool { return c.Did() != "gave wrong data" }) {
		return "wrong data or no return"
	}
	return "wrong data"
}

// setting is what was measured: "MPICH 4.0.2, 2 processes, 10 mpiruns".
func setting(r *analyze.Report) string {
	library := strings.Join(strings.Fields(strings.Replace(phrase.ShortVersion(r.Library.Version), " Version:", "", 1)), " ")
	var shapes []string
	for _, s := range r.Shapes {
		shapes = append(shapes, fmt.Sprintf("%d%s", s.NP, phrase.When(s.Nodes > 0, " (%s)", s.Name)))
	}
	one := len(r.Shapes) == 1 && r.Shapes[0].NP == 1
	return fmt.Sprintf("%s, %s process%s, %s", phrase.Fit(cmp.Or(library, "Unknown MPI library"), 60), strings.Join(shapes, " and "), phrase.When(!one, "es"), conf.Plural(r.R, "mpirun"))
}

// loss is one row of the losses: a collective at a size, or at neighbouring sizes with the same alternative.
type loss struct {
	group    string // collective and shape
	from, to int64  // sizes, in bytes
	worst    *analyze.Verdict
	lo, hi   float64  // ratios
	broken   []string // guidelines
	marked   bool
}

func lost(v *analyze.Verdict) float64 {
	if v.MedianS == nil || v.AllCallsS() == nil {
		return 0
	}
	return *v.MedianS - *v.AllCallsS()
}

// losses has one row for each collective and size that is too slow: what it takes, and what the fastest
// takes that it is shown to be slower than.
func losses(r *analyze.Report) []document.Section {
	rows := lossRows(r)
	t := &document.Table{Head: []string{"collective", "size", "now", "possible", "loss", "factor", "call instead [guideline]"}, Align: "lrrrrrl", Flex: 6, Spare: []int{4},
		Grouped: true, Tone: document.ToneOf(map[int]picture.Tone{2: picture.Slow, 3: picture.Possible})}
	joined := false
	for _, l := range rows {
		v := l.worst
		joined = joined || l.from != l.to
		saved := lost(v)
		gain := cmp.Or(phrase.When(saved > 0, "%s", phrase.Duration(&saved)), "-")
		t.Add(l.group, sizes(l.from, l.to), phrase.Duration(v.MedianS), phrase.Duration(v.AllCallsS()), gain,
			between(l.lo, l.hi)+phrase.When(l.marked, mark), instance(v, l.from != l.to)+" ["+strings.Join(l.broken, ",")+"]")
	}
	note := phrase.When(joined, "Of sizes in one row, times and loss are from the size that loses most.")
	return document.Tabled(t, note, "Too slow, and what is faster: the largest loss per call first")
}

func lossRows(r *analyze.Report) []loss {
	tested := map[string][]int64{} // sizes by group
	cells := map[string]map[int64]*loss{}
	var groups []string
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		group := v.Function + phrase.When(len(r.Shapes) > 1, ", %s", v.Shape)
		if cells[group] == nil {
			cells[group] = map[int64]*loss{}
			groups = append(groups, group)
		}
		tested[group] = append(tested[group], v.Msize)
		if v.Verdict != judge.Violated || v.Ratio == nil {
			continue
		}
		l := cells[group][v.Msize]
		if l == nil {
			l = &loss{group: group, from: v.Msize, to: v.Msize}
			cells[group][v.Msize] = l
		}
		l.breaks(v.Guideline)
		if l.worst == nil || v.AllCallsS() != nil && (l.worst.AllCallsS() == nil || *v.AllCallsS() < *l.worst.AllCallsS()) {
			l.worst, l.lo, l.hi, l.marked = v, *v.Ratio, *v.Ratio, differ(v)
		}
	}
	worst := map[string]float64{}
	for group, of := range cells {
		for _, l := range of {
			worst[group] = max(worst[group], lost(l.worst))
		}
	}
	slices.SortStableFunc(groups, func(a, b string) int { return cmp.Compare(worst[b], worst[a]) })
	var out []loss
	for _, group := range groups {
		sizes := tested[group]
		slices.Sort(sizes)
		var last *loss // of the size before, if that is too slow
		for _, size := range slices.Compact(sizes) {
			l := cells[group][size]
			if last == nil || l == nil || !alike(last.worst, l.worst) {
				if l != nil {
					out = append(out, *l)
					l = &out[len(out)-1]
				}
				last = l
				continue
			}
			last.join(l)
		}
	}
	return out
}

func (l *loss) join(next *loss) {
	l.to = next.to
	l.lo, l.hi, l.marked = min(l.lo, next.lo), max(l.hi, next.hi), l.marked || next.marked
	if lost(next.worst) > lost(l.worst) {
		l.worst = next.worst
	}
	for _, g := range next.broken {
		l.breaks(g)
	}
}

func (l *loss) breaks(guideline string) {
	if !slices.Contains(l.broken, guideline) {
		l.broken = append(l.broken, guideline)
	}
}

// alike tells whether the same is to be called instead.
func alike(a, b *analyze.Verdict) bool {
	if a.Type == guidelines.Pattern {
		return b.Type == guidelines.Pattern && a.Mockup == b.Mockup
	}
	return a.Type == b.Type && a.MsizeOther == b.MsizeOther
}

// instance is what the call is compared with: "Exscan + Reduce_local", "Gather of 64 B", "16 × Reduce of 16 KiB".
func instance(v *analyze.Verdict, several bool) string {
	switch {
	case v.Type == guidelines.Pattern:
		return emulation(v.Mockup)
	case v.K > 1 && several:
		return fmt.Sprintf("k × %s of %s", phrase.Plain(v.Function), phrase.Size(v.MsizeOther))
	case v.K > 1:
		return fmt.Sprintf("%d × %s of %s", v.K, phrase.Plain(v.Function), phrase.Size(v.MsizeOther))
	}
	return fmt.Sprintf("%s of %s", phrase.Plain(v.Function), phrase.Size(v.MsizeOther))
}

// sizes writes a range: "64 B", "16–256 KiB", "64 KiB–1 MiB".
func sizes(from, to int64) string {
	if from == to {
		return phrase.Size(from)
	}
	n, unit, _ := strings.Cut(phrase.Size(from), " ")
	if strings.HasSuffix(phrase.Size(to), " "+unit) {
		return n + "–" + phrase.Size(to)
	}
	return phrase.Size(from) + "–" + phrase.Size(to)
}

// between writes ratios: "1.91×", "1.50–3.69×".
func between(lo, hi float64) string {
	if phrase.Ratio(&lo) == phrase.Ratio(&hi) {
		return phrase.Ratio(&lo)
	}
	return strings.TrimSuffix(phrase.Ratio(&lo), "×") + "–" + phrase.Ratio(&hi)
}

// mark is beside a ratio that is not the quotient of the times beside it.
const mark = "†"

// differ tells whether ratio and quotient of the medians differ by more than 10 %.
func differ(v *analyze.Verdict) bool {
	if v.Ratio == nil || v.MedianS == nil || v.AllCallsS() == nil || *v.AllCallsS() == 0 {
		return false
	}
	quotient := *v.MedianS / *v.AllCallsS()
	return *v.Ratio > 1.1*quotient || quotient > 1.1**v.Ratio
}

// ratioOf is a verdict's ratio, marked where need be.
func ratioOf(v *analyze.Verdict) string { return phrase.Ratio(v.Ratio) + phrase.When(differ(v), mark) }

// explainMark says in the first section with a mark what it means.
func explainMark(sections []document.Section) []document.Section {
	for i := range sections {
		s := &sections[i]
		if s.Table == nil || !slices.ContainsFunc(s.Table.Rows, func(row []string) bool {
			return slices.ContainsFunc(row, func(cell string) bool { return strings.HasSuffix(cell, mark) })
		}) {
			continue
		}
		s.Note(mark + " The ratio is over 10 %% off the quotient of the two times: it compares the sides within or across mpiruns, the times are medians of each side, " +
			"and some mpiruns were slow as a whole. Believe the ratio.")
		break
	}
	return sections
}

// isProbable tells whether a test is undecided, but its interval lies wholly above 1.
func isProbable(v *analyze.Verdict) bool {
	return v.Verdict == judge.Undecided && v.Ratio != nil && v.RatioLo95 != nil && *v.RatioLo95 > 1
}

// probably lists what may be too slow, the largest ratio first.
func probably(r *analyze.Report) []document.Section {
	if r.Refused != nil {
		return nil
	}
	open := those(r.Verdicts, isProbable)
	slices.SortStableFunc(open, func(a, b *analyze.Verdict) int { return cmp.Compare(*b.Ratio, *a.Ratio) })
	t := &document.Table{Head: []string{"collective", "size", "now", "possible", "ratio", "95 %", "compared with [guideline]"}, Align: "lrrrrll", Flex: 6, Spare: []int{5},
		Tone: document.ToneOf(map[int]picture.Tone{4: picture.Open})}
	shown, more := phrase.First(open, mostRows, moreRows)
	for _, v := range shown {
		t.Add(phrase.Plain(v.Function)+phrase.When(len(r.Shapes) > 1, ", %s", v.Shape), phrase.Size(v.Msize), phrase.Duration(v.MedianS), phrase.Duration(v.AllCallsS()), ratioOf(v),
			phrase.Interval(v.RatioLo95, v.RatioHi95, "–"), instance(v, false)+" ["+v.Guideline+"]")
	}
	note := fmt.Sprintf("Taken alone, each is slower with 95 %% confidence; the verdict is for all %s together, and asks for more.%s", conf.Plural(r.M, "test"), decidedBy(open, r.R))
	out := document.Tabled(t, note+phrase.When(more != "", " %s", more), "Probably slower, not yet sure (%d)", len(open))
	for i := range out {
		out[i].Tone = picture.Open
	}
	return out
}

// decidedBy says how many mpiruns a new check wants to decide undecided tests.
func decidedBy(open []*analyze.Verdict, r int) string {
	var runs []int
	for _, v := range open {
		if v.RunsNeeded != nil && v.RunsNeeded.R > 0 {
			runs = append(runs, v.RunsNeeded.R)
		}
	}
	if len(runs) == 0 {
		return ""
	}
	slices.Sort(runs)
	least, most := runs[0], runs[len(runs)-1]
	return fmt.Sprintf(" A new check with %d%s mpiruns in place of %d would probably decide %s.", least, phrase.When(most > least, " to %d", most), r,
		cmp.Or(phrase.When(len(runs) < len(open), "%d of them", len(runs)), phrase.When(len(open) > 1, "them"), "it"))
}

// needed is how many mpiruns would decide an undecided test.
func needed(v *analyze.Verdict) string {
	n := v.RunsNeeded
	if n == nil {
		return "-"
	}
	return cmp.Or(phrase.When(n.R > 0, "%d", n.R), fmt.Sprintf("> %d", n.Limit))
}

// disturbed names the mpiruns that were slow throughout, and the states of the machine.
func disturbed(r *analyze.Report) []document.Section {
	const most = 6
	slow := r.Disturbed()
	if len(slow)+len(r.States) == 0 {
		return nil
	}
	s := document.Titled("Disturbed: %d of %s slow throughout", len(slow), subject(r.R*len(r.Shapes), "mpirun", "was", "were"))
	if len(slow) == 0 {
		s = document.Titled("The machine was in several states")
	}
	s.Tone = picture.Open
	shown, more := phrase.First(slow, most, "and %d more, in report.json")
	for _, m := range shown {
		s.Item("%s", m)
	}
	if more != "" {
		s.Item("%s", more)
	}
	if len(slow) > 0 {
		s.Say("They count like the others, and hide small slowdowns: a quieter machine or more mpiruns (--mpiruns) find more.")
	}
	for _, shape := range r.Shapes {
		if states := analyze.StatesOf(r.States, shape.Name); states != "" {
			s.Say("States of the machine, %s: %s; %s.", shape.Name, states, r.StateAnswers(shape.Name))
		}
	}
	return []document.Section{s}
}

func more(r *analyze.Report) []document.Section {
	var ids []string
	for _, w := range r.Warnings {
		if id := string(w.ID); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	s := document.Titled("More with --full")
	s.Say("How it was measured and tested, all tables%s%s.", phrase.When(len(r.Notes) > 0, ", %s on what was chosen or left out", conf.Plural(len(r.Notes), "note")),
		phrase.When(len(ids) > 0, ", and the remarks with their remedies: %s", strings.Join(ids, ", ")))
	return []document.Section{s}
}

// Closing is the line that a command ends with: counts, exit code, folder, and the page for browsers.
func Closing(r *analyze.Report, folder, page string) string {
	count := countVerdicts(r)
	parts := []string{fmt.Sprintf("%d violated", count[judge.Violated])}
	for _, v := range []judge.Verdict{judge.Undecided, judge.Kept, judge.Marginal, judge.Suspected, judge.NotSuspected, judge.NotMeasured, judge.Wrong} {
		if n := count[v]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, phrase.Words(v)))
		}
	}
	alarm := ""
	if r.Gate != nil {
		alarm = conf.Plural(r.Gate.Alarms, "alarm") + "; "
	}
	return fmt.Sprintf("%s%s. Exit %d.%s%s", alarm, strings.Join(parts, ", "), r.ExitCode(), phrase.When(folder != "", " %s/", strings.TrimSuffix(folder, "/")),
		phrase.When(page != "", " Page: %s", page))
}

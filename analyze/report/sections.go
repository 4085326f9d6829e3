package report

import (
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/remark"
)

var adjustNames = map[judge.Adjust]string{
	judge.AdjustBH:   "adjusted by Benjamini-Hochberg",
	judge.AdjustHolm: "adjusted by Holm",
	judge.AdjustNone: "not adjusted",
}

// header says what was measured and what the verdicts rest on.
func (p *page) header(r *analyze.Report) {
	var shapes []string
	for _, s := range r.Shapes {
		name := fmt.Sprintf("p = %d", s.NP)
		if s.Nodes > 0 {
			name += fmt.Sprintf(" (%s)", s.Name)
		}
		shapes = append(shapes, name)
	}
	pml := ""
	if r.Library.PML != "" {
		pml = ", pml " + r.Library.PML
	}
	p.fact("Library", "%s%s", fit(shortVersion(r.Library.Version), 75), pml)
	p.fact("Design", "%s; R = %d mpiruns; datatype %s, op %s, root %d", strings.Join(shapes, ", "), r.R, r.Datatype, r.Op, r.Root)
	slowdown := fmt.Sprintf(", minimum slowdown %.2f×", r.MinSlowdown)
	if r.Method == judge.MethodPaper {
		slowdown = ", no minimum slowdown"
	}
	p.fact("Test", "method %s: %s, %s, m = %s, alpha = %g%s", r.Method, r.Test.Title(r.R), adjustNames[r.Adjust], plural(r.M, "test"), r.Alpha, slowdown)
	rho := "undefined"
	if r.Rho != nil {
		rho = fmt.Sprintf("%.2f", *r.Rho)
	}
	p.fact("", "smallest p attainable %s; correlation within mpiruns %s; %s with ties, %s",
		probability(r.PMin), rho, plural(r.TiedTests, "test"), plural(r.ZeroDifferences, "zero difference"))
	p.experiments(r)
	p.fact("Sizes", "%s", r.MsizeLegend)
	if r.Refused != nil {
		p.title("NO VERDICT: %s.", r.Refused.Reason)
	}
}

// shortVersion is what a library says of itself, up to the first comma or line.
func shortVersion(s string) string {
	short, _, _ := strings.Cut(strings.ReplaceAll(s, "\n", ","), ",")
	return strings.TrimSpace(short)
}

// summary is Table 2 of S-PGMPI: violated/checked by shape and type.
func (p *page) summary(r *analyze.Report) {
	checked, violated := 0, 0
	g := grid{head: []string{"shape", "type", "violated/checked", "", "tests violated/checked", "suspected"}, align: "llrlrr", gap: 2}
	for _, s := range r.Summary {
		checked, violated = checked+s.Tests.Checked, violated+s.Tests.Violated
		suspected := ""
		if s.Type == guidelines.Split && r.Method != judge.MethodPaper {
			suspected = fmt.Sprintf("%d/%d", s.Tests.Suspected, s.Tests.Checked)
		}
		g.rows = append(g.rows, []string{s.Shape, string(s.Type), fmt.Sprintf("%d/%d", s.Units.Violated, s.Units.Checked), s.Unit,
			fmt.Sprintf("%d/%d", s.Tests.Violated, s.Tests.Checked), suspected})
	}
	if r.Refused != nil {
		p.title("Summary: measured %d, no verdict possible", checked)
	} else {
		p.title("Summary: checked %d, found %d violated", checked, violated)
	}
	if len(g.rows) > 0 {
		p.grid(g)
	}
}

// patterns is Table 3 of S-PGMPI: every pattern that was checked.
func (p *page) patterns(r *analyze.Report) {
	g := grid{head: []string{"", "guideline", "", "shape", "violated", "marginal", "kept", "undecided", "other"}, align: "llllrrrrr", flex: 2, gap: 1}
	for _, row := range r.Guidelines {
		if row.Type != guidelines.Pattern {
			continue
		}
		for _, s := range r.Shapes {
			if n := row.ByShape[s.Name]; len(n) > 0 {
				g.rows = append(g.rows, patternRow(row, s.Name, n))
			}
		}
	}
	if len(g.rows) == 0 {
		return
	}
	p.title("Patterns: tests by verdict; ● marks a guideline that is violated")
	p.grid(g)
}

func patternRow(row analyze.GuidelineRow, shape string, n map[judge.Verdict]int) []string {
	mark, total := "", 0
	if n[judge.Violated] > 0 {
		mark = "●"
	}
	for _, count := range n {
		total += count
	}
	violated, marginal, kept, undecided := n[judge.Violated], n[judge.Marginal], n[judge.Kept], n[judge.Undecided]
	cells := []string{mark, fit(row.Guideline, 14), strings.ReplaceAll(row.Formula, "(n)", ""), shape}
	for _, count := range []int{violated, marginal, kept, undecided, total - violated - marginal - kept - undecided} {
		cells = append(cells, blankZero(count))
	}
	return cells
}

func blankZero(n int) string {
	if n == 0 {
		return "."
	}
	return fmt.Sprint(n)
}

// violations lists what to do something about, the worst of a shape first.
func (p *page) violations(r *analyze.Report) {
	found := 0
	for _, s := range r.Shapes {
		g := grid{head: []string{"guideline", "msize", "median", "other", "ratio [95 %]", "p adjusted", "fastest instead"}, align: "lrrrlll", gap: 2}
		for _, v := range sorted(r.Verdicts, s.Name, judge.Violated) {
			adjusted := "-"
			if v.PAdjusted != nil {
				adjusted = strings.TrimSpace(probability(*v.PAdjusted) + " " + v.Stars)
			}
			g.rows = append(g.rows, []string{v.Guideline + " " + plain(v.Function), size(v.Msize), duration(v.MedianS), other(v),
				effect(v), adjusted, instead(v)})
		}
		if len(g.rows) == 0 {
			continue
		}
		found += len(g.rows)
		p.title("Violations, %s: the call at msize takes median, what it must not be slower than takes other", s.Name)
		p.grid(g)
	}
	if found > 0 {
		p.say("p adjusted: * ≤ .05, ** ≤ .01, *** ≤ .001")
	}
}

// suspected lists split-robustness from medians: no test, no exit code.
func (p *page) suspected(r *analyze.Report) {
	g := grid{head: []string{"guideline", "shape", "msize", "median", "calls instead", "they take", "ratio"}, align: "llrrrrr", gap: 2}
	for _, s := range r.Shapes {
		for _, v := range sorted(r.Verdicts, s.Name, judge.Suspected) {
			g.rows = append(g.rows, []string{v.Guideline + " " + plain(v.Function), v.Shape, size(v.Msize), duration(v.MedianS),
				fmt.Sprintf("%d × %s", v.K, size(v.MsizeOther)), other(v), ratio(v.Ratio)})
		}
	}
	if len(g.rows) == 0 {
		return
	}
	p.title("Suspected of violating split-robustness: from medians, without a test and without effect on the exit code")
	p.grid(g)
}

// sorted returns the findings of one shape, largest ratio first.
func sorted(verdicts []analyze.Verdict, shape string, verdict judge.Verdict) []*analyze.Verdict {
	var out []*analyze.Verdict
	for i := range verdicts {
		if v := &verdicts[i]; v.Shape == shape && v.Verdict == verdict {
			out = append(out, v)
		}
	}
	value := func(v *analyze.Verdict) float64 {
		if v.Ratio == nil {
			return 0
		}
		return *v.Ratio
	}
	slices.SortStableFunc(out, func(a, b *analyze.Verdict) int {
		switch x, y := value(a), value(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return out
}

// other is the time of the other side: of all k calls for split.
func other(v *analyze.Verdict) string {
	if v.OtherMedianS == nil {
		return "-"
	}
	all := *v.OtherMedianS * float64(max(v.K, 1))
	return duration(&all)
}

// instead names the fastest alternative; a long one on a line for each part.
func instead(v *analyze.Verdict) string {
	a := v.Alternative
	switch {
	case a == nil:
		return "-"
	case a.Calls > 1:
		return fmt.Sprintf("%d calls of %s", a.Calls, size(a.Msize))
	case a.Function == v.Function:
		return "itself at " + size(a.Msize)
	}
	name := plain(a.Function)
	if len(name) > 20 {
		name = strings.ReplaceAll(name, "+", "+\n")
	}
	return name
}

// plain turns an id into what people call it: "MPI_Bcast" into "Bcast",
// "gather_as_reduce" into "Reduce".
func plain(id string) string {
	id = strings.TrimPrefix(id, "MPI_")
	_, parts, ok := strings.Cut(id, "_as_")
	if !ok {
		return id
	}
	names := strings.Split(parts, "+")
	for i, n := range names {
		if n != "" {
			names[i] = strings.ToUpper(n[:1]) + n[1:]
		}
	}
	return strings.Join(names, "+")
}

// remarks are what limits the verdicts.
func (p *page) remarks(r *analyze.Report) {
	const most = 10
	list := func(title string, cases []analyze.CaseMessage) {
		if len(cases) == 0 {
			return
		}
		p.title("%s: %s", title, plural(len(cases), "case"))
		for i, c := range cases {
			if i == most {
				p.say("  and %d more, see report.json", len(cases)-most)
				break
			}
			p.say("- %s, %s, %s: %s", c.Function, size(c.Msize), c.Shape, c.Message)
		}
	}
	list("WRONG DATA", r.Wrong)
	if len(r.Exclude) > 0 {
		p.say("To check without them: exclude = [%s]", quoted(r.Exclude))
	}
	list("Not measured", r.NotMeasured)
	if len(r.Incomplete) > 0 {
		p.title("Without a verdict for lack of data: %s; the first: %s at %s on %s: %s", plural(len(r.Incomplete), "test"),
			r.Incomplete[0].Guideline, size(r.Incomplete[0].Msize), r.Incomplete[0].Shape, r.Incomplete[0].Reason)
	}
	if len(r.Warnings)+len(r.Notes) > 0 {
		p.title("Remarks")
	}
	for _, w := range r.Warnings {
		p.say("- %s: %s.%s", w.ID, w.Text, remedy(w))
	}
	for _, n := range r.Notes {
		p.say("- %s", n)
	}
}

func remedy(w remark.Remark) string {
	if w.Remedy == "" {
		return ""
	}
	return fmt.Sprintf(" Remedy: %s (%s).", w.Remedy, w.Docs)
}

// withRemedy is a remark on a comparison: its place is in its text.
func withRemedy(w remark.Remark) string {
	if w.Remedy == "" {
		return w.Text
	}
	return w.Text + "; " + w.Remedy
}

func quoted(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(out, ", ")
}

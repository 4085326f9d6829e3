package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

// gateWords describes each state, in the order in which states are shown.
var gateWords = []struct {
	state       analyze.GateState
	short, long string // long is "" for tests that are only counted
}{
	{analyze.New, "new", "violated now, and not in the baselines"},
	{analyze.Worse, "worse", "violated in both, by clearly more now"},
	{analyze.Expired, "expired", "violated, and the last day of the expectation has passed"},
	{analyze.FirstShown, "shown first", "violated now; no baseline could tell"},
	{analyze.Unsure, "unsure", "may have changed, and cannot be told for sure"},
	{analyze.Gone, "gone", "violated in the newest baseline that tested it, and kept now"},
	{analyze.Lost, "not measured", "a baseline has judged it, and today it could not be measured"},
	{analyze.Xpass, "now kept", "expected to be violated: take it out of the expectations"},
	{analyze.Known, "known", ""},
	{analyze.Expected, "expected", ""},
}

func gateWord(state analyze.GateState) string {
	for _, w := range gateWords {
		if w.state == state {
			return w.short
		}
	}
	return phrase.Words(state)
}

func gateSections(r *analyze.Report) []document.Section {
	g := r.Gate
	if g == nil {
		return nil
	}
	alarms := gateAlarms(r)
	out := []document.Section{document.Titled("Held against %s", cmp.Or(phrase.When(len(g.Baselines) > 0, "%s", conf.Plural(len(g.Baselines), "baseline")), "expectations"))}
	s := &out[0]
	for i, b := range g.Baselines {
		s.Fact(phrase.When(i == 0, "Against"), "%s: %s%s", b.Folder, b.Library, phrase.When(len(b.Created) >= len(time.DateOnly), ", %s", b.Created[:min(len(b.Created), len(time.DateOnly))]))
	}
	s.Facts("Note", g.Notes)
	s.Table = gateTable(alarms, true)
	if _, more := phrase.First(alarms, mostAlarms, moreRows); more != "" {
		s.Note("%s", more)
	}
	if len(s.Text) == 0 && s.Table == nil {
		out = nil
	}
	out = append(out, slowerSection(g)...)
	for _, w := range gateWords {
		in := r.Where(func(v *analyze.Verdict) bool { return v.Gated != nil && v.State == w.state && !v.Alarm })
		if w.long == "" || len(in) == 0 {
			continue
		}
		shown, more := phrase.First(byRatio(in), mostRows, moreRows)
		out = append(out, document.Tabled(gateTable(shown, false), more, "%s, %s: %s", phrase.Capital(w.short), conf.Plural(len(in), "test"), w.long)...)
	}
	return out
}

const mostAlarms = 20 // rows

func count(tests []*analyze.Verdict, s analyze.GateState) int {
	return lists.Count(tests, func(v *analyze.Verdict) bool { return v.State == s })
}

func gateAlarms(r *analyze.Report) []*analyze.Verdict {
	return r.Where(func(v *analyze.Verdict) bool { return v.Gated != nil && v.Alarm })
}

func gateVerdict(r *analyze.Report) string {
	g, alarms := r.Gate, gateAlarms(r)
	counts, others := "", ""
	for _, w := range gateWords {
		loud := count(alarms, w.state)
		quiet := g.ByState[w.state] - loud
		if w.state == analyze.New && len(g.Baselines) == 0 { // noAlarm counts them
			quiet = 0
		}
		counts = phrase.List(", ", counts, phrase.When(loud > 0, "%d %s", loud, w.short))
		others = phrase.List(", ", others, phrase.When(quiet > 0, "%d %s", quiet, w.short))
	}
	counts = phrase.List(", ", counts, phrase.When(len(g.Slower) > 0, "%s slower", conf.Plural(len(g.Slower), "run-time")))
	rest := phrase.When(others != "", "; %s", others)
	unjudged := ""
	switch {
	case r.NothingMeasured():
		unjudged = "NOT JUDGED: no test could be measured"
	case r.CannotAlarm():
		unjudged = "NOT JUDGED: no test can alarm (" + r.SeenOnce + ")"
	case len(g.NotJudged) > 0:
		unjudged = fmt.Sprintf("NOT JUDGED: on %s the machine was in a state that no baseline has, so nothing that differs is an alarm there",
			strings.Join(g.NotJudged, ", "))
	}
	switch {
	case counts != "":
		quiet := phrase.When(others != "", "no alarm: %s", others)
		return "ALARM: " + phrase.List("; ", counts, quiet, unjudged)
	case g.First && unjudged == "":
		return "First night: nothing to hold it against" + rest
	}
	return cmp.Or(unjudged, noAlarm(r)) + rest
}

// noAlarm says why there is none: what is newly wrong may not be sure, and without a baseline nothing is new.
func noAlarm(r *analyze.Report) string {
	switch n := r.Gate.ByState[analyze.New] + r.Gate.ByState[analyze.Worse]; {
	case n == 0:
		return "No alarm: nothing is newly wrong"
	case len(r.Gate.Baselines) == 0:
		return fmt.Sprintf("No alarm: %d violated, none of them sure", n)
	}
	return "No alarm: nothing that is newly wrong is sure"
}

// gateTable lists tests with their states; all tells that they have several.
func gateTable(tests []*analyze.Verdict, all bool) *document.Table {
	if len(tests) == 0 {
		return nil
	}
	t := &document.Table{Head: []string{"", "guideline", "size", "on", "slower [95 %]", "before"}, Align: "llrlll", Flex: 5}
	shown, _ := phrase.First(byRatio(tests), mostAlarms, "")
	for _, v := range shown {
		t.Add(gateWord(v.State), v.Guideline+" "+phrase.Plain(v.Cell().Call()), phrase.Size(v.Msize), v.Shape, effect(v.Effect), v.StateReason+phrase.When(v.Ticket != "", " [%s]", v.Ticket))
	}
	if !all {
		t.Drop(0)
		t.Flex--
	}
	return t
}

func byRatio(tests []*analyze.Verdict) []*analyze.Verdict {
	out := slices.Clone(tests)
	slices.SortStableFunc(out, func(a, b *analyze.Verdict) int { return cmp.Compare(analyze.Or(b.Ratio, 0), analyze.Or(a.Ratio, 0)) })
	return out
}

func slowerSection(g *analyze.Gate) []document.Section {
	t := &document.Table{Head: []string{"call", "on", "size", "before", "now", "slower", "than in"}, Align: "llrrrrl", Flex: 6}
	shown, more := phrase.First(g.Slower, mostAlarms, moreRows)
	for _, k := range shown {
		t.Add(phrase.Plain(k.Function), k.Shape, phrase.Size(k.Msize), phrase.Duration(k.BeforeS), phrase.Duration(k.NowS), phrase.Ratio(k.Ratio), k.Baseline)
	}
	return document.Tabled(t, more, "Slower than in every baseline: %s", conf.Plural(len(g.Slower), "run-time"))
}

package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/analyze/report/environment"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/remark"
)

// notSure says what is not sure and what stands in the way, sentence by sentence.
func notSure(r *analyze.Report) []document.Section {
	s := document.Titled("Not sure")
	s.Tone = picture.Open
	notDecided(&s, r, false)
	s.Facts("Disturbed", disturbances(r))
	s.Facts("States", statesThatMatter(r, func(states []medians.State, shape string) string {
		return analyze.StatesOf(states, shape) + "; " + r.StateAnswers(shape)
	}))
	if len(s.Text) == 0 {
		return nil
	}
	return []document.Section{s}
}

// notDecided says which tests have no answer, and names the first of them.
func notDecided(s *document.Section, r *analyze.Report, brief bool) {
	most := mostRows
	if brief {
		most = mostNamed
	}
	say := func(name string, n int, format string, args ...any) {
		if n > 0 {
			s.Fact(name, format, args...)
		}
	}
	open := r.Open()
	if probable := byRatio(r.Where(isProbable)); r.Refused == nil && r.SeenOnce == "" {
		slower := phrase.When(len(probable) > 0, ", %d of them probably slower", len(probable))
		if !brief && len(probable) > 0 {
			slower = "; probably slower: " + listed(r, probable, most)
		}
		say("Undecided", len(open), "%s%s.%s", conf.Plural(len(open), "test"), slower, decidedBy(r))
	}
	averaged := byRatio(tooFast(r))
	say("Averages", len(averaged), "%s: a collective with a root has an average over the ranks there, of which some return early. OSU's -f and -a 3 of nccl-tests have the slowest rank's times.",
		listed(r, averaged, most))
	suspected := r.Where(func(v *analyze.Verdict) bool { return v.Verdict == judge.Suspected })
	say("Suspected", len(suspected), "%s, by medians and without a test: %s", conf.Plural(len(suspected), phrase.Either(slices.ContainsFunc(suspected, noSplit), "call", "split")), listed(r, byRatio(suspected), most))
	if n := len(r.NotMeasured); n > 0 {
		say("Not measured", n, "%s; the first: %s at %s: %s", conf.Plural(n, "case"), phrase.Plain(r.NotMeasured[0].Function), phrase.Size(r.NotMeasured[0].Msize), r.NotMeasured[0].Message)
	}
	if n := len(r.Incomplete); n > 0 {
		say("No verdict", n, "%s, for lack of data; the first: %s at %s: %s", conf.Plural(n, "test"), r.Incomplete[0].Guideline, phrase.Size(r.Incomplete[0].Msize), r.Incomplete[0].Reason)
	}
}

// tooFast returns the tests that would be slower if averages over the ranks were times of a collective.
func tooFast(r *analyze.Report) []*analyze.Verdict {
	return r.Where(func(v *analyze.Verdict) bool { return v.Averaged && analyze.Or(v.Ratio, 0) >= r.MinSlowdown })
}

// listed names tests with their ratios: "GL8 Reduce 8 B 1.12×, 16 B 1.10×; GL3 Bcast 1 KiB 1.08×".
func listed(r *analyze.Report, tests []*analyze.Verdict, most int) string {
	name := func(v *analyze.Verdict) string {
		return v.Guideline + " " + phrase.Plain(v.Cell().Call()) + phrase.When(len(r.Shapes) > 1, ", %s,", v.Shape)
	}
	shown, more := phrase.First(tests, most, "; %d more with --full")
	named := lists.Map(analyze.Grouped(shown, name), func(of []*analyze.Verdict) string {
		return document.Whole(name(of[0])) + " " + strings.Join(lists.Map(of, sizeAndRatio), ", ")
	})
	return strings.Join(named, "; ") + more
}

func sizeAndRatio(v *analyze.Verdict) string {
	return document.Whole(phrase.Size(v.Msize) + " " + phrase.Ratio(v.Ratio))
}

func disturbances(r *analyze.Report) (out []string) {
	if slow := r.Disturbed(); len(slow) > 0 {
		out = append(out, fmt.Sprintf("%d of %s slow throughout, which hides small slowdowns.", len(slow), subject(len(slow), r.R*len(r.Shapes), "mpirun")))
	}
	for _, w := range r.Warnings {
		if w.ID == remark.OthersBusy {
			out = append(out, phrase.Capital(w.Text)+".")
		}
	}
	return out
}

// subject counts all things, with a verb for n of them: "24 mpiruns was" of 1, "24 mpiruns were" of
// 2.
func subject(n, all int, what string) string {
	return conf.Plural(all, what) + phrase.Either(n == 1, " was", " were")
}

// isProbable tells whether a test is undecided, but its interval lies wholly above 1.
func isProbable(v *analyze.Verdict) bool {
	return v.Verdict == judge.Undecided && v.Ratio != nil && v.RatioLo95 != nil && *v.RatioLo95 > 1
}

// decidedBy says what a new check would decide with how many mpiruns. It advises none that are not more than this
// check has made for another test.
func decidedBy(r *analyze.Report) string {
	half, open := r.RunsNeededHalf, len(r.Open())
	if half == nil || half.R <= r.Made() {
		return ""
	}
	return fmt.Sprintf(" A new check with --mpiruns %d would probably decide %s; this one has made %d.", half.R,
		phrase.Either(open == 1, "it", fmt.Sprintf("about %.0f of them", half.Decides)), r.Made())
}

func needed(v *analyze.Verdict) string {
	n := v.RunsNeeded
	if n == nil {
		return "-"
	}
	return cmp.Or(phrase.When(n.R > 0, "%d", n.R), fmt.Sprintf("> %d", n.Limit))
}

func disturbed(r *analyze.Report) []document.Section {
	slow := r.Disturbed()
	out := document.Listed(fmt.Sprintf("Disturbed: %d of %s slow throughout", len(slow), subject(len(slow), r.R*len(r.Shapes), "mpirun")), slow, 6, "and %d more, in report.json", medians.SlowMpirun.String)
	for i := range out {
		out[i].Tone = picture.Open
		out[i].Say("They count like the others, and hide small slowdowns: a quieter machine or more mpiruns (--mpiruns) find more.")
	}
	return out
}

func ending(r *analyze.Report, folder string) (e document.Ending) {
	count := countVerdicts(r)
	others := phrase.Counts([]judge.Verdict{judge.SeenOnce, judge.Undecided, judge.Kept, judge.Marginal, judge.Suspected, judge.NotSuspected, judge.NotMeasured, judge.Wrong}, func(v judge.Verdict) int { return count[v] })
	if r.Gate != nil {
		e.Why = conf.Plural(r.Gate.Alarms, "alarm") + "; "
	}
	e.Why += fmt.Sprintf("%d violated", count[judge.Violated]) + phrase.When(others != "", ", %s", others)
	if folder != "" && r.Imported == nil && r.Gate == nil && r.LacksTextbook() {
		e.Why += "; not tried: `pgmpi check --only textbook`"
	}
	if folder != "" && count[judge.Violated] > 0 {
		e.Next = []document.Label{{Name: "Why", Value: "pgmpi analyze " + folder + " --explain violated"}}
		lasting := func(v *analyze.Verdict) bool { return v.Verdict == judge.Violated && v.Standing != analyze.GoneInTurns }
		if r.Imported == nil && len(r.Where(lasting)) > 0 {
			e.Next = append(e.Next, document.Label{Name: "Mend it", Value: "pgmpi remedy " + folder})
		}
	}
	return e
}

func firstHeat(r *analyze.Report) []document.Section {
	heat := HeatMaps(r)
	return heat[:min(1, len(heat))]
}

func otherHeat(r *analyze.Report) []document.Section {
	heat := HeatMaps(r)
	return heat[min(1, len(heat)):]
}

func patterns(r *analyze.Report) []document.Section {
	return figured("Pictures of the patterns that are violated or undecided",
		"Dots are run medians, one for each mpirun; the line is their median, "+
			"with its 95 % interval where there are six or more. Shaded with stars: "+
			"violated (p adjusted: ★ ≤ .05, ★★ ≤ .01, ★★★ ≤ .001); "+
			"shaded with ?: undecided.", PatternFigures(r))
}

func runTimes(r *analyze.Report) []document.Section {
	return figured("Run-times of the calls", "Medians over the mpiruns with their 95 % intervals; "+
		"shaded with ★: a guideline of the call is violated there.", LatencyFigures(r))
}

func pageAnswer(r *analyze.Report) []document.Section {
	out := answer(r)
	if at, err := time.Parse(time.RFC3339, r.Created); err == nil {
		out[0].Fact("Date", "%s", at.UTC().Format("2 January 2006, 15:04 UTC"))
	}
	if r.Host != "" {
		out[0].Fact("Host", "%s%s", r.Host, phrase.When(len(r.Nodes) > 1, ", ranks on %s", conf.Plural(len(r.Nodes), "node")))
	}
	return out
}

func figured(title, text string, figures []picture.Figure) []document.Section {
	if len(figures) == 0 {
		return nil
	}
	s := document.Titled("%s", title)
	s.Say("%s", text)
	s.Figures = figures
	return []document.Section{s}
}

// pageDisturbed returns a picture of the mpiruns, also if none was disturbed.
func pageDisturbed(r *analyze.Report) []document.Section {
	out, figures := disturbed(r), MpirunFigures(r)
	if len(figures) == 0 {
		return out
	}
	if len(out) == 0 {
		out = []document.Section{document.Titled("No mpirun was disturbed")}
	}
	out[0].Figures = figures
	return out
}

func pageFactors(r *analyze.Report) []document.Section {
	m := &r.Measured
	if m.Rank.LibVersion == "" {
		return nil
	}
	e := &environment.Environment{Version: r.Version, Rank: m.Rank, Factors: m.Factors, Config: m.Config}
	out := append([]document.Section{document.Titled("What could change the result")}, environment.Facts(e)...)
	for i := range out {
		out[i].Folded = true
	}
	return out
}

package remedy

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/remedy/effect"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/tuning"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

var kind = document.Kind[Result]{Name: "remedy", JSON: true, Rows: rows,
	Exit: func(r *Result) error {
		if r.Exit == exitcode.NoVerdict {
			return &fail.Refused{Reason: "no remedy is shown; what was tried, and why it was dropped, is above"}
		}
		return nil
	},
	Parts: []document.Part[Result]{document.Show(document.Screen, func(r *Result) []document.Section {
		answer := answer(r)
		answer[0].Text = slices.DeleteFunc(answer[0].Text, func(t document.Text) bool { return t.Style == document.Command }) // the last lines have them
		return slices.Concat(answer, document.Noteless(cellsTable(r)), tradesTable(r), rejectedList(r, 5), mockupsList(r, 5))
	}), document.Show(document.Full, answer, cellsTable, settingList, tradesTable, func(r *Result) []document.Section {
		return slices.Concat(rejectedList(r, len(r.Rejected)), mockupsList(r, len(r.Cells)))
	}, proofList)},
	Ending: func(r *Result, _ string) (e document.Ending) {
		if len(r.Env) > 0 {
			e.Next = []document.Label{{Name: "Use it", Value: ". " + conf.Quote(filepath.Join(r.Folder, tuning.EnvFile))},
				{Name: "Check it", Value: "pgmpi check --guidelines " + conf.Quote(filepath.Join(r.Folder, SettingTOML))}}
		}
		if len(r.Cells) > 0 {
			e.Next = append(e.Next, document.Label{Name: "All", Value: "cat " + conf.Quote(filepath.Join(r.Folder, results.Readme))})
		}
		return e
	},
}

func (r *Result) count(s CellState) int {
	return lists.Count(r.Cells, func(c Cell) bool { return c.State == s })
}

// Believed counts the parts that nothing shows to be in force.
func (r *Result) Believed() int {
	return lists.Count(r.Effects, func(f effect.Effect) bool { return f.State == effect.CannotTell })
}

func answer(r *Result) []document.Section {
	s := document.Section{}
	mended, faster, all := r.count(CellMended), r.count(CellFaster), len(r.Cells)
	explored := r.Kind == results.Explore
	switch {
	case all == 0 && explored:
		s.Say("NOTHING TO TRY: %s shows none of the library's own algorithms to be faster.", r.Check)
		return []document.Section{s}
	case all == 0:
		s.Say("NOTHING TO MEND: %s shows no violated guideline.", r.Check)
		return []document.Section{s}
	case len(r.Env) == 0 && len(r.Trades) > 0:
		s.Say("TRADE for %s, unset: %s. Nothing is proved to help without harm.", r.cells(all), &r.Trades[0])
		s.Tone = picture.Open
	case len(r.Env) == 0:
		s.Say("NOT SHOWN for %s: nothing that was tried is proved to help without harm.", r.cells(all))
		s.Tone = picture.Open
	case mended > 0:
		s.Say("MENDED: %s, by %s; proved in %s.", r.cells(mended), r.means(), conf.Plural(r.Mpiruns, "mpirun"))
	default:
		s.Say("FASTER%s: %s, by %s; proved in %s.", phrase.When(!explored, ", NOT SHOWN TO BE MENDED"), r.cells(faster), r.means(), conf.Plural(r.Mpiruns, "mpirun"))
	}
	if p := r.Holding(); p != nil {
		s.Say("No harm is shown%s. %s.", phrase.When(p.SetUp != nil, " to calls"), r.excluded(p))
		if p.SetUp != nil {
			s.Say("With it%s.", p.SetUp.Longer())
		}
	}
	for i := range r.Trades[min(len(r.Trades), rank(len(r.Env) > 0)):] {
		s.Say("A trade, unset: %s.", &r.Trades[i])
	}
	s.Say("%s. Of %s (a collective at a size): %s.", phrase.ShortVersion(r.Library), r.cells(all), phrase.Counts(CellStates, r.count))
	if len(r.Env) > 0 {
		s.Command("Before mpirun", []string{".", conf.Quote(filepath.Join(r.Folder, tuning.EnvFile))})
		s.Command("The check under it", []string{"pgmpi", "check", "--guidelines", conf.Quote(filepath.Join(r.Folder, SettingTOML))})
	}
	for _, n := range r.Notes {
		s.Say("Note: %s.", n)
	}
	return []document.Section{s}
}

func (r *Result) excluded(p *Proof) string {
	left, most := p.Reached-p.Harmless, cmp.Or(phrase.When(p.NotExcluded != nil, "up to %s", phrase.Ratio(p.NotExcluded)), "without limit")
	text := fmt.Sprintf("Harm of %g× is excluded in %d of %s that the setting can change%s", r.Harm, p.Harmless, conf.Plural(p.Reached, "case"),
		phrase.When(left > 0, ", not in %d (%s)", left, most))
	if left > 0 && p.Visible != nil {
		text += fmt.Sprintf("; from %s on it would have been seen in half of the cases", phrase.Ratio(p.Visible))
	}
	return text + phrase.When(p.Noise != nil, ". Of %s that it cannot change the slowest takes %s as long: no more than that is no harm",
		conf.Plural(p.Control, "case"), phrase.Ratio(p.Noise))
}

func (r *Result) cells(n int) string {
	all := len(r.Cells)
	some := phrase.When(n < all, "%d of ", n)
	return some + cmp.Or(phrase.When(r.Kind == results.Explore, "%s with a faster algorithm", conf.Plural(all, "cell")), conf.Plural(all, "violated cell"))
}

// means lists what the setting is made of: "2 environment variables and 1 algorithm".
func (r *Result) means() string {
	var parts, variables []string
	algorithms := 0
	for _, f := range r.Effects {
		switch c := f.Entry.Choice; c.Kind {
		case tuning.ByComponent:
			parts = append(parts, c.Part())
		case tuning.ByEnv:
			variables = append(variables, conf.Plural(len(c.Env), "environment variable"))
		case tuning.OwnAlgorithm:
			algorithms++
		}
	}
	if algorithms > 0 {
		variables = append(variables, fmt.Sprintf("%s of the library's own", conf.Plural(algorithms, "algorithm")))
	}
	return strings.Join(append(variables, parts...), " and ")
}

func cellsTable(r *Result) []document.Section {
	if len(r.Cells) == 0 {
		return nil
	}
	t := &document.Table{Head: []string{"call", "on", "size", "violates", "without", "with", "faster by", "95 %", "answer", "by"},
		Align: "llrlrrrlll", Grouped: true, Flex: 9, Spare: []int{7}}
	for _, c := range r.Cells {
		t.Add(c.Function, c.Shape, conf.HumanSize(c.Msize), strings.Join(c.Guidelines, ", "), phrase.Duration(c.BeforeS), phrase.Duration(c.AfterS),
			phrase.Ratio(c.Gain), phrase.Interval(c.GainLo, c.GainHi), string(c.State), cmp.Or(strings.Join(c.By, " + "), "-"))
	}
	s := document.Titled("%s", cmp.Or(phrase.When(r.Kind != results.Explore, "The violated cells"), "The cells"))
	s.Table = t
	s.Notes = []string{"faster by: how many times faster it is with the setting, over pairs of mpiruns, not the quotient of the two medians; 95 %: its interval, for this test alone. " +
		"mended: faster, tested, and shown to keep its guidelines; faster: not shown to keep them; undecided: not shown to be faster; " +
		"taken back: faster, but what does it is dropped below; not seen again: shown to keep them without the setting."}
	return []document.Section{s}
}

func settingList(r *Result) []document.Section {
	if len(r.Env) == 0 {
		return nil
	}
	s := document.Titled("The setting")
	for _, name := range tuning.Variables(r.Env) {
		s.Fact(name, "%s", r.Env[name])
	}
	for _, f := range r.Effects {
		e := f.Entry
		sizes := phrase.When(e.Choice.Kind == tuning.OwnAlgorithm && (e.From > 0 || e.To > 0), " (from %s on%s)", conf.HumanSize(e.From),
			phrase.When(e.To > 0, ", below %s", conf.HumanSize(e.To)))
		s.Item("%s%s, in %s: %s: %s%s", e.Choice, sizes, e.Where, f.State, f.Text, phrase.When(e.Choice.Memory() != "", "; memory: %s", e.Choice.Memory()))
	}
	return []document.Section{s}
}

const withFull = "%d more with --full."

func rejectedList(r *Result, most int) []document.Section {
	return document.Listed("Tried and dropped", r.Rejected, most, withFull, func(d tuning.Rejected) string { return d.Label + ": " + d.Reason })
}

func mockupsList(r *Result, most int) []document.Section {
	left := slices.DeleteFunc(slices.Clone(r.Cells), func(c Cell) bool {
		return c.State.Settled() || r.Kind == results.Explore
	})
	out := document.Listed("What no setting mends here", left, most, withFull, func(c Cell) string {
		what := "only itself at another size was measured beside it"
		if c.Gone && c.Mockup == "" {
			what = "what was measured in its place is no faster where the calls take turns"
		}
		if f, ok := mockups.Get(c.Mockup); ok && c.Mockup != "" {
			what = fmt.Sprintf("in its place call %s (%s)", f.Formula, f.ID)
		}
		return fmt.Sprintf("%s at %s on %s, %s slower in the check: %s%s", c.Function, conf.HumanSize(c.Msize), c.Shape, phrase.Ratio(c.Ratio), what, phrase.When(c.Explored != "", "; of its own algorithms: %s", c.Explored))
	})
	if slices.ContainsFunc(left, func(c Cell) bool { return c.Mockup != "" }) {
		out[0].Say("`pgmpi apply` puts mock-ups in place of a program's calls.")
	}
	return out
}

func proofList(r *Result) []document.Section {
	if len(r.Proofs) == 0 {
		return nil
	}
	s := document.Titled("How it was proved")
	s.Fact("Test", "without and with the setting in turn, fresh mpiruns in pairs, one-sided; adjusted over the violated cells for gains and over the cases of a proof for harm, alpha = %g; a gain counts from %g× on, a harm from %g× on",
		r.Alpha, r.MinSlowdown, r.Harm)
	for i, p := range r.Proofs {
		outcome := cmp.Or(phrase.When(p.Holds, "holds%s", phrase.When(p.Dropped > 0, " without %s", conf.Plural(p.Dropped, "choice"))),
			"something was taken back")
		s.Fact(fmt.Sprintf("Proof %d", i+1), "%s: %s; %s, %s: %s", p.Folder, strings.Join(p.Tried, "; "), conf.Plural(p.Mpiruns, "mpirun"),
			fmt.Sprintf("%d of the violated cells faster, harm shown in %d of %s. %s", p.Helped, len(p.Harms), conf.Plural(p.Cases, "case"), r.excluded(&p)), outcome)
	}
	if r.Conformance > 0 {
		s.Fact("Conformance calls", "%d under the setting; none is wrong that is right without it", r.Conformance)
	}
	return []document.Section{s}
}

func rows(r *Result) [][]string {
	out := [][]string{{"collective", "msize", "shape", "np", "guidelines", "firm", "ratio", "page_faults", "state", "by",
		"before_s", "after_s", "gain", "gain_lo95", "gain_hi95", "p_adjusted", "mockup", "explored"}}
	for _, c := range r.Cells {
		out = append(out, phrase.Row(c.Function, c.Msize, c.Shape, c.NP, strings.Join(c.Guidelines, " "), c.Firm, c.Ratio, c.PageFaults, c.State, strings.Join(c.By, " "),
			c.BeforeS, c.AfterS, c.Gain, c.GainLo, c.GainHi, c.PAdjusted, c.Mockup, c.Explored))
	}
	return out
}

package analyze

import (
	"slices"

	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/exitcode"
)

func summary(shapes []Shape, verdicts []Verdict) []SummaryRow {
	rows := []SummaryRow{}
	for _, s := range shapes {
		for _, t := range []guidelines.Type{guidelines.Monotony, guidelines.Split, guidelines.Pattern} {
			if row := summaryRow(verdicts, s, t); len(row.ByVerdict) > 0 {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

func guidelineRows(plan *guidelines.Plan, verdicts []Verdict) []GuidelineRow {
	rows := []GuidelineRow{}
	at := map[string]int{}
	for _, g := range plan.Guidelines {
		at[g.ID+":"+g.Function] = len(rows)
		rows = append(rows, GuidelineRow{Guideline: g.ID, Type: g.Type, Function: g.Function,
			Mockup: g.Mockup, Formula: g.Formula(), ByShape: map[string]map[judge.Verdict]int{}})
	}
	for _, v := range verdicts {
		i, ok := at[v.Guideline+":"+v.Function]
		if !ok {
			continue
		}
		by := rows[i].ByShape
		if by[v.Shape] == nil {
			by[v.Shape] = map[judge.Verdict]int{}
		}
		by[v.Shape][v.Verdict]++
	}
	return rows
}

// summaryRow counts each function (monotony, split) or guideline (pattern)
// once over all sizes, as Table 2 of S-PGMPI does.
func summaryRow(verdicts []Verdict, s Shape, t guidelines.Type) SummaryRow {
	row := SummaryRow{Shape: s.Name, NP: s.NP, Type: t, Unit: "functions", ByVerdict: map[judge.Verdict]int{}}
	if t == guidelines.Pattern {
		row.Unit = "guidelines"
	}
	checked, violated, suspected := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, v := range verdicts {
		if v.Shape != s.Name || v.Type != t {
			continue
		}
		row.ByVerdict[v.Verdict]++
		unit := v.Function
		if t == guidelines.Pattern {
			unit = v.Guideline
		}
		switch v.Verdict {
		case judge.NotMeasured, judge.Wrong:
			continue
		case judge.Violated:
			row.Tests.Violated++
			violated[unit] = true
		case judge.Suspected:
			row.Tests.Suspected++
			suspected[unit] = true
		case judge.Marginal, judge.Kept, judge.Undecided, judge.NotSuspected, judge.SeenOnce:
		}
		row.Tests.Checked++
		checked[unit] = true
	}
	row.Units = Count{Checked: len(checked), Violated: len(violated), Suspected: len(suspected)}
	return row
}

// NothingMeasured tells whether no test could be judged, so that a violation would not have been seen.
func (r *Report) NothingMeasured() bool {
	return !slices.ContainsFunc(r.Verdicts, func(v Verdict) bool { return v.Verdict != judge.NotMeasured })
}

// ExitCode sums the report up. With a gate only alarms count as violated.
func (r *Report) ExitCode() int {
	slow, judged := false, true
	for i := range r.Verdicts {
		slow = slow || r.Verdicts[i].Verdict == judge.Violated
	}
	if r.Gate != nil {
		slow, judged = r.Gate.Alarms > 0, !r.Gate.MustJudge || len(r.Gate.NotJudged) == 0
	}
	return ExitCode(len(r.Wrong) > 0, slow, r.Refused != nil || len(r.Incomplete) > 0 || r.NothingMeasured() || !judged)
}

// ExitCode names the first condition that holds.
func ExitCode(wrong, slow, incomplete bool) int {
	switch {
	case wrong:
		return exitcode.Failed
	case slow:
		return exitcode.Violated
	case incomplete:
		return exitcode.NoVerdict
	}
	return exitcode.OK
}

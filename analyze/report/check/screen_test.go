package check

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/documents"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
	"pgmpi/testkit/shown"
)

var (
	pattern  = shown.Pattern
	reportOf = shown.ReportOf
)

// onScreen is the screen of a report, as a page shows it.
func onScreen(t *testing.T, r *analyze.Report, p document.Page) string {
	t.Helper()
	d := Reports.Document(r).Brief()
	d.Page = p
	return documents.Written(t, "table", d)
}

func inFullAt(t *testing.T, r *analyze.Report, width int) string {
	t.Helper()
	d := Reports.Document(r)
	d.Page = document.Page{Width: width}
	return documents.Written(t, "table", d)
}

func inFull(t *testing.T, r *analyze.Report) string {
	t.Helper()
	return documents.Written(t, "table", Reports.Document(r))
}

// rowsOf are the rows of the table below a title, as words.
func rowsOf(text, title string) []string {
	_, rest, _ := strings.Cut(text, title)
	_, below, _ := strings.Cut(rest, "───\n")
	var out []string
	for line := range strings.Lines(below) {
		if line == "\n" || strings.HasSuffix(line, "───\n") { // the end of a table
			break
		}
		if row := strings.Join(strings.Fields(line), " "); row != "" && !strings.HasPrefix(row, "──") {
			out = append(out, row)
		}
	}
	return out
}

func TestTheFirstLineIsTheAnswer(t *testing.T) {
	violated := pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 2)
	kept := pattern(judge.Kept, "GL8", "MPI_Reduce", "reduce_as_allreduce", 16, 1, 1, 1)
	gated := func(state analyze.GateState, alarm bool) analyze.Verdict {
		v := violated
		v.Gated = &analyze.Gated{State: state, Alarm: alarm}
		return v
	}
	gate := func(alarms int, verdicts ...analyze.Verdict) *analyze.Report {
		r := reportOf(verdicts...)
		r.Gate = &analyze.Gate{Alarms: alarms}
		return r
	}
	quiet := func(baselines []analyze.Baseline, by map[analyze.GateState]int) *analyze.Report {
		r := gate(0, violated)
		r.Gate.Baselines, r.Gate.ByState = baselines, by
		return r
	}
	wrong, refused, incomplete := reportOf(violated), reportOf(kept), reportOf(kept)
	wrong.Wrong = []analyze.CaseMessage{{Cell: medians.Cell{Function: "MPI_Reduce"}}} // of an older version: without a status
	mixed := reportOf(violated)
	for _, s := range []protocol.Status{protocol.StatusHangs, protocol.StatusWrong, protocol.StatusHangs, protocol.StatusCrashes} {
		mixed.Wrong = append(mixed.Wrong, analyze.CaseMessage{Status: s})
	}
	refused.Refused = &judge.Refusal{Reason: "3 mpiruns are too few"}
	incomplete.Incomplete = []analyze.Incomplete{{Guideline: "GL8"}}
	many, set := reportOf(violated), reportOf(violated)
	set.Datatype, set.Op, set.Host, set.WallClockS = "double", "sum", "n1", 38.2
	known := func(v analyze.Verdict, q float64) analyze.Verdict {
		v.Replication, v.Firm = &q, q >= .9
		return v
	}
	sure, suspected := known(violated, .95), kept
	suspected.Verdict = judge.NotSuspected
	many.Shapes = append(many.Shapes, analyze.Shape{Name: "16x2", Shape: guidelines.Shape{NP: 32, Nodes: 16, PPN: 2}})
	for _, c := range []struct {
		r    *analyze.Report
		want string
	}{
		{reportOf(violated, kept), "VIOLATED: 1 of 2 tests. MPICH 4.0.2, 2 processes, 10 mpiruns."},
		{reportOf(sure, violated, kept, suspected), "VIOLATED: 1 sure, 1 unsteady, of 3 tests. MPICH"},
		{reportOf(sure, suspected), "VIOLATED: 1 sure, of 1 test. MPICH"},
		{reportOf(known(violated, .5), kept), "VIOLATED: 1 unsteady, of 2 tests. MPICH"},
		{set, "VIOLATED: 1 of 1 test. MPICH 4.0.2, 2 processes, double/sum, 10 mpiruns in 38 s on n1. Too slow"},
		{many, "VIOLATED: 1 of 1 test. MPICH 4.0.2, 2 and 32 (16x2) processes, 10 mpiruns."},
		{reportOf(kept), "No violation found in 1 test, 1 shown to be kept. MPICH"},
		{wrong, "WRONG DATA in 1 case; violated: 1 of 1 test. MPICH"},
		{mixed, "WRONG DATA in 1 case, NO RETURN in 2 cases, CRASH in 1 case; violated: 1 of 1 test. MPICH"},
		{refused, "NOT JUDGED: 3 mpiruns are too few. MPICH"},
		{incomplete, "NOT JUDGED: no data for 1 of 1 test, and no other is violated."},
		{gate(0, violated), "No alarm: nothing is newly wrong. MPICH"},
		{quiet(nil, map[analyze.GateState]int{analyze.New: 2}), "No alarm: 2 violated, none of them sure. MPICH"},
		{quiet([]analyze.Baseline{{}}, map[analyze.GateState]int{analyze.New: 2, analyze.Known: 1}), "No alarm: nothing that is newly wrong is sure; 2 new, 1 known. MPICH"},
		{gate(3, gated(analyze.Worse, true), gated(analyze.Known, false), gated(analyze.New, true), gated(analyze.New, true)),
			"ALARM: 2 new, 1 worse. MPICH"},
	} {
		text := strings.Join(strings.Fields(onScreen(t, c.r, document.Page{})), " ")
		should.Hold(t, strings.HasPrefix(text, c.want), "want %s\n%s", c.want, text)
	}
}

func TestSizesWithTheSameAlternativeAreOneRow(t *testing.T) {
	var verdicts []analyze.Verdict
	add := func(is judge.Verdict, mockup string, size int64, call, other float64) {
		verdicts = append(verdicts, pattern(is, "GL16", "MPI_Scan", mockup, size, call, other, call/other))
	}
	const one, two = "scan_as_exscan+reduce_local", "scan_as_bcast"
	add(judge.Violated, one, 8, 2, 1)
	add(judge.Violated, one, 16, 6, 1) // loses most
	add(judge.Violated, one, 32, 4, 1)
	add(judge.Violated, one, 64, 3, 1)
	add(judge.Kept, one, 2048, 1, 1)
	add(judge.Violated, one, 4096, 3, 1)
	add(judge.Violated, two, 8192, 3, 1) // another alternative
	add(judge.Violated, one, 16384, 3, 2)
	add(judge.Violated, two, 16384, 3, 1) // the faster one counts
	slow := pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 20, 1, 20)
	text := onScreen(t, reportOf(append(verdicts, slow)...), document.Page{})
	want := []string{
		"Reduce ■······· 8 B 20.0 µs 1.00 µs 20.0× [20.0, 20.0] Allreduce [GL8]", // loses more
		"Scan ■■■■·■·· 16 B 6.00 µs 1.00 µs 6.00× [6.00, 6.00] Exscan + Reduce_local [GL16]",
		"······■■ 8 KiB 3.00 µs 1.00 µs 3.00× [3.00, 3.00] Bcast [GL16]",
	}
	got := rowsOf(text, "Too slow")
	should.Hold(t, fmt.Sprint(got) == fmt.Sprint(want), "%q\n%s", got, text)
}

func TestViolationsOfOneConditionHaveTablesOfTheirOwn(t *testing.T) {
	const mockup = "scan_as_exscan+reduce_local"
	elsewhere := func(ratio float64, verdict judge.Verdict, malloc string) *analyze.Elsewhere {
		return &analyze.Elsewhere{Alone: analyze.Alone{Mpiruns: 8, Effect: analyze.Effect{Ratio: &ratio, RatioLo95: &ratio, RatioHi95: &ratio}, Verdict: verdict}, Malloc: malloc}
	}
	scan := func(size int64, ratio float64, alternating, malloc *analyze.Elsewhere) analyze.Verdict {
		v := pattern(judge.Violated, "GL16", "MPI_Scan", mockup, size, 10*ratio, 10, ratio)
		v.Alternating, v.OtherMalloc = alternating, malloc
		return v
	}
	r := reportOf(
		scan(8, 2, elsewhere(1.9, judge.Violated, ""), elsewhere(2, judge.Violated, protocol.MallocSettled)),
		scan(1024, 3, elsewhere(.8, judge.Kept, ""), elsewhere(2.5, judge.Violated, protocol.MallocSettled)),
		scan(4096, 4, nil, elsewhere(1.01, judge.Kept, protocol.MallocSettled)),
		scan(8192, 5, nil, elsewhere(1.01, judge.Kept, protocol.MallocFresh)),
		scan(16384, 6, elsewhere(1.1, judge.Undecided, ""), nil),
		scan(65536, 7, nil, elsewhere(1.1, judge.Undecided, protocol.MallocSettled)),
	)
	text := onScreen(t, r, document.Page{Width: 160})
	should.Hold(t, strings.HasPrefix(strings.Join(strings.Fields(text), " "), "VIOLATED: 1, 5 not under every condition, of 6 tests."), "%s", text)
	should.Equal(t, strings.Join(rowsOf(text, "Not sure"), "\n"), strings.Join([]string{
		"1 gone when the calls take turns Scan 1 KiB 3.00× [3.00, 3.00] 0.80×",
		"1 only with fresh malloc Scan 4 KiB 4.00× [4.00, 4.00] 1.01×",
		"1 only with settled malloc Scan 8 KiB 5.00× [5.00, 5.00] 1.01×",
		"1 smaller alternating Scan 16 KiB 6.00× [6.00, 6.00] 1.10×",
		"1 not shown otherwise Scan 64 KiB 7.00× [7.00, 7.00] 1.10×"}, "\n"))
	should.Equal(t, strings.Join(rowsOf(text, "Too slow"), "\n"), "Scan ■····· 8 B 20.0 µs 10.0 µs 2.00× [2.00, 2.00] Exscan + Reduce_local [GL16]\n1.90× [1.90, 1.90] alternating")
	text = inFullAt(t, r, 160)
	for title, want := range map[string]string{
		"Too slow, the largest loss":        "■····· 8 B 20.0 µs 10.0 µs 2.00× [2.00, 2.00] Exscan + Reduce_local [GL16]; alternating 1.90× [1.90, 1.90]",
		"Gone when the calls take turns: 1": "·■···· 1 KiB 30.0 µs 3.00× [3.00, 3.00] alternating 0.80× [0.80, 0.80]; malloc settled 2.50× [2.50, 2.50] Exscan + Reduce_local [GL16]",
		"Only with fresh malloc: 1":         "··■··· 4 KiB 40.0 µs 4.00× [4.00, 4.00] malloc settled 1.01× [1.01, 1.01] Exscan + Reduce_local [GL16]",
		"Only with settled malloc: 1":       "···■·· 8 KiB 50.0 µs 5.00× [5.00, 5.00] malloc fresh 1.01× [1.01, 1.01] Exscan + Reduce_local [GL16]",
		"Smaller alternating: 1":            "····■· 16 KiB 60.0 µs 6.00× [6.00, 6.00] alternating 1.10× [1.10, 1.10] Exscan + Reduce_local [GL16]",
		"Not shown otherwise: 1":            "·····■ 64 KiB 70.0 µs 7.00× [7.00, 7.00] malloc settled 1.10× [1.10, 1.10] Exscan + Reduce_local [GL16]",
	} {
		got := rowsOf(text, title)
		should.Hold(t, len(got) == 2 && got[1] == want, "%s: %q\n%s", title, got, text)
	}
	for width, whole := range map[int]string{100: "[0.80, 0.80]", 80: "Reduce_local"} {
		for line := range strings.Lines(onScreen(t, r, document.Page{Width: width})) {
			should.Hold(t, utf8.RuneCountInString(strings.TrimSpace(line)) <= width, "%d columns: %s", width, line)
		}
		should.Contain(t, strings.Join(rowsOf(inFullAt(t, r, width), "Gone when the calls take turns: 1"), "\n"), whole)
	}
}

// What is slower by far is not near the threshold, however unsteady.
func TestWhatIsUnsteadyIsNotCalledNear(t *testing.T) {
	q := .5
	unsteady, near := pattern(judge.Violated, "GL22", "MPI_Bcast", "m", 8, 2, 1, 9.44), pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 1.07)
	lo, hi := 1.77, 36.2
	unsteady.Replication, near.Replication, unsteady.RatioLo95, unsteady.RatioHi95 = &q, &q, &lo, &hi
	text := onScreen(t, reportOf(unsteady, near), document.Page{Width: 120})
	should.Contain(t, text, "VIOLATED: 1 near the threshold, 1 unsteady, of 2 tests.")
	should.Equal(t, strings.Join(rowsOf(text, "Not sure"), "\n"), "1 near the threshold Reduce 8 B 1.07× [1.07, 1.07]\n1 unsteady Bcast 8 B 9.44× [1.77, 36.2]")
}

func TestWhatIsFasterIsTheFunctionItselfOrOthers(t *testing.T) {
	monotony := pattern(judge.Violated, "GL1", "MPI_Gather", "", 1, 2, 1, 2)
	monotony.Type, monotony.MsizeOther = guidelines.Monotony, 64
	split := pattern(judge.Violated, "GL2", "MPI_Reduce", "", 256<<10, 20, 1, 1.25)
	split.Type, split.MsizeOther, split.K = guidelines.Split, 16<<10, 16
	for _, c := range []struct {
		verdicts []analyze.Verdict
		want     string
	}{
		{[]analyze.Verdict{pattern(judge.Violated, "DT1", "MPI_Bcast/vector", "MPI_Bcast/vector/packed", 1, 2, 1, 2)}, "1 B 2.00 µs 1.00 µs 2.00× [2.00, 2.00] Pack + Bcast + Unpack [DT1]"},
		{[]analyze.Verdict{pattern(judge.Violated, "V2", "MPI_Allgatherv/linear", "MPI_Allgatherv/linear/gatherv+bcast", 1, 2, 1, 2)}, "1 B 2.00 µs 1.00 µs 2.00× [2.00, 2.00] Gatherv(n, linear) + Bcast [V2]"},
		{[]analyze.Verdict{pattern(judge.Violated, "NB6", "MPI_Neighbor_alltoall", "MPI_Neighbor_alltoall/isend+irecv", 1, 2, 1, 2)}, "1 B 2.00 µs 1.00 µs 2.00× [2.00, 2.00] 2·Isend + 2·Irecv + Waitall [NB6]"},
		{[]analyze.Verdict{monotony}, "1 B 2.00 µs 1.00 µs 2.00× [2.00, 2.00] itself at 64 B [GL1]"},
		{[]analyze.Verdict{split}, "256 KiB 20.0 µs 16.0 µs 1.25× [1.25, 1.25] 16 calls of 16 KiB [GL2]"},
	} {
		text := onScreen(t, reportOf(c.verdicts...), document.Page{})
		got := rowsOf(text, "Too slow")
		should.Hold(t, len(got) == 1 && strings.HasSuffix(got[0], " "+c.want), "%q, want %q\n%s", got, c.want, text)
	}
}

func TestARowAgreesWithItself(t *testing.T) {
	// The medians over all mpiruns say 2, the mpiruns that were compared 3.
	r := reportOf(pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 6, 3, 3), pattern(judge.Undecided, "GL8", "MPI_Reduce", "reduce_as_allreduce", 16, 6, 3, 3))
	r.Verdicts[1].RunsNeeded = &judge.RunsNeeded{R: 24, Limit: 1000}
	full := inFull(t, r)
	should.Equal(t, len(regexp.MustCompile(`6\.00 µs +2\.00 µs +3\.00×`).FindAllString(full, -1)), 3, "rows of three agree with themselves: %s", full)
}

func TestOnlySuspectedSplitsAreNoTestsOnTheScreen(t *testing.T) {
	q := .5
	near := pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 1.07)
	near.Replication = &q
	suspected := near
	suspected.Verdict, suspected.Msize, suspected.Replication, suspected.Guideline = judge.Suspected, 16, nil, "GL2"
	text := onScreen(t, reportOf(near, suspected), document.Page{})
	should.Contain(t, text, "of 1 test.", "1 near the threshold  Reduce 8 B   1.07× [1.07, 1.07]\n", "Suspected  1 split, by medians and without a test: GL2 Reduce 16 B 1.07×")
	should.Hold(t, !strings.Contains(text, "Sure"), "nothing is sure:\n%s", text)
}

func TestStatesOfTheMachineAreSilentWhereNothingDependsOnThem(t *testing.T) {
	r := reportOf(pattern(judge.Kept, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 1))
	for ratio, want := range map[float64]string{0.92: "", 1.19: "", 1.21: "1.00× to 1.21×", 0.8: "0.80× to 1.00×"} {
		r.States = []medians.State{{Shape: "p2", Name: "1", Mpiruns: []int{1, 2}}, {Shape: "p2", Name: "2", Mpiruns: []int{3}, Ratio: &ratio}}
		text := onScreen(t, r, document.Page{})
		should.Hold(t, strings.Contains(text, "in which calls take "+want) == (want != ""), "%g:\n%s", ratio, text)
		should.Hold(t, strings.Contains(inFull(t, r), fmt.Sprintf("of the machine: state 1 in 2 mpiruns, state 2 in 1 (calls take %.2f× as long)", ratio)) == (want != ""), "%g", ratio)
	}
	r.Verdicts[0].ByState, r.Verdicts[0].ByStateTold, r.Verdicts[0].Runs = analyze.InStates{{State: "1"}}, true, 10
	r.States[1].Ratio = nil
	should.Contain(t, onScreen(t, r, document.Page{}), "1 answer depends on them")
}

func TestWhatIsProbablySlowerComesFirstByRatio(t *testing.T) {
	undecided := func(size int64, ratio, lo float64) analyze.Verdict {
		v := pattern(judge.Undecided, "GL16", "MPI_Scan", "scan_as_exscan+reduce_local", size, 2, 1, ratio)
		v.RatioLo95, v.RunsNeeded = &lo, &judge.RunsNeeded{R: 24, Limit: 1000}
		return v
	}
	r := reportOf(undecided(8, 1.5, 1.01), undecided(16, 3, 0.9), undecided(32, 2, 1.2))
	r.RunsNeededHalf = &judge.Half{R: 24, Decides: 2}
	r.Verdicts[0].Runs = 10
	full := inFull(t, r)
	want := []string{"GL16 Scan p2 32 B 2.00 µs 1.00 µs 2.00× [1.20, 2.00] 24 -", "GL16 Scan p2 8 B 2.00 µs 1.33 µs 1.50× [1.01, 1.50] 24 -", "GL16 Scan p2 16 B 2.00 µs 667 ns 3.00× [0.90, 3.00] 24 -"}
	got := rowsOf(full, "Undecided: 3 tests, neither violated nor kept is shown; probably slower: 2")
	should.Hold(t, fmt.Sprint(got) == fmt.Sprint(want), "%q\n%s", got, full)
	should.Hold(t, strings.Contains(strings.Join(strings.Fields(full), " "), "A new check with --mpiruns 24 would probably decide about 2 of them; this one has made 10."), "%s", full)
	r.Verdicts[1].Runs = 24
	should.Hold(t, !strings.Contains(inFull(t, r), "A new check with"), "the check has as many mpiruns for another test")
}

func TestDisturbedMpirunsAreNamed(t *testing.T) {
	r := reportOf(pattern(judge.Kept, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 1))
	for run := 1; run <= 8; run++ {
		r.SlowMpiruns = append(r.SlowMpiruns, medians.SlowMpirun{Shape: "p2", Run: run, Share: 0.5, Ratio: 1.5})
	}
	text := onScreen(t, r, document.Page{}) + inFull(t, r)
	should.Contain(t, text, "Disturbed  8 of 10 mpiruns were slow throughout", "Disturbed: 8 of 10 mpiruns were slow throughout\n- mpirun 1 of p2 (50 % of its cases, 1.50× in their median)", "- and 2 more")
}

func TestTheLastLinesSayHowItEndedAndWhatToRunNext(t *testing.T) {
	r := reportOf(pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 2), pattern(judge.Undecided, "GL8", "MPI_Reduce", "m", 16, 2, 1, 2),
		pattern(judge.Kept, "GL8", "MPI_Reduce", "m", 32, 2, 1, 2), pattern(judge.NotSuspected, "GL2", "MPI_Reduce", "m", 32, 2, 1, 2))
	kept := reportOf(r.Verdicts[2])
	gone := reportOf(r.Verdicts[0])
	gone.Verdicts[0].Standing = analyze.GoneInTurns // nothing to mend for a program
	ended := func(r *analyze.Report, dir string, written ...string) string {
		return strings.Join(Reports.Document(r).Ended(r.ExitCode(), phrase.When(dir != "", "pgmpi analyze %s", conf.Folder(dir)), dir, written...), "\n")
	}
	for want, got := range map[string]string{
		"Exit 1: 1 violated, 1 undecided, 1 kept, 1 not suspected; not tried: `pgmpi check --only textbook`\n" + `Why:      pgmpi analyze 'my out' --explain violated
Mend it:  pgmpi remedy 'my out'
All:      pgmpi analyze 'my out' --full
'my out'`: ended(r, "my out/", "my out/", ""),
		"Exit 0: 0 violated, 1 kept; not tried: `pgmpi check --only textbook`\nAll:      pgmpi analyze out --full\nout\nout/report.html":                        ended(kept, "out", "out", "out/report.html"),
		"Exit 1: 1 violated; not tried: `pgmpi check --only textbook`\nWhy:      pgmpi analyze out --explain violated\nAll:      pgmpi analyze out --full\nout": ended(gone, "out", "out"),
		"Exit 0: 0 violated, 1 kept":                                          ended(kept, "", "", ""),
		"Exit 0: 0 violated, 2 kept\nAll:      pgmpi analyze out --full\nout": ended(reportOf(r.Verdicts[2], pattern(judge.Kept, guidelines.TextbookID, "MPI_Reduce", "m", 32, 2, 1, 2)), "out", "out"),
	} {
		should.Equal(t, got, want)
	}
}

func TestACommandIsNotOfferedByItself(t *testing.T) {
	d := Reports.Document(reportOf(pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 2)))
	d.Line = "pgmpi analyze out --explain violated"
	text := strings.Join(d.Ended(1, "pgmpi analyze out", "out"), "\n")
	should.Hold(t, !strings.Contains(text, "Why:") && strings.Contains(text, "Mend it:"), "%s", text)
}

func TestWhyIsAskedByTheSettingsOfTheLook(t *testing.T) {
	r := reportOf(pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 2))
	should.Contain(t, strings.Join(Reports.Document(r).Ended(1, "pgmpi analyze out --alpha 0.01", "out"), "\n"),
		"Why:      pgmpi analyze out --alpha 0.01 --explain violated\n", "All:      pgmpi analyze out --alpha 0.01 --full")
}

func TestAScreenWithTwoFindingsFitsATerminal(t *testing.T) {
	r := reportOf(pattern(judge.Violated, "GL16", "MPI_Scan", "scan_as_exscan+reduce_local", 65536, 26, 13, 1.9), pattern(judge.Violated, "GL9", "MPI_Reduce_scatter", "reduce_scatter_as_allreduce", 8, 2, 1, 1.2),
		pattern(judge.Undecided, "GL8", "MPI_Reduce", "reduce_as_allreduce", 16, 2, 1, 2))
	r.Host, r.Created, r.WallClockS, r.Datatype, r.Op = "login1", "2026-11-23T06:40:44Z", 213, "double", "sum"
	r.SlowMpiruns = []medians.SlowMpirun{{Shape: "p2", Run: 1, Share: 0.5, Ratio: 1.5}}
	r.States = []medians.State{{Shape: "p2", Name: "1", Mpiruns: []int{1, 2, 3}, By: medians.ByLine, Ratio: new(float64)}, {Shape: "p2", Name: "2", Mpiruns: []int{4, 5, 6}, By: medians.ByLine, Ratio: &r.WallClockS}}
	*r.States[0].Ratio = 1
	text := onScreen(t, r, document.Page{Width: document.LeastWidth}) + strings.Join(Reports.Document(r).Ended(1, "pgmpi analyze out", "out", "out"), "\n") + "\n"
	should.Hold(t, strings.Count(text, "\n") <= 24, "%d lines:\n%s", strings.Count(text, "\n"), text)
	should.Contain(t, strings.Join(strings.Fields(text), " "), "double/sum, 10 mpiruns in 3 min 33 s on login1, 2026-11-23.", "States of the machine", "1 of 10 mpiruns was slow")
}

func TestWhatACallIsComparedWith(t *testing.T) {
	for _, c := range []struct {
		of          guidelines.Type
		mockup      string
		size, other int64
		want        string
	}{
		{guidelines.Monotony, "", 64, 128, "itself at 128 B"},
		{guidelines.Split, "", 256 << 10, 16 << 10, "16 calls of 16 KiB"},
		{guidelines.Split, "", 10, 4, "3 calls of 4 B"},
		{guidelines.Split, "", 64, 0, "calls of smaller sizes"},
		{guidelines.Split, "", 64, 64, "calls of smaller sizes"},
		{guidelines.Pattern, "scan_as_exscan+reduce_local", 8, 8, "Exscan + Reduce_local"},
	} {
		should.Equal(t, Rival(c.of, c.mockup, c.size, c.other), c.want)
	}
}

func TestAScreenHasTenLinesOfLossesAndCountsTheRest(t *testing.T) {
	for n, want := range map[int]string{10: "", 12: "2 rows more with --full."} {
		var verdicts []analyze.Verdict
		for i := range n {
			verdicts = append(verdicts, pattern(judge.Violated, "GL8", fmt.Sprint("MPI_Call", i), "reduce_as_allreduce", 8, 20, 1, 20))
		}
		r := reportOf(verdicts...)
		text := onScreen(t, r, document.Page{})
		rows := strings.Count(text, "Allreduce [GL8]")
		should.Hold(t, rows == 10 && strings.Contains(text, "more with") == (want != "") && strings.Contains(text, want), "%d: %s", n, text)
		should.Equal(t, len(rowsOf(inFull(t, r), "Too slow")), 2*n)
	}
}

// A default check asks eleven collectives at 21 sizes.
func TestTheScreenOfADefaultCheckHasFortyLinesAt80Columns(t *testing.T) {
	other := func(ratio float64, verdict judge.Verdict, malloc string) *analyze.Elsewhere {
		lo, hi := ratio*.9, ratio*1.1
		return &analyze.Elsewhere{Alone: analyze.Alone{Mpiruns: 8, Effect: analyze.Effect{Ratio: &ratio, RatioLo95: &lo, RatioHi95: &hi}, Verdict: verdict}, Malloc: malloc}
	}
	var verdicts []analyze.Verdict
	for i, of := range []struct{ name, mockup string }{
		{"MPI_Scan", "scan_as_exscan+reduce_local"}, {"MPI_Reduce_scatter_block", "reduce_scatter_block_as_reduce+scatter"}, {"MPI_Reduce_scatter", "reduce_scatter_as_reduce+scatterv"},
		{"MPI_Reduce", "reduce_as_reduce_scatter_block+gather"}, {"MPI_Allgather", "allgather_as_gather+bcast"}, {"MPI_Allreduce", "allreduce_as_reduce+bcast"},
	} {
		for k := range 21 {
			v := pattern(judge.Violated, "GL16", of.name, of.mockup, 1<<k, float64(100-i), 10, 4)
			switch k % 7 {
			case 1:
				v.Alternating = other(.8, judge.Kept, "")
			case 2:
				v.OtherMalloc = other(1.01, judge.Kept, protocol.MallocSettled)
			case 3:
				v.Alternating = other(1.1, judge.Undecided, "")
			case 4:
				v.OtherMalloc = other(1.1, judge.Undecided, protocol.MallocSettled)
			case 0, 5:
				v.Alternating, v.OtherMalloc = other(2, judge.Violated, ""), other(1.5, judge.Violated, protocol.MallocSettled)
			case 6:
				v.Verdict = judge.Undecided
			}
			verdicts = append(verdicts, v)
		}
	}
	r := reportOf(verdicts...)
	r.Host, r.Created, r.WallClockS, r.Datatype, r.Op = "login1", "2026-11-23T06:40:44Z", 213, "double", "sum"
	r.RunsNeededHalf = &judge.Half{R: 42, Decides: 9}
	r.SlowMpiruns = []medians.SlowMpirun{{Shape: "p2", Run: 1, Share: 0.5, Ratio: 1.5}}
	text := onScreen(t, r, document.Page{Width: document.LeastWidth}) + strings.Join(Reports.Document(r).Ended(1, "pgmpi analyze out", "out", "out"), "\n") + "\n"
	should.Hold(t, strings.Count(text, "\n") <= 40, "%d lines:\n%s", strings.Count(text, "\n"), text)
	should.Contain(t, text, "▐", "block", "rows more with --full", "not shown otherwise", "malloc settled")
	for line := range strings.Lines(text) {
		should.Hold(t, utf8.RuneCountInString(strings.TrimRight(line, "\n")) <= document.LeastWidth, "%s", line)
	}
}

// Two calls of one size differ in what they reduce.
func TestRowsNameTheElementsThatOnlySomeCallsHave(t *testing.T) {
	plain := pattern(judge.Violated, "GL8", "MPI_Reduce", "reduce_as_allreduce", 8, 2, 1, 2)
	max := plain
	max.Elements = "int/max"
	rows := lossRows(reportOf(plain, max), func(*analyze.Verdict) bool { return true }, byDefault)
	must.Hold(t, len(rows) == 2, "%+v", rows)
	should.Equal(t, rows[0].group, "Reduce")
	should.Equal(t, rows[1].group, "Reduce int/max")
}

func TestTheGlossaryHasEveryReasonAndEveryState(t *testing.T) {
	glossary := strings.ToLower(string(must.Get(os.ReadFile("../../../docs/glossary.md"))(t)))
	for _, s := range standings {
		should.Contain(t, glossary, s.words)
	}
	for _, w := range gateWords {
		should.Contain(t, glossary, w.short)
	}
}

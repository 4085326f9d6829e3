package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/fail"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/remark"
	"pgmpi/measure/protocol"
)

func answer(r *analyze.Report) []document.Section {
	title, tone := headline(r)
	s := document.Titled("%s.", title)
	s.Tone = tone
	s.Say("%s.", setting(r))
	return []document.Section{s}
}

func countVerdicts(r *analyze.Report) map[judge.Verdict]int {
	count := map[judge.Verdict]int{}
	for i := range r.Verdicts {
		count[r.Verdicts[i].Verdict]++
	}
	return count
}

func tests(r *analyze.Report) string { return conf.Plural(r.Tests(), "test") }

// rated tells whether any violation has a probability of replication.
func rated(r *analyze.Report) bool {
	return slices.ContainsFunc(r.Verdicts, func(v analyze.Verdict) bool { return v.Replication != nil })
}

func stands(as analyze.Standing) func(v *analyze.Verdict) bool {
	return func(v *analyze.Verdict) bool { return v.Standing == as }
}

// standings lists what a violation may be besides sure, what depends on a condition first.
var standings = []struct {
	as    analyze.Standing
	words string
}{
	{analyze.GoneInTurns, "gone when the calls take turns"},
	{analyze.OneMalloc, "only with fresh malloc"},
	{analyze.Smaller, "smaller alternating"},
	{analyze.NotShown, "not shown otherwise"},
	{analyze.NearLimit, "near the threshold"},
	{analyze.Unsteady, "unsteady"},
}

// inWords says how far a violation is shown. Which state of malloc it needs differs.
func inWords(v *analyze.Verdict) string {
	for _, s := range standings {
		if s.as == analyze.OneMalloc && v.OtherMalloc != nil && v.OtherMalloc.Malloc == string(protocol.MallocFresh) {
			s.words = "only with settled malloc"
		}
		if s.as == v.Standing {
			return s.words
		}
	}
	return phrase.When(v.Standing == analyze.Sure, "sure")
}

// violated counts what was found: "29 sure, 22 near the threshold, of 566 tests", "2 of 67 tests".
func violated(r *analyze.Report) string {
	sure := len(r.Where(stands(analyze.Sure)))
	counts := phrase.When(sure > 0, "%d%s", sure, phrase.When(rated(r), " sure"))
	kinds := notSureKinds(r)
	if !rated(r) && len(kinds) == 0 {
		return fmt.Sprintf("%d of %s", sure, tests(r))
	}
	conditional := lists.Keep(kinds, func(of []*analyze.Verdict) bool { return of[0].Standing.Conditional() })
	if len(conditional) > 1 { // their table has each
		counts = phrase.List(", ", counts, fmt.Sprintf("%d not under every condition", len(slices.Concat(conditional...))))
		kinds = kinds[len(conditional):]
	}
	for _, of := range kinds {
		counts = phrase.List(", ", counts, fmt.Sprintf("%d %s", len(of), inWords(of[0])))
	}
	return counts + ", of " + tests(r)
}

func headline(r *analyze.Report) (string, picture.Tone) {
	count := countVerdicts(r)
	switch {
	case len(r.Wrong) > 0 && r.Gate != nil:
		return Faults(r.Wrong) + "; " + gateVerdict(r), picture.Slow
	case len(r.Wrong) > 0:
		return fmt.Sprintf("%s; violated: %s", Faults(r.Wrong), violated(r)), picture.Slow
	case r.NotJudged() != "":
		return fail.NotJudged(r.NotJudged()), picture.Open
	case r.Gate == nil && r.SeenOnce != "" && count[judge.SeenOnce] == 0:
		return fmt.Sprintf("NOTHING SEEN in %s, no ratio of %g or more%s; %s", tests(r), r.MinSlowdown,
			phrase.When(len(tooFast(r)) > 0, " but of averages"), r.SeenOnce), picture.Open
	case r.Gate == nil && r.SeenOnce != "":
		return fmt.Sprintf("SEEN ONCE: a ratio of %[3]g or more in %[1]d of %[2]s; %[4]s", count[judge.SeenOnce], tests(r), r.MinSlowdown, r.SeenOnce), picture.Open
	case r.Gate != nil && r.Gate.Alarms > 0:
		return gateVerdict(r), picture.Slow
	case r.Gate != nil:
		return gateVerdict(r), picture.Plain
	case count[judge.Violated] > 0:
		return "VIOLATED: " + violated(r), picture.Slow
	}
	return fmt.Sprintf("No violation found in %s, %d shown to be kept", tests(r), count[judge.Kept]), picture.Plain
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
	noReturn := slices.ContainsFunc(r.Wrong, func(c analyze.CaseMessage) bool { return c.Did() != "gave wrong data" })
	return "wrong data" + phrase.When(noReturn, " or no return")
}

func setting(r *analyze.Report) string {
	took := phrase.When(r.WallClockS > 0, " in %s", phrase.Rounded(phrase.InSeconds(r.WallClockS)))
	return SetUp(r.Library, Processes(r.Shapes), r.Operation, conf.Plural(r.R, "mpirun")+took, r.Host, r.Created)
}

// Processes names the shapes of a measurement: "2 processes", "2 and 4 (2x2) processes".
func Processes(list []analyze.Shape) string {
	shapes := lists.Map(list, func(s analyze.Shape) string {
		return fmt.Sprintf("%d%s", s.NP, phrase.When(s.Nodes > 0, " (%s)", s.Name))
	})
	one := len(list) == 1 && list[0].NP == 1
	return strings.Join(shapes, " and ") + phrase.Either(one, " process", " processes")
}

// LibraryName returns a library with its version: "MPICH 4.0.2".
func LibraryName(l analyze.Library) string {
	return phrase.Fit(strings.Join(strings.Fields(strings.Replace(phrase.ShortVersion(l.Version), " Version:", "", 1)), " "), 60)
}

// SetUp puts a measurement on one line: "MPICH 4.0.2, 2 processes, double/sum, 24 mpiruns in 38 s
// on n1, 2026-11-23". It leaves out what is "".
func SetUp(library analyze.Library, processes string, o analyze.Operation, mpiruns, host, created string) string {
	day, _, _ := strings.Cut(created, "T")
	return cmp.Or(LibraryName(library), "Unknown MPI library") + phrase.When(processes != "", ", %s", processes) + phrase.When(o.Datatype != "", ", %s", o.Elements()) + ", " +
		mpiruns + phrase.When(host != "", " on %s", host) + phrase.When(day != "", ", %s", day)
}

func FolderSetUp(f analyze.ComparedFolder, processes string, o analyze.Operation) string {
	return SetUp(f.Library, processes, o, conf.Plural(f.R, "mpirun"), f.Host, f.Created)
}

func FolderFact(s *document.Section, name string, f analyze.ComparedFolder, o analyze.Operation) {
	s.Fact(name, "%s: %s", f.Folder, FolderSetUp(f, "", o))
}

// Warnings lists remarks on a comparison; their text names their place.
func Warnings(list []remark.Remark) []document.Section {
	return document.Listed("Remarks", list, len(list), "", func(w remark.Remark) string { return w.Text + phrase.When(w.Remedy != "", "; %s", w.Remedy) })
}

func Within(test judge.TestName) string {
	t := judge.Get(test)
	return phrase.When(t != nil && t.Paired, " within mpiruns")
}

var AdjustNames = map[judge.Adjust]string{
	judge.AdjustBH:   "adjusted by Benjamini-Hochberg",
	judge.AdjustHolm: "adjusted by Holm",
	judge.AdjustNone: "not adjusted",
}

func effect(e analyze.Effect) string {
	return phrase.RatioIn(e.Ratio, e.RatioLo95, e.RatioHi95)
}

func reportExit(r *analyze.Report) error {
	switch r.ExitCode() {
	case exitcode.Violated:
		return fail.ErrFound
	case exitcode.Failed:
		w := r.Wrong[0]
		return fail.Above(fmt.Errorf("%s at %s %s (%s). Leave it out with", w.Function, conf.HumanSize(w.Msize), w.Did(), w.Message),
			"exclude = ["+phrase.Join(", ", "%q", r.Exclude)+"]")
	case exitcode.NoVerdict:
		switch {
		case r.Refused != nil:
			return &fail.Refused{Reason: r.Refused.Reason}
		case len(r.Verdicts) == 0:
			return &fail.Refused{Reason: "no verdict: nothing was tested"}
		}
		if len(r.Incomplete) == 0 && r.CannotAlarm() {
			return &fail.Refused{Reason: "no test can alarm: " + r.SeenOnce}
		}
		return &fail.Refused{Reason: fmt.Sprintf("no verdict for %s, for lack of valid run medians; see the report", conf.Plural(len(r.Incomplete), "planned test"))}
	}
	return nil
}

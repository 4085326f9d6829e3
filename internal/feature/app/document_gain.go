package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/analyze/series"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/feature/remedy"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/tuning"
)

const GainSchema = "pgmpi-gain/1"

// GainResult says how much a check and a remedy let a program gain. Times are seconds of the run-time, of a mean
// rank.
type GainResult struct {
	Schema      string  `json:"schema"` // GainSchema
	Check       string  `json:"check"`  // the results folder
	Profile     string  `json:"profile"`
	Program     string  `json:"program"`
	Library     string  `json:"library"`
	WallS       float64 `json:"wall_s"`
	CollectiveS float64 `json:"collective_s"`
	WaitingS    float64 `json:"waiting_s"` // at least, for late ranks
	CoveredS    float64 `json:"covered_s"` // in calls that the check has measured
	NeedsS      float64 `json:"needs_s"`   // of CoveredS: as many calls take so long in the check
	RestS       float64 `json:"rest_s"`    // of CollectiveS: waiting for ranks or a core, and calls that are slower than in the check
	Setting     Saved   `json:"setting"`   // proved by the remedy, less SetUp
	Mockup      Saved   `json:"mockup"`    // in addition, where only a mock-up is faster
	// SetUp is by how much a run takes longer to set up under the remedy's setting, null if that is not shown.
	SetUp *series.SetUp `json:"set_up"`
	// AtMostS limits the gain of calls that are not shown to be too slow. It goes by the upper ends of their
	// intervals.
	AtMostS  float64       `json:"at_most_s"`
	Calls    []GainCall    `json:"calls"`    // of the profile, the longest first
	Findings []GainFinding `json:"findings"` // the largest first
	// OtherS is the time in calls of MPI of which a check tells nothing, OtherMostS what calls of the class Other have of it.
	OtherS     float64 `json:"other_s"`
	OtherMostS float64 `json:"other_most_s"`
	Other      string  `json:"other"`
	// MessagesS is the time in messages of sizes that the check has measured, Messages what some of them would gain.
	MessagesS     float64        `json:"messages_s"`
	MessagesNeedS float64        `json:"messages_need_s"` // about: as many in the check, at both ends
	Messages      []GainMessages `json:"messages"`        // the largest first
	Trades        []GainTrade    `json:"trades"`          // of the remedy, which sets none
	Notes         []string       `json:"notes"`
	Under         string         `json:"under,omitempty"` // the folder of the setting of AB, or "" for the remedy's
	AB            *ProgramAB     `json:"ab,omitempty"`
}

// Saved holds seconds with bounds. The bounds allow for the 95 % interval of the factor, and for the work in a
// call, which takes from its least time to the mean of the rank that spends least.
type Saved struct {
	S  float64 `json:"s"`
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

func (s *Saved) Add(o Saved) { s.S, s.Lo, s.Hi = s.S+o.S, s.Lo+o.Lo, s.Hi+o.Hi }

// limit lets nothing be more than a run-time: a sum over calls may be, as each is taken at its slowest rank.
func (s *Saved) limit(wall float64) {
	s.S, s.Lo, s.Hi = min(s.S, wall), min(s.Lo, wall), min(s.Hi, wall)
}

// GainCall says what the time of one kind of the program's calls goes into.
type GainCall struct {
	Function     string   `json:"function"`
	Bytes        int64    `json:"bytes"`
	Uneven       bool     `json:"uneven"`
	Processes    int      `json:"processes"`
	Communicator string   `json:"communicator"`
	Datatype     string   `json:"datatype"`
	Op           string   `json:"op"`
	Root         int      `json:"root"`  // -1: several
	Calls        float64  `json:"calls"` // of a mean rank
	RuntimeS     float64  `json:"runtime_s"`
	NeedsS       *float64 `json:"needs_s"` // null where the check does not tell
}

// GainTrade weighs a trade of a remedy by what the program calls.
type GainTrade struct {
	What   string `json:"what"`
	Folder string `json:"folder"` // of its env.sh
	Saved  Saved  `json:"saved"`  // negative if it costs the program time
	Faster int    `json:"faster"` // kinds of the program's calls
	Slower int    `json:"slower"`
}

func (t *GainTrade) text(g *GainResult) string {
	if t.Faster+t.Slower == 0 {
		return fmt.Sprintf("A trade, unset: %s changes none of its collectives that the check has measured", t.What)
	}
	calls := fmt.Sprintf("with %d of its calls faster and %d slower", t.Faster, t.Slower)
	if t.Saved.S < 0 {
		cost := Saved{0 - t.Saved.S, 0 - t.Saved.Hi, 0 - t.Saved.Lo} // 0 - 0 has no sign
		return fmt.Sprintf("A trade, unset: %s would cost %s, %s", t.What, cost.percent(g.WallS), calls)
	}
	return fmt.Sprintf("A trade, unset: %s would gain %s, %s; `. %s` sets it", t.What, t.Saved.percent(g.WallS), calls,
		conf.Quote(filepath.Join(t.Folder, tuning.EnvFile)))
}

// percent writes the share of a run-time, with the interval: "2.1 % [1.6, 2.7]".
func (s Saved) percent(wall float64) string {
	return fmt.Sprintf("%s [%.1f, %.1f]", phrase.Percent(s.S/wall), 100*s.Lo/wall, 100*s.Hi/wall)
}

type GainFinding struct {
	Function  string  `json:"function"`
	Bytes     int64   `json:"bytes"` // as the program calls it
	Processes int     `json:"processes"`
	Calls     float64 `json:"calls"`   // of a mean rank
	RuntimeS  float64 `json:"runtime"` // in them, at the slowest rank where ranks have different work
	Msize     int64   `json:"msize"`   // as the check measured it
	By        string  `json:"by"`      // what is set, or the mock-up
	Mockup    string  `json:"mockup,omitempty"`
	Ratio     float64 `json:"ratio"` // how many times faster
	RatioLo   float64 `json:"ratio_lo95"`
	RatioHi   float64 `json:"ratio_hi95"`
	// AfterS is the time of a call under By in the check or the remedy, in seconds; null where another state of
	// malloc was timed.
	AfterS *float64 `json:"after_s"`
	Saved  Saved    `json:"saved"`
	// Why says why it is not counted, or is "" if it is.
	Why string `json:"not_counted,omitempty"`
}

// ProgramAB compares alternating runs of the program. Ratios are run-time without over run-time with.
type ProgramAB struct {
	WithoutS []float64 `json:"without_s"`
	WithS    []float64 `json:"with_s"`
	Ratio    float64   `json:"ratio"`
	RatioLo  float64   `json:"ratio_lo95"`
	RatioHi  float64   `json:"ratio_hi95"`
}

// Seen returns the gain as a part of the run-time, with its 95 % interval.
func (x *ProgramAB) Seen() Saved { return Saved{1 - 1/x.Ratio, 1 - 1/x.RatioLo, 1 - 1/x.RatioHi} }

// plainly says what the runs show where nothing was predicted.
func (x *ProgramAB) plainly() string {
	switch {
	case x.RatioLo > 1:
		return "It is faster; nothing was predicted for this setting."
	case x.RatioHi < 1:
		return "It is SLOWER."
	}
	return fmt.Sprintf("No gain is shown; up to %.1f %% is not excluded.", 100*x.Seen().Hi)
}

// withFull says how much a screen leaves out.
const withFull = "%d more with --full."

// leastGain is the smallest part of a run-time that is worth a word.
const leastGain = .005

// gains makes the documents of `pgmpi gain`.
var gains = document.Kind[GainResult]{Name: "gain", JSON: true,
	Parts: []document.Part[GainResult]{document.Show(document.Screen, func(g *GainResult) []document.Section {
		return slices.Concat(gainAnswer(g), document.Noteless(slices.Concat(gainFindings(g, leastTold), gainCalls(g, 6))))
	}), document.Show(document.Full, func(g *GainResult) []document.Section {
		return slices.Concat(gainAnswer(g), gainFindings(g, 0), gainCalls(g, len(g.Calls)))
	})},
	Ending: func(g *GainResult, _ string) (e document.Ending) {
		next := func(name, format string) {
			e.Next = append(e.Next, document.Label{Name: name, Value: fmt.Sprintf(format, conf.Folder(g.Check), conf.Quote(g.Profile))})
		}
		switch {
		case g.AB != nil || g.Setting.S < 0:
		case g.Setting.Hi+g.messagesAtMostS() >= leastGain*g.WallS:
			next("Try", "pgmpi gain %s %s --ab 10 -- mpirun … ./app")
		case g.trade() != "":
			under := strings.ReplaceAll(conf.Quote(g.trade()), "%", "%%")
			next("Try", "pgmpi gain %s %s --under "+under+" --ab 10 -- mpirun … ./app")
		case g.Mockup.Hi >= leastGain*g.WallS:
			next("Try", "pgmpi apply %s %s -- mpirun … ./app")
		case g.AtMostS >= leastGain*g.WallS:
			e.Next = []document.Label{{Name: "Try", Value: "pgmpi try --with 'NAME=VALUE' -- mpirun … ./app"}}
		}
		return e
	},
	NotJudged: func(g *GainResult) string {
		if g.CoveredS+g.MessagesS == 0 && g.CollectiveS > 0 {
			return fmt.Sprintf("the check has measured none of the calls of %s: `pgmpi check --calls %s` does", g.Program, conf.Quote(g.Profile))
		}
		return ""
	}}

// needs makes the part of a check's answer that is about a program's calls.
var needs = document.Kind[GainResult]{Name: "needs",
	Parts: []document.Part[GainResult]{
		document.Show(document.Screen, func(g *GainResult) []document.Section { return document.Noteless(callsNeed(g, 6)) }),
		document.Show(document.Full, func(g *GainResult) []document.Section { return callsNeed(g, len(g.Calls)) })},
	Ending: func(g *GainResult, folder string) document.Ending {
		if folder == "" {
			return document.Ending{}
		}
		return document.Ending{Next: []document.Label{{Name: "Gain", Value: fmt.Sprintf("pgmpi gain %s %s", folder, conf.Quote(g.Profile))}}}
	}}

func callsNeed(g *GainResult, most int) []document.Section {
	of := gainCalls(g, most)
	if of == nil {
		of = []document.Section{document.Titled("What its calls need")}
	}
	of[0].Title = "What the calls of " + g.Program + " need"
	first := document.Section{}
	sayNeeds(first.Say, g)
	sayMessages(first.Say, g)
	if most := (g.Mockup.Hi + g.AtMostS) / g.WallS; g.CoveredS > 0 {
		first.Say("By these guidelines %s can gain at most %s in its collectives%s.", g.Program, phrase.Percent(most),
			phrase.When(most < leastGain && len(g.Messages) == 0, ": no remedy is worth its time"))
	}
	of[0].Text = append(first.Text, of[0].Text...)
	return of
}

// trade returns the folder of a trade that may let the program gain, or "".
func (g *GainResult) trade() string {
	least := leastGain * g.WallS
	if m := lists.First(g.Messages, func(m GainMessages) bool { return m.Folder != "" && m.AtMostS >= least }); m != nil {
		return m.Folder
	}
	if t := lists.First(g.Trades, func(t GainTrade) bool { return t.Saved.S >= least }); t != nil {
		return t.Folder
	}
	return ""
}

func gainAnswer(g *GainResult) []document.Section {
	s := document.Section{}
	wall, least := phrase.Duration(&g.WallS), leastGain*g.WallS
	set := conf.Quote(filepath.Join(g.Check, remedy.Folder, tuning.EnvFile))
	sayNeeds(s.Say, g)
	more := phrase.When(g.Mockup.Hi >= least, "; %s more only by mock-ups", g.Mockup.percent(g.WallS)) +
		phrase.When(g.CoveredS > 0, "; its other calls at most %s", phrase.Percent(g.AtMostS/g.WallS))
	switch {
	case g.CoveredS+g.MessagesS == 0 && g.CollectiveS > 0:
	case g.Setting.S > 0:
		s.Say("%s would gain %s of %s by `. %s`%s%s%s.", g.Program, g.Setting.percent(g.WallS), wall, set,
			phrase.When(g.Setting.Hi < least, ", which is not worth a try"),
			phrase.When(g.SetUp != nil, "%s, which is taken off", g.SetUp.Longer()), more)
	case g.Setting.S < 0:
		s.Say("Do not use `. %s` for %s: it would take %s longer. Its calls spare %s%s.", set, g.Program,
			Saved{-g.Setting.S, -g.Setting.Hi, -g.Setting.Lo}.percent(g.WallS), phrase.Percent((g.Setting.S+g.SetUp.S)/g.WallS), g.SetUp.Longer())
		s.Tone = picture.Slow
	case g.Mockup.Hi >= least:
		s.Say("%s would gain nothing of %s by a setting%s.", g.Program, wall, more)
	case g.AtMostS >= least:
		s.Say("No gain is shown for %s, but up to %s of its %s is not excluded.", g.Program, phrase.Percent(g.AtMostS/g.WallS), wall)
		s.Tone = picture.Open
	case g.messagesAtMostS() >= least:
		s.Say("No gain is shown for the collectives of %s in %s, but its messages may gain.", g.Program, wall)
		s.Tone = picture.Open
	case g.trade() != "":
		s.Say("No gain is shown for %s in %s without harm to other calls; a trade may be worth it.", g.Program, wall)
		s.Tone = picture.Open
	case len(g.Findings) > 0 && g.Mockup.Hi == 0:
		s.Say("No gain is shown for %s in %s: no finding of the check applies to its calls (see below).", g.Program, wall)
	case g.CoveredS > 0:
		s.Say("Change no setting: by these guidelines the measured collectives of %s can gain at most %s of %s.", g.Program,
			phrase.Percent((g.Mockup.Hi+g.AtMostS)/g.WallS), wall)
	default:
		s.Say("Change no setting: none of the measured messages of %s is shown to be too slow.", g.Program)
	}
	sayMessages(s.Say, g)
	if x := g.AB; x != nil {
		s.Say("%s", gainSeen(g, x))
	}
	for i := range g.Trades {
		s.Say("%s.", g.Trades[i].text(g))
	}
	if c := g.longestWait(); c != nil {
		s.Say("To spare more, look for uneven work or busy cores: %s of %s waits %s.", phrase.Function(c.Function), conf.HumanSize(c.Bytes),
			phrase.Percent((c.RuntimeS-*c.NeedsS)/g.WallS))
	}
	for _, n := range g.Notes {
		s.Say("Note: %s.", n)
	}
	return []document.Section{s}
}

// sayNeeds tells what the library needs from the rest, in collectives, messages and all else.
func sayNeeds(say func(string, ...any), g *GainResult) {
	say("%s", needed(g))
	if g.MessagesS >= leastGain*g.WallS {
		say("%s in messages of measured sizes: %s is what the library needs, the rest is waiting%s.", phrase.Percent(g.MessagesS/g.WallS), about(g.MessagesNeedS/g.WallS),
			phrase.When(len(g.Messages) == 0, "; none is shown to be too slow"))
	}
	if g.OtherS >= leastGain*g.WallS {
		rest := g.OtherS - g.OtherMostS
		say("%s in other calls of MPI, which no check measures: %s %s%s.", phrase.Percent(g.OtherS/g.WallS),
			phrase.Percent(g.OtherMostS/g.WallS), g.Other, phrase.When(rest >= leastTold*g.WallS, ", %s others", phrase.Percent(rest/g.WallS)))
	}
}

// longestWait returns the call that waits longest, if that is worth a word: a fiftieth of the run-time.
func (g *GainResult) longestWait() (most *GainCall) {
	longest := .02 * g.WallS
	for i, c := range g.Calls {
		if c.NeedsS != nil && c.RuntimeS-*c.NeedsS >= longest {
			most, longest = &g.Calls[i], c.RuntimeS-*c.NeedsS
		}
	}
	return most
}

// needed tells the time in collectives that the library needs from the rest, as far as the check tells.
func needed(g *GainResult) string {
	if g.CollectiveS == 0 {
		return fmt.Sprintf("No time of %s in blocking collectives.", phrase.Duration(&g.WallS))
	}
	wall, collective := phrase.Duration(&g.WallS), phrase.Percent(g.CollectiveS/g.WallS)
	text := fmt.Sprintf("%s of %s in blocking collectives: ", collective, wall)
	if g.OtherS > 0 {
		all := (g.CollectiveS + g.MessagesS + g.OtherS) / g.WallS
		text = fmt.Sprintf("MPI takes %s of %s, blocking collectives %s: ", phrase.Percent(all), wall, collective)
	}
	if g.CoveredS == 0 {
		return text + fmt.Sprintf("the check has measured none of these calls; at least %s is waiting for late ranks.", phrase.Percent(g.WaitingS/g.WallS))
	}
	untold := max(0, g.CollectiveS-g.NeedsS-g.RestS)
	return text + fmt.Sprintf("%s is what the library needs, %s is waiting%s.", phrase.Share(g.NeedsS/g.WallS),
		phrase.Share(g.RestS/g.WallS), phrase.When(untold >= leastTold*g.WallS, ", and of %s the check does not tell", phrase.Share(untold/g.WallS)))
}

const leastTold = .0005 // of a run-time

// about writes the share of an estimate.
func about(x float64) string {
	text := phrase.Share(x)
	return phrase.When(!strings.HasPrefix(text, "less"), "about ") + text
}

// gainCalls shows what the time of the program's calls goes into.
func gainCalls(g *GainResult, most int) []document.Section {
	if g.CoveredS == 0 {
		return nil
	}
	s := document.Titled("What its calls need")
	s.Table = &document.Table{Head: []string{"call", "on", "size", "calls", "run-time", "needs", "waits"}, Align: "lllrrrr"}
	for _, c := range g.Calls[:min(most, len(g.Calls))] {
		needs, waits := "-", "-"
		if c.NeedsS != nil {
			needs, waits = phrase.Share(*c.NeedsS/g.WallS), phrase.Share((c.RuntimeS-*c.NeedsS)/g.WallS)
		}
		s.Table.Add(phrase.Function(c.Function), on(c.Processes, c.Communicator)+withRoot(c.Root), phrase.When(c.Uneven, "≥ ")+conf.HumanSize(c.Bytes),
			fmt.Sprintf("%.0f", c.Calls), phrase.Share(c.RuntimeS/g.WallS), needs, waits)
	}
	if left := len(g.Calls) - most; left > 0 {
		s.Say(withFull, left)
	}
	s.Notes = []string{"needs: the calls times their median in the check. waits: the rest of their run-time: waiting for late ranks or for a core, " +
		"and time by which calls are slower in the program than in the check, such as with cold caches. -: the check does not tell."}
	return []document.Section{s}
}

// gainSeen puts what the runs show next to the prediction, and says which to believe.
func gainSeen(g *GainResult, x *ProgramAB) string {
	seen, n := x.Seen(), len(x.WithS)
	part, than := seen, "less"
	if seen.S < 0 {
		part, than = Saved{-seen.S, -seen.Hi, -seen.Lo}, "more"
	}
	text := fmt.Sprintf("Seen: %s %s run-time in %s. ", part.percent(1), than, conf.Plural(n, "alternating pair"))
	lo, hi := g.Setting.Lo/g.WallS, g.Setting.Hi/g.WallS
	more := min(1, hi+(g.AtMostS+g.messagesAtMostS())/g.WallS)
	if g.Under != "" {
		return fmt.Sprintf("With %s: %s%s", g.Under, strings.ToLower(text[:1])+text[1:], x.plainly())
	}
	switch {
	case seen.Lo > 0 && lo <= seen.Hi && seen.Lo <= hi:
		return text + "The prediction agrees: believe the gain."
	case hi < leastGain && seen.Lo <= 0 && seen.Hi >= 0:
		return text + fmt.Sprintf("No gain is seen, as none was predicted; up to %.1f %% is not excluded.", 100*seen.Hi)
	case seen.Hi < 0:
		return text + "It is SLOWER with the setting: believe these runs, and do not use it for this program."
	case seen.Lo > max(0, hi) && seen.Lo <= more:
		return text + fmt.Sprintf("That is more than was shown, but up to %s was not excluded: believe these runs.", phrase.Percent(more))
	case seen.Lo > 0:
		return text + "That is not what was predicted: believe these runs."
	case lo <= seen.Hi && seen.Lo <= hi:
		return text + "No difference is shown, and the prediction lies within: more pairs may tell."
	}
	return text + "That is not what was predicted: believe these runs, in which no gain is shown."
}

// gainFindings shows what makes calls faster that take a share of the run-time.
func gainFindings(g *GainResult, least float64) []document.Section {
	if len(g.Findings) == 0 {
		return nil
	}
	s := document.Titled("What its calls would spare")
	s.Table = &document.Table{Head: []string{"call", "on", "size", "calls", "run-time", "spared", "95 %", "faster", "by"}, Align: "lllrrrlrl", Flex: 8, Spare: []int{3}}
	var left []string
	for _, f := range g.Findings {
		if f.RuntimeS < least*g.WallS {
			continue
		}
		call := fmt.Sprintf("%s of %s on %d processes", phrase.Function(f.Function), conf.HumanSize(f.Bytes), f.Processes)
		if f.Why != "" {
			left = append(left, fmt.Sprintf("%s (%s of the run-time), %s by %s: %s", call, phrase.Percent(f.RuntimeS/g.WallS), phrase.Ratio(&f.Ratio), f.By, f.Why))
			continue
		}
		s.Table.Add(phrase.Function(f.Function), fmt.Sprintf("p%d", f.Processes), conf.HumanSize(f.Bytes), fmt.Sprintf("%.0f", f.Calls), phrase.Percent(f.RuntimeS/g.WallS),
			phrase.Percent(f.Saved.S/g.WallS), fmt.Sprintf("[%.1f, %.1f]", 100*f.Saved.Lo/g.WallS, 100*f.Saved.Hi/g.WallS), phrase.Ratio(&f.Ratio),
			phrase.When(f.Mockup != "", "only by a mock-up: ")+f.By)
	}
	s.Notes = []string{"spared and 95 %: of the run-time, from the least that the calls' work can be to the most. faster: the call, as the remedy has proved it, or the mock-up in the check. " +
		"run-time: in all such calls; of the rank that spends most where ranks have different work, as in a Reduce. " +
		"What only a mock-up mends needs `pgmpi apply`, which runs the program alternately without and with them."}
	if len(s.Table.Rows) == 0 {
		s.Table, s.Notes = nil, nil
	}
	out := []document.Section{s}
	if s.Table == nil {
		out = nil
	}
	return append(out, document.Listed("Shown, but not counted", left, len(left), withFull, func(t string) string { return t })...)
}

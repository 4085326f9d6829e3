package app

import (
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

// profiles makes the documents of `pgmpi profile`.
var profiles = document.Kind[profile.Profile]{Name: "profile", JSON: true,
	Parts: []document.Part[profile.Profile]{document.Show(document.Screen, func(p *profile.Profile) []document.Section {
		return slices.Concat(profileAnswer(p), document.Noteless(slices.Concat(profileCalls(p, min(12, dear(p))), profileMessages(p, leastShown, 5), profileSites(p, 10))))
	}), document.Show(document.Full, func(p *profile.Profile) []document.Section {
		return slices.Concat(profileAnswer(p), profileCalls(p, len(p.Calls)), profileMessages(p, 0, len(p.Messages)), profileSites(p, len(p.Sites)), profileShares(p))
	})},
	Ending: func(p *profile.Profile, _ string) (e document.Ending) {
		if p.Path != "" && checkable(p) {
			e.Next = []document.Label{{Name: "Check", Value: "pgmpi check --calls " + conf.Quote(p.Path)}}
		}
		return e
	}}

// checkable tells whether a check has anything to measure.
func checkable(p *profile.Profile) bool {
	calls, _ := collectivesOf(p, 0)
	return len(calls)+len(sizesOf(p)) > 0
}

func inSeconds(ns int64) float64 { return float64(ns) / 1e9 }

// sayWaiting tells how much of the time in collectives is waiting, as far as the profile tells.
func sayWaiting(s *document.Section, p *profile.Profile) {
	wall, waiting, untold := p.Wall(), 0.0, 0.0
	for _, c := range p.Blocking() {
		waiting += p.Waiting(c)
		if !p.Tells(c) {
			untold += p.Seconds(c)
		}
	}
	who := fmt.Sprintf("%s on %s, %s.", phrase.Known(p.Program), conf.Plural(p.Processes, "rank"), phrase.Known(phrase.ShortVersion(p.Library)))
	if p.Sync {
		s.Say("%s %s of the run-time is waiting for late ranks, which no setting of collectives shortens, and %s the blocking "+
			"collectives themselves. A barrier before each (--sync) tells them apart, and changes the program's times.", who,
			phrase.Percent(waiting/wall), phrase.Percent((p.Collective()-waiting)/wall))
		return
	}
	if p.Collective() < leastTold*wall {
		s.Say("%s", who)
		return
	}
	s.Say("%s Of the %s in blocking collectives at least %s is waiting for late ranks, which no setting shortens%s.", who,
		phrase.Percent(p.Collective()/wall), phrase.Percent(waiting/wall), phrase.When(untold >= leastTold*wall, "; of %s it is not known, as ranks have different work there",
			phrase.Percent(untold/wall)))
}

func profileAnswer(p *profile.Profile) []document.Section {
	s := document.Section{}
	s.Say("%s", mpiTakes(p))
	sayWaiting(&s, p)
	if !checkable(p) {
		most := p.Collective()
		for _, m := range p.Messages {
			most += p.MessageSeconds(m)
		}
		s.Say("No call that a check measures takes %g %% of the run-time: faster collectives and messages would spare at most %s.",
			100*leastShare, phrase.Percent(most/p.Wall()))
	}
	if !p.Finished {
		s.Say("Note: the program did not come to MPI_Finalize: this is what %d of %d ranks had counted.", p.Ranks, p.Processes)
	}
	if p.Hidden != "" {
		s.Say("Note: the program has functions of its own for MPI, and what it does not pass on is not counted: %s.", p.Hidden)
	}
	if p.LostCalls > 0 || p.Rounded > 0 {
		s.Say("Note: there were too many kinds of calls to tell apart: the sizes of %d calls are rounded down to powers of two, %d calls have no row.", p.Rounded, p.LostCalls)
	}
	sayMade(&s, p)
	set := []string{"MALLOC_MMAP_THRESHOLD_=" + p.MallocMmap, "MALLOC_TRIM_THRESHOLD_=" + p.MallocTrim}
	set = slices.DeleteFunc(set, func(v string) bool { return strings.HasSuffix(v, "=") })
	if len(set) > 0 {
		s.Say("It ran with malloc's variables: %s.", strings.Join(set, ", "))
	}
	return []document.Section{s}
}

// sayMade names what the program does by two calls and MPI in one.
func sayMade(s *document.Section, p *profile.Profile) {
	for _, of := range analyze.Grouped(p.Made, func(m profile.Made) string { return m.By }) {
		pairs, seconds := 0., 0.
		for _, m := range of {
			pairs, seconds = pairs+p.CallsOfRank(m.Call), seconds+p.Seconds(m.Call)
		}
		if seconds >= leastShown*p.Wall() {
			s.Say("By two calls in a row: %s, %.0f times in a rank with %s of the run-time. %s does the same in one, if the program does not use what is between them.",
				strings.ReplaceAll(of[0].By, "MPI_", ""), pairs, phrase.Percent(seconds/p.Wall()), phrase.Function(of[0].Function))
		}
	}
}

// mpiTakes says on one line how much of the run-time is in MPI, and in which calls.
func mpiTakes(p *profile.Profile) string {
	wall, shares := p.Wall(), p.Shares()
	if shares == nil { // of a version that counted collectives alone
		return fmt.Sprintf("%s of %s in blocking collectives.", phrase.Percent(p.Collective()/wall), phrase.Duration(&wall))
	}
	all, shown := 0., []string{}
	for _, s := range shares {
		all += s.Seconds
	}
	left := all
	for i, s := range shares {
		if i == mostShares || i > 0 && s.Seconds < leastShown*wall {
			break
		}
		left -= s.Seconds
		name := phrase.Function(s.Most)
		shown = append(shown, fmt.Sprintf("%s %s%s", phrase.Percent(s.Seconds/wall), s.Class,
			phrase.When(!strings.HasPrefix(s.Most, s.Class) && name != "", " (%s %s)", name, phrase.Percent(s.MostS/wall))))
	}
	return fmt.Sprintf("MPI takes %s of %s: %s%s.", phrase.Percent(all/wall), phrase.Duration(&wall), strings.Join(shown, ", "),
		phrase.When(left >= leastTold*wall, ", %s other", phrase.Percent(left/wall)))
}

const (
	mostShares = 5
	leastShown = .005 // of a run-time
)

func profileShares(p *profile.Profile) []document.Section {
	s := document.Titled("All of MPI")
	s.Table = &document.Table{Head: []string{"calls", "number", "run-time", "most of it", "of it"}, Align: "lrrlr"}
	for _, k := range p.Shares() {
		s.Table.Add(k.Class, fmt.Sprintf("%.0f", k.Calls), phrase.Percent(k.Seconds/p.Wall()), phrase.Function(k.Most), phrase.Percent(k.MostS/p.Wall()))
	}
	if len(s.Table.Rows) == 0 {
		return nil
	}
	s.Notes = []string{"Of a mean rank, between MPI_Init and MPI_Finalize. Calls that only ask or make datatypes are not counted. " +
		"A nonblocking call takes the time of its start; it is waited for in MPI_Wait and MPI_Test."}
	return []document.Section{s}
}

// profileMessages shows messages by size that take a share of the run-time.
func profileMessages(p *profile.Profile, least float64, most int) []document.Section {
	shown := lists.Keep(p.Messages, func(m profile.Message) bool { return p.MessageSeconds(m) >= least*p.Wall() })
	if len(shown) == 0 {
		return nil
	}
	s := document.Titled("Messages, by time")
	s.Table = &document.Table{Head: []string{"call", "of", "between", "calls", "run-time", "mean"}, Align: "lllrrr", Spare: []int{2}}
	between := map[profile.Pair]string{profile.OnNode: "one node", profile.BetweenNodes: "nodes", profile.SomePair: "-"}
	for _, m := range shown[:min(most, len(shown))] {
		mean := p.MessageSeconds(m) / p.MessagesOfRank(m)
		s.Table.Add(phrase.Function(m.Function), sizes(m.Bytes, m.End()), between[m.Pair], fmt.Sprintf("%.0f", p.MessagesOfRank(m)),
			phrase.Percent(p.MessageSeconds(m)/p.Wall()), phrase.Duration(&mean))
	}
	if left := len(p.Messages) - len(s.Table.Rows); left > 0 {
		s.Say(withFull, left)
	}
	s.Notes = []string{"of: bytes, from the first size to below the second one; of a wait, of the largest message that was sent since the wait before, or else received, where nothing but messages was started. " +
		"What a nonblocking receive, or one after MPI_Mprobe, is given room for counts as its size. between: processes of one node, of two, or -: not known. calls and run-time: of a mean rank, waiting included."}
	return []document.Section{s}
}

// on writes the processes of a communicator, and its kind unless that is MPI_COMM_WORLD.
func on(processes int, communicator string) string {
	return fmt.Sprintf("p%d", processes) + phrase.When(communicator != "world" && communicator != "", " %s", communicator)
}

// dear counts the calls that have a share of the run-time on a screen; at least one.
func dear(p *profile.Profile) int {
	dear := lists.Keep(p.Calls, func(c profile.Call) bool { return p.Seconds(c) >= leastTold*p.Wall() })
	return min(len(p.Calls), max(1, len(dear)))
}

func profileCalls(p *profile.Profile, most int) []document.Section {
	if len(p.Calls) == 0 {
		return nil
	}
	s := document.Titled("Calls, by time")
	s.Table = &document.Table{Head: []string{"call", "on", "size", "datatype", "op", "calls", "run-time", "waiting", "mean", "least"}, Align: "lllllrrrrr",
		Spare: []int{9, 4}, Tone: nil}
	for _, c := range p.Calls[:most] {
		seconds, least := p.Seconds(c)/p.CallsOfRank(c), inSeconds(c.LeastCallNS)
		s.Table.Add(phrase.Function(c.Function), on(c.Processes, c.Communicator)+withRoot(c.Root),
			phrase.When(c.Uneven, "≥ ")+conf.HumanSize(c.Bytes), c.Datatype, c.Op, fmt.Sprintf("%.0f", p.CallsOfRank(c)),
			phrase.Percent(p.Seconds(c)/p.Wall()), phrase.Either(p.Tells(c), phrase.Percent(p.Waiting(c)/p.Wall()), "-"), phrase.Duration(&seconds), phrase.Duration(&least))
	}
	if left := len(p.Calls) - most; left > 0 {
		s.Say(withFull, left)
	}
	s.Notes = []string{"size: bytes of one block; ≥: blocks differ, their mean rounded down to a power of two. calls: of a mean rank. " +
		"run-time: of a mean rank; waiting: the part of it that the mean rank spends more than the one that spends least, so that ranks that are late alternately count as work; " +
		"-: ranks have different work, as in calls with a root, or only start the call. " +
		"mean and least: of one call, waiting included."}
	return []document.Section{s}
}

// profileSites shows where the program calls what takes most of its time.
func profileSites(p *profile.Profile, most int) []document.Section {
	if len(p.Sites) == 0 {
		return nil
	}
	s := document.Titled("Where it calls them")
	s.Table = &document.Table{Head: []string{"call", "size", "from", "calls", "run-time"}, Align: "lllrr", Flex: 2}
	for _, k := range p.Sites[:min(most, len(p.Sites))] {
		s.Table.Add(phrase.Function(k.Function), phrase.When(k.HasSize(), "%s", conf.HumanSize(k.Bytes)), k.Where,
			fmt.Sprintf("%.0f", float64(k.Calls)/float64(p.Ranks)),
			phrase.Percent(p.SiteSeconds(k)/p.Wall()))
	}
	if left := len(p.Sites) - len(s.Table.Rows); left > 0 {
		s.Say(withFull, left)
	}
	s.Notes = []string{"from: the function that calls, and its line where the program was compiled with -g and addr2line " +
		"(binutils) is there; else the place in the file. " +
		"calls and run-time: of a mean rank, waiting included."}
	return []document.Section{s}
}

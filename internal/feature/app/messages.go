package app

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/feature/remedy"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/tuning"
	"pgmpi/measure/host"
	"pgmpi/mockups"
)

// GainMessages limits what a program's messages of some sizes would gain.
type GainMessages struct {
	From     int64   `json:"from_bytes"`
	To       int64   `json:"to_bytes"`  // not included
	RuntimeS float64 `json:"runtime_s"` // in them and in waits for them
	AtMostS  float64 `json:"at_most_s"` // if all of that is the library's work
	By       string  `json:"by"`        // what is set, or "" where several smaller messages are faster
	Folder   string  `json:"folder"`    // of a trade that sets it, or ""
}

// messageOf returns the function of a check that exchanges messages as a program's does.
func messageOf(function string) string {
	if strings.HasPrefix(function, "MPI_Sendrecv") {
		return "MPI_Sendrecv"
	}
	return "MPI_Send"
}

// messages limits the gain of what the program sends between processes as those that the check has measured.
func (x *join) messages() {
	elsewhere, rest := 0., *x.calls
	rest.Calls = lists.Keep(rest.Calls, profile.Call.Nonblocking)
	rest.Functions, rest.LostCalls, rest.LostNS = slices.Clone(rest.Functions), 0, 0
	for _, m := range x.calls.Messages {
		s := x.calls.MessageSeconds(m)
		switch {
		case !x.measured(like, m):
			continue
		case !x.measured(x.like, m):
			elsewhere += s
			continue
		}
		x.out.MessagesS, x.out.MessagesNeedS = x.out.MessagesS+s, x.out.MessagesNeedS+x.needOf(m)
		if f := lists.First(rest.Functions, func(f profile.Function) bool { return f.Name == m.Function }); f != nil {
			f.SumNS = max(0, f.SumNS-m.SumNS)
		}
		if most, g := x.fasterMessages(m); part(most) > 0 {
			g.From, g.To = m.Bytes, m.End()
			a := lists.FirstOrNew(&x.out.Messages, func(o GainMessages) bool {
				return o.From == g.From && o.By == g.By && o.Folder == g.Folder
			}, g)
			a.RuntimeS, a.AtMostS = a.RuntimeS+s, a.AtMostS+s*part(most)
		}
	}
	if elsewhere >= leastGain*x.calls.Wall() {
		x.note("%s of the run-time in messages of sizes that the check has measured, but between no such processes: on one node, "+
			"or between nodes", phrase.Percent(elsewhere/x.calls.Wall()))
	}
	x.out.Messages = neighboring(x.out.Messages)
	for i, s := range rest.Shares() {
		if x.out.OtherS += s.Seconds; i == 0 {
			x.out.Other, x.out.OtherMostS = s.Class, s.Seconds
		}
	}
	x.out.MessagesNeedS = min(x.out.MessagesNeedS, x.out.MessagesS)
}

// needOf estimates what the library needs for messages: for each end of one, its time in the check from end to end.
// Waits need no more than the calls that they wait for.
func (x *join) needOf(m profile.Message) float64 {
	v := lists.First(x.report.Verdicts, func(v analyze.Verdict) bool {
		return v.MedianS != nil && x.like(m, v.Function, v.Msize)
	})
	if v == nil || m.Waits() {
		return 0
	}
	return x.calls.MessagesOfRank(m) * *v.MedianS
}

// neighboring joins sizes that follow each other, where the same makes them faster.
func neighboring(of []GainMessages) []GainMessages {
	slices.SortFunc(of, func(a, b GainMessages) int {
		return cmp.Or(cmp.Compare(a.Folder, b.Folder), cmp.Compare(a.By, b.By), cmp.Compare(a.From, b.From))
	})
	out := []GainMessages{}
	for _, m := range of {
		if n := len(out) - 1; n >= 0 && out[n].To == m.From && out[n].By == m.By && out[n].Folder == m.Folder {
			out[n].To, out[n].RuntimeS, out[n].AtMostS = m.To, out[n].RuntimeS+m.RuntimeS, out[n].AtMostS+m.AtMostS
		} else {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b GainMessages) int { return cmp.Compare(b.AtMostS, a.AtMostS) })
	return out
}

// like tells whether a call of a check is a message as a program's, of such a size, between any two ranks.
func like(m profile.Message, function string, bytes int64) bool {
	return mockups.AnyRanks(function) == messageOf(m.Function) && profile.SizesLike(bytes) == m.Bytes
}

// like tells the same of two ranks on one node, or on two, as the program's are.
func (x *join) like(m profile.Message, function string, bytes int64) bool {
	return like(m, function, bytes) && m.Pair != profile.SomePair && m.Pair == measuredPair(x.report, function)
}

func (x *join) measured(like func(profile.Message, string, int64) bool, m profile.Message) bool {
	return slices.ContainsFunc(x.report.Verdicts, func(v analyze.Verdict) bool {
		return v.MedianS != nil && like(m, v.Function, v.Msize)
	})
}

// fasterMessages returns how many times faster messages are at most, and by what: by the remedy, by a trade of it, or
// by the check, if several smaller ones take less time there.
func (x *join) fasterMessages(m profile.Message) (most float64, by GainMessages) {
	raise := func(hi *float64, its GainMessages) {
		if hi != nil && *hi > most {
			most, by = *hi, its
		}
	}
	if x.remedy != nil {
		for _, k := range x.remedy.Cells {
			if x.like(m, k.Function, k.Msize) && (k.State == remedy.CellMended || k.State == remedy.CellFaster) {
				raise(k.GainHi, GainMessages{By: setting(x.remedy.Env, strings.Join(k.By, " + "))})
			}
		}
		proved := by.By != ""
		for _, t := range x.remedy.Trades {
			for _, k := range t.Mends {
				if !proved && x.like(m, k.Function, k.Msize) {
					raise(k.Hi, GainMessages{By: setting(t.Env, t.Label), Folder: t.Folder})
				}
			}
		}
	}
	for _, v := range x.report.Verdicts {
		if by.By == "" && v.Verdict == judge.Violated && v.Type == guidelines.Split && x.like(m, v.Function, v.Msize) {
			raise(v.RatioHi95, GainMessages{})
		}
	}
	return most, by
}

// setting writes the eager limit that is set, or else what a remedy calls what it has set.
func setting(env map[string]string, other string) string {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		if tuning.IsLimit(name) {
			return name + "=" + env[name]
		}
	}
	return cmp.Or(other, tuning.EnvFile)
}

// measuredPair tells whether the ranks of a check that exchange messages were on one node.
func measuredPair(r *analyze.Report, function string) (pair profile.Pair) {
	f, _ := mockups.Get(function)
	for _, l := range r.Measured.Factors.Layouts {
		of := func(rank int) int {
			return slices.IndexFunc(l.Nodes, func(n host.Node) bool { return slices.Contains(n.Ranks, rank) })
		}
		its := profile.BetweenNodes
		switch {
		case of(f.Ranks[0]) < 0 || of(f.Ranks[1]) < 0:
			continue
		case of(f.Ranks[0]) == of(f.Ranks[1]):
			its = profile.OnNode
		}
		if pair != profile.SomePair && pair != its {
			return profile.SomePair
		}
		pair = its
	}
	return pair
}

// messagesAtMostS is the sum of what messages would gain by what the remedy sets.
func (g *GainResult) messagesAtMostS() (s float64) {
	for _, m := range g.Messages {
		if m.By != "" && m.Folder == "" {
			s += m.AtMostS
		}
	}
	return s
}

func (m GainMessages) text(g *GainResult) string {
	text := fmt.Sprintf("%s of the run-time in messages of %s, with all waiting in them: at most %s less ",
		phrase.Percent(m.RuntimeS/g.WallS), sizes(m.From, m.To), phrase.Percent(m.AtMostS/g.WallS))
	switch {
	case m.By == "":
		return text + "as several smaller messages, which the check has found faster."
	case m.Folder != "":
		return text + fmt.Sprintf("under %s, a trade that slows other calls; `. %s` sets it.", m.By,
			conf.Quote(filepath.Join(m.Folder, tuning.EnvFile)))
	}
	return text + "under " + m.By + "."
}

// sizes writes a range of sizes: "4 to 32 KiB".
func sizes(from, to int64) string {
	if to <= from+1 {
		return conf.HumanSize(from)
	}
	a, b := conf.HumanSize(from), conf.HumanSize(to)
	if n, unit, _ := strings.Cut(a, " "); strings.HasSuffix(b, " "+unit) {
		a = n
	}
	return a + " to " + b
}

// sayMessages says what the program's messages would gain.
func sayMessages(say func(string, ...any), g *GainResult) {
	for _, m := range g.Messages {
		if m.AtMostS >= leastTold*g.WallS {
			say("%s", m.text(g))
		}
	}
}

// sizesOf lists the messages of a profile that are worth a check, at their sizes and half of these.
func sizesOf(p *profile.Profile) (calls []string) {
	for _, function := range []string{"MPI_Send", "MPI_Sendrecv"} {
		for bytes := int64(leastEager); bytes <= tuning.MostEager && p.Processes > 1; bytes *= 2 {
			s := 0.
			for _, m := range p.Messages {
				if like(m, function, bytes) {
					s += p.MessageSeconds(m)
				}
			}
			if s >= leastShare*p.Wall() {
				for _, size := range []int64{bytes / 2, bytes} {
					calls = lists.With(calls, guidelines.CallAt(function, size, p.Processes, ""))
				}
			}
		}
	}
	return calls
}

const leastEager = 2 // bytes: a smaller message cannot be split

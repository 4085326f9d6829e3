package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"pgmpi/mockups"
	"slices"
	"strings"
)

const RulesFile = "openmpi.rules"

var openMPIRules = Writer{
	Name: "openmpi-rules", Title: "rules file of Open MPI 4 and 5",
	For:   func(l Library) bool { return isOpenMPI(l) && l.Major < 6 },
	Write: writeRules, Read: readRules,
}

// chain is the one algorithm with a fan-out. chainFanout is its number of chains when a variable alone
// forces it (coll_tuned_init_chain_fanout); a rule must name it.
const chain, chainFanout = "chain", 4

type rulesText struct {
	strings.Builder
	line     int
	requests bool // version 2: a fifth number
}

func (t *rulesText) say(format string, args ...any) int {
	t.line++
	fmt.Fprintf(t, format+"\n", args...)
	return t.line
}

// rule writes a rule; algorithm 0 is the library's own choice.
func (t *rulesText) rule(from int64, c Choice) int {
	what := "as without this file"
	name, segment, fanout := mockups.Parameters(c.Algorithm)
	if c.Value != 0 {
		if what = c.Algorithm; name == chain {
			fanout = cmp.Or(fanout, chainFanout)
		}
	}
	tail := ""
	if t.requests {
		tail = " 0"
	}
	return t.say("%d %d %d %d%s # %s", from, c.Value, fanout, segment, tail, what)
}

func writeRules(t Target, choices []Choice) (*Setting, error) {
	s := &Setting{Writer: "openmpi-rules"}
	functions, of := accepted(choices, OwnAlgorithm, s, refusesRule)
	slices.SortFunc(functions, func(a, b string) int { return rowOf(a).id - rowOf(b).id })
	l := t.Library
	text := &rulesText{requests: cmp.Or(cmp.Compare(l.Major, 5), cmp.Compare(l.Minor, 0), cmp.Compare(l.Patch, 7)) >= 0}
	if text.requests {
		text.say("rule-file-version-2")
	}
	text.say("# Rules for coll/tuned of %s.", t.Library)
	text.say("# A rule: from this size on (bytes), algorithm, fan-out, segment size.")
	text.say("%d # collectives", len(functions))
	for _, f := range functions {
		s.Entries = append(s.Entries, text.collective(f, of[f], s)...)
	}
	if len(s.Entries) == 0 {
		return s, nil
	}
	s.Files = []File{{RulesFile, []byte(text.String())}}
	s.Env = map[string]string{useDynamicRules: "1", rulesFilename: filepath.Join(t.Folder, RulesFile)}
	s.Notes = []string{"Open MPI says nothing if the file is missing or wrong: it then chooses as without it."}
	return s, nil
}

// collective writes the rules of a collective. On fewer processes than the first number, and
// on numbers that were not measured, the library chooses.
func (t *rulesText) collective(function string, choices []Choice, s *Setting) (entries []Entry) {
	groups := byProcesses(choices, s)
	nps := slices.Sorted(maps.Keys(groups))
	var sections []int // numbers of processes; from a negative one on as without the file
	sections = append(sections, 0)
	for i, np := range nps {
		if sections = append(sections, np); i+1 == len(nps) || nps[i+1] != np+1 {
			sections = append(sections, -(np + 1))
		}
	}
	t.say("%d # %s", rowOf(function).id, function)
	t.say("%d # numbers of processes", len(sections))
	for _, np := range sections {
		if np <= 0 {
			t.say("%d # processes or more", -np)
			t.say("1 # rule")
			t.rule(0, Choice{})
			continue
		}
		entries = append(entries, t.processes(function, np, groups[np])...)
	}
	return entries
}

func (t *rulesText) processes(function string, np int, parts []part) (entries []Entry) {
	type line struct {
		from   int64
		choice Choice
		of     *part
	}
	if !rowOf(function).bySizeSafely() && len(parts) > 0 { // one rule for all sizes, even unmeasured ones
		parts = []part{{interval{0, 0}, parts[0].choice}}
	}
	var lines []line
	end := int64(0) // of the rules so far, in bytes of a block
	for i := range parts {
		p := &parts[i]
		if p.from > end || i == 0 && p.from > 0 {
			lines = append(lines, line{t.size(function, end, np), Choice{}, nil})
		}
		lines = append(lines, line{t.size(function, p.from, np), p.choice, p})
		end = p.to
	}
	if end > 0 {
		lines = append(lines, line{t.size(function, end, np), Choice{}, nil})
	}
	t.say("%d # processes", np)
	t.say("%d # rules", len(lines))
	for _, l := range lines {
		at := t.rule(l.from, l.choice)
		if l.of != nil {
			entries = append(entries, Entry{Choice: l.choice, From: l.of.from, To: l.of.to, Proof: ByMessages,
				Where: fmt.Sprintf("%s:%d", RulesFile, at), Variable: rulesFilename, Value: RulesFile})
		}
	}
	return entries
}

func (t *rulesText) size(function string, block int64, np int) int64 {
	bytes, _ := ruleSize(function, block, np)
	return bytes
}

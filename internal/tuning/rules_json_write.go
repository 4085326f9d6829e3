package tuning

import (
	"fmt"
	"maps"
	"slices"

	"pgmpi/internal/phrase"
)

// RulesJSON is the file of rules for Open MPI 6.
const RulesJSON = "openmpi.json"

var openMPIJSON = Writer{
	Name: "openmpi-json", Title: "rules of Open MPI 6 (JSON)",
	For:   func(l Library) bool { return isOpenMPI(l) && l.Major >= 6 },
	Write: writeJSONRules, Read: readRules,
}

// writeJSONRules writes what readJSONRules reads. Where no entry or no rule fits, Open MPI chooses as without the file.
func writeJSONRules(t Target, choices []Choice) (*Setting, error) {
	s := &Setting{Writer: "openmpi-json"}
	functions, of := accepted(choices, s, refusesRule)
	text := &rulesText{}
	text.say("{")
	text.say(`  "rule_file_version": 3,`)
	text.say(`  "module": "tuned",`)
	text.say(`  "collectives": {`)
	for i, f := range functions {
		text.say(`    %q: [`, lower(f))
		s.Entries = append(s.Entries, text.entries(f, byProcesses(of[f], s))...)
		text.say("    ]%s", comma(i, len(functions)))
	}
	text.say("  }")
	text.say("}")
	if len(s.Entries) == 0 {
		return s, nil
	}
	s.Files = []File{{RulesJSON, []byte(text.String())}}
	return s.byRules(t.Folder, RulesJSON), nil
}

// entries writes an entry for each number of processes, with a line for each rule.
func (t *rulesText) entries(function string, groups map[int][]part) (out []Entry) {
	nps := slices.Sorted(maps.Keys(groups))
	for i, np := range nps {
		t.say(`      { "comm_size_min": %d, "comm_size_max": %d, "rules": [`, np, np)
		parts := wholly(function, groups[np])
		for k, p := range parts {
			most := `"inf"`
			if p.to > 0 {
				most = fmt.Sprint(t.size(function, p.to, np) - 1) // it is part of the rule
			}
			name, segment, fanout := parameters(p.choice)
			at := t.say(`        { "msg_size_min": %d, "msg_size_max": %s, "alg": %q, "faninout": %d, "seg_size": %d }%s`,
				t.size(function, p.from, np), most, name, fanout, segment, comma(k, len(parts)))
			out = append(out, ruled(p, RulesJSON, at))
		}
		t.say("      ] }%s", comma(i, len(nps)))
	}
	return out
}

func comma(i, n int) string { return phrase.When(i+1 < n, ",") }

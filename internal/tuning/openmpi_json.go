package tuning

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
)

// JSONFile is the name of a file with rules for Open MPI 6.
const JSONFile = "openmpi.json"

// openMPIJSON is the format of Open MPI 6 (its documentation, "The tuned Component", and
// coll_tuned_dynamic_file.c): the first rule that fits holds, and what none fits is as
// without the file.
var openMPIJSON = Writer{
	Name: "openmpi-json", Title: "rules file of Open MPI 6 (JSON)", Untested: true,
	For:   func(l Library) bool { return isOpenMPI(l) && l.Major >= 6 },
	Write: writeOpenMPIJSON, Read: readOpenMPIJSON,
}

type jsonRules struct {
	Version     int                    `json:"rule_file_version"`
	Module      string                 `json:"module"`
	Collectives map[string][]jsonSizes `json:"collectives"`
}

type jsonSizes struct {
	MinNP int64      `json:"comm_size_min"`
	MaxNP *int64     `json:"comm_size_max,omitempty"`
	Rules []jsonRule `json:"rules"`
}

type jsonRule struct {
	From      int64           `json:"msg_size_min"`
	Last      json.RawMessage `json:"msg_size_max,omitempty"` // included; or "inf"
	Algorithm json.RawMessage `json:"alg"`
	Fanout    int             `json:"faninout,omitempty"`
}

func writeOpenMPIJSON(t Target, choices []Choice) (*Setting, error) {
	s := &Setting{Writer: "openmpi-json"}
	functions, of := accepted(choices, OwnAlgorithm, s, refusesRule)
	file := jsonRules{Version: 3, Module: "tuned", Collectives: map[string][]jsonSizes{}}
	for _, f := range functions {
		groups := byProcesses(of[f], func(c Choice, why string) { s.Refused = append(s.Refused, Refusal{c, why}) })
		for _, np := range slices.Sorted(maps.Keys(groups)) {
			only := int64(np)
			here := jsonSizes{MinNP: only, MaxNP: &only}
			for _, p := range whole(f, groups[np]) {
				here.Rules = append(here.Rules, jsonRuleOf(f, np, p))
				s.Entries = append(s.Entries, Entry{Choice: p.choice, From: p.from, To: p.to, Proof: ByMessages, Where: JSONFile, Variable: rulesFilename, Value: JSONFile})
			}
			file.Collectives[lower(f)] = append(file.Collectives[lower(f)], here)
		}
	}
	if len(s.Entries) == 0 {
		return s, nil
	}
	text, err := json.MarshalIndent(file, "", "  ")
	s.Files = []File{{JSONFile, append(text, '\n')}}
	s.Env = map[string]string{useDynamicRules: "1", rulesFilename: filepath.Join(t.Folder, JSONFile)}
	s.Notes = []string{"Nobody has loaded such a file into Open MPI 6 yet: look with coll_base_verbose whether it is taken."}
	return s, err
}

func jsonRuleOf(function string, np int, p part) jsonRule {
	r := jsonRule{Algorithm: json.RawMessage(strconv.Itoa(p.choice.Value))}
	if p.choice.Algorithm == "chain" {
		r.Fanout = chainFanout
	}
	if from, ok := RuleSize(function, p.from, np); ok && p.to > 0 {
		end, _ := RuleSize(function, p.to, np)
		r.From, r.Last = from, json.RawMessage(strconv.FormatInt(end-1, 10))
	}
	return r
}

func readOpenMPIJSON(name string, text []byte) ([]Rule, error) {
	var file jsonRules
	if err := decode(name, text, &file); err != nil {
		return nil, err
	}
	if file.Version != 3 {
		return nil, fmt.Errorf("%s: rule_file_version is %d, and 3 is known", name, file.Version)
	}
	var out []Rule
	for _, f := range slices.Sorted(maps.Keys(file.Collectives)) {
		i := slices.IndexFunc(openMPI, func(row rulesRow) bool { return lower(row.function) == f })
		if i < 0 {
			return nil, fmt.Errorf("%s: unknown collective %.40q (all lower-case, without MPI_)", name, f)
		}
		for _, sizes := range file.Collectives[f] {
			rules, err := sizes.rules(openMPI[i].function)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, f, err)
			}
			out = append(out, rules...)
		}
	}
	return out, nil
}

func (j jsonSizes) rules(function string) (out []Rule, err error) {
	for _, r := range j.Rules {
		rule := Rule{Function: function, MinNP: int(j.MinNP), From: r.From}
		if j.MaxNP != nil {
			rule.MaxNP = int(*j.MaxNP)
		}
		var last any
		if len(r.Last) > 0 {
			if err := json.Unmarshal(r.Last, &last); err != nil {
				return nil, err
			}
		}
		switch v := last.(type) {
		case nil:
		case float64:
			rule.To = int64(v) + 1
		case string:
			if v != "inf" && v != "Inf" && v != "INF" {
				return nil, fmt.Errorf("msg_size_max is %.40q: a number or \"inf\" is wanted", v)
			}
		default:
			return nil, fmt.Errorf("msg_size_max is no number")
		}
		if len(r.Algorithm) == 0 {
			return nil, fmt.Errorf("a rule has no alg")
		}
		if rule.Algorithm = string(r.Algorithm); rule.Algorithm[0] == '"' {
			if err := json.Unmarshal(r.Algorithm, &rule.Algorithm); err != nil {
				return nil, err
			}
		}
		out = append(out, rule)
	}
	return out, nil
}

// decode reads JSON, and says in which line it is wrong.
func decode(name string, text []byte, into any) error {
	err := json.Unmarshal(text, into)
	if err == nil {
		return nil
	}
	at := int64(len(text))
	switch e := err.(type) {
	case *json.SyntaxError:
		at = e.Offset
	case *json.UnmarshalTypeError:
		at = e.Offset
	}
	return fmt.Errorf("%s:%d: %w", name, 1+bytes.Count(text[:min(at, int64(len(text)))], []byte("\n")), err)
}

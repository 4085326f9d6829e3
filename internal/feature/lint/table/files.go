package table

import (
	"fmt"
	"regexp"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/tuning"
	"pgmpi/mockups"
)

var (
	// rulesBegin matches a file of rules: numbers or their version after comments, or JSON of Open MPI 6.
	rulesBegin = regexp.MustCompile(`^\s*(#[^\n]*\n\s*)*(rule-file-version-|\d+\s)|^\s*\{(?s:.*)"rule_file_version"`)
	treeBegins = regexp.MustCompile(`^\s*\{\s*"(collective=|comm_type=)`)
)

// ofRules makes a table of a file of rules for coll/tuned. Where it has no rule, the library chooses as without it.
func ofRules(name string, text []byte) (*Table, error) {
	w, _ := tuning.Get("openmpi-rules")
	rules, err := w.Read(name, text)
	if err != nil {
		return nil, err
	}
	usual := OpenMPI()
	t := &Table{Name: name, given: true, Notes: tuning.Idle(tuning.Library{}, name, text, rules, tuning.OpenMPINames)}
	if v := tuning.RulesVersion(text); v > 1 {
		t.Notes = append([]string{fmt.Sprintf("rules of version %d: only Open MPI %s and newer read the file, others ignore it", v, map[int]string{2: "5.0.7", 3: "6"}[v])}, t.Notes...)
	}
	for _, f := range mockups.Collectives() {
		for _, r := range rules {
			if trap, is := tuning.FindTrap(rules, f, max(r.MinNP, 2)); r.Function == f && is {
				t.Notes = lists.With(t.Notes, fmt.Sprintf("%s:%d: %s, so that legal calls may abort or hang", name, trap.Line, trap.Why))
			}
		}
	}
	t.algorithm = func(c tuning.Call) (string, error) {
		r := tuning.RuleFor(rules, c.Function, c.Block, c.NP)
		if r == nil {
			return usual.algorithm(c)
		}
		chosen, known := r.Named(tuning.OpenMPINames(c.Function))
		switch {
		case r.Placed != "":
			return "", fmt.Errorf("%s on %d processes, whose rule (line %d) is for processes that lie %s", c.Function, c.NP, r.Line, r.Placed)
		case !known:
			return "", fmt.Errorf("%s on %d processes by algorithm %s (line %d), which is not known", c.Function, c.NP, r.Algorithm, r.Line)
		case chosen == "":
			return usual.algorithm(c)
		}
		if r.Segment > 0 {
			chosen += "+" + conf.FormatSize(r.Segment)
		}
		if r.Fanout > 0 && strings.HasPrefix(chosen, "chain") {
			chosen += fmt.Sprintf("+fan%d", r.Fanout)
		}
		return chosen, nil
	}
	t.own = usual.own
	return t, nil
}

// ofTree makes a table of a selection tree of MPICH, for processes on one node.
func ofTree(name string, text []byte) (*Table, error) {
	w, _ := tuning.Get("mpich-json")
	_, wrong := w.Read(name, text)
	tree := &tuning.Tree{Text: text, Algorithms: leaves(text)}
	t, err := MPICH(tree)
	if err != nil {
		return nil, err
	}
	if t.Name, t.given = name, true; wrong != nil {
		t.Notes = []string{wrong.Error()}
	}
	return t, nil
}

var leaf = regexp.MustCompile(`"algorithm=([A-Za-z0-9_]+)"`)

func leaves(text []byte) (names []string) {
	for _, at := range leaf.FindAllSubmatch(text, -1) {
		names = lists.With(names, string(at[1]))
	}
	return names
}

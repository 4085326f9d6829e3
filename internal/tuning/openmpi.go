package tuning

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pgmpi/internal/phrase"
	"pgmpi/mockups"
)

// MCA variables of Open MPI's component coll/tuned.
const (
	useDynamicRules = "OMPI_MCA_coll_tuned_use_dynamic_rules"
	rulesFilename   = "OMPI_MCA_coll_tuned_dynamic_rules_filename"
)

// counting tells which size Open MPI compares when it looks into a rules file.
type counting int

const (
	noRules  counting = iota // coll/tuned has no rules for it
	ofVector                 // bytes of the argument
	ofAll                    // the same times the number of processes
	unsized                  // 0, or nothing that grows with the message
)

type rulesRow struct {
	function string
	id       int // coll_base_functions.h
	counting counting
	// unsafe names the arguments that give the size, if some ranks may ignore them: a legal call
	// then uses several algorithms at once.
	unsafe string
}

const ignored = "sendcount and sendtype, which do not count with MPI_IN_PLACE"

// openMPI lists every collective with a number (coll_tuned_decision_dynamic.c, 4.1 and 5.0).
var openMPI = []rulesRow{
	{"MPI_Allgather", 0, ofAll, ignored},
	{"MPI_Allgatherv", 1, ofVector, "sendtype, which does not count with MPI_IN_PLACE, and otherwise need not be like recvtype"}, // the sum of the counts, divided by the processes
	{"MPI_Allreduce", 2, ofVector, ""},
	{"MPI_Alltoall", 3, ofAll, ""}, // in place every algorithm is the same
	{"MPI_Alltoallv", 4, unsized, ""},
	{"MPI_Alltoallw", 5, noRules, ""},
	{"MPI_Barrier", 6, unsized, ""},
	{"MPI_Bcast", 7, ofVector, ""},
	{"MPI_Exscan", 8, unsized, ""}, // type size times processes: the count is missing
	{"MPI_Gather", 9, ofAll, "sendcount and sendtype, which do not count at a root with MPI_IN_PLACE"},
	{"MPI_Gatherv", 10, noRules, ""},
	{"MPI_Reduce", 11, ofVector, ""},
	{"MPI_Reduce_scatter", 12, ofAll, ""},
	{"MPI_Reduce_scatter_block", 13, ofAll, ""},
	{"MPI_Scan", 14, unsized, ""}, // as Exscan
	{"MPI_Scatter", 15, ofAll, "sendcount and sendtype, which count at the root only"},
	{"MPI_Scatterv", 16, noRules, ""},
}

// rowOf returns the row of a collective, or a row with the id -1.
func rowOf(function string) rulesRow {
	for _, row := range openMPI {
		if row.function == function {
			return row
		}
	}
	return rulesRow{function: function, id: -1}
}

// ruleSize returns the size by which Open MPI looks for a block's rule. The block is on np
// processes. ok tells whether the size grows with the message.
func ruleSize(function string, block int64, np int) (bytes int64, ok bool) {
	switch rowOf(function).counting {
	case ofVector:
		return block, true
	case ofAll:
		return block * int64(np), true
	default:
		return 0, false
	}
}

// commutativeOnly lists the algorithms that give wrong data with operators that do not commute
// (found with 4.1.4, by the conformance calls of the rank program). Open MPI's own choice avoids
// them then; a rule or a variable does not.
var commutativeOnly = map[string][]string{
	"MPI_Allreduce":      {"ring", "segmented_ring"},
	"MPI_Reduce":         {"chain", "pipeline", "binary", "binomial"},
	"MPI_Reduce_scatter": {"recursive_halving", "ring"},
}

// copies is Bruck's algorithm, which copies the blocks to send as if none were in another's place (4.1.4 too).
var copies = map[string]string{"MPI_Alltoall": "modified_bruck"}

// segmented lists the algorithms that send a message in segments. They give right data with all
// operators.
var segmented = map[string][]string{
	"MPI_Bcast":  {"chain", "pipeline", "split_binary_tree", "binary_tree", "binomial"},
	"MPI_Reduce": {"in-order_binary"},
}

// segments are tried with each algorithm, fanouts with a chain that p processes can have.
var segments, fanouts = []string{"", "+4Ki", "+32Ki", "+128Ki", "+1Mi"}, []int{1, 2, 8}

// Parameters returns the names of an algorithm with other segments and fan-outs than the library's.
func Parameters(l Library, collective, algorithm string, np int) (out []string) {
	if !isOpenMPI(l) || !slices.Contains(segmented[collective], algorithm) {
		return nil
	}
	for _, s := range segments {
		out = append(out, algorithm+s)
		for _, n := range fanouts {
			if algorithm == chain && n < np-1 {
				out = append(out, fmt.Sprintf("%s%s+fan%d", algorithm, s, n))
			}
		}
	}
	return out[1:]
}

// Unsafe says why no setting of a library should take an algorithm, or "".
func Unsafe(l Library, function, algorithm string) string {
	if !isOpenMPI(l) {
		return ""
	}
	return unsafe(Choice{Function: function, Algorithm: algorithm})
}

func unsafe(c Choice) string {
	name, _, _ := mockups.Parameters(c.Algorithm)
	switch {
	case slices.Contains(commutativeOnly[c.Function], name):
		return fmt.Sprintf("%s gives wrong data with operators that do not commute, and Open MPI does not look when it is told to take it", c.Algorithm)
	case name != "" && copies[c.Function] == name:
		return fmt.Sprintf("%s gives wrong data where a datatype of extent 0 sends one block to all, and crashes", c.Algorithm)
	}
	return ""
}

func (r rulesRow) bySizeSafely() bool {
	return r.unsafe == "" && (r.counting == ofVector || r.counting == ofAll)
}

const (
	noRulesFor  = "Open MPI has no rules for %s"
	onlyAlways  = "the message size by which Open MPI looks for a rule of %s does not grow with the message: only a choice for all measured sizes can be written, with --extend"
	neverBySize = "Open MPI takes the size of %s from %s: a rule by size lets legal calls abort or hang, so that only a choice for all measured sizes can be written, with --extend"
)

func refusesRule(c Choice) string {
	row := rowOf(c.Function)
	switch {
	case row.counting == noRules:
		return fmt.Sprintf(noRulesFor, c.Function)
	case c.Value < 1:
		return fmt.Sprintf("%d is no number of an algorithm", c.Value)
	case unsafe(c) != "":
		return unsafe(c)
	case c.Everywhere():
	case row.unsafe != "":
		return fmt.Sprintf(neverBySize, c.Function, row.unsafe)
	case row.counting == unsized:
		return fmt.Sprintf(onlyAlways, c.Function)
	}
	return ""
}

func lower(function string) string { return strings.ToLower(strings.TrimPrefix(function, "MPI_")) }

func isOpenMPI(l Library) bool { return l.Family == "openmpi" }

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

// parameters returns an algorithm's name, and the segment and fan-out that its rule has to name.
func parameters(c Choice) (name string, segment int64, fanout int) {
	if name, segment, fanout = mockups.Parameters(c.Algorithm); name == chain {
		fanout = cmp.Or(fanout, chainFanout)
	}
	return name, segment, fanout
}

// rule writes a rule. Algorithm 0 leaves the choice to the library.
func (t *rulesText) rule(from int64, c Choice) int {
	what := "as without this file"
	_, segment, fanout := parameters(c)
	if c.Value != 0 {
		what = c.Algorithm
	}
	return t.say("%d %d %d %d%s # %s", from, c.Value, fanout, segment, phrase.When(t.requests, " 0"), what)
}

func writeRules(t Target, choices []Choice) (*Setting, error) {
	s := &Setting{Writer: "openmpi-rules"}
	functions, of := accepted(choices, s, refusesRule)
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
	return s.byRules(t.Folder, RulesFile), nil
}

// byRules lets Open MPI read a file of rules.
func (s *Setting) byRules(folder, file string) *Setting {
	s.Env = map[string]string{useDynamicRules: "1", rulesFilename: filepath.Join(folder, file)}
	s.Notes = []string{"Open MPI says nothing if the file is missing or wrong: it then chooses as without it."}
	return s
}

// collective writes the rules of a collective. On fewer processes than the first number, and on
// numbers that were not measured, the library chooses.
func (t *rulesText) collective(function string, choices []Choice, s *Setting) (entries []Entry) {
	groups := byProcesses(choices, s)
	nps := slices.Sorted(maps.Keys(groups))
	sections := []int{0} // numbers of processes; from a negative one on as without the file
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
	parts = wholly(function, parts)
	var lines []line
	end := int64(0) // end of the rules so far, in bytes of a block
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
			entries = append(entries, ruled(*l.of, RulesFile, at))
		}
	}
	return entries
}

// wholly makes one rule for all sizes, even unmeasured ones, where Open MPI's sizes are not safe.
func wholly(function string, parts []part) []part {
	if !rowOf(function).bySizeSafely() && len(parts) > 0 {
		return []part{{interval{0, 0}, parts[0].choice}}
	}
	return parts
}

// ruled is what a line of a file of rules chooses.
func ruled(p part, file string, line int) Entry {
	return Entry{Choice: p.choice, From: p.from, To: p.to, Proof: ByMessages,
		Where: fmt.Sprintf("%s:%d", file, line), Variable: rulesFilename, Value: file}
}

func (t *rulesText) size(function string, block int64, np int) int64 {
	bytes, _ := ruleSize(function, block, np)
	return bytes
}

// Limits are far above what any file needs, and far below any memory.
const (
	mostCollectives = 64
	mostSections    = 1 << 12 // numbers of processes, and rules
	mostRules       = 1 << 16 // in a file
)

type token struct {
	text string
	line int
}

type ruleReader struct {
	name    string
	left    []token
	line    int // of the last number
	columns int // numbers of a rule
	out     []Rule
}

func (r *ruleReader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, r.line, fmt.Sprintf(format, args...))
}

func (r *ruleReader) next(what string, least, most int64) (int64, error) {
	if len(r.left) == 0 {
		return 0, r.errorf("the file ends where %s must be", what)
	}
	t := r.left[0]
	r.left, r.line = r.left[1:], t.line
	v, err := strconv.ParseInt(t.text, 10, 64)
	switch {
	case err != nil:
		return 0, r.errorf("%.40q is not %s", t.text, what)
	case v < least || v > most:
		return 0, r.errorf("%d cannot be %s (%d to %d)", v, what, least, most)
	}
	return v, nil
}

const versionWord = "rule-file-version-"

// readRules reads both formats as Open MPI does. Of the text it refuses what Open MPI skips silently:
// letters outside of comments, numbers in the wrong order, and text after the last rule.
func readRules(name string, text []byte) ([]Rule, error) {
	if jsonRules(text) {
		return readJSONRules(name, text)
	}
	r := &ruleReader{name: name, line: 1, columns: 4}
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		for _, word := range strings.Fields(line) {
			r.left = append(r.left, token{word, i + 1})
		}
	}
	if len(r.left) > 0 && strings.HasPrefix(r.left[0].text, versionWord) {
		switch version := strings.TrimPrefix(r.left[0].text, versionWord); {
		case r.left[0].line != 1:
			return nil, fmt.Errorf("%s:%d: the version must be in line 1", name, r.left[0].line)
		case version == "2":
			r.columns = 5
		case version != "1":
			return nil, fmt.Errorf("%s:1: unknown version %.20q of a rules file (known: 1, 2)", name, version)
		}
		r.left = r.left[1:]
	}
	n, err := r.next("the number of collectives", 0, mostCollectives)
	seen := map[string]bool{}
	for ; n > 0 && err == nil; n-- {
		err = r.collective(seen)
	}
	if err == nil && len(r.left) > 0 {
		r.line = r.left[0].line
		err = r.errorf("%.40q is behind the last rule: a count above is too small", r.left[0].text)
	}
	if err != nil {
		return nil, err
	}
	return r.out, nil
}

func (r *ruleReader) collective(seen map[string]bool) error {
	id, err := r.next("the number of a collective", 0, int64(len(openMPI)-1))
	if err != nil {
		return err
	}
	function := openMPI[id].function
	if seen[function] {
		return r.errorf("%s has rules above already", function)
	}
	seen[function] = true
	n, err := r.next("how many numbers of processes it has", 1, mostSections)
	if err != nil {
		return err
	}
	first := len(r.out)
	for before, i := int64(-1), int64(0); i < n; i++ {
		np, err := r.next("a number of processes", before+1, math.MaxInt32)
		if err != nil {
			return err
		}
		// Fewer processes than the first number take its rules.
		begin := np
		if i == 0 {
			begin = 0
		}
		for at := first; at < len(r.out); at++ {
			if r.out[at].MaxNP == 0 {
				r.out[at].MaxNP = int(np) - 1
			}
		}
		if err := r.processes(function, int(begin)); err != nil {
			return err
		}
		before = np
	}
	return nil
}

func (r *ruleReader) processes(function string, np int) error {
	n, err := r.next("the number of rules", 1, mostSections)
	if err != nil {
		return err
	}
	before := int64(-1)
	for i := range n {
		most := int64(math.MaxInt64)
		if i == 0 {
			most = 0 // Open MPI takes no rules without one for 0
		}
		from, err := r.next("the message size of a rule (the first must be 0, the others ascend)", before+1, most)
		if err != nil {
			return err
		}
		rule := Rule{Line: r.line, Function: function, MinNP: np, From: from}
		algorithm, err := r.next("an algorithm", 0, math.MaxInt32)
		for k, unread := 2, int64(0); k < r.columns && err == nil; k++ {
			to := [...]*int64{&rule.Fanout, &rule.Segment, &unread}[k-2]
			*to, err = r.next("fan-out, segment size or requests of a rule", 0, math.MaxInt32)
		}
		if err != nil {
			return err
		}
		if rule.Algorithm = strconv.FormatInt(algorithm, 10); i > 0 {
			r.out[len(r.out)-1].To = from
		}
		if r.out = append(r.out, rule); len(r.out) > mostRules {
			return r.errorf("more than %d rules", mostRules)
		}
		before = from
	}
	return nil
}

// Trap names a rule that lets legal calls of a collective fail.
type Trap struct {
	Line int
	Why  string
}

// FindTrap returns the rule that chooses by size where ranks may see different sizes. rules come
// from an Open MPI file; the rule applies on np processes.
func FindTrap(rules []Rule, function string, np int) (Trap, bool) {
	row := rowOf(function)
	if row.unsafe == "" {
		return Trap{}, false
	}
	first := ""
	for _, r := range rules {
		if r.Function != function || np < r.MinNP || r.MaxNP > 0 && np > r.MaxNP {
			continue
		}
		if r.From == 0 {
			first = r.Algorithm
		} else if r.Algorithm != first {
			return Trap{r.Line, fmt.Sprintf("a rule by size for %s: Open MPI takes the size from %s", function, row.unsafe)}, true
		}
	}
	return Trap{}, false
}

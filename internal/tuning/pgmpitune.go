package tuning

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// pgmpiTune are profiles of PGMPITuneLib (pgmpituned), which calls mock-ups of its own in
// place of collectives: https://github.com/hunsa/pgmpitunelib, src/tuning/pgmpi_profile_reader.c
// and README.md of October 2024. A file for each collective and number of processes; a size is
// what this rank gives as count, in bytes; ranges have both their ends.
var pgmpiTune = Writer{
	Name: "pgmpitune", Title: "profiles of PGMPITuneLib", Untested: true,
	For:   func(Library) bool { return true },
	Write: writeProfiles, Read: readProfile,
}

// theirNames are the mock-ups that PGMPITuneLib has, by the ids of ours.
var theirNames = map[string]string{
	"allgather_as_allgatherv":                     "allgather_as_allgatherv",
	"allgather_as_allreduce":                      "allgather_as_allreduce",
	"allgather_as_alltoall":                       "allgather_as_alltoall",
	"allgather_as_gather+bcast":                   "allgather_as_gather_bcast",
	"allreduce_as_reduce+bcast":                   "allreduce_as_reduce_bcast",
	"allreduce_as_reduce_scatter+allgatherv":      "allreduce_as_reducescatter_allgatherv",
	"allreduce_as_reduce_scatter_block+allgather": "allreduce_as_reducescatterblock_allgather",
	"alltoall_as_alltoallv":                       "alltoall_as_alltoallv",
	"bcast_as_allgatherv":                         "bcast_as_allgatherv",
	"bcast_as_scatter+allgather":                  "bcast_as_scatter_allgather",
	"gather_as_allgather":                         "gather_as_allgather",
	"gather_as_gatherv":                           "gather_as_gatherv",
	"gather_as_reduce":                            "gather_as_reduce",
	"reduce_as_allreduce":                         "reduce_as_allreduce",
	"reduce_as_reduce_scatter":                    "reduce_as_reducescatter",
	"reduce_as_reduce_scatter+gatherv":            "reduce_as_reducescatter_gatherv",
	"reduce_as_reduce_scatter_block+gather":       "reduce_as_reducescatterblock_gather",
	"reduce_scatter_block_as_allreduce":           "reducescatterblock_as_allreduce",
	"reduce_scatter_block_as_reduce+scatter":      "reducescatterblock_as_reduce_scatter",
	"reduce_scatter_block_as_reduce_scatter":      "reducescatterblock_as_reducescatter",
	"scan_as_exscan+reduce_local":                 "scan_as_exscan_reducelocal",
	"scatter_as_bcast":                            "scatter_as_bcast",
	"scatter_as_scatterv":                         "scatter_as_scatterv",
}

func writeProfiles(t Target, choices []Choice) (*Setting, error) {
	s := &Setting{Writer: "pgmpitune"}
	functions, of := accepted(choices, ByMockup, s, func(c Choice) string {
		switch {
		case theirNames[c.Mockup] == "":
			return fmt.Sprintf("PGMPITuneLib has no mock-up like %q", c.Mockup)
		case !c.Everywhere() && (c.Function == "MPI_Gather" || c.Function == "MPI_Scatter"):
			return "PGMPITuneLib takes the size of " + c.Function + " from an argument that does not count on every rank: only a choice that holds at all measured sizes can be written"
		}
		return ""
	})
	for _, f := range functions {
		groups := byProcesses(of[f], func(c Choice, why string) { s.Refused = append(s.Refused, Refusal{c, why}) })
		for _, np := range slices.Sorted(maps.Keys(groups)) {
			file, entries := profile(f, np, groups[np])
			s.Files, s.Entries = append(s.Files, file), append(s.Entries, entries...)
		}
	}
	if len(s.Entries) == 0 {
		return s, nil
	}
	s.Env = map[string]string{"PGMPI_PARAMS": "--ppath=" + t.Folder}
	s.Notes = []string{"These profiles do something only in programs that are linked with PGMPITuneLib (-lpgmpituned). Its mock-ups are not pgmpi's, and pgmpi has not verified them."}
	return s, nil
}

// profile is one file. There are no blank lines in it: its reader takes them for data.
func profile(function string, np int, parts []part) (File, []Entry) {
	var b strings.Builder
	line := 0
	say := func(format string, args ...any) {
		line++
		fmt.Fprintf(&b, format+"\n", args...)
	}
	var names []string
	for _, p := range parts {
		if n := theirNames[p.choice.Mockup]; !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	file := fmt.Sprintf("%s_p%d.prf", lower(function), np)
	say("# %s on %d processes; for PGMPITuneLib", function, np)
	say("%s", function)
	say("%d", np)
	say("%d", len(names))
	for i, n := range names {
		say("%d %s", i+1, n)
	}
	say("%d", len(parts))
	var entries []Entry
	for _, p := range parts {
		last := p.to - 1
		if p.choice.Everywhere() && (function == "MPI_Gather" || function == "MPI_Scatter") {
			last = math.MaxInt32
		}
		say("%d %d %d", p.from, last, 1+slices.Index(names, theirNames[p.choice.Mockup]))
		entries = append(entries, Entry{Choice: p.choice, From: p.from, To: p.to, Where: fmt.Sprintf("%s:%d", file, line), Proof: Unproved})
	}
	return File{file, []byte(b.String())}, entries
}

// profileReader has the lines of a profile without comments.
type profileReader struct {
	name  string
	lines []token
	at    int // line of the last
}

func (r *profileReader) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.name, max(1, r.at), fmt.Sprintf(format, args...))
}

// next returns the fields of the next line, at least so many.
func (r *profileReader) next(what string, least int) ([]string, error) {
	if len(r.lines) == 0 {
		return nil, r.errorf("the file ends where %s must be", what)
	}
	l := r.lines[0]
	r.lines, r.at = r.lines[1:], l.line
	fields := strings.Fields(l.text)
	if len(fields) < least {
		return nil, r.errorf("%s is missing in %.60q", what, l.text)
	}
	return fields, nil
}

func (r *profileReader) number(what, text string, least, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, r.errorf("%.40q is not %s (%d to %d)", text, what, least, most)
	}
	return n, nil
}

// count is a line with one number.
func (r *profileReader) count(what string, most int64) (int64, error) {
	f, err := r.next(what, 1)
	if err != nil {
		return 0, err
	}
	return r.number(what, f[0], 1, most)
}

func readProfile(name string, text []byte) ([]Rule, error) {
	r := &profileReader{name: name}
	for i, line := range strings.Split(string(text), "\n") {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) != "" {
			r.lines = append(r.lines, token{line, i + 1})
		}
	}
	f, err := r.next("the name of a collective", 1)
	if err != nil {
		return nil, err
	}
	function := f[0]
	if !strings.HasPrefix(function, "MPI_") {
		return nil, r.errorf("%.40q is no collective", function)
	}
	np, err := r.count("the number of processes", math.MaxInt32)
	if err != nil {
		return nil, err
	}
	names, err := r.names()
	if err != nil {
		return nil, err
	}
	n, err := r.count("the number of ranges", mostSections)
	if err != nil {
		return nil, err
	}
	var out []Rule
	for range n {
		rule, err := r.rangeOf(names)
		if err != nil {
			return nil, err
		}
		rule.Function, rule.MinNP, rule.MaxNP = function, int(np), int(np)
		out = append(out, rule)
	}
	if len(r.lines) > 0 {
		r.at = r.lines[0].line
		return nil, r.errorf("%.60q is behind the last range", r.lines[0].text)
	}
	return out, nil
}

func (r *profileReader) names() (map[int64]string, error) {
	n, err := r.count("the number of mock-ups", mostSections)
	if err != nil {
		return nil, err
	}
	names := map[int64]string{}
	for range n {
		f, err := r.next("a number and the name of a mock-up", 2)
		if err != nil {
			return nil, err
		}
		id, err := r.number("the number of a mock-up", f[0], 0, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		if names[id] != "" {
			return nil, r.errorf("mock-up %d has a name above", id)
		}
		names[id] = f[1]
	}
	return names, nil
}

func (r *profileReader) rangeOf(names map[int64]string) (Rule, error) {
	f, err := r.next("a range: first size, last size, number of a mock-up", 3)
	if err != nil {
		return Rule{}, err
	}
	var v [3]int64
	for i, what := range []string{"the first size", "the last size", "the number of a mock-up"} {
		if v[i], err = r.number(what, f[i], 0, math.MaxInt32); err != nil {
			return Rule{}, err
		}
	}
	if v[1] < v[0] || names[v[2]] == "" {
		return Rule{}, r.errorf("the range ends before it begins, or mock-up %d has no name above", v[2])
	}
	return Rule{Line: r.at, From: v[0], To: v[1] + 1, Algorithm: names[v[2]]}, nil
}

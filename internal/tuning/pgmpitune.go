package tuning

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"pgmpi/internal/lists"
)

// pgmpiTune writes profiles of PGMPITuneLib (pgmpituned), which calls its own mock-ups in
// place of collectives: https://github.com/hunsa/pgmpitunelib, src/tuning/pgmpi_profile_reader.c
// and README.md of October 2024. Each file is for a collective and a number of processes; a size
// is the count that this rank gives, in bytes; ranges include both ends.
var pgmpiTune = Writer{
	Name: "pgmpitune", Title: "profiles of PGMPITuneLib",
	For:   func(Library) bool { return true },
	Write: writeProfiles,
}

// theirs lists the mock-ups of PGMPITuneLib, by pgmpi's ids.
var theirs = []string{
	"allgather_as_allgatherv", "allgather_as_allreduce", "allgather_as_alltoall", "allgather_as_gather+bcast",
	"allreduce_as_reduce+bcast", "allreduce_as_reduce_scatter+allgatherv", "allreduce_as_reduce_scatter_block+allgather",
	"alltoall_as_alltoallv", "bcast_as_allgatherv", "bcast_as_scatter+allgather",
	"gather_as_allgather", "gather_as_gatherv", "gather_as_reduce",
	"reduce_as_allreduce", "reduce_as_reduce_scatter", "reduce_as_reduce_scatter+gatherv", "reduce_as_reduce_scatter_block+gather",
	"reduce_scatter_block_as_allreduce", "reduce_scatter_block_as_reduce+scatter", "reduce_scatter_block_as_reduce_scatter",
	"scan_as_exscan+reduce_local", "scatter_as_bcast", "scatter_as_scatterv",
}

// theirName writes an id as PGMPITuneLib does: "scan_as_exscan_reducelocal".
var theirName = strings.NewReplacer("reduce_scatter_block", "reducescatterblock", "reduce_scatter", "reducescatter", "reduce_local", "reducelocal", "+", "_").Replace

func writeProfiles(t Target, choices []Choice) (*Setting, error) {
	s := &Setting{Writer: "pgmpitune"}
	first := slices.IndexFunc(choices, func(c Choice) bool { return c.Kind == ByMockup })
	functions, of := accepted(choices, ByMockup, s, func(c Choice) string {
		switch {
		case c.NP != choices[first].NP:
			return "PGMPITuneLib keeps one profile of a collective, whatever its number of processes: each number needs a folder"
		case !slices.Contains(theirs, c.Mockup):
			return fmt.Sprintf("PGMPITuneLib has no mock-up like %q", c.Mockup)
		case !c.Everywhere() && (c.Function == "MPI_Gather" || c.Function == "MPI_Scatter"):
			return "PGMPITuneLib takes the size of " + c.Function + " from an argument that does not count on every rank: only a choice for all measured sizes can be written, with --extend"
		}
		return ""
	})
	for _, f := range functions {
		groups := byProcesses(of[f], s)
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

// profile makes one file. It has no blank lines: its reader takes them for data.
func profile(function string, np int, parts []part) (File, []Entry) {
	var b strings.Builder
	line := 0
	say := func(format string, args ...any) {
		line++
		fmt.Fprintf(&b, format+"\n", args...)
	}
	var names []string
	for _, p := range parts {
		names = lists.With(names, theirName(p.choice.Mockup))
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
		say("%d %d %d", p.from, last, 1+slices.Index(names, theirName(p.choice.Mockup)))
		entries = append(entries, Entry{Choice: p.choice, From: p.from, To: p.to, Where: fmt.Sprintf("%s:%d", file, line), Proof: Unproved})
	}
	return File{file, []byte(b.String())}, entries
}

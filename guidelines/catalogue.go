package guidelines

import "pgmpi/mockups"

type Entry struct {
	ID       string
	Type     Type
	Mockup   string // pattern only; it names the collective too
	Extended bool   // not in S-PGMPI; off by default
	Also     Group  // a group that selects it, too
	// Group and Pairs are for guidelines about every collective A that has both sides. These call it in
	// other ways.
	Group   Group
	Pairs   []pair
	Formula string                // of A
	Over    mockups.Decomposition // for a pattern about every collective that has a mock-up of this kind
}

// catalogue is S-PGMPI, Appendix A, and its extensions, in the order of their
// numbers. A new guideline is one line here.
var catalogue = []Entry{
	{ID: "GL1", Type: Monotony},
	{ID: "GL2", Type: Split},
	{ID: "GL3", Type: Pattern, Mockup: "gather_as_allgather"},
	{ID: "GL4", Type: Pattern, Mockup: "gather_as_reduce"},
	{ID: "GL5", Type: Pattern, Mockup: "allgather_as_alltoall"},
	{ID: "GL6", Type: Pattern, Mockup: "allgather_as_allreduce"},
	{ID: "GL7", Type: Pattern, Mockup: "scatter_as_bcast"},
	{ID: "GL8", Type: Pattern, Mockup: "reduce_as_allreduce"},
	{ID: "GL9", Type: Pattern, Mockup: "reduce_scatter_as_allreduce"},
	{ID: "GL10", Type: Pattern, Mockup: "bcast_as_scatter+allgather"},
	{ID: "GL11", Type: Pattern, Mockup: "allgather_as_gather+bcast"},
	{ID: "GL12", Type: Pattern, Mockup: "allreduce_as_reduce+bcast"},
	{ID: "GL13", Type: Pattern, Mockup: "allreduce_as_reduce_scatter_block+allgather"},
	{ID: "GL14", Type: Pattern, Mockup: "reduce_as_reduce_scatter_block+gather"},
	{ID: "GL15", Type: Pattern, Mockup: "reduce_scatter_block_as_reduce+scatter"},
	{ID: "GL16", Type: Pattern, Mockup: "scan_as_exscan+reduce_local"},
	{ID: "GL17", Type: Pattern, Mockup: "reduce_scatter_as_reduce+scatterv"},
	{ID: "GL18", Type: Pattern, Mockup: "gather_as_gatherv", Extended: true, Also: Irregular},
	{ID: "GL19", Type: Pattern, Mockup: "scatter_as_scatterv", Extended: true, Also: Irregular},
	{ID: "GL20", Type: Pattern, Mockup: "allgather_as_allgatherv", Extended: true, Also: Irregular},
	{ID: "GL21", Type: Pattern, Mockup: "alltoall_as_alltoallv", Extended: true, Also: Irregular},
	{ID: "GL22", Type: Pattern, Mockup: "reduce_scatter_block_as_reduce_scatter", Extended: true, Also: Irregular},
	{ID: "GL23", Type: Pattern, Mockup: "reduce_scatter_block_as_allreduce", Extended: true},
	{ID: "GL24", Type: Pattern, Mockup: "bcast_as_allgatherv", Extended: true},
	{ID: "GL25", Type: Pattern, Mockup: "reduce_as_reduce_scatter", Extended: true},
	{ID: "GL26", Type: Pattern, Mockup: "allreduce_as_reduce_scatter+allgatherv", Extended: true},
	{ID: "GL27", Type: Pattern, Mockup: "reduce_as_reduce_scatter+gatherv", Extended: true},
	{ID: "GL28", Type: Pattern, Mockup: "bcast_as_allreduce", Extended: true},
	{ID: "GL29", Type: Pattern, Mockup: "barrier_as_allreduce", Extended: true},
	{ID: "GL30", Type: Pattern, Group: Lanes, Over: mockups.Lane, Formula: "A(n) ≤ A(n) on lanes"},
	{ID: "GL31", Type: Pattern, Group: Lanes, Over: mockups.Hier, Formula: "A(n) ≤ A(n) by leaders"},
	{ID: "GL32", Type: Pattern, Mockup: "exscan_as_scan+sendrecv", Extended: true},
	{ID: "NB1", Type: Pattern, Group: Nonblocking, Formula: "A(n) ≤ I_A(n) + Wait",
		Pairs: []pair{{"", mockups.Nonblocking, false}}},
	{ID: "NB2", Type: Pattern, Group: Nonblocking, Formula: "I_A(n) + Wait ≤ A(n) + tolerance",
		Pairs: []pair{{mockups.Nonblocking, "", true}}},
	{ID: "NB3", Type: Pattern, Group: Persistent, Formula: "Start + Wait of A_init(n) ≤ I_A(n) + Wait, A(n) ≤ A_init(n) + Start + Wait",
		Pairs: []pair{{mockups.Persistent, mockups.Nonblocking, false}, {"", mockups.PersistentOnce, false}}},
	{ID: "NB4", Type: Pattern, Group: Persistent, Formula: "A_init(n) + 10·(Start + Wait) ≤ 10·(I_A(n) + Wait)",
		Pairs: []pair{{mockups.PersistentTimes, mockups.NonblockingTimes, false}}},
	{ID: "IP1", Type: Pattern, Group: InPlace, Formula: "A(n) in place ≤ copy + A(n)",
		Pairs: []pair{{mockups.InPlace, mockups.Copied, false}}},
	{ID: "V1", Type: Pattern, Group: Irregular, Formula: "Alltoallv(n, counts) ≤ Alltoallw(n, counts)", Pairs: byRule(mockups.Wide)},
	{ID: "V2", Type: Pattern, Group: Irregular, Formula: "Allgatherv(n, counts) ≤ Gatherv(n, counts) + Bcast(n)", Pairs: byRule(mockups.ByGatherv)},
	{ID: "V3", Type: Pattern, Group: Irregular, Formula: "Gatherv(n, counts) ≤ Bcast(counts) + Allgatherv(n, counts)", Pairs: byRule(mockups.ByAllgatherv)},
	{ID: "V4", Type: Pattern, Group: Irregular, Formula: "Allgatherv(n, counts) ≤ Alltoallv(n, counts)", Pairs: byRule(mockups.ByAlltoallv)},
	{ID: "V5", Type: Pattern, Group: Irregular, Formula: "Scatterv(n, counts) ≤ Bcast(counts) + Bcast(n)", Pairs: byRule(mockups.ByBcast)},
	{ID: "V6", Type: Pattern, Group: Irregular, Formula: "Reduce_scatter(n, counts) ≤ Allreduce(n)", Pairs: byRule(mockups.ByAllreduce)},
	{ID: "V7", Type: Pattern, Group: Irregular, Formula: "Reduce_scatter(n, counts) ≤ Reduce(n) + Scatterv(n, counts)", Pairs: byRule(mockups.ByReduce)},
	{ID: "V8", Type: Pattern, Group: Irregular, Formula: "A_v(n, counts) ≤ Allreduce(1) + A(largest count)", Pairs: byRule(mockups.Padded)},
	{ID: "V9", Type: Pattern, Group: Irregular, Formula: "Alltoall(v)(n) ≤ Isend + Irecv to all + Waitall", Pairs: byRule(mockups.ToAll)},
	{ID: "DT1", Type: Pattern, Group: Derived, Formula: "A(n, datatype) ≤ Pack + A(n) + Unpack",
		Pairs: []pair{{mockups.Call(mockups.Vector), mockups.PackedCall(mockups.Vector), false},
			{mockups.Call(mockups.Indexed), mockups.PackedCall(mockups.Indexed), false}}},
	{ID: "DT2", Type: Pattern, Group: Derived, Formula: "A(n, contiguous) ≤ A(n), A(n) ≤ A(n, contiguous)",
		Pairs: []pair{{mockups.Contiguous, "", false}, {"", mockups.Contiguous, false}}},
	{ID: "NB6", Type: Pattern, Group: Neighborhood, Formula: "Neighbor_A(n) ≤ 2·Isend(n) + 2·Irecv(n) + Waitall",
		Pairs: []pair{{mockups.Neighborhood, mockups.ByMessages, false}}},
	{ID: "LC1", Type: Pattern, Group: LargeCounts, Formula: "A_c(n) ≤ A(n), A(n) ≤ A_c(n)",
		Pairs: []pair{{mockups.LargeCount, "", false}, {"", mockups.LargeCount, false}}},
	{ID: "LC2", Type: Pattern, Group: LargeCounts, Formula: "A_c(n) ≤ ⌈n/(2³¹ − 1)⌉·A",
		Pairs: []pair{{mockups.LargeCount, mockups.Sliced, false}}},
	{ID: "M1", Type: Pattern, Group: Messages, Formula: "Send(n) ≤ Ssend(n)", Pairs: []pair{{"", mockups.Synchronous, false}}},
	{ID: "M2", Type: Pattern, Group: Messages, Formula: "Sendrecv(n) ≤ Isend(n) + Irecv(n) + Waitall",
		Pairs: []pair{{"", mockups.ToAll, false}}},
	{ID: "M3", Type: Pattern, Group: Messages, Formula: "Isend(n) + Wait ≤ Send(n) + tolerance",
		Pairs: []pair{{mockups.Immediate, "", true}}},
	{ID: "M4", Type: Pattern, Group: Messages, Formula: "Start + Wait of Send_init(n) ≤ Isend(n) + Wait",
		Pairs: []pair{{mockups.Started, mockups.Immediate, false}}},
	{ID: "M5", Type: Pattern, Group: Messages, Formula: "64·Send(n) in a row + answer ≤ 64·Send(n)",
		Pairs: []pair{{mockups.Streamed, mockups.OneByOne, false}}},
	{ID: TextbookID, Type: Pattern, Group: Textbook, Formula: "A(n) ≤ A(n) by any textbook algorithm"},
	{ID: FewerID, Type: Pattern, Group: Fewer, Formula: "A(n) ≤ A(n) on fewer processes + messages"},
}

func Catalogue() []Entry { return catalogue }

// Guidelines returns the entry's guidelines, without sizes: one for a pattern with one
// mock-up, else one for each collective that it is about.
func (e Entry) Guidelines() []Guideline {
	if len(e.Pairs) > 0 {
		return e.pairs()
	}
	if e.Type == Pattern {
		return e.patterns()
	}
	var out []Guideline
	for _, f := range mockups.Identities() {
		out = append(out, Guideline{ID: e.ID, Type: e.Type, Function: f})
	}
	return out
}

func (e Entry) patterns() (out []Guideline) {
	if OneOf(e.ID) {
		const some = 4 // processes on which every kind has a mock-up
		for _, of := range mockups.Collectives() {
			if len(AllOf(e.ID, of, some)) > 0 {
				out = append(out, Guideline{ID: e.ID, Type: Pattern, Function: of, Group: e.Group})
			}
		}
		return out
	}
	ids := []string{e.Mockup}
	if e.Over != "" {
		ids = mockups.Decomposed(e.Over)
	}
	for _, id := range ids {
		m, _ := mockups.Get(id)
		out = append(out, Guideline{ID: e.ID, Type: Pattern, Function: m.Of, Mockup: id, Group: e.Group})
	}
	return out
}

// HasSize tells whether a collective moves data. If not, it is measured at size 0.
func HasSize(collective string) bool {
	f, _ := mockups.Get(collective)
	return f.HasData()
}

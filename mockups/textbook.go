package mockups

import "strings"

// textbookRows are collectives by sends and receives alone, as papers teach them. The costs are the busiest
// process's, of p: rounds, one message each way in each, and bytes that it sends or gets; log is ⌈log₂ p⌉. Where a
// collective reduces by doubling or halving and p is no power of two, folding adds a round at either end.
var textbookRows = []struct {
	of, algorithm string
	temp          Temp
	what, costs   string
}{
	{"allgather", "bruck", Temp{PerRank: 1}, "Bruck, what each process has doubles from round to round", "log rounds, (p − 1)·n bytes"},
	{"allgather", "ring", Temp{}, "ring, blocks are handed around", "p − 1 rounds, (p − 1)·n bytes"},
	{"allreduce", "doubling", Temp{One: 1}, "recursive doubling of the whole block", "log rounds, log·n bytes"},
	{"allreduce", "halving+doubling", Temp{One: 1}, "recursive halving, the parts back by doubling", "2·log rounds, 2·n·(p − 1)/p bytes"},
	{"allreduce", "ring", Temp{}, "ring, parts are reduced on their way, then handed around", "2·(p − 1) rounds, 2·n·(p − 1)/p bytes"},
	{"alltoall", "bruck", Temp{PerRank: 1}, "Bruck, each round moves the blocks whose distance has a bit", "log rounds, log·n·p/2 bytes"},
	{"alltoall", "pairwise", Temp{}, "pairwise exchange", "p − 1 rounds, (p − 1)·n bytes"},
	{"barrier", "dissemination", Temp{}, "dissemination", "log rounds of messages without data"},
	{"bcast", "binomial", Temp{}, "binomial tree", "log rounds, log·n bytes"},
	{"bcast", "chain", Temp{}, "chain in segments of 64 KiB", "p − 2 + n/64 KiB rounds, n bytes"},
	{"bcast", "scatter+ring", Temp{}, "Scatter of parts by a binomial tree, the parts handed around", "log + p − 1 rounds, 2·n·(p − 1)/p bytes"},
	{"exscan", "chain", Temp{One: 1}, "chain in segments of 64 KiB", "p − 2 + n/64 KiB rounds, n bytes"},
	{"exscan", "doubling", Temp{One: 2}, "doubling, in each round from twice as far below", "log rounds, log·n bytes"},
	{"gather", "binomial", Temp{PerRank: 1}, "binomial tree", "log rounds, (p − 1)·n bytes"},
	{"gather", "linear", Temp{}, "the root receives from one after the other", "p − 1 rounds, (p − 1)·n bytes"},
	{"reduce", "binomial", Temp{One: 2}, "binomial tree", "log rounds, log·n bytes"},
	{"reduce_scatter", "halving", Temp{PerRank: 2}, "recursive halving", "log rounds, (p − 1)·n bytes"},
	{"reduce_scatter", "pairwise", Temp{One: 1}, "pairwise exchange, reduced as it comes", "p − 1 rounds, (p − 1)·n bytes"},
	{"reduce_scatter_block", "halving", Temp{PerRank: 2}, "recursive halving", "log rounds, (p − 1)·n bytes"},
	{"reduce_scatter_block", "pairwise", Temp{One: 1}, "pairwise exchange, reduced as it comes", "p − 1 rounds, (p − 1)·n bytes"},
	{"scan", "chain", Temp{}, "chain in segments of 64 KiB", "p − 2 + n/64 KiB rounds, n bytes"},
	{"scan", "doubling", Temp{One: 1}, "doubling, in each round from twice as far below", "log rounds, log·n bytes"},
	{"scatter", "binomial", Temp{PerRank: 1}, "binomial tree", "log rounds, (p − 1)·n bytes"},
	{"scatter", "linear", Temp{}, "the root sends to one after the other", "p − 1 rounds, (p − 1)·n bytes"},
}

func textbook() (rows []Function) {
	for _, r := range textbookRows {
		rows = append(rows, Function{ID: r.of + "_as_textbook@" + r.algorithm, Formula: "textbook " + r.algorithm, Temp: r.temp,
			Textbook: r.algorithm, What: "by messages: " + r.what + "; " + strings.ReplaceAll(r.costs, "log", "⌈log₂ p⌉")})
	}
	return rows
}

// Textbook returns the mock-ups of a collective that are textbook algorithms.
func Textbook(of string) []string {
	return ids(func(f Function) bool { return f.Of == of && f.Textbook != "" })
}

// Applies tells whether pgmpi apply can put a mock-up into a program: measure/preload/apply.c lists the collectives.
// What divides its work among nodes needs their communicators, and users' mock-ups are not in that library.
func Applies(id string) bool {
	f, ok := Get(id)
	return ok && f.IsMockup() && !f.MayEnd() && f.Over == "" && !f.Identity && f.HasData() && f.Of != "MPI_Reduce_scatter"
}

// divided splits an id at the @ before the library's own algorithm. What is after the @ of a textbook
// algorithm is none of the library's.
func divided(id string) (base, algorithm string) {
	if _, known := byID[id]; known {
		return id, ""
	}
	base, algorithm, _ = strings.Cut(id, "@")
	return base, algorithm
}

package tuning

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// smallTree has what there is in MPICH's: every collective, conditions on processes below
// those on sizes, and collectives without a branch for communicators of one kind.
func smallTree() *Tree {
	t := &Tree{}
	var parts []string
	for _, f := range mockups.Collectives() {
		name := strings.TrimPrefix(f, "MPI_")
		body := fmt.Sprintf(`{"comm_type=intra":{"algorithm=MPIR_%s_intra_old":{}},"comm_type=inter":{"algorithm=MPIR_%s_inter_old":{}}}`, name, name)
		switch f {
		case "MPI_Bcast":
			body = `{"comm_type=intra":{"avg_msg_size<=1000":{"comm_size<4":{"algorithm=MPIR_Bcast_intra_small":{}},"comm_size=pow2":{"algorithm=MPIR_Bcast_intra_even":{}},"comm_size=any":{"algorithm=MPIR_Bcast_intra_odd":{}}},"avg_msg_size=any":{"algorithm=MPIR_Bcast_intra_old":{}}},"comm_type=inter":{"algorithm=MPIR_Bcast_inter_old":{}}}`
		case "MPI_Exscan":
			body = `{"algorithm=MPIR_Exscan_intra_old":{}}`
		}
		parts = append(parts, fmt.Sprintf(`"collective=%s":%s`, lower(f), body))
		t.Algorithms = append(t.Algorithms, "MPIR_"+name+"_intra_new", "MPIR_"+name+"_intra_newer", "MPIR_"+name+"_allcomm_nb", "MPIR_"+name+"_intra_smp")
	}
	slices.SortFunc(parts, func(a, b string) int { // Bcast is first in MPICH's
		return strings.Index(b, `=bcast"`) - strings.Index(a, `=bcast"`)
	})
	t.Text = []byte("{" + strings.Join(parts, ",") + `,"collective=ibarrier":{"algorithm=MPIR_Ibarrier_intra_old":{}}}`)
	return t
}

// walk asks a tree as csel.c does (MPIR_Csel_prune and MPIR_Csel_search), for a commutative
// operator of the library's, more elements than processes, and not in place.
func walk(n *node, function string, np int, block int64) string {
	for _, c := range n.below {
		if algorithm, ok := c.leaf(); ok {
			return algorithm
		}
		what, limit, less := strings.Cut(c.key, "<")
		bytes := block
		if what == "total_msg_size" {
			bytes *= int64(np)
		}
		if what == "comm_size" {
			bytes = int64(np)
		}
		holds := false
		var v int64
		switch {
		case less && limit == "pow2":
		case less && strings.HasPrefix(limit, "="):
			fmt.Sscan(limit[1:], &v)
			holds = bytes <= v
		case less:
			fmt.Sscan(limit, &v)
			holds = bytes < v
		default:
			holds = strings.HasSuffix(c.key, "=any") || strings.HasSuffix(c.key, "=yes") && c.key != "is_sendbuf_inplace=yes" ||
				c.key == "is_sendbuf_inplace=no" || c.key == "comm_type=intra" || c.key == "comm_size=pow2" && np&(np-1) == 0
		}
		if holds {
			return walk(c, function, np, block)
		}
	}
	return "nothing"
}

func TestTreeChangesWhatIsChosenAndNothingElse(t *testing.T) {
	tree := smallTree()
	choices := []Choice{
		own("MPI_Bcast", 4, "new", 1, 16384, 65536), own("MPI_Bcast", 4, "newer", 2, 8), own("MPI_Bcast", 3, "new", 1, 1024),
		own("MPI_Reduce_scatter_block", 4, "new", 1, 65536), own("MPI_Allreduce", 2, "newer", 1, plan...),
		own("MPI_Exscan", 4, "nb", 1, plan...), own("MPI_Alltoall", 4, "new", 1, 16384),
	}
	s := mustWrite(t, mpichJSON, Target{Library: Library{Family: "mpich", Major: 4}, Folder: "/r", Tree: tree}, choices...)
	must.Hold(t, len(s.Rejected) == 0 && len(s.Files) == 1 && s.Env[treeVariable] == "/r/"+TreeFile, "%+v", s)
	text := s.Files[0].Content
	_, err := readTree("f", text)
	must.Hold(t, err == nil, "%v\n%s", err, text)
	should.Hold(t, len(s.Notes) == 1 && strings.HasSuffix(string(text), "}\n"), "%q", s.Notes)
	for _, e := range s.Entries {
		all := e.Choice.Function == "MPI_Exscan" // whose size no tree knows
		should.Equal(t, e.From == 0 && e.To == 0, all, "%s from %d to %d", e.Choice, e.From, e.To)
	}
	before := must.Get(parseTree("before", tree.Text))(t)
	after := must.Get(parseTree("after", text))(t)
	for _, f := range mockups.Collectives() {
		for np := 1; np < 9; np++ {
			for _, block := range plan {
				key := "collective=" + lower(f)
				want := walk(before.find(key), f, np, block)
				for _, c := range choices {
					if c.Function == f && c.NP == np && slices.Contains(c.Sizes, block) {
						want = leafName(c, tree)
					}
				}
				should.Equal(t, walk(after.find(key), f, np, block), want, "%s on %d processes, %d B", f, np, block)
			}
		}
	}
	should.Hold(t, after.find("collective=ibarrier") != nil, "what the choices are not about is gone")
}

// csel.c calls what a tree says without looking whether it may be called.
func TestTreeCallsAlgorithmsOnlyWhereTheyMayBe(t *testing.T) {
	tree := smallTree()
	tree.Algorithms = append(tree.Algorithms, "MPIR_Allreduce_intra_reduce_scatter_allgather", "MPIR_Reduce_scatter_intra_noncommutative", "MPIR_Allgather_intra_recursive_doubling", "MPIR_Alltoall_intra_pairwise_sendrecv_replace")
	to := Target{Library: Library{Family: "mpich", Major: 4}, Tree: tree}
	s := mustWrite(t, mpichJSON, to, own("MPI_Allreduce", 2, "reduce_scatter_allgather", 4, 65536), own("MPI_Alltoall", 2, "new", 1, 65536))
	flat := strings.Join(strings.Fields(string(s.Files[0].Content)), "")
	should.Contain(t, flat,
		`"is_commutative=no":{"algorithm=MPIR_Allreduce_intra_old":{}},"is_commutative=yes":{"is_op_built_in=no":{"algorithm=MPIR_Allreduce_intra_old":{}},"is_op_built_in=yes":{"count<pow2":{"algorithm=MPIR_Allreduce_intra_old":{}},"count=any":{"algorithm=MPIR_Allreduce_intra_reduce_scatter_allgather":{}}}}`,
		`"is_sendbuf_inplace=yes":{"algorithm=MPIR_Alltoall_intra_old":{}},"is_sendbuf_inplace=no":{"algorithm=MPIR_Alltoall_intra_new":{}}`,
	)
	for _, c := range []struct {
		choice Choice
		why    string
	}{
		{own("MPI_Scatter", 4, "new", 1, 65536), "no condition on the size"},
		{own("MPI_Gather", 4, "new", 1, 65536), "no condition on the size"},
		{own("MPI_Scan", 4, "smp", 1, plan...), "split by nodes"},
		{own("MPI_Bcast", 4, "nonsense", 1, 8), "knows no algorithm"},
		{own("MPI_Reduce_scatter", 3, "noncommutative", 1, 8), "2, 4, 8"},
		{own("MPI_Allgather", 3, "recursive_doubling", 1, 8), "2, 4, 8"},
		{own("MPI_Alltoall", 2, "pairwise_sendrecv_replace", 1, 8), "in place"},
	} {
		s := mustWrite(t, mpichJSON, to, c.choice)
		should.Hold(t, len(s.Entries) == 0 && len(s.Rejected) == 1 && strings.Contains(s.Rejected[0].Reason, c.why), "%s: %+v, want %q", c.choice, s.Rejected, c.why)
	}
}

func TestTreesThatEndProgramsAreRefusedWithTheirLine(t *testing.T) {
	good := string(smallTree().Text)
	for text, where := range map[string]string{
		"": "f:1: a {",
		`{"collective=bcast":{"algorithm=MPIR_Bcast_intra_binomial":{}}}`:                                          "must have the whole tree",
		strings.Replace(good, `"collective=bcast":`, "\n"+`"collective=bcast":`, 1) + "\n}":                        "f:3: there is something behind",
		strings.Replace(good, `"algorithm=MPIR_Bcast_intra_small":{}`, "\n", 1):                                    "nothing is chosen below",
		strings.Replace(good, `,"avg_msg_size=any":{"algorithm=MPIR_Bcast_intra_old":{}}`, "", 1):                  "falls through",
		strings.Replace(good, `"comm_size<4"`, `"comm_size<many"`, 1):                                              "is no condition",
		strings.Replace(good, `"algorithm=MPIR_Bcast_intra_small":{}`, `"algorithm=MPIR_Bcast_intra_small":[]`, 1): "a { is wanted",
		strings.Repeat(`{"a=any":`, 100) + strings.Repeat("}", 100):                                                "more than 64 levels",
	} {
		_, err := readTree("f", []byte(text))
		should.Fail(t, err, where, "%.80q", text)
	}
}

func TestTreeIsFoundInALibrary(t *testing.T) {
	tree := smallTree()
	path := filepath.Join(t.TempDir(), "libmpich.so")
	other := `{"collective=bcast":{"composition=MPIDI_Bcast_intra_composition_alpha":{}}}`
	text := "\x7fELF\x00" + other + "\x00" + string(tree.Text) + "\x00algorithm=MPIR_Bcast_intra_new\x00"
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	got, err := FindTree(path)
	should.Hold(t, err == nil && string(got.Text) == string(tree.Text) && slices.Contains(got.Algorithms, "MPIR_Bcast_intra_new"), "%v %v", got, err)
	must.Do(t, os.WriteFile(path, []byte(other), 0o666))
	_, err = FindTree(path)
	should.Hold(t, err != nil, "a library without the tree has one")
}

func FuzzReaders(f *testing.F) {
	f.Add([]byte("1\n7\n1\n4\n1\n0 2 0 0\n"))
	f.Add([]byte("rule-file-version-2\n1\n7\n1\n4\n1\n0 2 0 0 0\n"))
	f.Add(smallTree().Text)
	f.Add([]byte("export A='x'\\''y'\nMPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, _ = ReadEnv("f", text)
		for _, read := range []func(string, []byte) ([]Rule, error){readRules, readTree} {
			rules, err := read("f", text)
			should.Hold(t, err == nil || rules == nil, "rules with the error %v", err)
			for _, r := range rules {
				should.Hold(t, r.MinNP >= 0 && r.From >= 0, "%+v", r)
				FindTrap(rules, r.Function, r.MinNP)
			}
		}
	})
}

// MPICH maps the file and reads on until a zero: behind a file of whole pages there is none.
func TestNoTreeFillsWholePages(t *testing.T) {
	tree := smallTree()
	to := Target{Library: Library{Family: "mpich", Major: 4}, Tree: tree}
	choice := own("MPI_Bcast", 4, "new", 1, 16384)
	length := func() int { return len(mustWrite(t, mpichJSON, to, choice).Files[0].Content) }
	longer := strings.Repeat("x", 4096-length()%4096)
	tree.Text = []byte(strings.Replace(string(tree.Text), "MPIR_Ibarrier_intra_old", "MPIR_Ibarrier_intra_old"+longer, 1))
	n := length()
	should.Hold(t, n%4096 == 1, "%d bytes: whole pages, and no line break behind them", n)
}

// What csel.c does not look at itself, by the collective and by the algorithm.
func TestGuardsAreThoseOfTheCollectiveAndOfTheAlgorithm(t *testing.T) {
	for _, c := range []struct {
		function, algorithm string
		want                []guard
	}{
		{"MPI_Bcast", "binomial", nil},
		{"MPI_Alltoall", "brucks", []guard{notInPlace}},
		{"MPI_Alltoallv", "scattered", []guard{notInPlace}},
		{"MPI_Alltoallw", "scattered", []guard{notInPlace}},
		{"MPI_Allreduce", "recursive_doubling", []guard{commutative}},
		{"MPI_Reduce", "reduce_scatter_gather", []guard{commutative, builtIn, manyEnough}},
		{"MPI_Allreduce", "reduce_scatter_allgather", []guard{commutative, builtIn, manyEnough}},
		{"MPI_Reduce_scatter", "noncommutative", []guard{commutative, regular}},
		{"MPI_Reduce_scatter_block", "noncommutative", []guard{commutative}},
	} {
		should.Equal(t, guards(c.function, c.algorithm), c.want, c.function, c.algorithm)
	}
	should.Equal(t, refusesNode(own("MPI_Bcast", 4, "new", 1, 8), smallTree()), "")
	for l, want := range map[Library]bool{
		{Family: "mpich", Major: 4}: true, {Family: "mpich", Major: 3}: false, {Family: "openmpi", Major: 4}: false,
	} {
		should.Equal(t, mpichJSON.For(l), want, "%v", l)
	}
}

// Recursive doubling of three collectives, and one algorithm of any, are for 2, 4, 8, … processes.
func TestAlgorithmsForPowersOfTwoAreRefusedOnOtherNumbers(t *testing.T) {
	for _, c := range []struct {
		function, algorithm string
		want                bool
	}{
		{"MPI_Allgather", "recursive_doubling", true}, {"MPI_Allgatherv", "recursive_doubling", true},
		{"MPI_Bcast", "scatter_recursive_doubling_allgather", true}, {"MPI_Allreduce", "recursive_doubling", false},
		{"MPI_Reduce_scatter_block", "noncommutative", true}, {"MPI_Allgather", "ring", false},
	} {
		tree := &Tree{Algorithms: []string{"MPIR_" + strings.TrimPrefix(c.function, "MPI_") + "_intra_" + c.algorithm}}
		for np := 1; np <= 9; np++ {
			why := refusesNode(own(c.function, np, c.algorithm, 1, plan...), tree)
			refused := c.want && np != 1 && np != 2 && np != 4 && np != 8
			should.Equal(t, strings.Contains(why, "2, 4, 8"), refused, "%s %s on %d: %q", c.function, c.algorithm, np, why)
		}
	}
}

func TestConditionsOnProcessesAreAsCselReadsThem(t *testing.T) {
	for key, want := range map[string]struct {
		holds [6]bool // on 1 to 6 processes
		about bool
	}{
		"comm_size=any":            {[6]bool{true, true, true, true, true, true}, true},
		"comm_size=pow2":           {[6]bool{true, true, false, true, false, false}, true},
		"comm_size<=3":             {[6]bool{true, true, true, false, false, false}, true},
		"comm_size<3":              {[6]bool{true, true, false, false, false, false}, true},
		"comm_size=node_comm_size": {[6]bool{}, false},
		"avg_msg_size<=3":          {[6]bool{}, false},
	} {
		for np := 1; np <= 6; np++ {
			holds, about, err := aboutProcesses(key, np)
			should.Hold(t, err == nil && holds == want.holds[np-1] && about == want.about, "%s on %d: %v, %v, %v", key, np, holds, about, err)
		}
	}
	for limit, np := range map[string]int{"9": 9, "10": 10, "2147483647": math.MaxInt32} {
		holds, _, err := aboutProcesses("comm_size<="+limit, np)
		should.Hold(t, err == nil && holds, "%s: %v, %v", limit, holds, err)
		holds, _, err = aboutProcesses("comm_size<="+limit, np+1)
		should.Hold(t, err == nil && !holds, "%s, one more: %v, %v", limit, holds, err)
	}
	for _, key := range []string{"comm_size<=many", "comm_size<", "comm_size>2", "comm_size", "comm_size<=2147483648"} {
		_, _, err := aboutProcesses(key, 2)
		should.Fail(t, err, "is no condition on the number of processes", key)
	}
}

// The last of several conditions must be one that always holds.
func TestConditionsThatMayFailAreLimitsAndPowersOfTwo(t *testing.T) {
	for key, want := range map[string]bool{
		"avg_msg_size<8": true, "avg_msg_size<=8": true, "avg_msg_size<=0": true,
		"avg_msg_size<9": true, "avg_msg_size<2147483647": true, "count<pow2": true, "count<=pow2": true,
		"comm_size=pow2": true, "comm_size=any": false, "count=any": false, "is_commutative=yes": false, "a=": false,
	} {
		mayFail, err := conditional(key)
		should.Hold(t, err == nil && mayFail == want, "%s: %v, %v", key, mayFail, err)
	}
	for _, key := range []string{
		"", "any", "<8", "=any", "avg_msg_size<-1", "avg_msg_size<=-1", "avg_msg_size<many",
		"avg_msg_size<", "avg_msg_size<1a", "avg_msg_size<2147483648", "comm_size<pow2",
	} {
		_, err := conditional(key)
		should.Fail(t, err, "is no condition", key)
	}
}

// parsed is a part of a tree, with its lines.
func parsed(t *testing.T, text string) *node {
	t.Helper()
	return must.Get(parseTree("f", []byte(text)))(t)
}

func TestAPartOfATreeIsWholeWhereSomethingIsAlwaysChosen(t *testing.T) {
	const a, b = `"algorithm=a":{}`, `"algorithm=b":{}`
	for text, says := range map[string]string{
		`{` + a + `}`: "",
		`{"count<8":{` + a + `},"count=any":{` + b + `}}`: "",
		`{` + a + `,` + b + `}`:                           "f:1: an algorithm has a condition beside or below it",
		"{\n" + `"algorithm=a":{` + b + `}}`:              "f:2: an algorithm has a condition beside or below it",
		`{"algorithm=a":{"k=2":{},"tree_type=kary":{}}}`:  "",
		`{"algorithm=a":{"k=2":{"k=3":{}}}}`:              "an algorithm has a condition beside or below it",
		`{"algorithm=a":{"count=any":{}}}`:                "an algorithm has a condition beside or below it",
		`{"algorithm=a":{"count<=8":{}}}`:                 "an algorithm has a condition beside or below it",
		`{"algorithm=a":{"comm_size=pow2":{}}}`:           "an algorithm has a condition beside or below it",
		`{"algorithm=a":{"is_commutative=yes":{}}}`:       "an algorithm has a condition beside or below it",
		`{"count=any":{` + a + `},` + b + `}`:             "an algorithm has a condition beside or below it",
		`{"count<8":{` + a + `}}`:                         "falls through",
		`{"comm_size=pow2":{` + a + `}}`:                  "falls through",
		`{"count=any":{` + a + `},"count<8":{` + a + `}}`: "falls through",
		"{\n" + `"count":{` + a + `}}`:                    `f:2: "count" is no condition`,
		`{"count=any":{"count<8":{` + a + `}}}`:           "falls through",
		"{\n" + `"count=any":{}}`:                         "f:2: nothing is chosen below",
	} {
		err := parsed(t, text).complete("f")
		should.Hold(t, (err == nil) == (says == "") && (err == nil || strings.Contains(err.Error(), says)), "%s: %v", text, err)
	}
}

// Of conditions on processes the first that holds is taken, and those before it on anything else stay.
func TestATreeIsMadeForOneNumberOfProcesses(t *testing.T) {
	const text = `{"comm_size<=2":{"algorithm=two":{}},` +
		`"count<8":{"comm_size<5":{"algorithm=few":{}},"comm_size=any":{"algorithm=many":{}}},` +
		`"comm_size=pow2":{"algorithm=even":{}},"comm_size=any":{"algorithm=odd":{}}}`
	for np, want := range map[int]string{
		2: "algorithm=two", 3: "count<8(algorithm=few) algorithm=odd", 4: "count<8(algorithm=few) algorithm=even",
		5: "count<8(algorithm=few) algorithm=odd", 6: "count<8(algorithm=many) algorithm=odd",
		8: "count<8(algorithm=many) algorithm=even",
	} {
		below := must.Get(parsed(t, text).on(np, false))(t)
		should.Equal(t, shape(below), want, "%d processes", np)
	}
	_, err := parsed(t, `{"comm_size<=2":{"algorithm=two":{}}}`).on(3, false)
	should.Fail(t, err, "no condition holds on 3 processes")
	_, err = parsed(t, `{"count<8":{"comm_size<=2":{"algorithm=two":{}}},"count=any":{"algorithm=a":{}}}`).on(3, false)
	should.Fail(t, err, "no condition holds on 3 processes")
	_, err = parsed(t, `{"comm_size=any":{"comm_size<=many":{"algorithm=two":{}}}}`).on(3, false)
	should.Fail(t, err, "no condition on the number of processes")
}

func shape(below []*node) string {
	var parts []string
	for _, n := range below {
		text := n.key
		if len(n.below) > 0 {
			text += "(" + shape(n.below) + ")"
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " ")
}

func TestATreeThatCannotBeWrittenSaysWhy(t *testing.T) {
	to := Target{Library: Library{Family: "mpich", Major: 4}, Folder: "/r"}
	choice := own("MPI_Bcast", 4, "new", 1, 16384)
	s := mustWrite(t, mpichJSON, to, choice, own("MPI_Bcast", 4, "new", 1))
	must.Hold(t, len(s.Rejected) == 2 && len(s.Files) == 0, "%+v", s)
	should.Contain(t, s.Rejected[0].Reason, "the library's own selection tree was not found")
	should.Hold(t, s.Rejected[1].Reason != s.Rejected[0].Reason, "a choice without sizes: %s", s.Rejected[1].Reason)

	to.Tree = &Tree{Text: []byte("{"), Algorithms: smallTree().Algorithms}
	_, err := mpichJSON.Write(to, []Choice{choice})
	should.Fail(t, err, "the library's tree")
	to.Tree.Text = []byte(`{"collective=scan":{"algorithm=MPIR_Scan_intra_old":{}}}`)
	_, err = mpichJSON.Write(to, []Choice{choice})
	should.Fail(t, err, "the library's tree has no MPI_Bcast")
	to.Tree.Text = []byte(`{"collective=bcast":{"comm_size<=2":{"algorithm=MPIR_Bcast_intra_old":{}}}}`)
	_, err = mpichJSON.Write(to, []Choice{choice})
	should.Fail(t, err, "MPI_Bcast in the library's tree: no condition holds on 4 processes")

	to.Tree = smallTree()
	s = mustWrite(t, mpichJSON, to, own("MPI_Bcast", 4, "nonsense", 1, 8))
	should.Hold(t, len(s.Files) == 0 && s.Env == nil && s.Notes == nil, "nothing to write: %+v", s)
}

// Sizes beyond an int are beyond every message that MPICH compares.
func TestNoSizeOfATreeIsLargerThanAnInt(t *testing.T) {
	tree := smallTree()
	n := must.Get(parseTree("f", tree.Text))(t).find("collective=bcast")
	parts := []part{{interval{8, 1 << 40}, own("MPI_Bcast", 1, "new", 1, 8)}}
	entries := must.Get(insert(n, "MPI_Bcast", map[int][]part{1: parts}, tree))(t)
	should.Hold(t, len(entries) == 1 && entries[0].From == 8 && entries[0].To == 1<<40, "%+v", entries)
	here := n.find("comm_type=intra").below
	must.Hold(t, len(here) == 2 && here[0].key == "comm_size<=1" && here[1].key == "comm_size=any", "%s", shape(here))
	keys := func(below []*node) (out []string) {
		for _, b := range below {
			out = append(out, b.key)
		}
		return out
	}
	should.Equal(t, keys(here[0].below), []string{"avg_msg_size<8", "avg_msg_size<2147483647", "avg_msg_size=any"})
	next := []part{{interval{0, 8}, parts[0].choice}, {interval{8, 16}, parts[0].choice}}
	should.Equal(t, keys(bySize("MPI_Bcast", 1, next, nil, tree)),
		[]string{"avg_msg_size<8", "avg_msg_size<16", "avg_msg_size=any"})
	should.Equal(t, keys(bySize("MPI_Bcast", 1, []part{{interval{1, 8}, parts[0].choice}}, nil, tree)),
		[]string{"avg_msg_size<1", "avg_msg_size<8", "avg_msg_size=any"})
}

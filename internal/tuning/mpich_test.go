package tuning

import (
	"fmt"
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

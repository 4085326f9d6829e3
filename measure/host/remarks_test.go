package host

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgmpi/internal/remark"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func list(t *testing.T, text string) Ranges {
	t.Helper()
	r := must.Get(parseRanges(text))(t)
	return r
}

func TestRangesComeBackAsTheyWereWritten(t *testing.T) {
	for text, want := range map[string]string{"": "", "0": "0", "0-3,8": "0-3,8", "3,1,2": "1-3", "5,5-6": "5-6", "0,2,4": "0,2,4"} {
		r := list(t, text)
		should.Equal(t, r.String(), want, "%q became %q", text, r)
		var again Ranges
		err := again.UnmarshalText([]byte(r.String()))
		should.Hold(t, err == nil && reflect.DeepEqual(r, again), "%v came back as %v (%v)", r, again, err)
	}
	for _, bad := range []string{"-1", "3-1", "x", "1,,2", "0-99999999999", "16777216", "0-1048577", "0-1000000,0-1000000"} {
		r, err := parseRanges(bad)
		should.Hold(t, err != nil, "%q was taken: %d numbers", bad, len(r))
	}
}

// onOneNode has ranks with these masks on one node of eight CPUs, two for each core.
func onOneNode(t *testing.T, masks ...string) *Layout {
	t.Helper()
	k := NodeKind{Online: list(t, "0-7"), Kernel: "6", CPU: "x", Library: "MPI 1", Program: "p"}
	for c := range 4 {
		k.Siblings = append(k.Siblings, Ranges{c, c + 4})
	}
	l := &Layout{Shape: "p2", Kinds: []NodeKind{k}, Pinnings: [][]Pin{{}}, Nodes: []Node{{Host: "n1"}}}
	for r, m := range masks {
		l.Pinnings[0] = append(l.Pinnings[0], Pin{CPUs: list(t, m), Ranks: 1})
		l.Nodes[0].Ranks = append(l.Nodes[0].Ranks, r)
	}
	must.Do(t, l.Check())
	return l
}

func idsOf(remarks []remark.Remark) string {
	var ids []string
	for _, r := range remarks {
		ids = append(ids, string(r.ID))
	}
	return strings.Join(ids, " ")
}

func TestPinningIsRemarkedOnWhereRanksGetInEachOthersWay(t *testing.T) {
	for _, c := range []struct {
		name  string
		masks []string
		want  string
	}{
		{"one core each, both siblings in the mask", []string{"0,4", "1,5", "2,6", "3,7"}, ""},
		{"one CPU each, each of another core", []string{"0", "1", "2", "3"}, ""},
		{"halves of the node that do not overlap", []string{"0-1,4-5", "2-3,6-7"}, ""},
		{"two ranks in each half", []string{"0-1,4-5", "0-1,4-5", "2-3,6-7", "2-3,6-7"}, ""},
		{"both siblings of a core", []string{"0", "4"}, "smt-siblings"},
		{"three ranks in two cores", []string{"0-1,4-5", "0-1,4-5", "0-1,4-5", "2"}, "smt-siblings"},
		{"two ranks on one core with both its siblings", []string{"0,4", "0,4", "1,5"}, "smt-siblings"},
		{"two ranks on one CPU", []string{"0", "0", "1", "2"}, "shared-core"},
		{"three ranks on a core", []string{"0,4", "0,4", "4", "1"}, "shared-core"},
		{"free to move", []string{"0-7", "0-7"}, "unpinned"},
		{"one rank alone, free to move", []string{"0-7"}, "unpinned"},
		{"one of two", []string{"0", "0-7"}, "unpinned"},
		{"free within the CPUs of a job", []string{"0-1", "0-1"}, "unpinned"},
		{"one rank alone in half of the node", []string{"0-1,4-5"}, ""},
		{"more ranks than CPUs", []string{"0-1", "0-1", "0-1"}, "oversubscribed"},
		{"all on one CPU", []string{"3", "3"}, "shared-core"},
		{"not known", []string{"", ""}, ""},
	} {
		should.Equal(t, idsOf(onOneNode(t, c.masks...).Remarks()), c.want, "%s: remarks", c.name)
	}
}

func TestRemarksOnHostsNameThemAndARemedy(t *testing.T) {
	some := func(f float64) *float64 { return &f }
	for want, change := range map[string]func(*NodeKind, *Node){
		"": func(k *NodeKind, n *Node) {
			k.Governor, k.Turbo, n.OthersBusy, k.CPULimit = "performance", "off", some(0.4), 2.5
		},
		"governor":          func(k *NodeKind, _ *Node) { k.Governor = "powersave" },
		"turbo":             func(k *NodeKind, _ *Node) { k.Turbo = "on" },
		"tsc-not-invariant": func(k *NodeKind, _ *Node) { k.TSC = []string{"tsc", "constant_tsc"} },
		"clocksource":       func(k *NodeKind, _ *Node) { k.Clocksource = "hpet" },
		"others-busy":       func(_ *NodeKind, n *Node) { n.OthersBusy = some(1.25) },
		"cpu-limit":         func(k *NodeKind, _ *Node) { k.CPULimit = 2 },
		"memory-low":        func(_ *NodeKind, n *Node) { n.MemTotal, n.MemAvailable = 100<<20, 9<<20 },
		"library-settings": func(k *NodeKind, _ *Node) {
			k.Env = map[string]string{"MPIR_CVAR_X": "1", "SLURM_JOB_ID": "7", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
		},
	} {
		l := onOneNode(t, "0", "1")
		change(&l.Kinds[0], &l.Nodes[0])
		d := l.Remarks()
		should.Equal(t, idsOf(d), want, "remarks")
		for _, d := range d {
			should.Hold(t, d.Remedy != "" && d.Docs != "" && (d.ID == remark.LibrarySettings || strings.HasPrefix(d.Text, "on n1, ")),
				"%+v lacks the host or the remedy", d)
		}
	}
}

func TestARemarkOnManyNodesIsMadeOnce(t *testing.T) {
	l := onOneNode(t, "0-7", "0-7")
	l.Kinds[0].Turbo = "on"
	for i := 2; i <= 5; i++ {
		n := l.Nodes[0]
		n.Host = fmt.Sprintf("n%d", i)
		n.Ranks = Ranges{2*i - 2, 2*i - 1}
		l.Nodes = append(l.Nodes, n)
	}
	d := l.Remarks()
	should.Hold(t, idsOf(d) == "unpinned turbo" && strings.HasPrefix(d[0].Text, "p2 on n1, n2 and 3 more, ranks 0-9 are not pinned"), "remarks %+v", d)
	at := slices.IndexFunc(d, func(r remark.Remark) bool { return r.ID == remark.Turbo })
	should.Hold(t, at >= 0 && strings.HasPrefix(d[at].Text, "on n1, n2 and 3 more, turbo"), "remarks %+v", d)
}

func TestNodesThatAreNotAlikeAreNamed(t *testing.T) {
	l := onOneNode(t, "0", "1")
	other := l.Kinds[0]
	other.Kernel, other.Library = "5", "MPI 2"
	l.Kinds = append(l.Kinds, other)
	l.Nodes = append(l.Nodes, Node{Host: "n2", Kind: 1, Ranks: Ranges{2, 3}})
	d := l.Remarks()
	should.Hold(t, idsOf(d) == "nodes-differ" && strings.Contains(d[0].Text, `kernel ("6", "5"), version of the MPI library ("MPI 1", "MPI 2")`), "remarks %+v", d)
	l.Kinds[1] = l.Kinds[0]
	l.Kinds[1].Env = map[string]string{"OMPI_X": "1"}
	d = l.Remarks()
	should.Hold(t, idsOf(d) == "env-differs", "remarks %+v", d)
}

func TestFactorsKeepALayoutOnceAndNoticeAnotherOne(t *testing.T) {
	var f Factors
	load := 3.0
	for n, more := range [][]string{nil, {"--job", "job.txt"}} {
		l := onOneNode(t, "0", "1")
		// Another job of the batch system, and the job handed over in another way.
		l.Kinds[0].Env = map[string]string{"SLURM_JOB_ID": fmt.Sprint(n)}
		l.Command = append([]string{"mpirun", "-np", "2", "pgmpi-rank", "--np", "2"}, more...)
		l.Nodes[0].Load, l.Nodes[0].MemAvailable = &load, int64(len(f.Layouts))
		f.Add(*l)
	}
	must.Hold(t, len(f.Layouts) == 1 && len(f.Remarks()) == 0, "%d layouts of equal mpiruns, remarks %v", len(f.Layouts), f.Remarks())
	unbound := f.Layouts[0]
	unbound.Command = []string{"mpirun", "-bind-to", "none", "-np", "2", "pgmpi-rank", "--np", "2"}
	f.Add(unbound)
	if f.Add(f.Layouts[0]); len(f.Layouts) != 3 {
		t.Errorf("%d layouts after another launcher", len(f.Layouts))
	}
	f.Layouts = f.Layouts[:1]
	other := onOneNode(t, "0", "2")
	other.Since = "run-p2-04.tsv.gz"
	f.Add(*other)
	fourth := onOneNode(t, "0-7", "0-7")
	fourth.Shape = "p4"
	f.Add(*fourth)
	got := idsOf(f.Remarks())
	should.Hold(t, len(f.Layouts) == 3 && got == "placement-changed unpinned", "%d layouts, remarks %q", len(f.Layouts), got)
}

func TestDamagedLayoutsAreRefused(t *testing.T) {
	for name, damage := range map[string]func(*Layout){
		"kind":           func(l *Layout) { l.Nodes[0].Kind = 1 },
		"negative":       func(l *Layout) { l.Nodes[0].Pinning = -1 },
		"too few masks":  func(l *Layout) { l.Nodes[0].Ranks = Ranges{0, 1, 2} },
		"too many masks": func(l *Layout) { l.Nodes[0].Ranks = Ranges{0} },
		"no mask":        func(l *Layout) { l.Pinnings[0][0].Ranks = 0 },
		"huge":           func(l *Layout) { l.Pinnings[0][0].Ranks = 1 << 60 },
	} {
		l := onOneNode(t, "0", "1")
		damage(l)
		should.Hold(t, l.Check() != nil, "%s: no error", name)
	}
}

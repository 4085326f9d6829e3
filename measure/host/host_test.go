package host

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// tree reads a recorded tree: "-- path --" lines before the text of each file.
func tree(t *testing.T, name string) fstest.MapFS {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/" + name + ".tree"))(t)
	out := fstest.MapFS{}
	var file *fstest.MapFile
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok {
			file = &fstest.MapFile{}
			out[strings.TrimSuffix(path, " --")] = file
		} else if file != nil {
			file.Data = append(file.Data, line...)
		}
	}
	return out
}

func ranges(t *testing.T, lists ...string) []Ranges {
	t.Helper()
	var out []Ranges
	for _, l := range lists {
		r := must.Get(parseRanges(l))(t)
		out = append(out, r)
	}
	return out
}

func TestKindOfRecordedTrees(t *testing.T) {
	for name, want := range map[string]NodeKind{
		"vm": {
			Kernel: "6.18.44-fc-v669", CPU: "Intel(R) Xeon(R) Processor", Online: Ranges{0, 1}, Packages: ranges(t, "0-1"), NUMA: ranges(t, "0-1"),
			LLC: 480 << 20, TSC: []string{"tsc", "rdtscp", "constant_tsc", "nonstop_tsc", "tsc_known_freq", "tsc_deadline_timer", "tsc_adjust"},
			Clocksource: "tsc", Virtual: true, Devices: []string{"eth0"},
		},
		"xeon": {
			Kernel: "5.14.0-427.el9.x86_64", CPU: "Intel(R) Xeon(R) Gold 6130 CPU @ 2.10GHz", Online: Ranges{0, 1, 2, 3, 4, 5, 6, 7},
			Siblings: ranges(t, "0,4", "1,5", "2,6", "3,7"), Packages: ranges(t, "0-1,4-5", "2-3,6-7"), NUMA: ranges(t, "0-1,4-5", "2-3,6-7"),
			LLC: 22 << 20, Governor: "powersave", FreqDriver: "intel_pstate", Turbo: "on", MinMHz: 1000, MaxMHz: 3700,
			TSC: []string{"tsc", "constant_tsc", "nonstop_tsc", "rdtscp"}, Clocksource: "tsc", CPULimit: 3.5,
			Devices: []string{"eno1 10000 Mb/s", "mlx5_0/1 100 Gb/sec (4X EDR)"},
		},
		"arm": {
			Kernel: "6.1.0-rpi7", CPU: "implementer 0x41, part 0xd08", Online: Ranges{0, 1, 2}, LLC: 1 << 20,
			Governor: "ondemand (0-1), performance (2)", Turbo: "off", Clocksource: "arch_sys_counter", CPULimit: 1.5, Devices: []string{"wlan0"},
		},
	} {
		should.Equal(t, ReadKind(tree(t, name)), want, "%s", name)
	}
}

func TestWhatAHostDoesNotTellIsUnknownAndNotDoubtful(t *testing.T) {
	empty := fstest.MapFS{}
	should.Equal(t, ReadKind(empty), NodeKind{}, "an empty tree")
	total, free := Memory(empty)
	should.Hold(t, total == 0 && free == 0 && Load(empty) == -1 && mhz(empty, 0) == 0, "an empty tree has memory, a load or a clock rate")
	rank := RankFacts{Host: "a", CPUs: Ranges{0}}
	l := must.Get(Merge([]RankFacts{rank}, []NodeFacts{ReadNode(empty, rank, nil, nil, "", "")}))(t)
	d := l.Remarks()
	should.Hold(t, len(d) == 0, "doubts about what is not known: %+v", d)
}

func TestOddFilesAreUnknown(t *testing.T) {
	odd := fstest.MapFS{}
	for _, name := range []string{
		"proc/cpuinfo", "proc/meminfo", "proc/loadavg", "proc/stat", "proc/self/cgroup", "sys/devices/system/cpu/online",
		"sys/devices/system/cpu/cpu0/cache/index0/size", "sys/devices/system/cpu/intel_pstate/no_turbo", "sys/fs/cgroup/cpu.max",
	} {
		odd[name] = &fstest.MapFile{Data: []byte("0::/\n9-3:::\x00 K\n\n:")}
	}
	k := ReadKind(odd)
	should.Hold(t, len(k.Online) == 0 && k.LLC == 0 && k.Turbo == "" && k.CPULimit == 0, "nonsense was understood: %+v", k)
	should.Hold(t, Load(odd) == -1 && ReadCPUTime(odd) == (CPUTime{}), "nonsense is a load or a CPU time")
}

func TestProcessorsAreCountedWhereThereIsNoSys(t *testing.T) {
	bare := fstest.MapFS{"proc/cpuinfo": &fstest.MapFile{Data: []byte("processor\t: 0\nmodel name\t: X\n\nprocessor\t: 1\n")}}
	should.Equal(t, ReadKind(bare).Online.String(), "0-1")
}

func TestNowOfARecordedTree(t *testing.T) {
	x := tree(t, "xeon")
	total, free := Memory(x)
	should.Hold(t, total == 1000000<<10 && free == 50000<<10, "memory %d, %d", total, free)
	should.Hold(t, Load(x) == 3.25 && mhz(x, 0) == 1200 && mhz(x, 1) == 2100.5, "load %v, clock rates %v (cpufreq) and %v (cpuinfo)", Load(x), mhz(x, 0), mhz(x, 1))
	// user 100 + system 50 of these and 850 idle; stolen and guest time count for nothing.
	c := ReadCPUTime(x)
	should.Hold(t, c == (CPUTime{Busy: 150, All: 1000}), "CPU time %+v", c)
}

func TestBusyCPUsAreTheShareOfAllTimesTheirNumber(t *testing.T) {
	before := CPUTime{Busy: 100, All: 1000}
	b := (CPUTime{Busy: 110, All: 1040}).BusySince(before, 8)
	should.Hold(t, b != nil && math.Abs(*b-2) <= 1e-12, "10 of 40 ticks on 8 CPUs: %v, want 2", b)
	if b := before.BusySince(before, 8); b != nil {
		t.Errorf("no tick has passed: %v, want unknown", *b)
	}
}

func TestVariablesThatSetMallocsLimitsAreFound(t *testing.T) {
	for v, want := range map[string]bool{
		"MALLOC_MMAP_THRESHOLD_=131072": true, "MALLOC_TOP_PAD_=0": true, "GLIBC_TUNABLES=glibc.rtld.nns=4:glibc.malloc.trim_threshold=1": true,
		"MALLOC_ARENA_MAX=1": false, "GLIBC_TUNABLES=glibc.malloc.check=3": false, "NOTE=MALLOC_TOP_PAD_": false,
	} {
		should.Equal(t, SetsMalloc([]string{"HOME=/", v}), want, v)
	}
}

func TestEnvKeepsWhatSetsTheLibraryAndNoPasswordOrUser(t *testing.T) {
	got := Env([]string{
		"OMPI_MCA_coll_tuned_use_dynamic_rules=1", "UCX_TLS=tcp,self", "EMPTY", "SLURM_JOB_ID=7", "SLURM_JOB_USER=me", "SLURM_JOB_ACCOUNT=mine", "SLURM_CPU_BIND=cores", "FI_PROVIDER=", "MPIR_CVAR_X=a=b",
		"HOME=/root", "OMPI_COMM_WORLD_RANK=3", "OMPI_MCA_ess_base_vpid=3", "OMPI_MCA_orte_hnp_uri=x", "SLURM_PROCID=3", "SLURM_JWT=secret", "MV2_COMM_WORLD_RANK=3",
		"LD_PRELOAD=/l.so", "LD_LIBRARY_PATH=/lib", "MALLOC_ARENA_MAX=1", "GLIBC_TUNABLES=x=1", "PGMPI_DELAY=MPI_Bcast:8:1us", "PGMPI_MPIRUN=1.2", "PGMPI_RANK=/r", "PGMPI_TEST_BIN=/b", "LD_DEBUG=all",
	})
	want := map[string]string{"OMPI_MCA_coll_tuned_use_dynamic_rules": "1", "UCX_TLS": "tcp,self", "SLURM_CPU_BIND": "cores", "FI_PROVIDER": "", "MPIR_CVAR_X": "a=b",
		"LD_PRELOAD": "/l.so", "LD_LIBRARY_PATH": "/lib", "MALLOC_ARENA_MAX": "1", "GLIBC_TUNABLES": "x=1", "PGMPI_DELAY": "MPI_Bcast:8:1us"}
	should.Equal(t, got, want)
}

func TestAffinityIsNotEmptyAndWithinTheMachine(t *testing.T) {
	mask, all := Affinity(), online(os.DirFS("/"))
	should.Hold(t, len(mask) != 0 && (len(all) == 0 || mask.Within(all)), "mask %v of CPUs %v", mask, all)
}

// cluster are the facts of hosts with ppn ranks each, one core per rank.
func cluster(t *testing.T, hosts, ppn int) ([]RankFacts, []NodeFacts) {
	t.Helper()
	x := tree(t, "xeon")
	var ranks []RankFacts
	var nodes []NodeFacts
	for h := range hosts {
		for c := range ppn {
			ranks = append(ranks, RankFacts{Host: fmt.Sprintf("node%04d", h), CPUs: Ranges{c, c + 128}})
		}
		nodes = append(nodes, ReadNode(x, ranks[len(ranks)-1], []string{"UCX_TLS=tcp"}, nil, "Open MPI 5", "hash"))
	}
	return ranks, nodes
}

func TestLayoutHoldsEqualNodesOnce(t *testing.T) {
	ranks, nodes := cluster(t, 64, 64)
	l := must.Get(Merge(ranks, nodes))(t)
	must.Hold(t, len(l.Kinds) == 1 && len(l.Pinnings) == 1 && len(l.Nodes) == 64 && len(l.OtherEnv) == 0,
		"%d kinds, %d pinnings, %d nodes, other variables at %v", len(l.Kinds), len(l.Pinnings), len(l.Nodes), l.OtherEnv)
	should.Equal(t, l.Nodes[3].Ranks.String(), "192-255", "the fourth node has ranks")
	text := must.Get(json.Marshal(l))(t)
	should.Hold(t, len(text) <= 32<<10, "4096 ranks on 64 nodes take %d bytes", len(text))
}

func TestLayoutTellsRanksApartThatWereStartedInAnotherWay(t *testing.T) {
	ranks, nodes := cluster(t, 2, 4)
	// Ranks of a node need not be neighbours.
	ranks[1], ranks[4] = ranks[4], ranks[1]
	ranks[6].Same++
	nodes[1].Kind.Kernel = "6.0"
	l := must.Get(Merge(ranks, nodes))(t)
	a, b := l.Nodes[0].Ranks.String(), l.Nodes[1].Ranks.String()
	should.Hold(t, a == "0,2-4" && b == "1,5-7", "ranks %s and %s", a, b)
	should.Hold(t, l.OtherEnv.String() == "6" && len(l.Kinds) == 2, "other variables at %v, %d kinds", l.OtherEnv, len(l.Kinds))
	should.Equal(t, idsOf(l.Remarks()), "governor turbo cpu-limit memory-low nodes-differ env-differs library-settings", "remarks")
	_, err := Merge(ranks, nodes[:1])
	should.Hold(t, err != nil, "a node without facts is no error")
}

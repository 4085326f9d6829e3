package profile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// written returns the text of a profile with one kind of call.
func written(ranks int, call string) string {
	return fmt.Sprintf(`{"schema":"pgmpi-profile/1","program":"app","library":"L","processes":2,"ranks":%d,"finished":false,"wall_ns":1000000000,"calls":[%s]}`, ranks, call)
}

func call(bytes, sum int) string {
	return fmt.Sprintf(`{"function":"MPI_Bcast","bytes":%d,"processes":2,"communicator":"world","datatype":"MPI_BYTE","calls":100,"ranks":1,"sum_ns":%d,"least_rank_ns":%[2]d,"most_rank_ns":%[2]d,"least_call_ns":10}`, bytes, sum)
}

func put(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func TestADamagedProfileIsRefusedWithItsName(t *testing.T) {
	good := written(1, call(8, 1000))
	_, err := Read(put(t, "good", good))
	must.Do(t, err)
	for old, new := range map[string]string{
		"pgmpi-profile/1": "pgmpi-profile/9", `"ranks":1,"finished"`: `"ranks":3,"finished"`, `"calls":100`: `"calls":0`, `"bytes":8`: `"bytes":-8`,
		`"wall_ns":1000000000`: `"wall_ns":0`, `"least_rank_ns":1000`: `"least_rank_ns":2000`, "{": "",
	} {
		must.Hold(t, strings.Contains(good, old), "%s", old)
		_, err := Read(put(t, "bad.prof", strings.Replace(good, old, new, 1)))
		should.Fail(t, err, "bad.prof", new+" for "+old)
	}
}

func TestPairsOfRanksAreJoined(t *testing.T) {
	pair := strings.Replace(strings.Replace(call(8, 500), "{", `{"by":"MPI_Scatter + MPI_Allgather",`, 1), `"calls":100`, `"calls":5`, 1)
	with := func(pairs string) string {
		return strings.Replace(written(1, call(8, 3000)), `"calls":[`, `"made":[`+pairs+`],"calls":[`, 1)
	}
	path := put(t, "app.prof.rank0", with(pair))
	path = strings.TrimSuffix(path, ".rank0")
	must.Do(t, os.WriteFile(path+".rank1", []byte(with(pair+","+strings.Replace(pair, `"bytes":8`, `"bytes":16`, 1))), 0o666))
	p, err := Parts(path)
	must.Do(t, err)
	must.Hold(t, len(p.Made) == 2 && p.MadeCalls() == 200, "%+v", p)
	m := p.Made[0]
	should.Hold(t, m.Calls == 10 && m.SumNS == 1000 && m.Ranks == 2 && m.Bytes == 8 && m.Mockup() == "bcast_as_scatter+allgather", "%+v", m)
}

func TestPartsOfRanksAreJoined(t *testing.T) {
	path := put(t, "app.prof.rank0", written(1, call(8, 3000)))
	path = strings.TrimSuffix(path, ".rank0")
	must.Do(t, os.WriteFile(path+".rank1", []byte(written(1, call(8, 1000)+","+call(64, 2000))), 0o666))
	for _, other := range []string{".rank1.77.new", ".78.new", ".rank", ".mine.rank2"} { // of ranks that were killed, or of others
		must.Do(t, os.WriteFile(path+other, []byte(`{"schema":"pgmpi-pro`), 0o666))
	}
	p, err := Parts(path)
	must.Do(t, err)
	must.Hold(t, len(p.Calls) == 2 && p.Ranks == 2, "%d ranks: %+v", p.Ranks, p.Calls)
	c := p.Calls[0]
	should.Hold(t, c.Calls == 200 && c.SumNS == 4000 && c.LeastRankNS == 1000 && c.MostRankNS == 3000, "%+v", c)

	for old, new := range map[string]string{`"L"`: `"M"`, `"processes":2,"ranks"`: `"processes":3,"ranks"`} {
		must.Do(t, os.WriteFile(path+".rank1", []byte(strings.Replace(written(1, ""), old, new, 1)), 0o666))
		_, err := Parts(path)
		should.Fail(t, err, "app.prof.rank1", new)
	}
	must.Do(t, errors.Join(os.WriteFile(path+".rank1", []byte(written(1, "")), 0o666), os.WriteFile(path+".rank2", []byte(written(1, "")), 0o666)))
	_, err = Parts(path)
	should.Fail(t, err, "3 ranks of 2 processes")
	_, err = Parts(filepath.Join(t.TempDir(), "app.prof"))
	must.Do(t, err)
}

func TestCallsWithSeveralRootsAreTold(t *testing.T) {
	at := func(root int) string {
		return strings.Replace(strings.Replace(call(8, 1000), "world", "inter", 1), `"ranks":1`, fmt.Sprintf(`"other_root":100,"root":%d,"ranks":1`, root), 1)
	}
	path := put(t, "app.prof.rank0", written(1, at(3)+","+strings.Replace(at(3), `"bytes":8`, `"bytes":16`, 1)+","+call(8, 1000)))
	path = strings.TrimSuffix(path, ".rank0")
	must.Do(t, os.WriteFile(path+".rank1", []byte(written(1, at(2)+","+strings.Replace(at(3), `"bytes":8`, `"bytes":16`, 1))), 0o666))
	p := must.Get(Parts(path))(t)
	got := map[string]int64{}
	for _, c := range p.Calls {
		got[fmt.Sprint(c.Bytes, " ", c.Root)] = c.Calls
		should.Equal(t, c.RootIs(3), c.Root == 3, "%+v", c)
		should.Equal(t, c.RootIs(0), c.Root == 0, "%+v", c)
	}
	should.Equal(t, got, map[string]int64{"8 -1": 200, "16 3": 200, "8 0": 100})
	should.Hold(t, Call{Function: "MPI_Allreduce"}.RootIs(3), "no root")
	should.Hold(t, !Call{Function: "MPI_Bcast", Calls: 10, OtherRoot: 6}.RootIs(0), "most of an older version's")
	for _, bad := range []string{`"root":-2`, `"root":16777216`, `"root":3,"other_root":99`, `"root":3,"communicator":"part"`} {
		_, err := Read(put(t, "bad.prof", written(1, strings.Replace(at(3), `"root":3`, bad, 1))))
		should.Fail(t, err, "bad.prof is damaged", bad)
	}
}

// The table says which part of a right profile is replaced, and by what.
func TestAProfileThatCannotBeIsRefused(t *testing.T) {
	good := `{"schema":"pgmpi-profile/1","program":"app","library":"L","host":"h","created":1,"thread_level":"single","processes":2,"ranks":2,"finished":true,` +
		`"wall_ns":1000000000,"rounded":0,"lost_calls":1,"lost_ns":5,"calls":[{"function":"MPI_Reduce","bytes":64,"processes":2,"communicator":"world",` +
		`"datatype":"MPI_INT","op":"MPI_SUM","uneven":false,"calls":200,"in_place":2,"other_root":3,"ranks":2,"sum_ns":700000000,"least_rank_ns":300000000,` +
		`"most_rank_ns":400000000,"least_call_ns":1000,"sampled":4,"faults":8,"faulting":2}]}`
	must.Get(Read(put(t, "good", good)))(t)
	for _, change := range [][2]string{
		{`"wall_ns":1000000000`, `"wall_ns":300000000`}, {`"wall_ns":1000000000`, `"wall_ns":9000000000000000000`}, {`"wall_ns":1000000000`, `"wall_ns":-1`},
		{`"lost_ns":5`, `"lost_ns":2000000000`}, {`"lost_ns":5`, `"lost_ns":-5`}, {`"lost_calls":1`, `"lost_calls":-1`}, {`"rounded":0`, `"rounded":-1`},
		{`"ranks":2,"finished"`, `"ranks":0,"finished"`}, {`"processes":2,"ranks"`, `"processes":1,"ranks"`}, {`"processes":2,"comm`, `"processes":3,"comm`},
		{`"single"`, `"many"`}, {`MPI_Reduce`, `MPI_Reduce_all`}, {`MPI_Reduce`, `MPI_Reduce\n`}, {`MPI_INT`, `MPI_INTEGRAL`}, {`MPI_SUM`, `MPI_PLUS`}, {`world`, `all`},
		{`"bytes":64`, `"bytes":-64`}, {`"bytes":64`, `"bytes":9000000000000000000`}, {`"calls":200`, `"calls":-200`}, {`"calls":200`, `"calls":1`},
		{`"in_place":2`, `"in_place":-2`}, {`"in_place":2`, `"in_place":201`}, {`"other_root":3`, `"other_root":-1`}, {`"other_root":3`, `"other_root":300`},
		{`"sampled":4`, `"sampled":-4`}, {`"sampled":4`, `"sampled":201`}, {`"faulting":2`, `"faulting":5`}, {`"faulting":2`, `"faulting":-1`}, {`"faults":8`, `"faults":-8`},
		{`"sum_ns":700000000`, `"sum_ns":-700000000`}, {`"sum_ns":700000000`, `"sum_ns":900000000`}, {`"sum_ns":700000000`, `"sum_ns":500000000`},
		{`"least_rank_ns":300000000`, `"least_rank_ns":-1`}, {`"most_rank_ns":400000000`, `"most_rank_ns":800000000`},
		{`"least_call_ns":1000`, `"least_call_ns":4000000`}, {`"least_call_ns":1000`, `"least_call_ns":-1`}, {`"calls":200`, `"calls":9000000000000000000`},
	} {
		must.Hold(t, strings.Contains(good, change[0]), "%s", change[0])
		_, err := Read(put(t, "bad.prof", strings.Replace(good, change[0], change[1], 1)))
		should.Fail(t, err, "bad.prof is damaged", change[1]+" for "+change[0])
	}
}

// Three threads that call at once have more time than the run-time.
func TestThreadsThatCallAtOnceHaveTheRunTimeAtMost(t *testing.T) {
	text := strings.Replace(written(1, call(8, 900000000)+","+call(64, 600000000)), `"finished"`, `"thread_level":"multiple","finished"`, 1)
	p := must.Get(Read(put(t, "app.prof", text)))(t)
	should.Equal(t, p.Collective(), 1)
	should.Equal(t, p.Seconds(p.Calls[0]), .6)
	_, err := Read(put(t, "app.prof", strings.Replace(text, "multiple", "serialized", 1)))
	should.Fail(t, err, "its calls take 1.5 s")
}

// The C code names the functions that it counts.
func TestTheNamesAreThoseOfThePreloadedLibrary(t *testing.T) {
	text := string(must.Get(os.ReadFile("../../../../measure/preload/entries.c"))(t)) + string(must.Get(os.ReadFile("../../../../measure/preload/profile.c"))(t))
	named := func(from string) []string {
		_, table, found := strings.Cut(text, from)
		must.Hold(t, found, "%s", from)
		table, _, _ = strings.Cut(table, "\n};")
		var names []string
		for _, name := range regexp.MustCompile(`"([^"]*)"`).FindAllStringSubmatch(table, -1) {
			names = append(names, name[1])
		}
		return slices.Sorted(slices.Values(names))
	}
	should.Equal(t, named("function_names[FUNCTIONS] = {"), slices.Sorted(slices.Values(functions)))
	should.Equal(t, named("known_type types[] = {"), slices.Sorted(slices.Values(datatypes)))
	should.Equal(t, named("known_op ops[] = {"), slices.Sorted(slices.Values(operators)))
	var made []string
	for by := range mockupOf {
		m := Made{By: by}
		of, known := mockups.Get(m.Mockup())
		must.Hold(t, known, "%s", by)
		made = append(made, by, of.Of)
	}
	should.Equal(t, named("made_by[MADES] = {"), slices.Sorted(slices.Values(made)))
}

func TestEachFunctionThatIsCountedHasAClass(t *testing.T) {
	text := string(must.Get(os.ReadFile("../../../../measure/preload/others.h"))(t))
	names := regexp.MustCompile(`(?:FEW|MANY)\(([A-Z]\w+)\)`).FindAllStringSubmatch(text, -1)
	must.Hold(t, len(names) > 200, "%d names", len(names))
	for _, name := range append(names, []string{"", "Init"}, []string{"", "Init_thread"}) {
		should.Hold(t, classOf("MPI_"+name[1]) != "", "%s", name[1])
	}
	for name, class := range map[string]string{"MPI_Send": "messages", "MPI_Isend_c": "nonblocking messages", "MPI_Waitany": "MPI_Wait", "MPI_Win_allocate": "RMA",
		"MPI_Rget_accumulate": "RMA", "MPI_Allreduce_init": "persistent requests", "MPI_Comm_spawn": "processes", "MPI_Comm_split": "communicators",
		"MPI_Ineighbor_alltoallw": "neighborhood collectives", "MPI_Improbe": "probes",
		"MPI_": "", "Send": "", "MPI_Sends": "", "MPI_Win_\n": "", "MPI_File_" + strings.Repeat("x", 99): ""} {
		should.Equal(t, classOf(name), class)
	}
}

func TestAllOfMPIIsSharedByClass(t *testing.T) {
	text := strings.Replace(written(1, call(8, 1000)+","+strings.Replace(call(8, 3000), "MPI_Bcast", "MPI_Ibcast", 1)),
		`"calls":[`, `"functions":[{"name":"MPI_Send","calls":7,"sum_ns":2000},{"name":"MPI_Recv","calls":3,"sum_ns":5000}],"calls":[`, 1)
	p := must.Get(Read(put(t, "app.prof", text)))(t)
	should.Equal(t, p.Shares(), []Share{{"messages", 10, 7e-6, "MPI_Recv", 5e-6}, {"nonblocking collectives", 100, 3e-6, "MPI_Ibcast", 3e-6},
		{"blocking collectives", 100, 1e-6, "MPI_Bcast", 1e-6}})
	should.Equal(t, p.Collective(), 1e-6)
	should.Equal(t, p.Calls[0].Comparable(), false)
	must.Do(t, p.add(must.Get(Read(put(t, "other.prof", text)))(t)))
	should.Equal(t, p.Functions[1], Function{"MPI_Recv", 6, 10000})
	for old, new := range map[string]string{"MPI_Send": "MPI_Sent", `"calls":7`: `"calls":0`, `"sum_ns":2000`: `"sum_ns":-1`, `"sum_ns":5000`: `"sum_ns":5000000000`} {
		_, err := Read(put(t, "bad.prof", strings.Replace(text, old, new, 1)))
		should.Fail(t, err, "bad.prof is damaged", new)
	}
}

// One rank of two always comes first, and waits 2 of its 3 microseconds.
func TestWindowsAndFilesHaveCommunicatorsToo(t *testing.T) {
	p := &Profile{Ranks: 2}
	for _, name := range []string{"Comm_dup", "Comm_idup", "Comm_split_type", "Comm_create_group", "Intercomm_merge", "Cart_create", "Cart_sub",
		"Dist_graph_create_adjacent", "Win_create", "Win_allocate_shared_c", "File_open"} {
		p.Functions = append(p.Functions, Function{Name: "MPI_" + name, Calls: 2})
	}
	should.Equal(t, p.Communicators(), 11.)
	for _, name := range []string{"Comm_free", "Win_fence", "Win_free", "File_close", "Comm_spawn"} {
		p.Functions = append(p.Functions, Function{Name: "MPI_" + name, Calls: 2})
	}
	should.Equal(t, p.Communicators(), 11.)
}

func TestWaitingIsWhatTheMeanRankSpendsMoreThanTheLeast(t *testing.T) {
	p := &Profile{Ranks: 2, Processes: 2, WallNS: 1e9}
	c := Call{Function: "MPI_Allreduce", Calls: 200, Ranks: 2, SumNS: 4000, LeastRankNS: 1000, MostRankNS: 3000}
	should.Equal(t, p.Seconds(c), 2e-6)
	should.Equal(t, p.Waiting(c), 1e-6)
	should.Equal(t, c.MostWork(), 10e-9)
}

// A root may work while others wait, or go on while they work.
func TestNobodyIsSaidToWaitWhereRanksHaveDifferentWork(t *testing.T) {
	p := &Profile{Ranks: 2, Processes: 2, WallNS: 1e9}
	c := Call{Calls: 200, Ranks: 2, SumNS: 4000, LeastRankNS: 1000, MostRankNS: 3000}
	for _, c.Function = range []string{"MPI_Bcast", "MPI_Exscan", "MPI_Gather", "MPI_Gatherv", "MPI_Reduce", "MPI_Scan", "MPI_Scatter", "MPI_Scatterv"} {
		should.Hold(t, p.Waiting(c) == 0 && c.LeastMean() == 10e-9 && c.MostWork() == float64(c.MostRankNS)*2/200/1e9, "%s: %g s of waiting, %g s of work", c.Function, p.Waiting(c), c.MostWork())
	}
	c.Function, c.Uneven = "MPI_Allgatherv", true
	should.Equal(t, p.Waiting(c), 0)
}

// In barriers before the calls, two ranks wait 2 ms in all.
func TestABarrierBeforeEachCallTellsAllWaiting(t *testing.T) {
	text := strings.Replace(written(1, strings.Replace(call(8, 1000000), `"least_call`, `"waiting_ns":2000000,"least_call`, 1)), `"wall_ns"`, `"sync":true,"wall_ns"`, 1)
	p := must.Get(Read(put(t, "app.prof", text)))(t)
	c := p.Calls[0] // a broadcast, of which nothing is told otherwise
	should.Hold(t, p.Waiting(c) == 2e-3 && p.Seconds(c) == 3e-3 && c.MostWork() == 1e-5 && p.Tells(c), "%g of %g s wait", p.Waiting(c), p.Seconds(c))
	should.Equal(t, p.Collective(), 3e-3)
	for old, new := range map[string]string{`"sync":true,`: "", `"waiting_ns":2000000`: `"waiting_ns":-1`, `:2000000`: `:2000000000`, "MPI_Bcast": "MPI_Ibcast"} {
		_, err := Read(put(t, "bad.prof", strings.Replace(text, old, new, 1)))
		should.Fail(t, err, "bad.prof is damaged", new)
	}
}

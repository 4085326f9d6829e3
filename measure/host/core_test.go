package host

import (
	"fmt"
	"testing"
	"testing/fstest"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestRDTSCPNeedsTheFlagsOfAnInvariantCounter(t *testing.T) {
	for flags, want := range map[string]string{
		"constant_tsc nonstop_tsc": "",
		"constant_tsc":             "nonstop_tsc",
		"":                         "constant_tsc, nonstop_tsc",
	} {
		text := fmt.Sprintf("processor\t: 0\nflags\t\t: fpu tsc rdtscp %s\nbugs\t\t: rdtscp\n", flags)
		should.Equal(t, TSCLacks(fstest.MapFS{"proc/cpuinfo": {Data: []byte(text)}}), want, "with the flags %q it misses", flags)
	}
}

func TestAListOfSeveralCoresIsNotOneCore(t *testing.T) {
	root := fstest.MapFS{cpuDir + "/cpu0/topology/thread_siblings_list": {Data: []byte("0,8\n")}}
	for list, want := range map[string]bool{"3": true, "0,8": true, "0-4095": false, "0,4095": false, "1,9": false} {
		should.Equal(t, IsOneCore(root, must.Get(parseRanges(list))(t)), want, "processors %s are one core", list)
	}
	should.Hold(t, !IsOneCore(root, nil), "unknown processors are one core")
}

func TestCacheIsTheLastLevelThatACoreHasForItself(t *testing.T) {
	level := func(kind, size, shared string) map[string]string {
		return map[string]string{"type": kind, "size": size, "shared_cpu_list": shared}
	}
	for _, c := range []struct {
		name   string
		levels []map[string]string
		want   int64
	}{
		{"shared last level", []map[string]string{level("Data", "48K", "0,8"), level("Instruction", "64K", "0,8"),
			level("Unified", "2048K", "0,8"), level("Unified", "491520K", "0-15")}, 2 << 20},
		{"only a large one", []map[string]string{level("Unified", "491520K", "0,8")}, mostCache},
		{"nothing known", nil, unknownCache},
		{"nonsense", []map[string]string{level("Unified", "much", "0,8")}, unknownCache},
	} {
		const cpu = cpuDir + "/cpu0"
		root := fstest.MapFS{cpu + "/topology/thread_siblings_list": {Data: []byte("0,8\n")}}
		for i, l := range c.levels {
			for name, text := range l {
				root[fmt.Sprintf("%s/cache/index%d/%s", cpu, i, name)] = &fstest.MapFile{Data: []byte(text + "\n")}
			}
		}
		should.Equal(t, PrivateCache(root), c.want, "%s: bytes", c.name)
	}
}

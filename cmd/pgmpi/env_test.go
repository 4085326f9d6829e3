package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"pgmpi/internal/remark"
)

// shown is a folder's environment with two unlike nodes, the second one of
// which tells little.
const shown = `{
 "pgmpi_version": "1.0",
 "rank": {"lib_version": "Open MPI v5.0.3", "built_for": "Open MPI 5.0.3", "mpicc": "/opt/mpi/bin/mpicc", "version": "1.0", "hash": "abc"},
 "factors": {"hostname": "login1", "kernel": "6.1", "cores": 4, "go": "go1.26", "layouts": [{
  "shape": "p4", "since": "run-p4-01.tsv.gz", "command": ["mpirun", "-np", "4", "pgmpi-rank"],
  "kinds": [
   {"kernel": "5.14", "cpu": "Xeon", "online": "0-7", "siblings": ["0,4", "1,5", "2,6", "3,7"], "packages": ["0-1,4-5", "2-3,6-7"],
    "llc_bytes": 23068672, "governor": "powersave", "turbo": "on", "min_mhz": 1000, "max_mhz": 3700, "cpu_limit": 1.5,
    "devices": ["eno1 10000 Mb/s"], "env": {"UCX_TLS": "rc", "OMPI_MCA_long": "LONG"}, "library": "Open MPI v5.0.3", "program": "abc"},
   {"kernel": "5.14", "cpu": "Xeon", "online": "0-7", "library": "Open MPI v5.0.2", "program": "abc"}],
  "pinnings": [[{"cpus": "0,4", "ranks": 1}, {"cpus": "2,6", "ranks": 1}]],
  "nodes": [
   {"host": "n1", "kind": 0, "pinning": 0, "ranks": "0-1", "mem_total": 2147483648, "mem_available": 1073741824, "load": 0.25, "others_busy": 0.5},
   {"host": "n2", "kind": 1, "pinning": 0, "ranks": "2-3", "load": null, "others_busy": null}]}]},
 "config": {"job": {"np": [4]}, "measure": {"sync": "barrier"}}
}`

func TestEnvTableSaysWhatIsKnownIn100Columns(t *testing.T) {
	var e environmentShown
	if err := json.Unmarshal([]byte(strings.Replace(shown, "LONG", strings.Repeat("x", 300), 1)), &e); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := e.write(&out, "table"); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for line := range strings.Lines(text) {
		if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > sheetWidth {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{
		"p4: 4 ranks on 2 nodes, since run-p4-01.tsv.gz", "nodes of kind 1: n1", "nodes of kind 2: n2",
		"4: CPUs 0,4 | 1,5", "22 MiB", "governor powersave, driver unknown, turbo on, 1000 to 3700 MHz", "1.5 CPUs", "eno1 10000 Mb/s", "UCX_TLS=rc",
		"load 0.25 in the minute before; other programs used 0.5 CPUs", "load unknown", "2 GiB, 1 GiB of it free", "memory        unknown",
		"rank 1        CPUs 2,6, package 1", "[measure]     sync=\"barrier\"", "Open MPI v5.0.2",
		"DOUBTFUL", string(remark.Governor), string(remark.Turbo), string(remark.CPULimit), string(remark.OthersBusy), string(remark.NodesDiffer), string(remark.EnvDiffers),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestWrappedBreaksAtBlanksAndInLongWords(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a b": "a b", "aaa bbb": "aaa|bbb", "a bb cc": "a bb|cc", "aaaaaaa b": "aaaa|aaa|b", "ab ccccc": "ab|cccc|c",
	} {
		if got := strings.Join(wrapped(text, 4), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

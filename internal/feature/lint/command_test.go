package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/command"
	"pgmpi/internal/exitcode"
	"pgmpi/testkit/commands"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// ran returns what a command prints, and its error.
func ran(args ...string) (string, error) {
	return commands.Run(newCommand, args...)
}

func TestLintJudgesATableWithoutMPI(t *testing.T) {
	t.Setenv("PATH", "")
	text := must.Get(ran("--np", "64", "--functions", "Reduce", "--msizes", "8,1Mi"))(t)
	should.Contain(t, text, "SUSPECTED BY TABLE: 3 of 5 tests", "Nothing was measured", "GL8", "rabenseifner", "without han, which 5.0 takes")
	for shape, want := range map[guidelines.Shape]bool{{NP: 64}: true, {NP: 4, Nodes: 2, PPN: 2}: true, {NP: 4, Nodes: 4, PPN: 1}: false, {NP: 4, Nodes: 1, PPN: 4}: false} {
		should.Equal(t, mayBeHans(shape), want, "%v", shape)
	}
	should.Hold(t, !strings.Contains(strings.ToLower(text), "violated"), "a table violates: %s", text)
	csv := must.Get(ran("--np", "64", "--functions", "Reduce", "--msizes", "8,1Mi", "--all", "--format", "csv"))(t)
	should.Contain(t, csv, "suspected by table: nothing was measured,GL8,MPI_Reduce,reduce_as_allreduce,64,1048576,", ",GL1,")
	page := filepath.Join(t.TempDir(), "x.html")
	must.Get(ran("--np", "64,1024", "--functions", "Reduce", "--format", "html="+page))(t)
	should.Contain(t, string(must.Get(os.ReadFile(page))(t)), "GL14: how many times slower by table", "Reduce, p1024", "suspected by table")
}

// The estimate is in S-PGMPI, section 5.2: 31 messages of 1.7 us against five.
func TestLintMakesTheEstimateOfThePaper(t *testing.T) {
	direct := filepath.Join(t.TempDir(), "direct.txt")
	must.Do(t, os.WriteFile(direct, []byte("MPI_Gather\n  * basic_linear <512 binomial\n"), 0o666))
	text := must.Get(ran("--np", "32", "--functions", "Gather", "--msizes", "64,1Ki", "--table", direct,
		"--latency", "1.7", "--gap", "1.7", "--beta", "0", "--copy", "0", "--format", "csv"))(t)
	should.Contain(t, text, ",32,64,64,1,basic_linear,5.27e-05,8.5e-06,6.2,true")
}

func TestLintRefusesWhatItCannotUse(t *testing.T) {
	for _, c := range [][]string{
		{"--table", "nowhere"}, {"--table", "command_test.go"}, {"--latency", "-1"}, {"--beta", "NaN"}, {"--np", "1"},
	} {
		text, err := ran(c...)
		should.Hold(t, text == "" && command.Code(err) == exitcode.Setup && !strings.Contains(err.Error(), "\n"), "%q: %s%v", c, text, err)
	}
}

// The choices of a published file are shown, and its rules that are bad or do nothing.
func TestFilesThatLibrariesReadAreTables(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		return path
	}
	rules := file("a.rules", "# tuned\n2\n7 # Bcast\n1\n0\n2\n0 6 0 0\n65536 2 2 32768\n3 # Alltoall\n1\n0\n1\n0 9 0 0\n")
	two := file("b.rules", "rule-file-version-2\n1\n7\n1\n0\n1\n0 1 0 0 0\n")
	three := file("c.json", `{"rule_file_version": 3, "module": "tuned", "collectives": {"bcast": [{"comm_size_min": 512, "rules": [{"msg_size_max": 4096, "alg": "basic_linear"}]}]}}`)
	tree := file("d.json", `{"collective=bcast": {"comm_type=intra": {"avg_msg_size<=12288": {"algorithm=MPIR_Bcast_intra_binomial": {}}, "avg_msg_size=any": {"algorithm=MPIR_Bcast_intra_tree": {}}}}}`)
	for table, want := range map[string][]string{
		rules: {"What it chooses", "8 B binomial, 256 KiB chain+32Ki+fan2", "a.rules:13: MPI_Alltoall has no algorithm 9; it has 1 linear"},
		two:   {"rules of version 2: only Open MPI 5.0.7 and newer read the file", "basic_linear", "SUSPECTED BY TABLE"},
		three: {"rules of version 3: only Open MPI 6", "8 B basic_linear, 32 KiB knomial"},
		tree:  {"8 B binomial, 32 KiB tree", "MPI_Allgather is missing"},
	} {
		text := must.Get(ran("--np", "1024", "--functions", "Bcast,Alltoall", "--table", table, "--all"))(t)
		should.Contain(t, strings.Join(strings.Fields(text), " "), want...)
	}
}

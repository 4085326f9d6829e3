package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

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
	should.Contain(t, text, "SUSPECTED BY TABLE: 3 of 5 tests", "Nothing was measured", "GL8", "rabenseifner")
	should.Hold(t, !strings.Contains(strings.ToLower(text), "violated"), "a table violates: %s", text)
	csv := must.Get(ran("--np", "64", "--functions", "Reduce", "--msizes", "8,1Mi", "--all", "--format", "csv"))(t)
	should.Contain(t, csv, "suspected by table: nothing was measured,GL8,MPI_Reduce,reduce_as_allreduce,64,1048576,", ",GL1,")
	page := filepath.Join(t.TempDir(), "x.html")
	must.Get(ran("--np", "64,1024", "--functions", "Reduce", "--format", "html="+page))(t)
	should.Contain(t, string(must.Get(os.ReadFile(page))(t)), "GL14: how many times slower by table", "Reduce, p = 1024", "suspected by table")
}

// The estimate is in S-PGMPI, section 5.2: 31 messages of 1.7 us against five.
func TestLintMakesTheEstimateOfThePaper(t *testing.T) {
	direct := filepath.Join(t.TempDir(), "direct.txt")
	must.Do(t, os.WriteFile(direct, []byte("MPI_Gather\n  * basic_linear <512 binomial\n"), 0o666))
	text := must.Get(ran("--np", "32", "--functions", "Gather", "--msizes", "64,1Ki", "--table", direct,
		"--alpha", "1.7", "--gap", "1.7", "--beta", "0", "--copy", "0", "--format", "csv"))(t)
	should.Contain(t, text, ",32,64,64,1,basic_linear,5.27e-05,8.5e-06,6.2,true")
}

func TestLintRefusesWhatItCannotUse(t *testing.T) {
	for _, c := range [][]string{
		{"--table", "nowhere"}, {"--table", "command_test.go"}, {"--alpha", "-1"}, {"--beta", "NaN"},
	} {
		text, err := ran(c...)
		should.Hold(t, text == "" && command.Code(err) == exitcode.Setup && !strings.Contains(err.Error(), "\n"), "%q: %s%v", c, text, err)
	}
}

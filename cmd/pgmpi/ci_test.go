package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgmpi/internal/conf/glfile"
	plans "pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// stubbed makes a fixture whose pgmpi writes its arguments and report.json. It ends with a code.
func stubbed(t *testing.T, code int) *fixture {
	t.Helper()
	b := emptyFixture(t, t.TempDir())
	stub := `#!/bin/sh
printf '%s\n' "$@" >"$WORK/args"
while [ $# -gt 0 ]; do
	[ "$1" != --out ] || { mkdir -p "$2"; echo '{}' >"$2/report.json"; }
	shift
done
echo "the report"
exit ` + fmt.Sprint(code) + "\n"
	path := filepath.Join(b.Dir, "pgmpi-stub")
	must.Do(t, os.WriteFile(path, []byte(stub), 0o777))
	b.Env = append(b.Env, "PGMPI="+path, "PGMPI_OUT=out")
	return b
}

func example(t *testing.T, name string) string {
	t.Helper()
	path := must.Get(filepath.Abs(filepath.Join("../../examples/ci", name)))(t)
	return path
}

func TestTheNightlyScriptSaysUnderBashMinusEHowACheckEnded(t *testing.T) {
	for _, c := range []struct {
		code int
		want string
		good bool
	}{
		{0, "no alarm", true}, {1, "ALARM", false}, {2, "nothing was measured", false}, {3, "the measurement failed", false},
		{4, "no verdict is possible", false}, {130, "interrupted", false}, {7, "ended with 7", false},
	} {
		b := stubbed(t, c.code)
		b.Put("pgmpi-nights/20260101T000000Z/report.json", "{}")
		s := b.Run("bash", "-e", example(t, "nightly.sh"))
		if s.Exits(t, c.code); !strings.Contains(s.Stdout, "the report\npgmpi: "+c.want) {
			t.Errorf("exit %d: no %q in:\n%s%s", c.code, c.want, s.Stdout, s.Stderr)
		}
		nights := b.Found("pgmpi-nights/*/report.json")
		should.Hold(t, (len(nights) == 2) == c.good, "exit %d: nights %v", c.code, nights)
	}
}

func TestTheFirstNightIsNoAlarmUnlessSomethingIsExpected(t *testing.T) {
	b := stubbed(t, 1)
	s := b.Run("bash", "-e", example(t, "nightly.sh")).Exits(t, 0)
	should.Hold(t, strings.Contains(s.Stdout, "the first night") && b.There("pgmpi-nights/*/report.json"), "%s", s.Stdout)
	b = stubbed(t, 1)
	b.Put("expect.toml", "")
	should.Contain(t, b.Run("bash", "-e", example(t, "nightly.sh")).Exits(t, 1).Stdout, "ALARM")
}

func (b *fixture) args() string {
	b.T.Helper()
	text := must.Get(os.ReadFile(filepath.Join(b.Dir, "args")))(b.T)
	return strings.ReplaceAll(string(text), "\n", " ")
}

func TestTheNightlyScriptHoldsANightAgainstTheLastTwentyGoodOnes(t *testing.T) {
	b := stubbed(t, 0)
	want := "check --out out --quiet --format table,junit=R/pgmpi.junit.xml,markdown=R/pgmpi.md,openmetrics=R/pgmpi.prom" +
		",github,markdown=summary --guidelines my gl.toml"
	var last []string
	for day := range 22 {
		night := fmt.Sprintf("N/202601%02dT000000Z/report.json", day+1)
		b.Put(night, "{}")
		last = append(last, night)
	}
	want += " --baseline " + strings.Join(last[2:], ",") + " --expect known.toml --mpiruns 12 "
	b.Put("known.toml", "")
	b.Env = append(b.Env, "PGMPI_NIGHTS=N", "PGMPI_REPORTS=R", "PGMPI_EXPECT=known.toml", "PGMPI_GUIDELINES=my gl.toml", "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY=summary")
	b.Run("bash", "-e", example(t, "nightly.sh"), "--mpiruns", "12").Exits(t, 0)
	should.Equal(t, b.args(), want)
}

// The stub hands the script's flags to the real pgmpi, which judges a folder.
func TestPgmpiWritesTheFormatsThatTheNightlyScriptAsksFor(t *testing.T) {
	b := stubbed(t, 0)
	plans.Folder(t, filepath.Join(b.Dir, "out"), glfile.Default())
	b.Put("pgmpi-stub", "#!/bin/sh\nexec pgmpi analyze \"$3\" --format \"$6\"\n")
	b.Put("summary.md", "")
	b.Env = append(b.Env, "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY="+filepath.Join(b.Dir, "summary.md"))
	s := b.Run("bash", "-e", example(t, "nightly.sh")).Exits(t, 0)
	should.Hold(t, strings.Contains(s.Stdout, "Allreduce [GL8]") && strings.Contains(s.Stderr, "::error title=Reduce 8 B%2C p2%3A 1.99×"), "%s%s", s.Stdout, s.Stderr)
	for file, want := range map[string]string{"pgmpi-reports/pgmpi.junit.xml": `<failure type="violated"`, "pgmpi-reports/pgmpi.md": "## ",
		"pgmpi-reports/pgmpi.prom": "pgmpi_violated 1.0\n", "summary.md": "## "} {
		text, err := os.ReadFile(filepath.Join(b.Dir, file))
		should.Hold(t, err == nil && strings.Contains(string(text), want), "%s has no %q (%v):\n%s", file, want, err, text)
	}
	should.Hold(t, !b.There("out/report.junit.xml") && !b.There("out/report.github.txt") && b.There("out/report.json"),
		"formats with a file of their own are in the folder too, or report.json is not")
}

func TestCronIsSilentOnAGoodNightOnly(t *testing.T) {
	for code, want := range map[int]string{0: "", 1: "the report\npgmpi: ALARM", 4: "the report\npgmpi: no verdict"} {
		b := stubbed(t, code)
		b.Put("kept/gl.toml", "")
		b.Put("kept/pgmpi-nights/20260101T000000Z/report.json", "{}")
		s := b.Run("bash", example(t, "nightly-cron.sh"), filepath.Join(b.Dir, "kept"), "--mpiruns", "12").Exits(t, code)
		should.Hold(t, strings.HasPrefix(s.Stdout, want) && (want == "") == (s.Stdout == "") && s.Stderr == "", "exit %d: %q, %q", code, s.Stdout, s.Stderr)
		args := b.args()
		should.Hold(t, strings.Contains(args, "--guidelines gl.toml") && strings.HasSuffix(args, "--mpiruns 12 ") && b.There("kept/out"), "%s", args)
	}
}

func TestTwoNightsOfCronDoNotOverlap(t *testing.T) {
	b := stubbed(t, 0)
	b.Put("kept/.nightly.lock", "")
	s := b.Run("flock", filepath.Join(b.Dir, "kept/.nightly.lock"), "bash", example(t, "nightly-cron.sh"), filepath.Join(b.Dir, "kept")).Exits(t, 2)
	should.Hold(t, strings.Contains(s.Stderr, "has not ended yet") && !b.There("args"), "%s%s", s.Stdout, s.Stderr)
}

// Every example ends with the same line, which runs here as its system runs it.
func TestEveryExampleForCIRunsTheNightlyScript(t *testing.T) {
	root := must.Get(filepath.Abs("../.."))(t)
	line := regexp.MustCompile(`(?m)^.*?\b(bash -e examples/ci/[a-z-]*\.sh)`)
	for _, name := range []string{"gitlab-ci.yml", "github-workflow.yml", "Jenkinsfile"} {
		text := must.Get(os.ReadFile(example(t, name)))(t)
		found := line.FindAllStringSubmatch(string(text), -1)
		must.Hold(t, len(found) == 1, "%s: %q", name, found)
		b := stubbed(t, 0)
		b.Env = append(b.Env, "PGMPI_NIGHTS="+b.Dir, "PGMPI_REPORTS="+b.Dir, "PGMPI_OUT="+filepath.Join(b.Dir, "out"))
		cmd, out, errs := b.Command("bash", "-eo", "pipefail", "-c", found[0][1])
		cmd.Dir = root
		err := cmd.Run()
		should.Hold(t, err == nil && strings.Contains(out.String(), "pgmpi: no alarm."), "%s: %v\n%s%s", name, err, out, errs)
	}
}

// The workflow's script runs as on GitHub, with comments that this test has made up.
func TestAPullRequestHasOneComment(t *testing.T) {
	t.Parallel()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on the PATH")
	}
	text := string(must.Get(os.ReadFile(example(t, "github-pr.yml")))(t))
	_, script, found := strings.Cut(text, "script: |\n")
	must.Hold(t, found, "no script")
	script, _, _ = strings.Cut(script, "      - uses:")
	for comments, want := range map[string]string{
		`[]`: "create 7",
		`[{id: 3, user: {type: "Bot"}, body: "<!-- pgmpi compare -->"}, {id: 4, user: {type: "User"}, body: "<!-- pgmpi report -->"}]`: "create 7",
		`[{id: 5, user: {type: "Bot"}, body: "<!-- pgmpi report -->\nold"}]`:                                                           "update 5",
	} {
		b := emptyFixture(t, t.TempDir())
		b.Put("comment.md", "<!-- pgmpi report -->\nnew\n")
		b.Put("run.js", `const context = {serverUrl: "https://github.com", repo: {owner: "o", repo: "r"}, runId: 9, issue: {number: 7}};
const said = verb => x => console.log(verb, x.comment_id || x.issue_number, x.body.split("\n").slice(0, 2).join(), x.body.includes("[All of it](https://github.com/o/r/actions/runs/9)"));
const github = {paginate: async () => (`+comments+`), rest: {issues: {listComments: 0, updateComment: said("update"), createComment: said("create")}}};
(async () => {`+script+`})();`)
		cmd, out, errs := b.Command(node, "run.js")
		cmd.Dir = b.Dir
		must.Do(t, cmd.Run())
		should.Equal(t, strings.TrimSpace(out.String()), want+" <!-- pgmpi report -->,new true", errs)
	}
}

package glfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// errorsOf returns what a user sees: decoding errors, or else wrong values.
func errorsOf(text string) string {
	f, err := Parse("gl.toml", []byte(text))
	if err == nil {
		err = f.Validate(nil)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

func TestErrorsNameThePlaceOfTheKey(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"empty file", "", ""},
		{"unknown section", "[jop]\nnp = [2]\n", `gl.toml:1:2: unknown section "jop" (did you mean job?)`},
		{"unknown key", "[job]\nnp = [2]\n  mpirun = 3\n", `gl.toml:3:3: unknown key "mpirun" (did you mean mpiruns?)`},
		{"unknown key in an inline table", "[nrep]\ncov_mean = { threshold = 0.1, widow = 3 }",
			`gl.toml:2:31: unknown key "widow" (did you mean window?)`},
		{"dotted key", "nrep.cov_mean.window = 1\n", `gl.toml:1:15: nrep.cov_mean.window: 1 is below 2`},
		{"column in characters", `mpi = { env = { "é" = "1" }, rnak = "" }`, `gl.toml:1:30: unknown key "rnak" (did you mean rank?)`},
		{"syntax", "[job]\nnp = [2\n", `gl.toml:2:8: expected a comma (',') or array terminator (']'), but got end of file`},
		{"duplicate key", "[job]\nroot = 0\nroot = 0\n", `gl.toml:3:1: Key 'job.root' has already been defined.`},
		{"section that is no table", "job = 3\n", `gl.toml:1:1: job: wants a table, not 3`},
		{"guideline that is no table", "guideline = [1]\n", `gl.toml:1:14: guideline: wants a table, not 1`},
		{"env that is no table", "[mpi]\nenv = 3\n", `gl.toml:2:1: mpi.env: wants a table, not 3`},
		{"integer for text", "[measure]\nsync = 3\n", `gl.toml:2:1: measure.sync: wants a string, not 3`},
		{"array for a duration", "[measure]\nstall = [1]\n", `gl.toml:2:1: measure.stall: wants a string, not [1]`},
		{"size for sizes", "[job]\nmsizes = \"1Ki\"\n",
			`gl.toml:2:1: job.msizes: wants an array of sizes such as [100, "1Ki", "64Ki..4Mi"]`},
		{"array of tables for a table", "[[job]]\nnp = [2]\n", `gl.toml:1:3: job: wants a table, not an array of tables`},
		{"string for integers", "[job]\nnp = \"4\"\n", `gl.toml:2:1: job.np: wants an array of integers, not "4"`},
		{"array of strings for integers", "[job]\nnp = [\"4\"]\n", `gl.toml:2:7: job.np: wants an integer, not "4"`},
		{"array of strings for numbers", "[job]\nlook_weights = [\".2\"]\n", `gl.toml:2:17: job.look_weights: wants a number, not ".2"`},
		{"float for integer", "[job]\nroot = 1.5\n", `gl.toml:2:1: job.root: wants an integer, not the float 1.5`},
		{"negative seed", "[job]\nseed = -1\n", `gl.toml:2:1: job.seed: wants an integer of at least 0, not -1`},
		{"integer in env", "[mpi.env]\nA = \"1\"\nB = 1\n", `gl.toml:3:1: mpi.env.B: wants a string, not 1`},
		{"text for number", "[analyze]\nalpha = \"0.05\"\n", `gl.toml:2:1: analyze.alpha: wants a number, not "0.05"`},
		{"duration", "[measure]\nstall = \"2 minutes\"\n", `gl.toml:2:1: measure.stall: "2 minutes" is no duration such as "2s" or "500ms" (did you mean 2m?)`},
		{"bytes", "[measure]\ntemp_memory = \"1G\"\n",
			`gl.toml:2:1: measure.temp_memory: "1G" is no size in bytes (did you mean 1Gi? Ki is 1024, Mi is 1024 Ki)`},
		{"unknown collective", "[check]\nfunctions = [\"MPI_Algather\"]\n",
			`gl.toml:2:14: unknown collective "MPI_Algather" (did you mean MPI_Allgather?)`},
		{"range", "[check]\nguidelines = [\"GL1-GL17\"]\n", `gl.toml:2:15: unknown guideline "GL1-GL17" (did you mean GL1..GL17?)`},
		{"unknown guideline", "[check]\nexclude = [\"GL99\"]\n", `gl.toml:2:12: unknown guideline "GL99" (did you mean GL9?)`},
		{"guideline of another collective", "[check]\nguidelines = [\"GL8:MPI_Scan\"]\n",
			`gl.toml:2:15: check.guidelines: "GL8:MPI_Scan": GL8 is about MPI_Reduce`},
		{"no guidelines", "[check]\nguidelines = []\n",
			`gl.toml:2:1: check.guidelines: is empty, and there is no [[guideline]]: nothing to check`},
		{"size 0", "[job]\nmsizes = [0]\n", `gl.toml:2:11: job.msizes: size "0" is below 1 byte`},
		{"size in a later line", "[job]\nmsizes = [ # some\n  8,\n  \"1Ki\", # and\n  \"8k\",\n]\n",
			`gl.toml:5:3: job.msizes: "8k" is no size in bytes (did you mean 8Ki? Ki is 1024, Mi is 1024 Ki)`},
		{"no sizes", "[job]\nmsizes = []\n", `gl.toml:2:1: job.msizes: no sizes`},
		{"size of no multiple", "[job]\nmsizes = [\"1..8\", 12]\ndatatype = \"double\"\n",
			`gl.toml:2:19: job.msizes: size "12" is no multiple of the datatype's 8 bytes`},
		{"size of a wrong type", "[job]\nmsizes = [1.5]\n",
			`gl.toml:2:1: job.msizes: a size is an integer or a string such as "1Ki" or "64Ki..4Mi", not 1.5`},
		{"op of no such datatype", "[job]\ndatatype = \"float\"\nop = \"bor\"\n",
			`gl.toml:3:1: job.op: op "bor" is not allowed on datatype "float" (allowed: sum, prod, min, max)`},
		{"op that the default datatype forbids", "[job]\nop = \"bor\"\n",
			`gl.toml:2:1: job.op: op "bor" is not allowed on datatype "auto" (allowed: sum, prod, min, max)`},
		{"unknown datatype", "[job]\ndatatype = \"doubel\"\n", `gl.toml:2:1: unknown datatype "doubel" (did you mean double?)`},
		{"root that is no rank", "[job]\nnp = [4, 2]\nroot = 2\n", `gl.toml:3:1: job.root: 2 is no rank of 2 processes`},
		{"no processes", "[job]\nnp = [0]\n", `gl.toml:2:7: job.np: 0 is no number of processes`},
		{"np twice", "[job]\nnp = [2, 2]\n", `gl.toml:2:10: job.np: 2 is given twice`},
		{"too many mpiruns", "[job]\nmpiruns = 10001\n", `gl.toml:2:1: job.mpiruns: must be at most 10000, not 10001`},
		{"no mpiruns", "[job]\nmpiruns = -1\n", `gl.toml:2:1: job.mpiruns: must be at least 1, or 0 for as many as suit the number of tests, not -1`},
		{"unknown metric", "[nrep]\nmetrics = [\"rsee\"]\n", `gl.toml:2:1: unknown metric "rsee" (did you mean rse?)`},
		{"no metrics", "[nrep]\nmetrics = []\n", `gl.toml:2:1: nrep.metrics: is empty`},
		{"wrong by another key's value", "[nrep]\nmin = 2000\n", `gl.toml:1:2: nrep.max: 1000 is below min = 2000`},
		{"unknown synchronisation", "[measure]\nsync = \"barier\"\n",
			`gl.toml:2:1: unknown synchronisation "barier" (did you mean barrier?)`},
		{"unknown method", "[analyze]\nmethod = \"bayes\"\n",
			`gl.toml:2:1: unknown method "bayes" (known: default, ci, paper, margin)`},
		{"alpha", "[analyze]\nalpha = nan\n", `gl.toml:2:1: analyze.alpha: must be between 0 and 1, not NaN`},
		{"slowdown below 1", "[analyze]\nmin_slowdown = 0.05\n",
			`gl.toml:2:1: analyze.min_slowdown: is a ratio of at least 1 (1.05: five per cent slower), not 0.05`},
		{"first of two guidelines", `[[guideline]]
id = "a"
monotony = "MPI_Bacst"

[[guideline]]
id = "b"
monotony = "MPI_Scan"
`, `gl.toml:3:1: unknown collective "MPI_Bacst" (did you mean MPI_Bcast?)`},
		{"wrong type in the first of two guidelines", "[[guideline]]\nid = 7\nsplit = \"MPI_Scan\"\n[[guideline]]\nid = \"b\"\nsplit = \"MPI_Scan\"\n",
			`gl.toml:2:1: guideline.id: wants a string, not 7`},
		{"sub-table of the second guideline", `[[guideline]]
id = "a"
split = "MPI_Scan"
[[guideline]]
id = "b"
[guideline.pattern]
function = "MPI_Gather"
mockup = "reduce_as_allreduce"
`, `gl.toml:8:1: guideline.pattern.mockup: mock-up "reduce_as_allreduce" emulates MPI_Reduce, not MPI_Gather`},
		{"inline array of guidelines", "guideline = [\n  { id = \"a\", split = \"MPI_Scan\" }, # fine\n  { id = \"b\", split = \"MPI_Scna\" },\n]\n",
			`gl.toml:3:15: unknown collective "MPI_Scna" (did you mean MPI_Scan?)`},
		{"duplicate id", "[[guideline]]\nid = \"a\"\nsplit = \"MPI_Scan\"\n[[guideline]]\nid = \"a\"\nsplit = \"MPI_Scan\"\n",
			`gl.toml:5:1: guideline.id: duplicate guideline id "a"`},
		{"guideline without id", "[[guideline]]\nsplit = \"MPI_Scan\"\n", `gl.toml:1:3: guideline.id: the guideline has no id`},
		{"id of the catalogue", "[[guideline]]\nid = \"GL8\"\nsplit = \"MPI_Scan\"\n",
			`gl.toml:2:1: guideline.id: guideline id "GL8" belongs to the catalogue: choose another, such as my-GL8`},
		{"two types", "[[guideline]]\nid = \"a\"\nsplit = \"MPI_Scan\"\nmonotony = \"MPI_Scan\"\n",
			`gl.toml:1:3: guideline: a guideline has exactly one of pattern, monotony and split, this one has 2`},
		{"sizes of a guideline", "[[guideline]]\nid = \"a\"\nsplit = \"MPI_Scan\"\nmsizes = [\"4..2\"]\n",
			`gl.toml:4:11: guideline.msizes: range "4..2" is empty: it starts above its end`},
		{"ids that are no mock-ups of the user's", "[[mockup]]\nids = [\"MPI_Scan\", \"scan_as_exscan+reduce_local\", \"scan_as_mine\", \"scan_as_mine\"]\n[[mockup]]\nfile = \"a.so\"\n",
			"gl.toml:1:3: mockup.file: is missing: the shared library\n" +
				"gl.toml:2:1: mockup.ids: \"MPI_Scan\": an id begins with its collective and _as_, as in scan_as_mine; behind that are letters, digits, _, +, . and -\n" +
				"gl.toml:2:1: mockup.ids: \"scan_as_exscan+reduce_local\" is a mock-up of pgmpi's: give yours another id\n" +
				"gl.toml:2:1: mockup.ids: \"scan_as_mine\" is given twice\n" +
				"gl.toml:3:3: mockup.ids: is missing: the ids of its rows, such as [\"scan_as_mine\"]"},
		{"mock-up of no file", "[[mockup]]\nfile = \"a.so\"\nids = [\"gather_as_mine\"]\n[[guideline]]\nid = \"a\"\npattern = { function = \"MPI_Gather\", mockup = \"gather_as_mien\" }\n",
			`gl.toml:6:38: unknown mock-up of MPI_Gather "gather_as_mien" (did you mean gather_as_mine?)`},
		{"own mock-up of another collective", "[[mockup]]\nfile = \"a.so\"\nids = [\"gather_as_mine\"]\n[[guideline]]\nid = \"a\"\npattern = { function = \"MPI_Scan\", mockup = \"gather_as_mine\" }\n",
			`gl.toml:6:36: guideline.pattern.mockup: mock-up "gather_as_mine" emulates MPI_Gather, not MPI_Scan`},
		{"all errors, in the file's order", "[analyze]\nalpha = 2\ntest = 3\n[job]\nnpp = [2]\nroot = -1\n",
			"gl.toml:2:1: analyze.alpha: must be between 0 and 1, not 2\n" +
				"gl.toml:3:1: analyze.test: wants a string, not 3\n" +
				"gl.toml:5:1: unknown key \"npp\" (did you mean np?)\n" +
				"gl.toml:6:1: job.root: -1 is no rank"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			should.Equal(t, errorsOf(test.text), test.want, "for %s", test.text)
		})
	}
}

func TestValuesOfTheFileBeatDefaults(t *testing.T) {
	f := must.Get(Parse("gl.toml", []byte(`
[job]
np = [2, 4]
msizes = [100, "1Ki"]
[mpi]
launch = ["mpirun", "-np", "{np}"]
env = { A = "1" }
[nrep]
cov_mean.window = 5
[measure]
stall = "30s"
temp_memory = "64Mi"
[[guideline]]
id = "a"
pattern = { function = "MPI_Reduce", mockup = "reduce_as_allreduce" }
`)))(t)
	want := Default()
	want.Job.NP = []int{2, 4}
	want.Job.Msizes = guidelines.MsizeList{"100", "1Ki"}
	want.MPI.Launch = []string{"mpirun", "-np", "{np}"}
	want.MPI.Env = map[string]string{"A": "1"}
	want.NREP.CovMean.Window = 5
	want.Measure.Stall = 30e9
	want.Measure.TempMemory = 64 << 20
	want.Guideline = []guidelines.User{{ID: "a",
		Pattern: &guidelines.UserPattern{Function: "MPI_Reduce", Mockup: "reduce_as_allreduce"}}}
	sameSections(t, *f, want)
}

func sameSections(t *testing.T, got, want File) {
	t.Helper()
	for _, f := range []*File{&got, &want} {
		f.Name, f.Source, f.keys, f.flags = "", "", nil, nil
	}
	should.Equal(t, got, want)
}

func TestTemplateEqualsTheEmptyFile(t *testing.T) {
	f := must.Get(Parse("gl.toml", []byte(Template())))(t)
	must.Do(t, f.Validate(nil))
	empty := must.Get(Parse("gl.toml", nil))(t)
	sameSections(t, *f, *empty)
	sameSections(t, *empty, Default())
}

var commentedExample = regexp.MustCompile(`(?m)^# (\[\[\w+\]\]|\w+ = .*)$`)

// withExamples turns on the guidelines in the template's comments.
func withExamples() string {
	return strings.TrimSuffix(Template(), templateTail) + commentedExample.ReplaceAllString(templateTail, "$1")
}

func TestTemplateHasEveryKeyWithAComment(t *testing.T) {
	inTemplate := map[string]bool{}
	for k := range indexKeys(withExamples()) {
		inTemplate[index.ReplaceAllString(k, "")] = true
	}
	for _, key := range leafKeys(reflect.TypeFor[File](), "") {
		should.Hold(t, inTemplate[key], "key %s is not in the template", key)
	}
	lines := strings.Split(Template(), "\n")
	for i, line := range lines {
		should.Hold(t, !strings.Contains(line, " = ") || strings.HasPrefix(line, "#") || strings.HasPrefix(lines[i-1], "# "),
			"line %d has no explanation: %s", i+1, line)
	}
}

func TestExamplesOfTheTemplateAreValid(t *testing.T) {
	f := must.Get(Parse("gl.toml", []byte(withExamples())))(t)
	should.Do(t, f.Validate(nil))
	should.Hold(t, len(f.Guideline) == 3 && len(f.Mockup) == 1, "got %d guidelines and %d [[mockup]], want 3 and 1", len(f.Guideline), len(f.Mockup))
}

func leafKeys(t reflect.Type, prefix string) []string {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return []string{prefix}
	}
	var out []string
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("toml"); name != "" && name != "-" {
			out = append(out, leafKeys(t.Field(i).Type, join(prefix, name))...)
		}
	}
	return out
}

func TestErrorOfAFlagNamesTheFlag(t *testing.T) {
	f := must.Get(Parse("gl.toml", []byte("[job]\nnp = [0]\nmpiruns = -2\n")))(t)
	f.Job.NP = []int{-1}
	got := f.Validate(map[string]string{"job.np": "--np"}).Error()
	want := "--np: -1 is no number of processes\ngl.toml:3:1: job.mpiruns: must be at least 1, or 0 for as many as suit the number of tests, not -2"
	should.Equal(t, got, want)
}

func TestFlagReplacesAWrongValue(t *testing.T) {
	f := must.Get(Parse("gl.toml", []byte("[job]\nnp = [0]\n")))(t)
	f.Job.NP = []int{2}
	should.Do(t, f.Validate(map[string]string{"job.np": "--np"}))
}

func TestPlanRefusesARootThatIsNoRank(t *testing.T) {
	f := must.Get(Parse("gl.toml", []byte("[job]\nroot = 3\n")))(t)
	must.Do(t, f.Validate(nil))
	_, err := f.Plan([]int{4})
	should.Do(t, err, "p = 4")
	_, err = f.Plan([]int{4, 2})
	want := "gl.toml:2:1: job.root: 3 is no rank of 2 processes"
	should.Hold(t, err != nil && err.Error() == want, "got %v, want %s", err, want)
}

func TestPlanOfTheEmptyFileIsTheCatalogue(t *testing.T) {
	f := Default()
	p := must.Get(f.Plan([]int{2}))(t)
	should.Hold(t, len(p.Guidelines) == 11+11+15+2 && p.Datatype == "auto" && p.Op == "sum", "got %d guidelines, %s and %s, want 39, auto and sum", len(p.Guidelines), p.Datatype, p.Op)
}

func TestLoadNamesAMissingFile(t *testing.T) {
	_, err := Load("no-such.toml")
	should.Fail(t, err, "no-such.toml")
}

func TestAKeyInTheWrongPlaceIsToldTheRightOne(t *testing.T) {
	for text, want := range map[string]string{
		"mpiruns = 10\n":            `gl.toml:1:1: unknown section "mpiruns": it belongs into [job]`,
		"[analyze]\nmpiruns = 3\n":  `gl.toml:2:1: unknown key "mpiruns": it belongs into [job]`,
		"[analyze]\nmax_time = 3\n": `it belongs into [job] or [nrep]`,
		"[job]\nmpirun = 3\n":       "did you mean mpiruns?",
	} {
		_, err := Parse("gl.toml", []byte(text))
		should.Fail(t, err, want, "%q", text)
	}
}

func TestAByteOrderMarkIsSkipped(t *testing.T) {
	f, err := Parse("gl.toml", []byte("\uFEFF[job]\nmpiruns = 7\n"))
	should.Hold(t, err == nil && f.Job.MPIRuns == 7, "%v", err)
	_, err = Parse("gl.toml", []byte("\uFEFFwrong = 7\n"))
	should.Fail(t, err, "gl.toml:1:1: ")
}

func TestOfManyErrorsTwentyAreShown(t *testing.T) {
	var text strings.Builder
	for i := range 300 {
		fmt.Fprintf(&text, "wrong%d = 1\n", i)
	}
	_, err := Parse("gl.toml", []byte(text.String()))
	lines := strings.Split(err.Error(), "\n")
	should.Hold(t, len(lines) == 21 && lines[20] == "and 280 errors more", "%d lines, the last is %q", len(lines), lines[len(lines)-1])
}

func TestOfVeryManyWrongKeysOnlySomeSayWhatWasMeant(t *testing.T) {
	var text strings.Builder
	text.WriteString("[job]\n")
	for i := range 3000 {
		fmt.Fprintf(&text, "wrong%04d = 1\n", i)
	}
	_, err := Parse("gl.toml", []byte(text.String()))
	var all Errors
	should.Hold(t, errors.As(err, &all) && len(all) == 3000, "%d errors", len(all))
	should.Contain(t, all[0].Msg, "known: ")
	should.Equal(t, all[2999].Msg, `unknown key "wrong2999"`)
}

func TestFileOfOwnMockupsIsBesideGlToml(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "gl.toml")
	must.Do(t, os.WriteFile(path, []byte("[[mockup]]\nfile = \"lib/mine.so\"\nids = [\"scan_as_mine\"]\n[[mockup]]\nfile = \"/abs.so\"\nids = [\"scan_as_other\"]\n"), 0o666))
	f := must.Get(Load(path))(t)
	a, b := f.Mockup[0].File, f.Mockup[1].File
	should.Hold(t, a == filepath.Join(dir, "lib/mine.so") && b == "/abs.so", "%q and %q", a, b)
}

func TestFunctionsAreFoundInAnyCaseAndWithoutMPI(t *testing.T) {
	text := func(bcast, gather, gatherv, algorithm string) *File {
		f, err := Parse("gl.toml", []byte(`
[check]
guidelines = ["GL1..GL3", "GL1:`+gather+`"]
exclude = ["GL2:`+bcast+`"]
functions = ["`+bcast+`", "`+gather+`"]
[[guideline]]
id = "a"
monotony = "`+bcast+`"
[[guideline]]
id = "b"
split = "`+gatherv+`"
[[guideline]]
id = "c"
pattern = { function = "`+bcast+`", mockup = "`+algorithm+`" }
`))
		if err == nil {
			err = f.Validate(nil)
		}
		must.Do(t, err)
		f.Source, f.keys = "", nil
		return f
	}
	want := text("MPI_Bcast", "MPI_Gather", "MPI_Gatherv/linear", "MPI_Bcast@binomial")
	for _, got := range []*File{text("Bcast", "gather", "Gatherv/linear", "bcast@binomial"), text("mpi_bcast", "MPI_GATHER", "gatherv/LINEAR", "BCAST@binomial")} {
		should.Equal(t, got, want)
	}
	list, err := ParseExpect("expect.toml", []byte("[[expect]]\nguideline = \"GL8\"\nfunction = \"reduce\"\n"))
	should.Hold(t, err == nil && list[0].Function == "MPI_Reduce", "%+v, %v", list, err)
}

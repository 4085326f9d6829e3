package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/exitcode"
	plans "pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// realFolder returns a results folder of real mpiruns, with an experiment on split-robustness.
func realFolder(t *testing.T) string {
	t.Helper()
	path := must.Get(filepath.Abs(filepath.Join("..", "..", "testdata", "recompute", "looks")))(t)
	return path
}

// exportedRows returns the rows of a csv table, each by the names of its columns.
func exportedRows(t *testing.T, args ...string) []map[string]string {
	t.Helper()
	s := inProcess(append([]string{"export"}, args...)...).Exits(t, exitcode.OK)
	all := must.Get(csv.NewReader(strings.NewReader(s.Stdout)).ReadAll())(t)
	var out []map[string]string
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[all[0][i]] = cell
		}
		out = append(out, row)
	}
	return out
}

func caseOf(row map[string]string) string {
	return strings.Join([]string{row["shape"], row["function"], row["msize"], row["mode"], row["calls"], row["mpirun"]}, " ")
}

func TestSamplesAndRunMediansAreAboutTheSameMeasurements(t *testing.T) {
	needs(t, "export")
	folder := realFolder(t)
	type counts struct{ kept, outliers, invalid int }
	got := map[string]counts{}
	for _, row := range exportedRows(t, folder) {
		c := got[caseOf(row)]
		switch {
		case row["flags"] != "0":
			c.invalid++
		case row["outlier"] == "TRUE":
			c.outliers++
		default:
			c.kept++
		}
		got[caseOf(row)] = c
	}
	medians := exportedRows(t, folder, "--what", "medians")
	outliers := 0
	for _, row := range medians {
		if want, c := fmt.Sprintf("{%s %s %s}", row["n"], row["outliers"], row["invalid"]), got[caseOf(row)]; fmt.Sprint(c) != want {
			t.Errorf("%s: samples %v, run median %s", caseOf(row), c, want)
		}
		n, _ := strconv.Atoi(row["outliers"])
		outliers += n
	}
	should.Hold(t, len(medians) == len(got) && outliers != 0, "%d run medians of %d series of samples, %d outliers", len(medians), len(got), outliers)
}

// readers lists programs of others that read tables. Each prints of samples how many rows there are, the sums of ns
// and rep, how many are outliers, and how many functions there are; %s is the file.
var readers = []struct {
	name, format string
	there        []string // ends well where the program can be used
	run          []string
	get          string
}{
	{"R", "csv", []string{"Rscript", "-e", "1"}, []string{"Rscript", "-e",
		`x <- read.csv("%s", check.names = FALSE); cat(sprintf("%%d %%.0f %%.0f %%d %%d\n", nrow(x), sum(as.numeric(x$ns)), sum(as.numeric(x$rep)), sum(x$outlier), length(unique(x[["function"]]))))`}, ".ci/install Rscript"},
	{"R nanoparquet", "parquet", []string{"Rscript", "-e", "library(nanoparquet)"}, []string{"Rscript", "-e",
		`x <- nanoparquet::read_parquet("%s"); cat(sprintf("%%d %%.0f %%.0f %%d %%d\n", nrow(x), sum(as.numeric(x$ns)), sum(as.numeric(x$rep)), sum(x$outlier), length(unique(x[["function"]]))))`}, `install.packages("nanoparquet")`},
	{"pandas", "csv", []string{"/usr/bin/python3", "-c", "import pandas"}, []string{"/usr/bin/python3", "-c",
		`import pandas; x = pandas.read_csv("%s"); print(len(x), x.ns.sum(), x.rep.sum(), x.outlier.sum(), x.function.nunique())`}, ".ci/install python3-pandas"},
	{"pandas with pyarrow", "parquet", []string{"/usr/bin/python3", "-c", "import pandas, pyarrow"}, []string{"/usr/bin/python3", "-c",
		`import pandas; x = pandas.read_parquet("%s"); print(len(x), x.ns.sum(), x.rep.sum(), x.outlier.sum(), x.function.nunique())`}, "pip install pandas pyarrow"},
	{"DuckDB", "parquet", []string{"node", "-e", `require("@duckdb/node-api")`}, []string{"node", "-e",
		`(async () => { const c = await (await require("@duckdb/node-api").DuckDBInstance.create(":memory:")).connect();
		const r = await c.runAndReadAll("select count(*) || ' ' || sum(ns) || ' ' || sum(rep) || ' ' || count(*) filter (outlier) || ' ' || count(distinct function) from '%s'");
		console.log(r.getRows()[0][0]) })()`}, "npm install @duckdb/node-api, and NODE_PATH"},
}

func TestOtherProgramsReadTables(t *testing.T) {
	t.Parallel()
	needs(t, "export")
	folder := realFolder(t)
	rows, ns, rep, outliers, functions := 0, 0, 0, 0, map[string]bool{}
	for _, row := range exportedRows(t, folder) {
		n, _ := strconv.Atoi(row["ns"])
		k, _ := strconv.Atoi(row["rep"])
		rows, ns, rep, functions[row["function"]] = rows+1, ns+n, rep+k, true
		if row["outlier"] == "TRUE" {
			outliers++
		}
	}
	want := fmt.Sprintln(rows, ns, rep, outliers, len(functions))
	for _, r := range readers {
		t.Run(r.name, func(t *testing.T) {
			if out, err := exec.Command(r.there[0], r.there[1:]...).CombinedOutput(); err != nil {
				t.Skipf("there is none here: %s: %v %.200s", r.get, err, out)
			}
			file := filepath.Join(t.TempDir(), "samples."+r.format)
			inProcess("export", folder, "--out", file).Exits(t, exitcode.OK).Says(t, fmt.Sprintf("%d rows of 1 folder in ", rows))
			args := append([]string{}, r.run...)
			args[len(args)-1] = fmt.Sprintf(args[len(args)-1], file)
			out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
			should.Hold(t, err == nil && string(out) == want, "%v: got %s, want %s", err, out, want)
		})
	}
}

func TestAnExportThatFailsLeavesNoFile(t *testing.T) {
	needs(t, "export")
	dir := t.TempDir()
	plans.Folder(t, filepath.Join(dir, "a"), glfile.Default())
	raw := filepath.Join(dir, "a", "raw", "run-p2-03.tsv.gz")
	text := must.Get(os.ReadFile(raw))(t)
	must.Do(t, os.WriteFile(raw, text[:len(text)-10], 0o666))
	file := filepath.Join(dir, "x.csv")
	inProcess("export", filepath.Join(dir, "a"), "--out", file).Exits(t, exitcode.Failed).Says(t, "run-p2-03.tsv.gz", "the file is damaged")
	_, err := os.Lstat(file)
	should.Hold(t, err != nil, "a part of a table was left")
}

// samplesOfAll has rows of which no two may be pooled, each twice: as a valid sample, and as an outlier.
const samplesOfAll = `folder,library,host,shape,function,mockup_of,variant,msize,mpirun,rep,ns,flags,outlier,mode,calls
a,,,p2,MPI_Bcast,,,8,1,0,100,0,FALSE,run,1
a,,,p2,MPI_Bcast,,,8,1,1,900,0,TRUE,run,1
b,,,p2,MPI_Bcast,,,8,1,0,200,0,FALSE,run,1
a,,,p4,MPI_Bcast,,,8,1,0,300,0,FALSE,run,1
a,,,p2,MPI_Scan,,,8,1,0,400,0,FALSE,run,1
a,,,p2,MPI_Bcast,,,16,1,0,500,0,FALSE,run,1
a,,,p2,MPI_Bcast,,,8,2,0,600,0,FALSE,run,1
a,,,p2,MPI_Bcast,,,8,1,0,700,0,FALSE,split,1
a,,,p2,MPI_Bcast,,,8,1,0,800,0,FALSE,split,4
a,,,p2,MPI_Bcast,,,8,1,1,850,1,FALSE,split,4
`

// The lines are from how-to-figures.md, for R and pandas.
func TestDocumentedRunMediansPoolNothingThatDiffers(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "how-to-figures.md"))
	must.Do(t, err)
	block := func(language string) string {
		_, rest, _ := strings.Cut(string(page), "```"+language+"\n")
		text, _, _ := strings.Cut(rest, "```")
		return text
	}
	for _, column := range []string{"folder", "shape", "function", "msize", "mode", "calls", "mpirun"} {
		should.Hold(t, strings.Contains(block("python"), strconv.Quote(column)), "pandas pools all %ss", column)
	}
	for _, name := range []string{"figures/slowest.py", "notebook/nrep.ipynb"} {
		page = append(page, must.Get(os.ReadFile(filepath.Join("..", "..", "examples", name)))(t)...)
	}
	should.Hold(t, !strings.Contains(string(page), "x.flags"), "x.flags is something of pandas' own, and no sample is left")
	if _, err := exec.LookPath("Rscript"); err != nil {
		t.Skip("no Rscript here")
	}
	samples := filepath.Join(t.TempDir(), "samples.csv")
	must.Do(t, os.WriteFile(samples, []byte(samplesOfAll), 0o666))
	_, lines, _ := strings.Cut(block("r"), "\n") // the first line reads the file
	said, err := exec.Command("Rscript", "-e", fmt.Sprintf("x <- read.csv(%q, check.names = FALSE)\nm <- {%s}\ncat(sort(m$ns))", samples, lines)).CombinedOutput()
	want := "100 200 300 400 500 600 700 800"
	should.Hold(t, err == nil && string(said) == want, "run medians %s, %v; want %s", said, err, want)
}

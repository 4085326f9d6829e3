package campaign

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"pgmpi/analyze"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/measure/protocol"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// quick is a check of two cases on each of two shapes, over three mpiruns.
const quick = `
[check]
guidelines = ["GL8"]
[job]
np = [2, 3]
mpiruns = 3
msizes = ["8"]
[nrep]
predictions = 2
[analyze]
method = "paper"
`

// bed is a results folder with the ranks that are measured into it.
type bed struct {
	t    *testing.T
	out  string
	rank string
	fake fakeRanks
	said []string
	seen []Progress
}

func newBed(t *testing.T) *bed {
	return &bed{t: t, out: filepath.Join(t.TempDir(), "out"), rank: rankProgram(t)}
}

// campaign is opened in the bed's folder, and goes on in it.
func (b *bed) campaign(toml string) *Campaign {
	b.t.Helper()
	c := b.prepared(b.out, toml)
	if err := c.Open(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { c.Close() })
	return c
}

func (b *bed) config(toml string) *glfile.File {
	b.t.Helper()
	config, err := glfile.Parse("gl.toml", []byte(toml))
	if err != nil {
		b.t.Fatal(err)
	}
	config.MPI.Rank, config.MPI.Launch = b.rank, []string{"true", "{np}"}
	return config
}

func (b *bed) prepared(path, toml string) *Campaign {
	b.t.Helper()
	before, err := Before(path, true)
	if err != nil {
		b.t.Fatal(err)
	}
	c, err := New(b.config(toml), path, before, "test")
	if err != nil {
		b.t.Fatal(err)
	}
	c.Start = b.fake.Start
	c.Tell = func(e Event) {
		if e.Sentence != "" {
			b.said = append(b.said, e.Sentence)
		} else {
			b.seen = append(b.seen, e.Progress)
		}
	}
	return c
}

// check does a whole check, and closes the folder.
func (b *bed) check(toml string) (*Judgement, error) {
	b.t.Helper()
	c := b.campaign(toml)
	defer c.Close()
	j, err := c.Check(b.t.Context())
	if n := b.fake.Live(); n != 0 {
		b.t.Errorf("%d launches are left", n)
	}
	return j, err
}

func (b *bed) checked(toml string) *Judgement {
	b.t.Helper()
	j, err := b.check(toml)
	if err != nil {
		b.t.Fatal(err)
	}
	return j
}

func (b *bed) remove(names ...string) {
	b.t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(b.out, "raw", name+".tsv.gz")); err != nil {
			b.t.Fatal(err)
		}
	}
}

// raw lists the raw files.
func (b *bed) raw() (names []string) {
	entries, _ := os.ReadDir(filepath.Join(b.out, "raw"))
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".tsv.gz"))
	}
	return names
}

// bubble runs a test in which time passes only while everybody waits.
func bubble(t *testing.T, test func(*testing.T, *bed)) {
	synctest.Test(t, func(t *testing.T) { test(t, newBed(t)) })
}

func text(t *testing.T, r *analyze.Report) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// reduceSlow makes MPI_Reduce slower than its mock-up.
func reduceSlow(c protocol.JobCase, _ int) time.Duration {
	if c.Function == "MPI_Reduce" {
		return 30 * time.Microsecond
	}
	return 10 * time.Microsecond
}

// ending is a check in which two calls of a library, and one of its own algorithms, may end.
const ending = `
[check]
guidelines = ["NB3:MPI_Scatter_init", "NB3:MPI_Gather_init", "own"]
[job]
np = [2]
mpiruns = 3
msizes = ["8"]
[nrep]
fixed = 10
[analyze]
method = "paper"
[[guideline]]
id = "own"
pattern = { function = "MPI_Bcast", mockup = "MPI_Bcast@binomial" }
`

// looking looks after 10, 12 and 14 mpiruns.
const looking = `
[check]
guidelines = ["GL8"]
[job]
np = [2]
looks = [10, 12, 14]
msizes = ["8", "1Ki"]
[nrep]
fixed = 10
`

// undecided makes GL8 violated at 8 bytes, and leaves 1 KiB open.
func (b *bed) undecided() {
	n := 0
	b.fake.Call = func(c protocol.JobCase, _ int) time.Duration {
		if c.Msize == 8 {
			return reduceSlow(c, 0)
		}
		each := 100 * time.Microsecond
		if c.Function == "MPI_Reduce" {
			n++
			each += []time.Duration{-20, 40}[n%2] * time.Microsecond
		}
		return each
	}
}

// inShapes is quick on two shapes of two ranks.
var inShapes = strings.Replace(quick, "np = [2, 3]", `shapes = ["2x1", "1x2"]`, 1)

// nightly is a check whose family can find a violation.
const nightly = `
[check]
guidelines = ["GL8"]
[job]
np = [2]
mpiruns = 10
msizes = ["8", "1Ki"]
[nrep]
fixed = 10
`

// slowFrom makes Reduce slower than its mock-up from a moment on, until another.
func (b *bed) slowFrom(slow func() bool) {
	b.fake.Call = func(c protocol.JobCase, np int) time.Duration {
		if slow() {
			return reduceSlow(c, np)
		}
		if c.Function == "MPI_Reduce" {
			return 9 * time.Microsecond
		}
		return 10 * time.Microsecond
	}
}

// night makes a check in a folder of the bed, and stores its report.
func (b *bed) night(name, toml string, slow bool) string {
	b.t.Helper()
	path := filepath.Join(filepath.Dir(b.out), name)
	b.slowFrom(func() bool { return slow })
	c := b.prepared(path, toml)
	if err := c.Open(); err != nil {
		b.t.Fatal(err)
	}
	defer c.Close()
	j, err := c.Check(b.t.Context())
	if err == nil {
		err = StoreReport(c.Folder(), j.Report, []document.Format{})
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return path
}

// gated is a check held against something.
func (b *bed) gated(ctx context.Context, toml string) (*Judgement, error) {
	b.t.Helper()
	c := b.prepared(b.out, toml)
	if err := c.ReadGate(); err != nil {
		return nil, err
	}
	if err := c.Open(); err != nil {
		b.t.Fatal(err)
	}
	defer c.Close()
	return c.Check(ctx)
}

func with(toml string, gate ...string) string {
	return toml + "[gate]\n" + strings.Join(gate, "\n") + "\n"
}

func baseline(path string) string { return "baseline = [\"" + path + "\"]" }

func (b *bed) confirming() (n int) {
	for _, job := range b.fake.Jobs() {
		if job.Mode == protocol.ModeConfirm {
			n++
		}
	}
	return n
}

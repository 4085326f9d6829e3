package campaign

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/measure/protocol"
)

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

func TestWhatIsNewlyViolatedIsMeasuredAgainAndAnAlarm(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		before := b.night("before", nightly, false)
		b.slowFrom(func() bool { return true })
		done := len(b.fake.Jobs())
		j, err := b.gated(t.Context(), with(nightly, baseline(before)))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range j.Report.Verdicts {
			if v.State != analyze.New || !v.Alarm || !strings.Contains(v.StateReason, "when measured again") {
				t.Errorf("%+v", v.Gated)
			}
		}
		jobs := b.fake.Jobs()[done:]
		last := jobs[len(jobs)-1]
		if j.Report.Exit != 1 || j.Report.Gate.Alarms != 2 || last.Mode != protocol.ModeConfirm || len(last.Cases) != 4 || b.confirming() != 10 {
			t.Errorf("exit %d, %+v, %d mpiruns again, the last %+v", j.Report.Exit, j.Report.Gate, b.confirming(), last.Cases)
		}
		if !slices.Contains(b.said, "2 tests would make this night red: measured again in 10 mpiruns") {
			t.Errorf("%q", b.said)
		}

		// The folder says the same when it is judged again, and measures nothing when it is resumed.
		folder, m, err := OpenResults(b.out)
		if err != nil {
			t.Fatal(err)
		}
		config, err := ConfigOf(m)
		if err != nil {
			t.Fatal(err)
		}
		later, err := Judge(folder, m, config.Analyze)
		if err == nil {
			err = later.Hold(config)
		}
		if err != nil || text(t, later.Report) != text(t, j.Report) {
			t.Errorf("%v\n%s\n%s", err, text(t, later.Report), text(t, j.Report))
		}
		n := len(b.fake.Jobs())
		if again, err := b.gated(t.Context(), with(nightly, baseline(before))); err != nil || text(t, again.Report) != text(t, j.Report) || len(b.fake.Jobs()) != n {
			t.Errorf("%v, %d jobs more", err, len(b.fake.Jobs())-n)
		}
	})
}

func TestADisturbedMinuteIsNoAlarm(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		before := b.night("before", nightly, false)
		b.slowFrom(func() bool { return b.confirming() == 0 })
		j, err := b.gated(t.Context(), with(nightly, baseline(before)))
		if err != nil {
			t.Fatal(err)
		}
		if v := j.Report.Verdicts[0]; j.Report.Exit != 0 || v.Verdict != judge.Violated || v.State != analyze.Unsure || !strings.Contains(v.StateReason, "not confirmed: kept") {
			t.Errorf("exit %d, %+v", j.Report.Exit, v.Gated)
		}
	})
}

func TestANightWithoutAlarmsMeasuresNothingAgain(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		for _, slow := range []bool{false, true} {
			b.out = filepath.Join(t.TempDir(), "out")
			before := b.night("before", nightly, slow)
			b.slowFrom(func() bool { return slow })
			j, err := b.gated(t.Context(), with(nightly, baseline(before)))
			if err != nil || j.Report.Exit != 0 || b.confirming() != 0 || j.manifest.Confirm != nil {
				t.Errorf("%v: %v, exit %d, %d mpiruns", slow, err, j.Report.Exit, b.confirming())
			}
		}
	})
}

func TestAnInterruptedConfirmationGoesOn(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		before := b.night("before", nightly, false)
		ctx, cancel := context.WithCancel(t.Context())
		b.slowFrom(func() bool {
			if b.confirming() == 4 {
				cancel()
			}
			return true
		})
		var interrupted *Interrupted
		if _, err := b.gated(ctx, with(nightly, baseline(before))); !errors.As(err, &interrupted) {
			t.Fatalf("%v", err)
		}
		n := len(b.raw())
		if n <= 10 || n >= 20 {
			t.Fatalf("%v", b.raw())
		}
		done := len(b.fake.Jobs())
		j, err := b.gated(t.Context(), with(nightly, baseline(before)))
		if err != nil || j.Report.Exit != 1 || len(b.raw()) != 20 || len(b.fake.Jobs())-done != 20-n {
			t.Errorf("%v, %v, %d mpiruns more", err, b.raw(), len(b.fake.Jobs())-done)
		}
	})
}

func TestASplitThatABaselineViolatesIsTestedAgain(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		toml := strings.Replace(strings.Replace(nightly, "GL8", "GL2:MPI_Bcast", 1), `"8", "1Ki"`, `"64", "1Ki"`, 1)
		slow := true
		b.fake.Call = func(c protocol.JobCase, _ int) time.Duration {
			if c.Msize == 1024 && slow {
				return time.Millisecond
			}
			return time.Microsecond
		}
		b.out = filepath.Join(t.TempDir(), "before")
		c := b.campaign(toml)
		j, err := c.Check(t.Context())
		if err == nil {
			err = StoreReport(c.Folder(), j.Report, nil)
		}
		if err != nil || j.Report.Verdicts[0].Verdict != judge.Violated {
			t.Fatalf("%v, %+v", err, j.Report.Verdicts[0])
		}
		before := b.out
		c.Close()
		slow = false
		b.out = filepath.Join(t.TempDir(), "out")
		j, err = b.gated(t.Context(), with(toml, baseline(before)))
		if v := j.Report.Verdicts[0]; err != nil || v.Verdict != judge.Kept || v.PValue == nil || v.State != analyze.Gone {
			t.Errorf("%v, %+v, %+v", err, v, v.Gated)
		}
	})
}

func TestTheLastNightsOfAFolderAreTheBaselines(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		root := filepath.Dir(b.out)
		for i, name := range []string{"c", "a", "d", "b"} { // not in the order of their names
			time.Sleep(24 * time.Hour)
			b.night(name, nightly, i == 0)
		}
		time.Sleep(24 * time.Hour)
		for _, dir := range []string{"empty", "stray"} {
			if err := os.Mkdir(filepath.Join(root, dir), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		damaged := filepath.Join(root, "damaged")
		if err := errors.Join(os.Mkdir(damaged, 0o777), os.WriteFile(filepath.Join(damaged, "report.json"), []byte("{"), 0o666),
			os.Symlink(filepath.Join(root, "a"), filepath.Join(root, "latest"))); err != nil {
			t.Fatal(err)
		}
		for nights, want := range map[string]string{"nights = 2": "b d", "nights = 4": "b d a c"} {
			c := b.prepared(b.out, with(nightly, baseline(root), nights))
			if err := c.ReadGate(); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, n := range c.against.Nights {
				got = append(got, filepath.Base(n.Folder))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("%s: %v", nights, got)
			}
			if notes := c.against.Notes; len(notes) > 1 || len(notes) == 1 && !strings.Contains(notes[0], "left out: "+damaged) {
				t.Errorf("%q", notes)
			}
		}
		// A check that was made earlier is not held against later ones.
		folder, m, err := OpenResults(filepath.Join(root, "a"))
		if err != nil {
			t.Fatal(err)
		}
		config := b.config(with(nightly, baseline(root)))
		g, err := Against(config, m, folder.Path)
		if err != nil || len(g.Nights) != 1 || filepath.Base(g.Nights[0].Folder) != "c" {
			t.Errorf("%v, %+v", err, g)
		}
	})
}

func TestTheFirstNightOfAFolderIsNoAlarm(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		b.slowFrom(func() bool { return true })
		b.out = filepath.Join(t.TempDir(), "nights", "1")
		if err := b.prepared(b.out, with(nightly, baseline(filepath.Dir(b.out)))).ReadGate(); err != nil {
			t.Error(err)
		}
		j, err := b.gated(t.Context(), with(nightly, baseline(t.TempDir())))
		if err != nil || j.Report.Exit != 0 || j.Report.Gate.ByState[analyze.FirstShown] != 2 || !strings.Contains(strings.Join(j.Report.Gate.Notes, "\n"), "no night before this one") {
			t.Errorf("%v, %+v", err, j.Report.Gate)
		}
	})
}

func TestExpectedViolationsAreNoAlarm(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		before := b.night("before", nightly, true)
		list, err := Expectations(before)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "expect.toml")
		if err := os.WriteFile(file, []byte(glfile.FormatExpect(list)), 0o666); err != nil {
			t.Fatal(err)
		}
		j, err := b.gated(t.Context(), with(nightly, "expect = \""+file+"\""))
		if err != nil || j.Report.Exit != 0 || j.Report.Gate.ByState[analyze.Expected] != 2 || b.confirming() != 0 {
			t.Errorf("%v, %+v", err, j.Report.Gate)
		}
	})
}

func TestABaselineThatCannotBeReadEndsTheCheckBeforeItMeasures(t *testing.T) {
	b := newBed(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	report := func(name string) string { return filepath.Join(path(name), "report.json") }
	for _, name := range []string{"pipe", "link", "damaged", "huge", "other"} {
		if err := os.Mkdir(path(name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	huge, err := os.Create(report("huge"))
	if err != nil {
		t.Fatal(err)
	}
	defer huge.Close()
	if err := errors.Join(syscall.Mkfifo(report("pipe"), 0o666), os.Symlink("/dev/zero", report("link")), huge.Truncate(1<<40),
		os.WriteFile(report("damaged"), []byte(`{"schema": "pgmpi-report/1", "verdicts": [{"ratio": NaN}]}`), 0o666),
		os.WriteFile(report("other"), []byte(`{"schema": "pgmpi-report/1", "datatype": "int", "op": "sum"}`), 0o666),
		os.WriteFile(path("expect.toml"), []byte("[[expect]]\nguidline = \"GL8\"\n"), 0o666)); err != nil {
		t.Fatal(err)
	}
	for gate, says := range map[string]string{
		baseline(path("missing")):                           "no such file",
		baseline(path("pipe")):                              "is a named pipe",
		baseline(report("pipe")):                            "is a named pipe",
		baseline("/dev/zero"):                               "is a device",
		baseline(path("link")):                              "is a link",
		baseline(path("huge")):                              "has 1048576 MiB; at most 64 are read",
		baseline(path("damaged")):                           "damaged: verdicts",
		baseline(path("other")):                             `another job.datatype, "int"`,
		baseline(dir):                                       "has no night that this check can be held against",
		"expect = \"" + path("expect.toml") + "\"":          `expect.toml:2:1: unknown key "guidline" (did you mean guideline?)`,
		"expect = \"" + path("missing") + "\"":              "no such file",
		baseline(report("other")) + "\nfail_on = \"times\"": "job.datatype",
	} {
		c := b.prepared(b.out, with(nightly, gate))
		var setup *Setup
		if err := c.ReadGate(); !errors.As(err, &setup) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", gate, err)
		}
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	if mem.Sys > 200<<20 {
		t.Errorf("%d MiB", mem.Sys>>20)
	}
}

func TestRunTimesAreComparedWithFoldersOnly(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		before := b.night("before", nightly, false)
		b.fake.Call = func(protocol.JobCase, int) time.Duration { return 20 * time.Microsecond }
		_, err := b.gated(t.Context(), with(nightly, baseline(filepath.Join(before, "report.json")), `fail_on = "times"`))
		if err == nil || !strings.Contains(err.Error(), "has to be a results folder") {
			t.Errorf("%v", err)
		}
		j, err := b.gated(t.Context(), with(nightly, baseline(before), `fail_on = "times"`))
		if err != nil {
			t.Fatal(err)
		}
		if g := j.Report.Gate; len(g.Slower)+len(g.Notes) == 0 {
			t.Errorf("%+v", g)
		}
	})
}

package experiment_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
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
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/protocol"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestWhatIsNewlyViolatedIsMeasuredAgainAndAnAlarm(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		before := b.Night("before", bed.Nightly, false)
		b.SlowFrom(func() bool { return true })
		done := len(b.Fake.Jobs())
		j := must.Get(b.Gated(t.Context(), bed.With(bed.Nightly, bed.Baseline(before))))(t)
		for _, v := range j.Report.Verdicts {
			should.Hold(t, v.State == analyze.New && v.Alarm && strings.Contains(v.StateReason, "when measured again"), "%+v", v.Gated)
		}
		jobs := b.Fake.Jobs()[done:]
		last := jobs[len(jobs)-1]
		should.Hold(t, j.Report.Exit == 1 && j.Report.Gate.Alarms == 2 && last.Mode == protocol.ModeConfirm && len(last.Cases) == 4 && b.Confirming() == 10,
			"exit %d, %+v, %d mpiruns again, the last %+v", j.Report.Exit, j.Report.Gate, b.Confirming(), last.Cases)
		should.Hold(t, slices.Contains(b.Said, "2 tests would make this night red: measured again in 10 mpiruns"), "%q", b.Said)

		if s, err := experiment.StatusOf(b.Out, experiment.Kinds); err != nil || s.Done != 20 || s.Planned != 20 {
			t.Errorf("status %+v, %v", s, err)
		}

		// The folder says the same when it is judged again, and measures nothing when it is resumed.
		folder, m, err := reading.Open(b.Out)
		must.Do(t, err)
		config := must.Get(reading.ConfigOf(m))(t)
		c := run.Read(experiment.Check, folder, m, config)
		must.Do(t, c.Ready())
		found, err := c.Judge(c)
		later := found.Judgement
		should.Hold(t, err == nil && bed.Text(t, later.Report) == bed.Text(t, j.Report), "%v\n%s\n%s", err, bed.Text(t, later.Report), bed.Text(t, j.Report))
		n := len(b.Fake.Jobs())
		again, err := b.Gated(t.Context(), bed.With(bed.Nightly, bed.Baseline(before)))
		should.Hold(t, err == nil && bed.Text(t, again.Report) == bed.Text(t, j.Report) && len(b.Fake.Jobs()) == n, "%v, %d jobs more", err, len(b.Fake.Jobs())-n)
	})
}

func TestADisturbedMinuteIsNoAlarm(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		before := b.Night("before", bed.Nightly, false)
		b.SlowFrom(func() bool { return b.Confirming() == 0 })
		j := must.Get(b.Gated(t.Context(), bed.With(bed.Nightly, bed.Baseline(before))))(t)
		v := j.Report.Verdicts[0]
		should.Hold(t, j.Report.Exit == 0 && v.Verdict == judge.Violated && v.State == analyze.Unsure && strings.Contains(v.StateReason, "not confirmed: kept"),
			"exit %d, %+v", j.Report.Exit, v.Gated)
	})
}

func TestANightWithoutAlarmsMeasuresNothingAgain(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		for _, slow := range []bool{false, true} {
			b.Out = filepath.Join(t.TempDir(), "out")
			before := b.Night("before", bed.Nightly, slow)
			b.SlowFrom(func() bool { return slow })
			j, err := b.Gated(t.Context(), bed.With(bed.Nightly, bed.Baseline(before)))
			should.Hold(t, err == nil && j.Report.Exit == 0 && b.Confirming() == 0 && j.Manifest.FollowUps[protocol.ModeConfirm] == nil,
				"%v: %v, exit %d, %d mpiruns", slow, err, j.Report.Exit, b.Confirming())
		}
	})
}

func TestAnInterruptedConfirmationGoesOn(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		before := b.Night("before", bed.Nightly, false)
		ctx, cancel := context.WithCancel(t.Context())
		b.SlowFrom(func() bool {
			if b.Confirming() == 4 {
				cancel()
			}
			return true
		})
		var interrupted *fail.Interrupted
		if _, err := b.Gated(ctx, bed.With(bed.Nightly, bed.Baseline(before))); !errors.As(err, &interrupted) {
			t.Fatalf("%v", err)
		}
		n := len(b.Raw())
		must.Hold(t, n > 10 && n < 20, "%v", b.Raw())
		done := len(b.Fake.Jobs())
		j, err := b.Gated(t.Context(), bed.With(bed.Nightly, bed.Baseline(before)))
		should.Hold(t, err == nil && j.Report.Exit == 1 && len(b.Raw()) == 20 && len(b.Fake.Jobs())-done == 20-n,
			"%v, %v, %d mpiruns more", err, b.Raw(), len(b.Fake.Jobs())-done)
	})
}

func TestASplitThatABaselineViolatesIsTestedAgain(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		toml := strings.Replace(strings.Replace(bed.Nightly, "GL8", "GL2:MPI_Bcast", 1), `"8", "1Ki"`, `"64", "1Ki"`, 1)
		slow := true
		b.Fake.Call = func(c protocol.JobCase, _ int) time.Duration {
			if c.Msize == 1024 && slow {
				return time.Millisecond
			}
			return time.Microsecond
		}
		b.Out = filepath.Join(t.TempDir(), "before")
		c := b.Campaign(toml)
		found, err := bed.Done(t.Context(), c)
		if err == nil {
			err = reading.Keep(c.Folder(), found.Document, nil)
		}
		must.Hold(t, err == nil && found.Judgement.Report.Verdicts[0].Verdict == judge.Violated, "%v, %+v", err, found.Judgement.Report.Verdicts[0])
		before := b.Out
		slow = false
		b.Out = filepath.Join(t.TempDir(), "out")
		j, err := b.Gated(t.Context(), bed.With(toml, bed.Baseline(before)))
		v := j.Report.Verdicts[0]
		should.Hold(t, err == nil && v.Verdict == judge.Kept && v.PValue != nil && v.State == analyze.Gone, "%v, %+v, %+v", err, v, v.Gated)
	})
}

func TestTheLastNightsOfAFolderAreTheBaselines(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		root := filepath.Dir(b.Out)
		for i, name := range []string{"c", "a", "d", "b"} { // not in the order of their names
			time.Sleep(24 * time.Hour)
			b.Night(name, bed.Nightly, i == 0)
		}
		time.Sleep(24 * time.Hour)
		for _, dir := range []string{"empty", "stray"} {
			must.Do(t, os.Mkdir(filepath.Join(root, dir), 0o777))
		}
		damaged := filepath.Join(root, "damaged")
		must.Do(t, errors.Join(os.Mkdir(damaged, 0o777), os.WriteFile(filepath.Join(damaged, "report.json"), []byte("{"), 0o666),
			os.Symlink(filepath.Join(root, "a"), filepath.Join(root, "latest"))))
		for nights, want := range map[string]string{"nights = 2": "b d", "nights = 4": "b d a c"} {
			c := b.Prepared(b.Out, bed.With(bed.Nightly, bed.Baseline(root), nights))
			must.Do(t, c.Ready())
			var got []string
			for _, n := range c.Against.Nights {
				got = append(got, filepath.Base(n.Path))
			}
			should.Equal(t, strings.Join(got, " "), want, "%s: %v", nights, got)
			notes := c.Against.Notes
			should.Hold(t, len(notes) <= 1 && (len(notes) != 1 || strings.Contains(notes[0], "left out: "+damaged)), "%q", notes)
		}
		// A check that was made earlier is not held against later ones.
		folder, m, err := reading.Open(filepath.Join(root, "a"))
		must.Do(t, err)
		config := b.Config(bed.With(bed.Nightly, bed.Baseline(root)))
		g, err := reading.Baselines(config, m, folder.Path)
		should.Hold(t, err == nil && len(g.Nights) == 1 && filepath.Base(g.Nights[0].Path) == "c", "%v, %+v", err, g)
	})
}

// madeIn gives a night another clock.
func madeIn(t *testing.T, year, path string) {
	t.Helper()
	name := filepath.Join(path, "manifest.json")
	text := must.Get(os.ReadFile(name))(t)
	must.Do(t, os.WriteFile(name, regexp.MustCompile(`"created": "\d{4}`).ReplaceAll(text, []byte(`"created": "`+year)), 0o666))
}

func TestAClockThatWasAheadHidesNoNight(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		root := filepath.Dir(b.Out)
		madeIn(t, "2099", b.Night("a", bed.Nightly, false))
		b.SlowFrom(func() bool { return true })
		j := must.Get(b.Gated(t.Context(), bed.With(bed.Nightly, bed.Baseline(root))))(t)
		should.Hold(t, j.Report.Exit == 1 && len(j.Report.Gate.Baselines) == 1 && j.Manifest.Night == 1, "exit %d, %+v", j.Report.Exit, j.Report.Gate)

		// Of another folder only the clocks tell the order.
		elsewhere := filepath.Join(t.TempDir(), "out")
		ready := func() (*run.Campaign, error) {
			c := b.Prepared(elsewhere, bed.With(bed.Nightly, bed.Baseline(root)))
			return c, c.Ready()
		}
		madeIn(t, "2098", b.Out)
		_, err := ready()
		should.Fail(t, err, "2 nights that did not begin before this check, the newest "+filepath.Join(root, "a")+" of 2099-")
		b.Night("b", bed.Nightly, false)
		c, err := ready()
		should.Hold(t, err == nil && len(c.Against.Nights) == 1 && strings.Contains(strings.Join(c.Against.Notes, "\n"), "2 nights that did not begin"), "%v, %+v", err, c.Against)
	})
}

func TestOfTwoNightsAtOnceNeitherIsTheOthersBaseline(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		root := filepath.Dir(b.Out)
		b.Night("before", bed.Nightly, false)
		b.SlowFrom(func() bool { return true })
		toml := bed.With(bed.Nightly, bed.Baseline(root))
		done := func(c *run.Campaign) *reading.Judgement {
			found := must.Get(bed.Done(t.Context(), c))(t)
			must.Do(t, reading.Keep(c.Folder(), found.Document, nil))
			return found.Judgement
		}
		first, second := b.Prepared(filepath.Join(root, "x"), toml), b.Prepared(filepath.Join(root, "y"), toml)
		must.Do(t, errors.Join(first.Ready(), first.Open(), second.Ready(), second.Open()))
		for _, c := range []*run.Campaign{first, second} {
			r := done(c).Report
			should.Hold(t, r.Exit == 1 && len(r.Gate.Baselines) == 1, "exit %d, %+v", r.Exit, r.Gate)
			folder, m, err := reading.Open(c.Path)
			must.Do(t, err)
			g, err := reading.Baselines(c.Config, m, folder.Path)
			should.Hold(t, err == nil && len(g.Nights) == 1 && filepath.Base(g.Nights[0].Path) == "before", "%v, %+v", err, g)
		}
		third := b.Prepared(filepath.Join(root, "z"), toml)
		should.Hold(t, third.Ready() == nil && third.Manifest.Night == 2 && len(third.Against.Nights) == 3, "%+v", third.Against)
	})
}

func TestANightInWhichNothingCouldBeMeasuredIsNotGreen(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		toml := strings.Replace(bed.Nightly, "GL8", "own", 1) + "[[guideline]]\nid = \"own\"\npattern = { function = \"MPI_Bcast\", mockup = \"MPI_Bcast@binomial\" }\n"
		before := b.Night("before", toml, false)
		b.Fake.Ends = map[string]bed.Fault{"MPI_Bcast@binomial": bed.Dies}
		for gate, begins := range map[string]string{"": "NOT JUDGED: nothing could be measured", bed.Baseline(before): "NOT JUDGED: no test could be measured; 2 not measured"} {
			b.Out = filepath.Join(t.TempDir(), "out")
			c := b.Prepared(b.Out, bed.With(toml, gate))
			must.Do(t, errors.Join(c.Ready(), c.Open()))
			found := must.Get(bed.Done(t.Context(), c))(t)
			var text strings.Builder
			must.Do(t, document.WriteMarkdown(&text, found.Document))
			should.Hold(t, found.Judgement.Report.Exit == 4 && strings.Contains(text.String(), begins), "exit %d: %s", found.Judgement.Report.Exit, text.String())
		}
	})
}

func TestAFolderThatIsReplacedWhileItIsReadGivesNoVerdict(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		one, two := b.Night("one", bed.Nightly, false), b.Night("two", bed.Nightly, true)
		folder, m, err := reading.Open(one)
		must.Do(t, err)
		must.Do(t, errors.Join(os.RemoveAll(one), os.Rename(two, one)))
		_, err = reading.Judge(folder, m, b.Config(bed.Nightly).Analyze)
		should.Fail(t, err, "was replaced while it was read")
	})
}

func TestTheFirstNightOfAFolderIsNoAlarm(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.SlowFrom(func() bool { return true })
		b.Out = filepath.Join(t.TempDir(), "nights", "1")
		should.Do(t, b.Prepared(b.Out, bed.With(bed.Nightly, bed.Baseline(filepath.Dir(b.Out)))).Ready())
		j, err := b.Gated(t.Context(), bed.With(bed.Nightly, bed.Baseline(t.TempDir())))
		should.Hold(t, err == nil && j.Report.Exit == 0 && j.Report.Gate.ByState[analyze.FirstShown] == 2 && strings.Contains(strings.Join(j.Report.Gate.Notes, "\n"), "no night before this one"),
			"%v, %+v", err, j.Report.Gate)
	})
}

func TestExpectedViolationsAreNoAlarm(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		before := b.Night("before", bed.Nightly, true)
		list := must.Get(reading.Expectations(before))(t)
		file := filepath.Join(t.TempDir(), "expect.toml")
		must.Do(t, os.WriteFile(file, []byte(glfile.FormatExpect(list)), 0o666))
		j, err := b.Gated(t.Context(), bed.With(bed.Nightly, "expect = \""+file+"\""))
		should.Hold(t, err == nil && j.Report.Exit == 0 && j.Report.Gate.ByState[analyze.Expected] == 2 && b.Confirming() == 0, "%v, %+v", err, j.Report.Gate)
	})
}

func TestABaselineThatCannotBeReadEndsTheCheckBeforeItMeasures(t *testing.T) {
	b := bed.New(t)
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	report := func(name string) string { return filepath.Join(path(name), "report.json") }
	for _, name := range []string{"pipe", "link", "damaged", "huge", "other"} {
		must.Do(t, os.Mkdir(path(name), 0o777))
	}
	huge := must.Get(os.Create(report("huge")))(t)
	defer huge.Close()
	must.Do(t, errors.Join(syscall.Mkfifo(report("pipe"), 0o666), os.Symlink("/dev/zero", report("link")), huge.Truncate(1<<40),
		os.WriteFile(report("damaged"), []byte(`{"schema": "pgmpi-report/1", "verdicts": [{"ratio": NaN}]}`), 0o666),
		os.WriteFile(report("other"), []byte(`{"schema": "pgmpi-report/1", "datatype": "int", "op": "sum"}`), 0o666),
		os.WriteFile(path("expect.toml"), []byte("[[expect]]\nguidline = \"GL8\"\n"), 0o666)))
	for gate, says := range map[string]string{
		bed.Baseline(path("missing")):                           "no such file",
		bed.Baseline(path("pipe")):                              "is a named pipe",
		bed.Baseline(report("pipe")):                            "is a named pipe",
		bed.Baseline("/dev/zero"):                               "is a device",
		bed.Baseline(path("link")):                              "is a link",
		bed.Baseline(path("huge")):                              "has 1048576 MiB; at most 64 are read",
		bed.Baseline(path("damaged")):                           "damaged: it is no report.json",
		bed.Baseline(path("other")):                             `another job.datatype, "int"`,
		bed.Baseline(dir):                                       "has no night that this check can be held against",
		"expect = \"" + path("expect.toml") + "\"":              `expect.toml:2:1: unknown key "guidline" (did you mean guideline?)`,
		"expect = \"" + path("missing") + "\"":                  "there is no file",
		bed.Baseline(report("other")) + "\nfail_on = \"times\"": "job.datatype",
	} {
		c := b.Prepared(b.Out, bed.With(bed.Nightly, gate))
		var setup *fail.Setup
		err := c.Ready()
		should.Hold(t, errors.As(err, &setup) && strings.Contains(err.Error(), says), "%s: %v", gate, err)
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	should.Hold(t, mem.Sys <= 200<<20, "%d MiB", mem.Sys>>20)
}

func TestRunTimesAreComparedWithFoldersOnly(t *testing.T) {
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		before := b.Night("before", bed.Nightly, false)
		b.Fake.Call = func(protocol.JobCase, int) time.Duration { return 20 * time.Microsecond }
		_, err := b.Gated(t.Context(), bed.With(bed.Nightly, bed.Baseline(filepath.Join(before, "report.json")), `fail_on = "times"`))
		should.Fail(t, err, "has to be a results folder")
		j := must.Get(b.Gated(t.Context(), bed.With(bed.Nightly, bed.Baseline(before), `fail_on = "times"`)))(t)
		g := j.Report.Gate
		should.Hold(t, len(g.Slower)+len(g.Notes) != 0, "%+v", g)
	})
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
)

// script makes a launcher of shell commands; $MPIRUN is that of the library.
func (b *bench) script(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	mpirun, _, _ := strings.Cut(b.lib.mpi, " ")
	text = fmt.Sprintf("#!/bin/sh\nMPIRUN=%s\n%s\n", mpirun, text)
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		b.t.Fatal(err)
	}
	return path + " -np {np}"
}

func TestTooFewSlotsAreRefusedWithTheRemedy(t *testing.T) {
	b := newBench(t, libraries[0])
	text := strings.Replace(quick, "np = [2]", "np = [500]", 1)
	b.check("--guidelines", b.toml(text), "--launch", b.lib.mpi).exits(t, 2).
		says(t, "fewer slots than processes", "--np", "--oversubscribe")
	b.noneLeft(3 * time.Second)
}

func TestLabelsBeforeEveryLineAreRefusedWithTheRemedy(t *testing.T) {
	for i, labels := range [][]string{{"--tag-output"}, {"-prepend-rank", "-l"}} {
		for _, label := range labels {
			t.Run(libraries[i].name+label, func(t *testing.T) {
				b := newBench(t, libraries[i])
				b.check("--guidelines", b.toml(quick), "--launch", b.lib.mpi+" "+label).exits(t, 2).
					says(t, "labels every line", label)
				b.noneLeft(3 * time.Second)
			})
		}
	}
}

func TestBannersOfEveryRankDoNoHarm(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		b.with("banner").check("--guidelines", b.toml(quick)).exits(t, 0, 1)
		if n := len(b.raw()); n != 3 {
			t.Errorf("%d raw files, want 3", n)
		}
	})
}

func TestLauncherWithoutStandardInput(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		gl := b.toml(quick)
		remedy := []string{"does not forward standard input", "--input=0", "--job-file", "mpi.job_file"}
		closed := b.script("closed", `exec $MPIRUN "$@" </dev/null`)
		b.check("--guidelines", gl, "--launch", closed).exits(t, 2).says(t, remedy...)
		b.noneLeft(3 * time.Second)

		deaf := b.script("deaf", `sleep 30 | $MPIRUN "$@"`)
		b.check("--guidelines", gl, "--launch", deaf, "--stall", "1s").exits(t, 2).says(t, append(remedy, "within 2s")...)
		b.noneLeft(2 * time.Second)

		b.check("--guidelines", gl, "--launch", closed, "--job-file").exits(t, 0, 1)
		if leftover, _ := filepath.Glob(filepath.Join(b.out, ".tmp-*")); len(leftover) > 0 {
			t.Errorf("left behind: %v", leftover)
		}
		b.removeRuns()
		// The way of the job changes no result: it may change in a folder.
		b.check("--guidelines", gl, "--launch", closed, "--resume").exits(t, 3).says(t, "--job-file")
		b.check("--guidelines", gl, "--launch", closed, "--resume", "--job-file").exits(t, 0, 1)
	})
}

func TestKilledDriverWithAJobFileLeavesNoProcess(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		s := b.startLong(long, "--job-file", "--launch", b.script("closed", `exec $MPIRUN "$@" </dev/null`))
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		s.wait(7 * time.Second)
		s.gone(4 * time.Second)
	})
}

// lingering makes a launcher that writes down when it starts and ends, some time
// after its mpirun.
func (b *bench) lingering() (launch string, log func() string) {
	path := filepath.Join(b.dir, "log")
	launch = b.script("lingering", "echo start >>"+path+`; $MPIRUN "$@"; sleep 1; echo end >>`+path)
	return launch, func() string {
		text, _ := os.ReadFile(path)
		return strings.Join(strings.Fields(string(text)), " ")
	}
}

func TestNextMpirunStartsWhileOneEndsAndMeasuresAfterwards(t *testing.T) {
	if cards, _ := filepath.Glob("/sys/class/infiniband/*"); len(cards) > 0 || os.Getenv("SLURM_JOB_ID") != "" {
		t.Skip("mpiruns are not started ahead on a host with a fabric or in a batch system")
	}
	eachLibrary(t, func(t *testing.T, b *bench) {
		launch, log := b.lingering()
		b.check("--guidelines", b.toml(quick), "--launch", launch, "--mpiruns", "4").exits(t, 0, 1)
		if got, want := log(), "start start end start end start end end"; got != want {
			t.Errorf("launchers: %s, want %s", got, want)
		}
		folder, m, err := results.Open(b.out)
		if err != nil {
			t.Fatal(err)
		}
		for run := 2; run <= 4; run++ {
			r, err := folder.ReadRun(protocol.ModeMeasure, m.Plan.Shapes[0], run, &m.Plan)
			if err != nil {
				t.Fatal(err)
			}
			if r.LaunchNS < 1e9 {
				t.Errorf("mpirun %d got its job %d ms after its start, when the one before had not ended", run, r.LaunchNS/1e6)
			}
		}
		folder.Close()

		// An interrupt finds both.
		os.RemoveAll(b.out)
		os.Remove(filepath.Join(b.dir, "log"))
		cmd, out, stderr := b.command(b.checkArgs("--guidelines", b.toml(quick), "--launch", launch)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		b.waitFor("two launchers at the same time", 20*time.Second, func() bool { return strings.HasSuffix(log(), "start start") })
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		said{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}.exits(t, 130).says(t, "--resume")
		b.noneLeft(3 * time.Second)
		if n := len(b.raw()); n != 1 {
			t.Errorf("%d mpiruns are on disk, want the one that had finished", n)
		}
	})
}

// What is looked at, or may not fit into the time, is not started before that is known.
func TestNoMpirunIsStartedAheadOfADecision(t *testing.T) {
	b := newBench(t, libraries[0])
	launch, log := b.lingering()
	b.check("--guidelines", b.toml(quick), "--launch", launch, "--max-time", "1h").exits(t, 0, 1)
	if got, want := log(), "start end start end start end"; got != want {
		t.Errorf("launchers: %s, want %s", got, want)
	}
}

// What a library chooses at its first start need not be searched for again; what
// the user chooses is the user's.
func TestMpirunsAfterTheFirstKeepTheLayerThatOpenMPIChose(t *testing.T) {
	const mine, first = "OMPI_MCA_pml=ob1", "none none none"
	for _, c := range []struct {
		library   int
		toml, env string
		want      string // OMPI_MCA_pml of the three mpiruns
		pml       string // in the manifest
	}{
		{0, "", "", "none ob1 ob1", `"pml":{"p2":"ob1"}`},
		{0, "[mpi]\nkeep_pml = false\n", "", first, `"pml":{"p2":"ob1"}`},
		{0, "[mpi]\nenv = { OMPI_MCA_pml = \"^cm\" }\n", "", "^cm ^cm ^cm", `"pml":{"p2":"ob1"}`},
		{0, "", mine, "ob1 ob1 ob1", `"pml":{"p2":"ob1"}`},
		{1, "", "", first, ""},
	} {
		t.Run(libraries[c.library].name+" "+c.toml+c.env, func(t *testing.T) {
			b := newBench(t, libraries[c.library])
			if c.env != "" {
				b.env = append(b.env, c.env)
			}
			launch := b.script("logged", `echo "${OMPI_MCA_pml-none}" >> `+b.dir+`/pml; exec $MPIRUN "$@"`)
			b.check("--guidelines", b.toml(quick+c.toml), "--launch", launch).exits(t, 0, 1)
			got, err := os.ReadFile(filepath.Join(b.dir, "pml"))
			if err != nil || strings.Join(strings.Fields(string(got)), " ") != c.want {
				t.Errorf("OMPI_MCA_pml was %q, want %s, %v", got, c.want, err)
			}
			text, err := os.ReadFile(filepath.Join(b.out, "manifest.json"))
			if err != nil {
				t.Fatal(err)
			}
			packed := strings.Join(strings.Fields(string(text)), "")
			if !strings.Contains(packed, c.pml) || c.pml == "" && strings.Contains(packed, `"pml":`) {
				t.Errorf("the manifest has not %q", c.pml)
			}
		})
	}
}

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
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestKilledDriverWithAJobFileLeavesNoProcess(t *testing.T) {
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		s := b.startLong("--job-file", "--launch", b.Script("closed", `exec $MPIRUN "$@" </dev/null`))
		must.Do(t, s.Cmd.Process.Kill())
		s.Wait(7 * time.Second)
		s.Gone(4 * time.Second)
	})
}

// lingering makes a launcher that ends some time after its mpirun. It logs when it starts and ends.
func (b *fixture) lingering() (launch string, log func() lingered) {
	path := filepath.Join(b.Dir, "log")
	launch = b.Script("lingering", "echo start `date +%s%N` >>"+path+`; $MPIRUN "$@"; sleep 2; echo end `+"`date +%s%N` >>"+path)
	return launch, func() (l lingered) {
		text, _ := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			var word string
			var ns int64
			_, _ = fmt.Sscan(line, &word, &ns)
			l.words = append(l.words, word)
			if word == "end" {
				l.ends = append(l.ends, ns)
			} else {
				l.starts = append(l.starts, ns)
			}
		}
		return l
	}
}

// lingered holds the times that launchers have logged, in ns.
type lingered struct {
	words        []string
	starts, ends []int64
}

func (l lingered) String() string { return strings.Join(l.words, " ") }

func TestNextMpirunStartsWhileOneEndsAndMeasuresAfterwards(t *testing.T) {
	if cards, _ := filepath.Glob("/sys/class/infiniband/*"); len(cards) > 0 || os.Getenv("SLURM_JOB_ID") != "" {
		t.Skip("mpiruns are not started ahead on a host with a fabric or in a batch system")
	}
	eitherAtOnce(t, func(t *testing.T, b *fixture) {
		launch, log := b.lingering()
		b.Check("--guidelines", b.TOML(quick), "--launch", launch, "--mpiruns", "3").Exits(t, 0, 1)
		logged := log()
		got, want := logged.String(), "start start end start end end"
		must.Hold(t, got == want, "launchers: %s, want %s", got, want)
		folder, m := must.Two(results.Open(b.Out))(t)
		for run := 2; run <= 3; run++ {
			r := must.Get(folder.ReadRun(protocol.ModeMeasure, m.Plan.Shapes[0], run, &m.Plan))(t)
			// Its launcher logs its start a little later than pgmpi starts it.
			early := logged.ends[run-2] - logged.starts[run-1] - r.LaunchNS
			should.Hold(t, early <= 0, "mpirun %d got its job %d ms before the end of the one before", run, early/1e6)
		}
		folder.Close()

		// An interrupt reaches both.
		os.RemoveAll(b.Out)
		os.Remove(filepath.Join(b.Dir, "log"))
		cmd, out, stderr := b.Command("pgmpi", b.CheckArgs("--guidelines", b.TOML(quick), "--launch", launch)...)
		must.Do(t, cmd.Start())
		b.WaitFor("two launchers at the same time", 20*time.Second, func() bool { return strings.HasSuffix(log().String(), "start start") })
		must.Do(t, cmd.Process.Signal(os.Interrupt))
		_ = cmd.Wait()
		mpirun.Said{Code: cmd.ProcessState.ExitCode(), Stdout: out.String(), Stderr: stderr.String()}.Exits(t, 130).Says(t, "--resume")
		b.NoneLeft(3 * time.Second)
		should.Equal(t, len(b.Raw()), 1, "mpiruns are on disk")
	})
}

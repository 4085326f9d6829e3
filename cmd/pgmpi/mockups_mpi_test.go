package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// Every collective and every mock-up is compared with its definition, at counts
// that p divides and does not, and at count 0.
func TestEveryFunctionGivesTheRightData(t *testing.T) {
	eachLibrary(t, func(t *testing.T, b *bench) {
		for np := 1; np <= 5; np++ {
			for _, d := range mockups.Datatypes() {
				for i, op := range d.Ops {
					// All operators at one np, at the others the first two.
					if i > 1 && np != 3 {
						continue
					}
					root := []int{0, np - 1}[i%2]
					b.verifyAll(np, d, op, root)
				}
			}
		}
	})
}

// verifyAll runs one mpirun that verifies all functions.
func (b *bench) verifyAll(np int, d mockups.Datatype, op string, root int) {
	b.t.Helper()
	j := &results.Job{Mode: results.ModeMeasure, NP: np, PPN: np, Datatype: d.Name, Op: op, Root: root, Verify: true,
		Sync: "barrier", Clock: "monotonic", ClockSync: "shared", TempMemory: 64 << 20, StallNS: int64(20 * time.Second)}
	for _, f := range mockups.All() {
		for _, count := range []int64{0, 1, 3, 7, 1000} {
			j.Order = append(j.Order, len(j.Cases))
			j.Cases = append(j.Cases, results.JobCase{Function: f.ID, Msize: count * d.Bytes, NRep: 1})
		}
	}
	what := fmt.Sprintf("p = %d, %s, %s, root %d", np, d.Name, op, root)
	out, err := b.runJob(np, j)
	if err != nil {
		b.t.Errorf("%s: %v", what, err)
		return
	}
	for _, c := range out.Cases {
		if c.Status != results.StatusOK {
			b.t.Errorf("%s: %s at %d bytes is %s: %s", what, j.Cases[c.Case].Function, j.Cases[c.Case].Msize, c.Status, c.Message)
		}
	}
}

// runJob starts the rank program by hand, with --job.
func (b *bench) runJob(np int, j *results.Job) (*results.Output, error) {
	lines, err := results.EncodeJob(j)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(b.dir, "job")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		return nil, err
	}
	argv := strings.Fields(strings.ReplaceAll(b.lib.mpi, "{np}", fmt.Sprint(np)))
	env := b.env
	if b.lib.yield {
		env = append(env, "LD_PRELOAD="+filepath.Join(b.bin, "yield.so"))
	} else {
		argv = append(argv, "--oversubscribe", "--bind-to", "none")
	}
	cmd := exec.Command(argv[0], append(argv[1:], b.rank, "--np", fmt.Sprint(np), "--job", file)...)
	var said bytes.Buffer
	cmd.Env, cmd.Stderr, cmd.WaitDelay = env, &said, 5*time.Second
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s%s", err, text, said.String())
	}
	var in results.OutputReader
	s := bufio.NewScanner(bytes.NewReader(text))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		if word, _, _ := strings.Cut(s.Text(), " "); word == results.LineHello || word == results.LineProgress {
			continue
		}
		if done, err := in.Add(s.Bytes()); err != nil || done {
			return in.Output(), err
		}
	}
	return nil, fmt.Errorf("no end record\n%s%s", text, said.String())
}

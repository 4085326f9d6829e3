package experiment_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgmpi/guidelines"
	"pgmpi/internal/experiment"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Whoever has made the folder: status neither waits for ever nor hands on what is no job.
func TestStatusReadsOnlyWhatAJobCanHaveLeft(t *testing.T) {
	file := func(text string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o666) }
	}
	for says, leave := range map[string]func(path string) error{
		"is a named pipe":         func(path string) error { return syscall.Mkfifo(path, 0o666) },
		"more than 65536 bytes":   file(strings.Repeat(" ", 64<<10+1)),
		`no job is called "1 -x"`: file(`{"schema": "pgmpi-batch/1", "scheduler": "slurm", "job": "1 -x"}`),
		`no job is called "-x"`:   file(`{"schema": "pgmpi-batch/1", "scheduler": "slurm", "job": "-x"}`),
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, results.BatchJob)
		must.Do(t, leave(path))
		_, err := experiment.StatusOf(dir, experiment.Kinds)
		should.Fail(t, err, says)
	}
}

// analyze answers of what there is, and keeps that in the folder.
func TestAnAnswerDoesNotFinishAFolderThatNeedsMpiruns(t *testing.T) {
	answered := func(b *bed.Bed, name string) bool {
		must.Do(t, os.WriteFile(filepath.Join(b.Out, name), []byte("{}"), 0o666))
		return must.Get(experiment.StatusOf(b.Out, experiment.Kinds))(t).Reported
	}
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Fake.Fault = func(int) bed.Fault { return bed.Crashes }
		_, err := b.Check(bed.Quick)
		must.Hold(t, err != nil, "no mpirun fails")
		should.Hold(t, !answered(b, "report.json"), "finished without an mpirun")
	})
	bed.Bubble(t, func(t *testing.T, b *bed.Bed) {
		b.Checked(bed.Quick)
		should.Hold(t, answered(b, "report.json"), "a finished check is not")
		must.Do(t, os.Remove(filepath.Join(b.Out, "raw", results.RawName(protocol.ModeMeasure, guidelines.Shape{NP: 3}, 3))))
		should.Hold(t, !answered(b, "report.json"), "finished without its last mpirun")
	})
}

package experiment_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgmpi/internal/experiment"
	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
	"pgmpi/measure/results"
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
		_, err := experiment.StatusOf(dir)
		should.Fail(t, err, says)
	}
}

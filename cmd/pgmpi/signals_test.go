package main

import (
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"pgmpi/internal/exitcode"
	"pgmpi/internal/fixture/must"
)

// Terminals and batch systems end a check in many ways, which mean the same.
func TestEverySignalThatEndsAJobInterrupts(t *testing.T) {
	for _, sent := range []syscall.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU,
	} {
		t.Run(sent.String(), func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(sent) {
				t.Skip("this process ignores it, as nohup has it, and so do its children")
			}
			b := emptyFixture(t, t.TempDir())
			began := filepath.Join(b.dir, "began")
			for name, text := range map[string]string{
				"rank":   `echo '{"program": "pgmpi-rank", "library": "openmpi", "lib_version": "Open MPI", "built_for": "Open MPI", "hash": "x"}'`,
				"mpirun": "touch " + began + "; exec sleep 30",
			} {
				must.Do(t, os.WriteFile(filepath.Join(b.dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o777))
			}
			cmd, _, errs := b.command("pgmpi", "check", "--np", "2", "--rank", b.dir+"/rank", "--launch", b.dir+"/mpirun {np}", "--out", "out")
			must.Do(t, cmd.Start())
			b.waitFor("the mpirun", 20*time.Second, func() bool { _, err := os.Stat(began); return err == nil })
			_ = cmd.Process.Signal(sent)
			_ = cmd.Wait()
			said{code: cmd.ProcessState.ExitCode(), stderr: errs.String()}.exits(t, exitcode.Interrupted).says(t, "interrupted; finished mpiruns are kept", "--out out --resume")
		})
	}
}

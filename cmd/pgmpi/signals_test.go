package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"pgmpi/internal/exitcode"
	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// Terminals and batch systems end a check in many ways that mean the same.
func TestEverySignalThatEndsAJobInterrupts(t *testing.T) {
	t.Parallel()
	for _, sent := range []syscall.Signal{
		syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU,
	} {
		t.Run(sent.String(), func(t *testing.T) {
			t.Parallel()
			skipIgnored(t, sent)
			cmd, errs := checkThatWaits(t, "exec sleep 30")
			_ = cmd.Process.Signal(sent)
			_ = cmd.Wait()
			mpirun.Said{Code: cmd.ProcessState.ExitCode(), Stderr: errs.String()}.Exits(t, exitcode.Interrupted).Says(t, "interrupted; finished mpiruns are kept", "--out out --resume")
		})
	}
}

func skipIgnored(t *testing.T, s os.Signal) {
	t.Helper()
	if signal.Ignored(s) {
		t.Skip("this process ignores it, as nohup and background jobs of scripts do, and so do its children")
	}
}

// checkThatWaits starts a check whose mpirun runs a line of shell.
func checkThatWaits(t *testing.T, line string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	b := emptyFixture(t, t.TempDir())
	began := filepath.Join(b.Dir, "began")
	for name, text := range map[string]string{
		"rank":   `echo '{"program": "pgmpi-rank", "library": "openmpi", "lib_version": "Open MPI", "built_for": "Open MPI", "hash": "x"}'`,
		"mpirun": line + " & touch " + began + "; wait",
	} {
		must.Do(t, os.WriteFile(filepath.Join(b.Dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o777))
	}
	cmd, _, errs := b.Command("pgmpi", "check", "--np", "2", "--rank", b.Dir+"/rank", "--launch", b.Dir+"/mpirun {np}", "--out", "out")
	must.Do(t, cmd.Start())
	b.WaitFor("the mpirun", 20*time.Second, func() bool { _, err := os.Stat(began); return err == nil })
	return cmd, errs
}

// A batch system sends SIGTERM to all processes of a job, and its script may pass it on.
func TestOnlyASecondCtrlCEndsAtOnce(t *testing.T) {
	t.Parallel()
	for sent, want := range map[syscall.Signal]int{syscall.SIGTERM: exitcode.Interrupted, syscall.SIGUSR1: exitcode.Interrupted, syscall.SIGINT: -1} {
		t.Run(sent.String(), func(t *testing.T) {
			t.Parallel()
			skipIgnored(t, sent)
			cmd, errs := checkThatWaits(t, "trap '' TERM; sleep 30") // two seconds until it is killed
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			for again := time.Tick(20 * time.Millisecond); ; {
				select {
				case <-again:
					_ = cmd.Process.Signal(sent)
					continue
				case <-ended:
				}
				break
			}
			if code := cmd.ProcessState.ExitCode(); code != want {
				t.Errorf("exit status %d, want %d: %s", code, want, errs)
			}
		})
	}
}

func TestASignalEndsACommandThatDoesNotListen(t *testing.T) {
	for name, hear := range map[string]func(context.Context){
		"":              func(context.Context) {},
		"a step of its": func(ctx context.Context) { _, stop := context.WithCancel(ctx); stop() },
		"by its error":  func(ctx context.Context) { _ = ctx.Err() },
	} {
		signalled, send := context.WithCancel(t.Context())
		ctx, code := &listened{Context: signalled}, -1
		hear(ctx)
		send()
		ctx.end(io.Discard, func(c int) { code = c })
		want := -1
		if name == "" {
			want = exitcode.Interrupted
		}
		should.Equal(t, code, want, "listened to %q", name)
	}
}

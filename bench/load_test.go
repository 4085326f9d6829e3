package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgmpi/testkit/should"
)

// children are the processes that this one started.
func children() (pids []int) {
	files, _ := filepath.Glob("/proc/self/task/*/children")
	for _, f := range files {
		text, _ := os.ReadFile(f)
		for _, field := range strings.Fields(string(text)) {
			var pid int
			_, _ = fmt.Sscan(field, &pid)
			pids = append(pids, pid)
		}
	}
	return pids
}

func TestTheLoadEndsWithWhatRunsBesideIt(t *testing.T) {
	failed := errors.New("failed")
	var load int
	err := try(func() {
		besideLoad(context.Background(), true, func(ctx context.Context) {
			for len(children()) == 0 && ctx.Err() == nil {
				time.Sleep(time.Millisecond)
			}
			load = children()[0]
			must(failed)
		})
	})
	should.Hold(t, errors.Is(err, failed), "got %v", err)
	err = syscall.Kill(load, 0)
	should.Hold(t, err == syscall.ESRCH, "process %d of the load is still there: %v", load, err)
}

func TestWithoutALoadNothingIsStarted(t *testing.T) {
	besideLoad(context.Background(), false, func(context.Context) {
		n := len(children())
		should.Hold(t, n <= 0, "%d processes", n)
	})
}

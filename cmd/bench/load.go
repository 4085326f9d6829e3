package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"syscall"
	"time"
)

// The load of --load: a busy process on one core, for a part of each period.
const (
	loadBusy   = 10 * time.Second
	loadPeriod = 30 * time.Second
)

// besideLoad does something beside the load, if there is to be one. A load that cannot go
// on ends it.
func besideLoad(ctx context.Context, load bool, do func(context.Context)) {
	if !load {
		do(ctx)
		return
	}
	cpus := twoCores()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: what a thread starts has its affinity, and ends with it
		err := pin(cpus[1])
		for err == nil && ctx.Err() == nil {
			err = comeAndGo(ctx)
		}
		cancel()
		ended <- err
	}()
	err := try(func() { do(ctx) })
	cancel()
	must(errors.Join(<-ended, err))
}

// comeAndGo is one period of the load.
func comeAndGo(ctx context.Context) error {
	period, cancel := context.WithTimeout(ctx, loadPeriod)
	defer cancel()
	busy, cancel := context.WithTimeout(period, loadBusy)
	defer cancel()
	cmd := command(busy, "sh", "-c", "while :; do :; done")
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Run(); busy.Err() == nil { // only the end of its time ends it
		return fmt.Errorf("the load: %w", err)
	}
	<-period.Done()
	return nil
}

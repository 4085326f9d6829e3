package main

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"pgmpi/measure/host"
)

// loadScript keeps a core busy for 10 of every 30 s.
const loadScript = "while :; do timeout --foreground 10 sh -c 'while :; do :; done'; sleep 20; done"

// besideLoad does something beside the load, if there is to be one. A load that cannot go
// on ends it.
func besideLoad(ctx context.Context, load bool, do func(context.Context)) {
	if !load {
		do(ctx)
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	cores := host.Affinity()
	cmd := command(ctx, "taskset", "--cpu-list", fmt.Sprint(cores[len(cores)-1]), "sh", "-c", loadScript)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	must(cmd.Start())
	ended := make(chan bool)
	go func() {
		cancel(fmt.Errorf("the load has ended: %w", cmd.Wait())) // the first cause counts
		close(ended)
	}()
	err := try(func() { do(ctx) })
	early := context.Cause(ctx)
	cancel(nil)
	<-ended
	must(errors.Join(early, err))
}

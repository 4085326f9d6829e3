package child

import (
	"context"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// Start starts a command in a process group of its own. One signal reaches all that the command starts, and a
// terminal's Ctrl-C comes from here alone. The command gets SIGTERM when this process dies, so that a launcher
// clears up. Start calls started as soon as the command runs or has failed to, for instance to close what only the
// command needs; wait waits for the command's end.
func Start(cmd *exec.Cmd, started func()) (wait func() error, err error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid, cmd.SysProcAttr.Pdeathsig = true, syscall.SIGTERM
	begun, ended := make(chan error, 1), make(chan error, 1)
	go func() {
		// The signal comes when the thread that forked ends.
		runtime.LockOSThread()
		err := cmd.Start()
		started()
		begun <- err
		if err == nil {
			ended <- cmd.Wait()
		}
	}()
	if err := <-begun; err != nil {
		return nil, err
	}
	return func() error { return <-ended }, nil
}

// Run runs a command until it ends or the context does: SIGTERM tells the command so, and after the grace what is
// left of its group is killed.
func Run(ctx context.Context, cmd *exec.Cmd, grace time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	cmd.WaitDelay = grace
	wait, err := Start(cmd, func() {})
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- wait() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	gone := time.Now().Add(grace)
	for time.Now().Before(gone) && syscall.Kill(-cmd.Process.Pid, 0) == nil {
		time.Sleep(10 * time.Millisecond)
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return <-ended
}

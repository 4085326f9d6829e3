package main

import (
	"os"
	"runtime"

	"pgmpi/measure/host"
	"pgmpi/measure/launch"
)

// factors collects what can change a result (S-REVISITED, Table VI) and can be
// seen by the driver. The ranks add what they see.
func factors() host.Factors {
	k := host.ReadKind(os.DirFS("/"))
	f := host.Factors{Kernel: k.Kernel, CPU: k.CPU, Cores: launch.Cores(), Go: runtime.Version(), Env: host.Env(os.Environ())}
	f.Hostname, _ = os.Hostname()
	return f
}

package main

import (
	"os"
	"runtime"

	"pgmpi/measure"
	"pgmpi/measure/node"
	"pgmpi/measure/results"
)

// factors collects what can change a result (S-REVISITED, Table VI) and can be
// seen by the driver. The ranks add what they see.
func factors() results.Factors {
	k := node.Kind(os.DirFS("/"))
	f := results.Factors{Kernel: k.Kernel, CPU: k.CPU, Cores: measure.Cores(), Go: runtime.Version(), Env: node.Env(os.Environ())}
	f.Hostname, _ = os.Hostname()
	return f
}

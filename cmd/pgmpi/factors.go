package main

import (
	"os"
	"runtime"
	"strings"

	"pgmpi/measure"
	"pgmpi/measure/results"
)

// factors collects what can change a result (S-REVISITED, Table VI) and can be
// seen by the driver.
func factors() results.Factors {
	f := results.Factors{Cores: measure.Cores(), Go: runtime.Version(), Env: map[string]string{}}
	f.Hostname, _ = os.Hostname()
	f.Kernel = firstField("/proc/sys/kernel/osrelease", "")
	f.CPU = firstField("/proc/cpuinfo", "model name")
	for _, v := range os.Environ() {
		name, value, _ := strings.Cut(v, "=")
		for _, prefix := range []string{"OMPI_", "MPIR_CVAR_", "UCX_", "FI_", "SLURM_", "MV2_", "I_MPI_"} {
			if strings.HasPrefix(name, prefix) {
				f.Env[name] = value
			}
		}
	}
	return f
}

// firstField is the value of the first "key : value" line of a file, or its
// first line for an empty key.
func firstField(path, key string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		k, v, found := strings.Cut(line, ":")
		if key == "" {
			return strings.TrimSpace(line)
		}
		if found && strings.TrimSpace(k) == key {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

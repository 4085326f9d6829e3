package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"pgmpi/measure/protocol"
)

// Probe asks a rank program what it is built for. No MPI is started.
func Probe(path string) (protocol.RankInfo, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var info protocol.RankInfo
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		said := LastLines(stderr.String(), 5)
		if said != "" {
			said = ":\n    " + strings.ReplaceAll(said, "\n", "\n    ")
		}
		return info, fmt.Errorf("%s --version: %w%s; %s", path, err, said, probeRemedy(err, stderr.String(), Needs(path)))
	}
	if err := json.Unmarshal(out, &info); err != nil || info.Program != "pgmpi-rank" {
		return info, fmt.Errorf("%s is no pgmpi-rank: it answers --version with %.60q", path, out)
	}
	return info, nil
}

// providers says where the library comes from that a program of `make dist` needs.
var providers = map[string]string{
	"libmpi.so.40":   "Open MPI 4 or 5 (its module; on Debian and Ubuntu apt-get install openmpi-bin)",
	"libmpich.so.12": "the MPICH of Debian and Ubuntu (apt-get install mpich)",
	"libmpi.so.12":   "MPICH, Intel MPI, MVAPICH or Cray MPICH (the module with its ABI)",
}

func probeRemedy(err error, said, needs string) string {
	switch {
	case strings.Contains(said, needs+": cannot open shared object file") && providers[needs] != "":
		return fmt.Sprintf("it is built for %s, which comes with %s: load or install that, or name a rank program of the library that is here with --rank, mpi.rank or %s",
			needs, providers[needs], rankVariable)
	case strings.Contains(said, "' not found"):
		return "it is built on a newer system: build one here with `make build`"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "raise the limit of open files (ulimit -n)"
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM):
		return "raise the limits of processes and memory (ulimit -u, ulimit -v)"
	}
	return "build it again with `make build`"
}

// LastLines returns the last n lines that are not blank.
func LastLines(s string, n int) string {
	var lines []string
	for l := range strings.Lines(s) {
		if l = strings.TrimRight(l, "\r\n "); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

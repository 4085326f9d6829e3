package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// title starts a bench: what is measured, and on what. library is "" where no
// MPI is involved.
func title(format, library string, args ...any) {
	fmt.Printf("\n== "+format+"\n", args...)
	if library != "" {
		library += "; "
	}
	kernel, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	fmt.Printf("   %s%s, %d cores, Linux %s, %s\n", library, fieldOf("/proc/cpuinfo", "model name"), launch.Cores(),
		strings.TrimSpace(string(kernel)), runtime.Version())
}

// outcome prints one number beside its aim; it returns errMissed when the aim is
// missed.
func outcome(what, got, aim string, ok bool) error {
	if !ok {
		fmt.Printf("   missed: %s: %s (aim: %s)\n", what, got, aim)
		return errMissed
	}
	fmt.Printf("   ok: %s: %s (aim: %s)\n", what, got, aim)
	return nil
}

// fieldOf returns the first value of a "name : value" file; "unknown" without one.
func fieldOf(path, name string) string {
	text, _ := os.ReadFile(path)
	for line := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return "unknown CPU"
}

// probe makes a path of a rank program absolute and asks it what it is.
func probe(rank string) (string, protocol.RankInfo, error) {
	rank, err := filepath.Abs(rank)
	if err != nil {
		return "", protocol.RankInfo{}, err
	}
	info, err := launch.Probe(rank)
	return rank, info, err
}

//go:build cgo

package rank

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/clock"
	"pgmpi/measure/rank/mpi"
)

// Version and MPICC are set by the linker: pgmpi's version, and the compiler
// wrapper that built this program.
var (
	Version = "devel"
	MPICC   = ""
)

// info says what this rank program is. MPI need not be started.
func info() protocol.RankInfo {
	name, _ := os.Hostname()
	family, builtFor, compiler := mpi.BuiltFor()
	return protocol.RankInfo{
		Program: "pgmpi-rank", Version: Version, Library: family, BuiltFor: builtFor,
		LibVersion: firstLine(mpi.Library()), MPICC: MPICC, Compiler: compiler, Flags: cFlags(),
		ClockTickNS: clock.Tick(protocol.ClockMonotonic), Host: name,
	}
}

// cFlags are the compiler flags of the C parts, as Go keeps them in the program.
func cFlags() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, s := range b.Settings {
			if s.Key == "CGO_CFLAGS" {
				return s.Value
			}
		}
	}
	return ""
}

// checkLibrary compares the headers this program was compiled with and the
// library that the loader found; mixed objects crash.
func checkLibrary(i protocol.RankInfo) error {
	loaded := launch.Family(i.LibVersion)
	if loaded != "" && i.Library != "unknown" && loaded != i.Library {
		return fmt.Errorf("compiled for %s, but the loader found %q; build again (make build) with the mpicc of the library you mean, and check LD_LIBRARY_PATH", i.BuiltFor, i.LibVersion)
	}
	return nil
}

// firstLine keeps only the first line, and makes "MPICH 4.0.2" of
// "MPICH Version:	4.0.2"; MVAPICH2 has blanks before the colon.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	if name, number, ok := strings.Cut(line, ":"); ok {
		if name, ok := strings.CutSuffix(strings.TrimSpace(name), "Version"); ok {
			line = name + number
		}
	}
	return strings.Join(strings.Fields(line), " ")
}

// ownFile tells programs of one host apart, without reading them.
func ownFile() string {
	var s syscall.Stat_t
	if err := syscall.Stat("/proc/self/exe", &s); err != nil {
		return ""
	}
	return fmt.Sprint(s.Dev, s.Ino, s.Size, s.Mtim)
}

func ownHash() string {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}

//go:build cgo

package rank

/*
#include <stdlib.h>
#include "rank.h"
*/
import "C"

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"unsafe"

	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
)

// Version and MPICC are set by the linker: pgmpi's version, and the compiler
// wrapper that built this program.
var (
	Version = "devel"
	MPICC   = ""
)

// Info says what this rank program is. MPI need not be started.
func Info() protocol.RankInfo {
	text := (*C.char)(C.malloc(C.MPI_MAX_LIBRARY_VERSION_STRING))
	defer C.free(unsafe.Pointer(text))
	var n C.int
	C.pg_library_version(text, &n)
	// Open MPI counts the terminating zero, MPICH does not.
	lib := strings.TrimRight(C.GoStringN(text, n), "\x00\n")
	host, _ := os.Hostname()
	return protocol.RankInfo{
		Program: "pgmpi-rank", Version: Version,
		Library: C.GoString(C.pg_built_family()), BuiltFor: C.GoString(C.pg_built_for()),
		LibVersion: firstLine(lib), MPICC: MPICC, Compiler: C.GoString(C.pg_compiler()), Flags: cFlags(),
		ClockTickNS: clockStep(clockNamed(protocol.ClockMonotonic)), Host: host, MemAvail: memAvailable(),
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

// CheckLibrary compares the headers this program was compiled with and the
// library that the loader found; mixed objects crash.
func CheckLibrary(i protocol.RankInfo) error {
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

// firstLineOf is the first line of a file; "" if there is none.
func firstLineOf(path string) string {
	text, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
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

// memAvailable is MemAvailable of /proc/meminfo in bytes; 0 if unknown.
func memAvailable() int64 {
	_, available := host.Memory(hostFiles)
	return available
}

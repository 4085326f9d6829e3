package host

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// The cache size where the kernel does not say it, and the most that is
// believed: a virtual machine with one core may call the host's whole last
// level private.
const (
	unknownCache = 2 << 20
	mostCache    = 64 << 20
)

// PrivateCache is the size in bytes of the last level of data cache that core 0
// has for itself (S-REVISITED §5.8).
func PrivateCache(root fs.FS) int64 {
	const cpu = cpuDir + "/cpu0"
	threads := word(root, cpu+"/topology/thread_siblings_list")
	levels, _ := fs.Glob(root, cpu+"/cache/index*")
	var size int64
	for _, l := range levels {
		if word(root, l+"/type") == "Instruction" || word(root, l+"/shared_cpu_list") != threads {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(word(root, l+"/size"), "K"), 10, 64)
		if err == nil {
			size = max(size, kib<<10)
		}
	}
	if size == 0 {
		return unknownCache
	}
	return min(size, mostCache)
}

// TSCLacks lists the flags of an invariant time-stamp counter that /proc/cpuinfo lacks.
func TSCLacks(root fs.FS) string {
	missing := []string{"rdtscp", "constant_tsc", "nonstop_tsc"}
	for key, value := range fields(root, "proc/cpuinfo") {
		if key == "flags" {
			flags := strings.Fields(value)
			missing = slices.DeleteFunc(missing, func(f string) bool { return slices.Contains(flags, f) })
			break
		}
	}
	return strings.Join(missing, ", ")
}

// IsOneCore tells whether CPUs are one processor, or all hardware threads of one core.
func IsOneCore(root fs.FS, cpus Ranges) bool {
	return len(cpus) == 1 || len(cpus) > 1 && slices.Equal(cpus, set(root, cpuDir+"/cpu"+strconv.Itoa(cpus[0])+"/topology/thread_siblings_list"))
}

// BootID tells kernels apart, also before and after a reboot of one host. Containers
// on a host have the same.
func BootID(root fs.FS) string { return word(root, "proc/sys/kernel/random/boot_id") }

// Affinity returns the CPUs that the calling thread may run on
// (sched_getaffinity), or an empty set if the kernel does not tell.
func Affinity() Ranges {
	var mask [1 << 11]uint64 // 131072 CPUs
	n, _, errno := syscall.RawSyscall(syscall.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	out := Ranges{}
	if errno != 0 {
		return out
	}
	for cpu := range 8 * int(n) {
		if mask[cpu/64]&(1<<(cpu%64)) != 0 {
			out = append(out, cpu)
		}
	}
	return out
}

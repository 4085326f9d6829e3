package host

import (
	"syscall"
	"unsafe"
)

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

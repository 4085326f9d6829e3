//go:build cgo

package rank

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// The cache size where the kernel does not say it, and the most that is
// believed: a virtual machine with one core may call the host's whole last
// level private.
const (
	unknownCache = 2 << 20
	mostCache    = 64 << 20
)

// privateCache is the size in bytes of the last level of data cache that a core
// has for itself (S-REVISITED §5.8), as the kernel says it of core 0.
func privateCache() int64 { return privateCacheIn("/sys/devices/system/cpu/cpu0") }

func privateCacheIn(cpu string) int64 {
	threads := firstLineOf(cpu + "/topology/thread_siblings_list")
	levels, _ := filepath.Glob(cpu + "/cache/index*")
	var size int64
	for _, l := range levels {
		if firstLineOf(l+"/type") == "Instruction" || firstLineOf(l+"/shared_cpu_list") != threads {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(firstLineOf(l+"/size"), "K"), 10, 64)
		if err == nil {
			size = max(size, kib<<10)
		}
	}
	if size == 0 {
		return unknownCache
	}
	return min(size, mostCache)
}

// firstLineOf is the first line of a file; "" if there is none.
func firstLineOf(path string) string {
	text, _ := os.ReadFile(path)
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

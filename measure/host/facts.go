package host

import (
	"cmp"
	"io/fs"
	"iter"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"pgmpi/internal/conf"
)

const cpuDir = "sys/devices/system/cpu"

// ReadKind reads the facts that do not change while a host runs. The caller fills in
// Env, Library and Program.
func ReadKind(root fs.FS) NodeKind {
	info := map[string]string{} // the first value of every key
	for key, value := range fields(root, "proc/cpuinfo") {
		info[key] = cmp.Or(info[key], value)
	}
	k := NodeKind{
		Kernel: word(root, "proc/sys/kernel/osrelease"), CPU: cpuModel(info), Online: online(root),
		LLC: lastLevelCache(root), FreqDriver: word(root, cpuDir+"/cpu0/cpufreq/scaling_driver"),
		Turbo:       turbo(root),
		MinMHz:      number(root, cpuDir+"/cpu0/cpufreq/cpuinfo_min_freq") / 1e3,
		MaxMHz:      number(root, cpuDir+"/cpu0/cpufreq/cpuinfo_max_freq") / 1e3,
		Clocksource: word(root, "sys/devices/system/clocksource/clocksource0/current_clocksource"),
		CPULimit:    cpuLimit(root), Limits: limits(root), Devices: devices(root),
	}
	for _, cpu := range k.Online {
		topology := cpuDir + "/cpu" + strconv.Itoa(cpu) + "/topology/"
		k.Siblings = with(k.Siblings, 2, set(root, topology+"thread_siblings_list"))
		k.Packages = with(k.Packages, 1, set(root, topology+"core_siblings_list"))
	}
	memory, _ := fs.Glob(root, "sys/devices/system/node/node[0-9]*")
	for _, dir := range memory {
		k.NUMA = with(k.NUMA, 1, set(root, dir+"/cpulist"))
	}
	slices.SortFunc(k.NUMA, func(a, b Ranges) int { return a[0] - b[0] })
	k.Governor = governor(root, k.Online)
	flags := strings.Fields(cmp.Or(info["flags"], info["Features"]))
	for _, f := range flags {
		if strings.Contains(f, "tsc") {
			k.TSC = append(k.TSC, f)
		}
	}
	k.Virtual = slices.Contains(flags, "hypervisor")
	return k
}

// limits reads the limits of this process, as ranks of a node have them.
func limits(root fs.FS) *Limits {
	l := Limits{}
	for line := range strings.Lines(text(root, "proc/self/limits")) {
		for name, to := range map[string]*int64{"Max locked memory": &l.Locked, "Max open files": &l.Files, "Max processes": &l.Processes} {
			if rest, is := strings.CutPrefix(line, name); is {
				*to = size(strings.Fields(rest + " 0")[0])
			}
		}
	}
	for line := range strings.Lines(text(root, "proc/self/mounts")) {
		if f := strings.Fields(line); len(f) > 3 && f[1] == "/dev/shm" {
			for option := range strings.SplitSeq(f[3], ",") {
				if value, is := strings.CutPrefix(option, "size="); is {
					l.Shared = size(value)
				}
			}
		}
	}
	if l == (Limits{}) {
		return nil
	}
	return &l
}

// size reads a number of bytes, such as 65536k, or -1 of "unlimited".
func size(word string) int64 {
	if word == "unlimited" {
		return -1
	}
	digits, kilo := strings.CutSuffix(word, "k")
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil || n < 0 || n > math.MaxInt64>>10:
		return 0
	case kilo:
		return n << 10
	}
	return n
}

func text(root fs.FS, name string) string {
	b, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// word reads a file of one line, and returns "" where the kernel calls its value unknown.
func word(root fs.FS, name string) string {
	line, _, _ := strings.Cut(text(root, name), "\n")
	if line == "<unknown>" || line == "<unsupported>" {
		return ""
	}
	return line
}

func number(root fs.FS, name string) float64 {
	f, _ := strconv.ParseFloat(word(root, name), 64)
	return f
}

func set(root fs.FS, name string) Ranges {
	if r, _ := parseRanges(word(root, name)); len(r) > 0 {
		return r
	}
	return nil
}

func with(sets []Ranges, least int, s Ranges) []Ranges {
	if len(s) < least || slices.ContainsFunc(sets, func(o Ranges) bool { return slices.Equal(o, s) }) {
		return sets
	}
	return append(sets, s)
}

// fields yields the lines "key: value" of a file.
func fields(root fs.FS, name string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		for line := range strings.Lines(text(root, name)) {
			key, value, _ := strings.Cut(line, ":")
			if !yield(strings.TrimSpace(key), strings.TrimSpace(value)) {
				return
			}
		}
	}
}

// online falls back on /proc, since containers may have no /sys.
func online(root fs.FS) Ranges {
	if known := set(root, cpuDir+"/online"); known != nil {
		return known
	}
	var found Ranges
	for key, value := range fields(root, "proc/cpuinfo") {
		if n, err := strconv.Atoi(value); err == nil && key == "processor" {
			found = append(found, n)
		}
	}
	return found.Union(nil)
}

// cpuModel returns the CPU's name. On ARM the kernel gives numbers only.
func cpuModel(info map[string]string) string {
	if name := cmp.Or(info["model name"], info["cpu"]); name != "" {
		return strings.Join(strings.Fields(name), " ")
	}
	if part := info["CPU part"]; part != "" {
		return "implementer " + info["CPU implementer"] + ", part " + part
	}
	return ""
}

func governor(root fs.FS, cpus Ranges) string {
	by := map[string]Ranges{}
	for _, cpu := range cpus {
		if g := word(root, cpuDir+"/cpu"+strconv.Itoa(cpu)+"/cpufreq/scaling_governor"); g != "" {
			by[g] = append(by[g], cpu)
		}
	}
	names := slices.Sorted(maps.Keys(by))
	if len(names) == 1 {
		return names[0]
	}
	for i, g := range names {
		names[i] = g + " (" + by[g].String() + ")"
	}
	return strings.Join(names, ", ")
}

func turbo(root fs.FS) string {
	switch no, boost := word(root, cpuDir+"/intel_pstate/no_turbo"), word(root, cpuDir+"/cpufreq/boost"); {
	case no == "0", no != "1" && boost == "1":
		return "on"
	case no == "1", boost == "0":
		return "off"
	}
	return ""
}

func lastLevelCache(root fs.FS) int64 {
	var largest int64
	sizes, _ := fs.Glob(root, cpuDir+"/cpu0/cache/index[0-9]*/size")
	for _, name := range sizes {
		n, _ := conf.ParsePrintedSize(word(root, name))
		largest = max(largest, n)
	}
	return largest
}

// devices lists the network devices that are up, and the InfiniBand ports: "eth0 10000 Mb/s", "mlx5_0/1
// 100 Gb/sec (4X EDR)". Devices without hardware, such as the bridges of containers that come and go,
// are listed only where there are no others.
func devices(root fs.FS) []string {
	var out, virtual []string
	names, _ := fs.Glob(root, "sys/class/net/*/operstate")
	for _, n := range names {
		dir := path.Dir(n)
		d := path.Base(dir)
		if d == "lo" || word(root, n) == "down" {
			continue
		}
		if speed := number(root, dir+"/speed"); speed > 0 {
			d += " " + strconv.FormatFloat(speed, 'f', -1, 64) + " Mb/s"
		}
		if _, err := fs.Stat(root, dir+"/device"); err == nil {
			out = append(out, d)
		} else {
			virtual = append(virtual, d)
		}
	}
	if len(out) == 0 {
		out = virtual
	}
	ports, _ := fs.Glob(root, "sys/class/infiniband/*/ports/*/rate")
	for _, rate := range ports {
		port := path.Dir(rate)
		if strings.Contains(word(root, port+"/state"), "ACTIVE") {
			out = append(out, path.Base(path.Dir(path.Dir(port)))+"/"+path.Base(port)+" "+word(root, rate))
		}
	}
	return out
}

// cpuLimit returns how many CPUs' time the cgroups of this process allow. The narrowest on the way up
// counts; it is 0 if no limit can be seen.
func cpuLimit(root fs.FS) float64 {
	limit := 0.0
	narrow := func(quota, period string) {
		q, errQ := strconv.ParseFloat(quota, 64)
		p, errP := strconv.ParseFloat(period, 64)
		if errQ == nil && errP == nil && q > 0 && p > 0 && (limit == 0 || q/p < limit) {
			limit = q / p
		}
	}
	for line := range strings.Lines(text(root, "proc/self/cgroup")) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 {
			continue
		}
		v2 := f[1] == ""
		if !v2 && !slices.Contains(strings.Split(f[1], ","), "cpu") {
			continue
		}
		for dir := path.Clean("/" + f[2]); ; dir = path.Dir(dir) {
			for _, mount := range []string{"sys/fs/cgroup", "sys/fs/cgroup/unified", "sys/fs/cgroup/" + f[1]} {
				at := path.Join(mount, dir)
				if v2 {
					quota, period, _ := strings.Cut(word(root, at+"/cpu.max"), " ")
					narrow(quota, period)
				} else {
					narrow(word(root, at+"/cpu.cfs_quota_us"), word(root, at+"/cpu.cfs_period_us"))
				}
			}
			if dir == "/" {
				break
			}
		}
	}
	return limit
}

// These replace a cache size that the kernel does not tell, and limit one that it tells: a virtual
// machine with one core may call the host's whole last level private.
const (
	unknownCache = 2 << 20
	mostCache    = 64 << 20
)

// PrivateCache returns the size of core 0's own last level of data cache, in bytes (S-REVISITED §5.8).
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

// Affinity returns the CPUs that the calling thread may run on (sched_getaffinity). The set is empty if
// the kernel does not tell.
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

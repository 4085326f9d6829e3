package host

import (
	"io/fs"
	"strconv"
	"strings"
)

// Load returns the one-minute load average; -1 if unknown.
func Load(root fs.FS) float64 {
	first, _, _ := strings.Cut(word(root, "proc/loadavg"), " ")
	f, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return -1
	}
	return f
}

// Memory returns MemTotal and MemAvailable in bytes; 0 if unknown.
func Memory(root fs.FS) (total, available int64) {
	for key, value := range fields(root, "proc/meminfo") {
		kib, err := strconv.ParseInt(strings.TrimSuffix(value, " kB"), 10, 64)
		switch {
		case err != nil:
		case key == "MemTotal":
			total = kib << 10
		case key == "MemAvailable":
			available = kib << 10
		}
	}
	return total, available
}

// mhz returns the present clock rate of a CPU; 0 if unknown.
func mhz(root fs.FS, cpu int) float64 {
	if khz := number(root, cpuDir+"/cpu"+strconv.Itoa(cpu)+"/cpufreq/scaling_cur_freq"); khz > 0 {
		return khz / 1e3
	}
	at := -1
	for key, value := range fields(root, "proc/cpuinfo") {
		switch key {
		case "processor":
			at, _ = strconv.Atoi(value)
		case "cpu MHz":
			if f, err := strconv.ParseFloat(value, 64); err == nil && at == cpu {
				return f
			}
		}
	}
	return 0
}

// CPUTime is the time of all CPUs together since the host started, in the kernel's ticks.
type CPUTime struct{ Busy, All float64 }

// ReadCPUTime reads /proc/stat; it returns zeros if it cannot. Time that a hypervisor took
// away does not count.
func ReadCPUTime(root fs.FS) CPUTime {
	line, _, _ := strings.Cut(text(root, "proc/stat"), "\n")
	f := strings.Fields(line)
	if len(f) < 5 || f[0] != "cpu" {
		return CPUTime{}
	}
	const idle, iowait, steal = 3, 4, 7
	var t CPUTime
	for i, s := range f[1:min(len(f), 9)] { // guest time is part of user time
		ticks, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return CPUTime{}
		}
		if i != steal {
			t.All += ticks
		}
		if i != steal && i != idle && i != iowait {
			t.Busy += ticks
		}
	}
	return t
}

// BusySince returns how many of n CPUs were busy since before; nil if the host does not tell.
func (t CPUTime) BusySince(before CPUTime, n int) *float64 {
	if t.All <= before.All || t.Busy < before.Busy {
		return nil
	}
	busy := (t.Busy - before.Busy) / (t.All - before.All) * float64(n)
	return &busy
}

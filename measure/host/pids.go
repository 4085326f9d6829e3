package host

import (
	"os"
	"strings"
)

// PIDs names where a number means one process: a namespace of a host, from one start to the next.
type PIDs struct {
	Host      string `json:"host"`
	Boot      string `json:"boot,omitempty"`      // names the start of the kernel
	Namespace string `json:"namespace,omitempty"` // a container has its own
}

func ThesePIDs() (p PIDs) {
	p.Host, _ = os.Hostname()
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	p.Boot = strings.TrimSpace(string(boot))
	p.Namespace, _ = os.Readlink("/proc/self/ns/pid")
	return p
}

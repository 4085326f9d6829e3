package host

import (
	"cmp"
	"os"
	"strconv"
	"strings"
)

// Job is the batch job that pgmpi runs in. Who submitted it, and on whose account, is
// left out: results are published.
type Job struct {
	Scheduler string `json:"scheduler"` // older versions also read "pbs", "lsf" and "sge"
	ID        string `json:"id"`
	Partition string `json:"partition,omitempty"`
	Nodes     string `json:"nodes,omitempty"` // as the scheduler writes them: "node[1-4]"
	NodeCount int    `json:"node_count,omitempty"`
	Switch    string `json:"switch,omitempty"`   // of the first node
	Restarts  int    `json:"restarts,omitempty"` // how often it was put back into the queue

	Slots   int `json:"-"` // ranks that were asked for, or have a CPU each; 0 if unknown
	NodeCPU int `json:"-"` // CPUs of the first node for the job; 0 if unknown
}

// ReadJob reads the Slurm job from the environment; it returns nil outside of one.
func ReadJob() *Job {
	id := os.Getenv("SLURM_JOB_ID")
	if id == "" {
		return nil
	}
	number := func(name string) int {
		n, err := strconv.Atoi(os.Getenv(name))
		if err != nil || n < 0 {
			return 0
		}
		return n
	}
	first, all := slurmCPUs(os.Getenv("SLURM_JOB_CPUS_PER_NODE"))
	topology := os.Getenv("SLURM_TOPOLOGY_ADDR") // "s0.s4.node1"
	return &Job{Scheduler: "slurm", ID: id, Partition: os.Getenv("SLURM_JOB_PARTITION"),
		Nodes: cmp.Or(os.Getenv("SLURM_JOB_NODELIST"), os.Getenv("SLURM_NODELIST")), NodeCount: cmp.Or(number("SLURM_JOB_NUM_NODES"), number("SLURM_NNODES")),
		Switch: topology[:max(0, strings.LastIndexByte(topology, '.'))], Restarts: number("SLURM_RESTART_COUNT"),
		Slots: cmp.Or(number("SLURM_NTASKS"), all), NodeCPU: first}
}

// slurmCPUs reads the CPUs of the first node, and of all, from text such as "4(x2),2".
func slurmCPUs(text string) (first, all int) {
	for part := range strings.SplitSeq(text, ",") {
		cpus, times, repeated := strings.Cut(strings.TrimSuffix(part, ")"), "(x")
		n, err := strconv.Atoi(cpus)
		k := 1
		if repeated && err == nil {
			k, err = strconv.Atoi(times)
		}
		if err != nil || n < 1 || k < 1 {
			return 0, 0
		}
		first, all = cmp.Or(first, n), all+n*k
	}
	return first, all
}

package batch

import "fmt"

// IBM Spectrum LSF, after the reference of bsub in version 10.1.
var lsf = Scheduler{
	Name:     "lsf",
	Untested: true,
	Submit:   "bsub <",
	jobID:    "LSB_JOBID",
	directives: func(r *Request) []string {
		d := []string{"-J pgmpi", fmt.Sprintf("-n %d", r.NP), fmt.Sprintf("-W %d", r.Minutes()), "-wa USR1 -wt 2", "-r", "-o " + r.Log}
		switch {
		case r.PPN > 0:
			d = append(d, fmt.Sprintf(`-R "span[ptile=%d]"`, r.PPN))
		case r.Nodes > 0:
			d = append(d, fmt.Sprintf(`-R "span[ptile=%d]"`, (r.NP+r.Nodes-1)/r.Nodes))
		}
		if r.Constraint != "" {
			d = append(d, fmt.Sprintf(`-R "select[%s]"`, r.Constraint))
		}
		if r.Exclusive {
			d = append(d, "-x")
		}
		if r.Account != "" {
			d = append(d, "-P "+r.Account)
		}
		if r.Partition != "" {
			d = append(d, "-q "+r.Partition)
		}
		return prefixed("#BSUB ", append(d, r.Options...))
	},
	restarted: "${PGMPI_RESTARTS:-0}",
	again:     "PGMPI_RESTARTS={next} bsub < {script}",
}

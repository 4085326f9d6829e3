package stats

const (
	warmupDrop  = 0.1 // the fall of the running minimum that ends a warm-up, in medians
	warmupFirst = 10  // the first repetition (0-based) that can end one
)

// WarmupEnd returns the first repetition at which the running minimum falls clearly, or −1. It
// counts from 0, begins at number 10, and asks for a fall by at least a tenth of the median
// (S-THESIS §4.5). The run-times are in the order of measurement. It misfires on 6–33 % of
// stationary noisy series, so it is for reporting, never for deleting data.
func WarmupEnd(x []float64) (int, error) {
	if err := check(x); err != nil {
		return 0, err
	}
	fall := warmupDrop * MedianFinite(x)
	lowest := x[0]
	for j, v := range x {
		before := lowest
		lowest = min(lowest, v)
		if j >= warmupFirst && lowest-before <= -fall {
			return j, nil
		}
	}
	return -1, nil
}

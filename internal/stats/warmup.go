package stats

// Category is what a repetition looks like in the order of measurement.
type Category byte

// The categories, in the order of their precedence.
const (
	First    Category = 'f' // the first repetition
	InWarmup Category = 'w' // before the end of the warm-up
	Outlier  Category = 'o' // at least twice the median
	Good     Category = 'g'
)

// warmupDrop is the fall of the running minimum that ends a warm-up, in medians.
const warmupDrop = 0.1

// warmupFirst is the first repetition (0-based) that can end a warm-up.
const warmupFirst = 10

// WarmupResult describes the start of one series of repetitions.
type WarmupResult struct {
	Median     float64 // of all repetitions, in the unit of the sample
	End        int     // first repetition (0-based) after the warm-up; −1: none was seen
	Categories []Category
}

// Warmup looks for the end of the warm-up phase in run-times in the order in which
// they were measured: the first repetition from number 10 on (0-based) at which the
// running minimum falls by at least a tenth of the median (S-THESIS §4.5). It
// misfires on 6–33 % of stationary noisy series, so it is for reporting, never for
// deleting data.
func Warmup(x []float64) (WarmupResult, error) {
	median, err := Median(x)
	if err != nil {
		return WarmupResult{}, err
	}
	end := warmupEnd(x, median)
	out := WarmupResult{Median: median, End: end, Categories: make([]Category, len(x))}
	for i, v := range x {
		switch {
		case i == 0:
			out.Categories[i] = First
		case i < end:
			out.Categories[i] = InWarmup
		case v >= 2*median:
			out.Categories[i] = Outlier
		default:
			out.Categories[i] = Good
		}
	}
	return out, nil
}

func warmupEnd(x []float64, median float64) int {
	lowest := x[0]
	for j, v := range x {
		before := lowest
		lowest = min(lowest, v)
		if j >= warmupFirst && lowest-before <= -warmupDrop*median {
			return j
		}
	}
	return -1
}

package stats

import (
	"math"
	"slices"
)

// Mode describes a cluster of values, between two valleys of their density.
type Mode struct {
	At     float64 // where the density is highest, in the unit of the values
	Lo, Hi float64 // the smallest and the largest value that belong to it
	Share  float64 // of all values
}

// A peak of the density is a mode of its own under these conditions.
const (
	modeGrid  = 512  // places at which the density is taken, from the smallest to the largest value
	modeDepth = 0.5  // the valley next to it is at most this part of the lower of the two peaks
	modeShare = 0.01 // it has at least this share of the values,
	modeLeast = 5    // and this many of them
)

// Modes finds the clusters of positive values, from the smallest on. The density is
// taken of their logarithms with a Gaussian kernel (Silverman 1986, eq. 2.2a), whose
// bandwidth is half of his rule of thumb (eq. 3.31: 0.9·min(sd, IQR/1.34)·n^(−1/5)),
// which is for one mode and flattens several.
func Modes(x []float64) ([]Mode, error) {
	if err := check(x); err != nil {
		return nil, err
	}
	values := sorted(x)
	if values[0] <= 0 {
		return nil, ErrNotPositive
	}
	logs := Logs(values)
	width := bandwidth(logs) / 2
	if width == 0 {
		return []Mode{{At: MedianSorted(values), Lo: values[0], Hi: values[len(values)-1], Share: 1}}, nil
	}
	grid, density := densityOf(logs, width)
	return joined(cut(values, logs, grid, density), max(modeShare, modeLeast/float64(len(values)))), nil
}

// bandwidth returns Silverman's rule of thumb, or 0 if all values are equal.
func bandwidth(ascending []float64) float64 {
	_, sd, _ := MeanSD(ascending)
	spread := (quantileSorted(ascending, 0.75) - quantileSorted(ascending, 0.25)) / 1.34
	if spread == 0 || sd < spread {
		spread = sd
	}
	if math.IsNaN(spread) {
		return 0
	}
	return 0.9 * spread * math.Pow(float64(len(ascending)), -0.2)
}

// densityOf returns a density, up to a factor, on a grid. The grid reaches three bandwidths beyond
// the values, which are binned to it first.
func densityOf(logs []float64, width float64) (grid, density []float64) {
	lo, hi := logs[0]-3*width, logs[len(logs)-1]+3*width
	// A bandwidth is at least two steps: a grid that is too coarse for it makes peaks of its own.
	n := min(max(modeGrid, int(2*(hi-lo)/width)), 1<<14)
	step := (hi - lo) / float64(n-1)
	counts := make([]float64, n)
	for _, v := range logs {
		counts[int(math.Round((v-lo)/step))]++
	}
	reach := int(math.Ceil(4 * width / step))
	kernel := make([]float64, reach+1)
	for i := range kernel {
		z := float64(i) * step / width
		kernel[i] = math.Exp(-z * z / 2)
	}
	grid, density = make([]float64, n), make([]float64, n)
	for i, c := range counts {
		grid[i] = lo + float64(i)*step
		if c == 0 {
			continue
		}
		for k := max(0, i-reach); k <= min(n-1, i+reach); k++ {
			density[k] += c * kernel[max(i-k, k-i)]
		}
	}
	return grid, density
}

// cut splits a density into modes; neighbouring peaks without a deep valley between them
// are one mode.
func cut(values, logs, grid, density []float64) []Mode {
	type hill struct {
		at     int
		valley int // after it
	}
	var hills []hill
	lowest := 0
	for i := range density {
		left, right := i == 0 || density[i] > density[i-1], i == len(density)-1 || density[i] >= density[i+1]
		if density[i] < density[lowest] {
			lowest = i
		}
		if !left || !right || density[i] == 0 {
			continue
		}
		if n := len(hills); n > 0 {
			last := &hills[n-1]
			if density[lowest] > modeDepth*min(density[last.at], density[i]) {
				if density[i] > density[last.at] {
					last.at = i
					lowest = i
				}
				continue
			}
			last.valley = lowest
		}
		hills = append(hills, hill{at: i})
		lowest = i
	}
	var out []Mode
	from := 0
	for k, h := range hills {
		to := len(values)
		if k < len(hills)-1 {
			to, _ = slices.BinarySearch(logs, grid[h.valley])
		}
		if to > from {
			out = append(out, Mode{At: math.Exp(grid[h.at]), Lo: values[from], Hi: values[to-1], Share: float64(to-from) / float64(len(values))})
		}
		from = to
	}
	return out
}

// joined merges modes of a few values with the neighbour across the smaller gap.
func joined(modes []Mode, share float64) []Mode {
	for len(modes) > 1 {
		least := 0
		for i, p := range modes {
			if p.Share < modes[least].Share {
				least = i
			}
		}
		if modes[least].Share >= share {
			break
		}
		into := least - 1
		if least == 0 || least < len(modes)-1 && modes[least+1].Lo/modes[least].Hi < modes[least].Lo/modes[least-1].Hi {
			into = least + 1
		}
		a, b := &modes[into], modes[least]
		a.Lo, a.Hi, a.Share = min(a.Lo, b.Lo), max(a.Hi, b.Hi), a.Share+b.Share
		modes = slices.Delete(modes, least, least+1)
	}
	return modes
}

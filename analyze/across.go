package analyze

import (
	"cmp"
	"slices"

	"pgmpi/analyze/judge"
)

// Across is a call that takes longer on some processes than on more of them, with as many bytes.
type Across struct {
	Function    string   `json:"function"`
	Msize       int64    `json:"msize"`
	Shape       string   `json:"shape"`
	More        string   `json:"more"` // the shape of more processes
	MedianS     *float64 `json:"median_s"`
	MoreMedianS *float64 `json:"more_median_s"`
	Tested
}

// across tests A(n, p) ≤ A(n, p′) for the next larger p′ of a shape's kind, as a family of its own, and returns what
// breaks it, the largest ratio first. All cases have the first look's mpiruns, and none has both sides: no pairs.
func (a *Analysis) across() (found []Across, err error) {
	pairs := a.manifest.Plan.Across()
	runs := a.family.Looks[0]
	if a.manifest.Imported != nil || !a.cfg.Method.Rules().Slowdown {
		return nil, nil // averages over ranks fall where more of them return early
	}
	d, err := judge.NewComparison(a.cfg, judge.Greater, false, runs, runs, len(pairs))
	if err != nil || d.Refused != nil {
		return nil, err
	}
	var data []judge.Pair
	for _, p := range pairs {
		few, more := &a.set.Cases[p[0]], &a.set.Cases[p[1]]
		if few.Problem(runs) != "" || more.Problem(runs) != "" {
			data = append(data, judge.Pair{})
			continue
		}
		data = append(data, judge.Pair{Orig: few.Medians[:runs], Other: more.Medians[:runs]})
	}
	f, err := d.Judge(float64(a.set.TickNS), data)
	if err != nil {
		return nil, err
	}
	for i, p := range pairs {
		if o := f.Outcomes[i]; o.Verdict == judge.Violated {
			few, more := a.manifest.Plan.Cases[p[0]], a.manifest.Plan.Cases[p[1]]
			found = append(found, Across{few.Function, few.Msize, few.Shape.String(), more.Shape.String(),
				Seconds(a.set.Cases[p[0]].MedianOf(runs)), Seconds(a.set.Cases[p[1]].MedianOf(runs)), TestedBy(o)})
		}
	}
	slices.SortStableFunc(found, func(a, b Across) int { return cmp.Compare(*b.Ratio, *a.Ratio) })
	return found, nil
}

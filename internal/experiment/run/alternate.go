package run

import "context"

// Rounds are the mpiruns of a stage of two campaigns a and b, and which of them comes first in
// each round: "ab" or "ba".
type Rounds struct {
	Stage Stage
	Order []string
}

// Alternate does stages of two campaigns round by round, so that what drifts on the machine
// hits both.
func Alternate(ctx context.Context, sides [2]*Campaign, all []Rounds) error {
	sides[1].tally = sides[0].tally // the progress is of both together
	for _, r := range all {
		for _, c := range sides {
			c.count(r.Stage, r.Stage.Runs(c.Manifest, c.Config))
		}
	}
	for _, r := range all {
		for i, round := range r.Order {
			for _, name := range round {
				c := sides[name-'a']
				if err := c.Part(ctx, r.Stage, i+1, min(i+1, r.Stage.Runs(c.Manifest, c.Config))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

package report

import (
	"fmt"

	"pgmpi/analyze"
)

// fingerprintCounters are what was counted in each repetition, beside the run-time.
func fingerprintCounters(f *analyze.Fingerprint) []Section {
	t := &Table{Head: []string{"counter", "mean", "most", "in none", "r", "read by"}, Align: "lrrrrl", Flex: 5}
	for _, c := range f.Counters {
		if c.Mean == nil {
			t.Add(c.Name, "-", "-", "-", "-", "not read: "+c.Why)
			continue
		}
		r := "-"
		if c.R != nil {
			r = correlation(*c.R)
		}
		t.Add(c.Name, digits(*c.Mean), fmt.Sprintf("%.0f", *c.Max), percent(*c.None), r, c.From)
	}
	note := "Of a repetition with what synchronises it, at the rank that has most; in none: the share of the repetitions without any; r: the correlation with the " +
		"run-time within an mpirun, - where one of the two does not change."
	if x := f.Reading; x != nil {
		note += fmt.Sprintf(" Reading them costs: a call takes %s with them and %s without, in repetitions that alternate in parts of 25, %s as long.",
			duration(&x.WithS), duration(&x.WithoutS), Ratio(&x.Ratio))
	}
	return tabled(t, note, "Counters of each repetition")
}

package stats

import "math"

// General returns how much slower each mpirun was in general than the others: the median
// over all cases of value to the case's median. cases holds the positive values of one case
// in each mpirun, the same number for every case.
func General(cases [][]float64) []float64 {
	if len(cases) == 0 {
		return nil
	}
	out := make([]float64, len(cases[0]))
	usual := make([]float64, len(cases))
	for i, values := range cases {
		usual[i] = MedianFinite(values)
	}
	logs := make([]float64, len(cases))
	for run := range out {
		for i, values := range cases {
			logs[i] = math.Log(values[run] / usual[i])
		}
		out[run] = math.Exp(MedianFinite(logs))
	}
	return out
}

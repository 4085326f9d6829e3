package report

import (
	"encoding/csv"
	"io"
	"strconv"

	"pgmpi/analyze"
)

var _ = register(Format{Name: "csv", File: "report.csv", Write: writeCSV})

// csvColumns are the names of report.json; what is undefined there is empty
// here. New columns go to the end.
var csvColumns = []string{"guideline", "type", "function", "mockup", "msize", "msize_other", "k", "shape", "np",
	"median_s", "other_median_s", "ratio", "p_value", "p_adjusted", "p_kept", "stars", "verdict", "reason",
	"alternative", "alternative_msize", "alternative_calls", "alternative_median_s",
	"ratio_lo95", "ratio_hi95", "runs_needed", "runs_needed_towards", "runs"}

// writeCSV writes one row per verdict.
func writeCSV(w io.Writer, r *analyze.Report) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvColumns); err != nil {
		return err
	}
	for i := range r.Verdicts {
		if err := out.Write(csvRow(&r.Verdicts[i])); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func csvRow(v *analyze.Verdict) []string {
	alternative := make([]string, 4)
	if a := v.Alternative; a != nil {
		alternative = []string{a.Function, strconv.FormatInt(a.Msize, 10), strconv.Itoa(a.Calls), csvNumber(&a.MedianS)}
	}
	k := ""
	if v.K > 0 {
		k = strconv.Itoa(v.K)
	}
	row := []string{v.Guideline, string(v.Type), v.Function, v.Mockup,
		strconv.FormatInt(v.Msize, 10), strconv.FormatInt(v.MsizeOther, 10), k, v.Shape, strconv.Itoa(v.NP),
		csvNumber(v.MedianS), csvNumber(v.OtherMedianS), csvNumber(v.Ratio),
		csvNumber(v.PValue), csvNumber(v.PAdjusted), csvNumber(v.PKept), v.Stars, string(v.Verdict), v.Reason}
	row = append(row, alternative...)
	needed := make([]string, 2)
	if n := v.RunsNeeded; n != nil && n.R > 0 {
		needed = []string{strconv.Itoa(n.R), string(n.Towards)}
	}
	return append(append(row, csvNumber(v.RatioLo95), csvNumber(v.RatioHi95)), append(needed, strconv.Itoa(v.Runs))...)
}

func csvNumber(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

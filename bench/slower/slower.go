// Package slower counts slow calls in reports.
package slower

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/mockups"
)

// Text counts ratios from least on by guideline, in the reports in and below a folder.
func Text(folder string, least float64) (string, error) {
	reports, err := filepath.Glob(filepath.Join(folder, "*", "report.json"))
	if len(reports) == 0 {
		reports = []string{filepath.Join(folder, "report.json")}
	}
	counts, failed := counted(reports, least)
	text := fmt.Sprintf("   %d jobs; slower by %g or more, of all:\n", len(reports), least)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		text += fmt.Sprintf("   %-28s %4d of %d\n", name, counts[name].slow, counts[name].of)
	}
	return text, errors.Join(err, failed)
}

type count struct{ slow, of int }

func counted(reports []string, least float64) (map[string]count, error) {
	counts := map[string]count{}
	add := func(name string, ratio float64) {
		c := counts[name]
		c.of++
		if ratio >= least {
			c.slow++
		}
		counts[name] = c
	}
	for _, path := range reports {
		var r analyze.Report
		text, err := os.ReadFile(path)
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			return nil, err
		}
		own := map[string]float64{} // by cell, the worst
		for i := range r.Verdicts {
			v := &r.Verdicts[i]
			switch {
			case v.Ratio == nil:
			case mockups.Algorithm(v.Mockup) != "":
				cell := fmt.Sprint(v.Cell())
				own[cell] = max(own[cell], *v.Ratio)
			default:
				add(v.Guideline, *v.Ratio)
				if v.Type != guidelines.Pattern || paper(v.Guideline) {
					add("GL1-GL17", *v.Ratio)
				}
			}
		}
		for _, ratio := range own {
			add("an own algorithm is faster", ratio)
		}
	}
	return counts, nil
}

// paper tells whether a guideline comes from S-PGMPI, Appendix A.
func paper(id string) bool {
	return slices.ContainsFunc(guidelines.Catalogue(), func(g guidelines.Entry) bool { return g.ID == id && !g.Extended && g.Group == "" })
}

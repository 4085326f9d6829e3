package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"pgmpi/analyze"
	"pgmpi/guidelines"
	"pgmpi/mockups"
)

// importedSlow is the ratio from which importBench counts.
const importedSlow = 1.2

// importBench times `pgmpi analyze --from` of a folder of PICO's results, and counts what is slow there.
func importBench(ctx context.Context, e *env) {
	if e.folder == "" {
		must(fmt.Errorf("import needs --folder DIR, such as results/ of github.com/HLC-Lab/pico with its tarballs unpacked"))
	}
	out := filepath.Join(e.dir, "imported")
	e.fastest(ctx, "wall-clock", 10, "analyze", "--from", "any", e.folder, "--out", out)
	reports := get(filepath.Glob(filepath.Join(out, "*", "report.json")))
	if len(reports) == 0 {
		reports = []string{filepath.Join(out, "report.json")}
	}
	type count struct{ slow, of int }
	counts := map[string]count{}
	add := func(name string, ratio float64) {
		c := counts[name]
		c.of++
		if ratio >= importedSlow {
			c.slow++
		}
		counts[name] = c
	}
	for _, path := range reports {
		var r analyze.Report
		must(json.Unmarshal(get(os.ReadFile(path)), &r))
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
	fmt.Printf("   %d jobs; slower by %g or more, of all:\n", len(reports), importedSlow)
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("   %-28s %4d of %d\n", name, counts[name].slow, counts[name].of)
	}
}

// paper tells whether a guideline is of S-PGMPI, Appendix A.
func paper(id string) bool {
	return slices.ContainsFunc(guidelines.Catalogue(), func(g guidelines.Entry) bool { return g.ID == id && !g.Extended && g.Group == "" })
}

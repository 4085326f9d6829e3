package calls

import (
	"fmt"

	"pgmpi/analyze/samples"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
)

// fingerprintFirst shows how the calls of a fresh process change (S-PGMPI §5.2).
func fingerprintFirst(f *samples.Fingerprint) []document.Section {
	if len(f.FirstCalls) == 0 {
		return nil
	}
	calls := f.FirstCalls
	t := &document.Table{Head: []string{"call", "Q1", "median", "Q3", "to the last"}, Align: "rrrrr"}
	for _, k := range f.Counters {
		t.Head, t.Align = append(t.Head, k.Name), t.Align+"r"
	}
	for _, c := range calls {
		ratio := c.MedianS / max(calls[len(calls)-1].MedianS, 1e-12)
		row := []string{fmt.Sprint(c.From) + phrase.When(c.To > c.From, "–%d", c.To), phrase.Duration(&c.Q1S), phrase.Duration(&c.MedianS), phrase.Duration(&c.Q3S), phrase.Ratio(&ratio)}
		for _, n := range c.Counts {
			if n == nil {
				row = append(row, "-")
			} else {
				row = append(row, phrase.Digits(*n))
			}
		}
		t.Add(row...)
	}
	out := document.Tabled(t, "", "Calls of a fresh process: quartiles over %s", conf.Plural(len(f.Runs), "mpirun"))
	out[0].Figures = []picture.Figure{firstFigure(f)}
	return out
}

func firstFigure(f *samples.Fingerprint) picture.Figure {
	fig := picture.Figure{ID: picture.Anchor("first-calls", f.Function, fmt.Sprint(f.Msize), f.Shape), Title: fmt.Sprintf("%s at %s, %s: the calls of a fresh process", phrase.Plain(f.Function), phrase.Size(f.Msize), f.Shape),
		X: picture.Axis{Title: "call", Scale: picture.Log}, Y: picture.Axis{Title: "run-time", Scale: picture.Log, Unit: picture.Seconds}, Text: "Medians over the mpiruns, from the lower to the upper quartile; later calls are put together."}
	s := picture.Series{Name: "median, quartiles"}
	for _, c := range f.FirstCalls {
		s.Points = append(s.Points, picture.Point{X: float64(c.From+c.To) / 2, Y: c.MedianS, Lo: c.Q1S, Hi: c.Q3S})
	}
	fig.Series = []picture.Series{s}
	return fig
}

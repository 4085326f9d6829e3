package calls

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"pgmpi/analyze"
	"pgmpi/analyze/report/check"
	"pgmpi/analyze/report/environment"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/feature/figures"
	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
	"pgmpi/internal/picture"
	"pgmpi/internal/stats"
	"pgmpi/measure/host"
)

var fingerprints = document.Kind[Fingerprint]{Name: "fingerprint", Parts: []document.Part[Fingerprint]{
	document.Show(document.Screen, fingerprintScreen), document.Show(document.Full, fingerprintSections)},
	Rows: fingerprintRows, JSON: true}

// fingerprintColumns names the columns of a table with one row per sample. New columns go to the end.
var fingerprintColumns = []string{"function", "msize", "shape", "np", "mpirun", "rep", "ns", "category"}

func fingerprintRows(f *Fingerprint) [][]string {
	out := [][]string{fingerprintColumns}
	for _, r := range f.Runs {
		for i, ns := range r.NS {
			out = append(out, phrase.Row(f.Function, f.Msize, f.Shape, f.NP, r.Run, i, ns, r.Of[i]))
		}
	}
	return out
}

func fingerprintSections(f *Fingerprint) []document.Section {
	return slices.Concat([]document.Section{fingerprintHead(f), fingerprintQuantiles(f)}, fingerprintModes(f),
		fingerprintCategories(f), fingerprintPictures(f), fingerprintWindows(f), fingerprintRuns(f), fingerprintCounters(f), fingerprintRanks(f),
		fingerprintACF(f), fingerprintFactors(f))
}

func fingerprintScreen(f *Fingerprint) []document.Section {
	quantiles := fingerprintQuantiles(f)
	quantiles.Table.Key, quantiles.Table.Spare = 0, []int{3, 6, 7, 8, 4}
	return slices.Concat(fingerprintAnswer(f), []document.Section{quantiles}, fingerprintWindows(f),
		fingerprintModes(f), document.Noteless(fingerprintCounters(f)))
}

func fingerprintAnswer(f *Fingerprint) []document.Section {
	clusters := phrase.When(len(f.Modes) > 0, ", %s", conf.Plural(len(f.Modes), "mode"))
	s := document.Titled("%s at %s on %s: %s in the median%s.", f.Function, phrase.Size(f.Msize), f.Shape,
		phrase.Duration(f.All.At(.5)), clusters)
	s.Say("%s.", check.FolderSetUp(f.Folder, "", f.Operation))
	s.Fact("Samples", "%d in %s, %d of them good%s", f.Samples, conf.Plural(len(f.Runs), "mpirun"), f.Categories[Good],
		phrase.When(f.Invalid > 0, "; %d were out of sync, and nothing below rests on them", f.Invalid))
	s.Fact("Nodes", "%s", cmp.Or(strings.Join(nodesOf(f), " "), "not known"))
	return []document.Section{s}
}

func nodesOf(f *Fingerprint) (names []string) {
	for _, l := range f.Factors.Layouts {
		if l.Shape == f.Shape {
			names = append(names, lists.Map(l.Nodes, func(n host.Node) string { return n.Host })...)
		}
	}
	return analyze.Unique(names)
}

func fingerprintPictures(f *Fingerprint) []document.Section {
	c, err := f.caseSamples()
	if err != nil || len(c.Runs) == 0 {
		return nil
	}
	s := document.Titled("Samples by repetition and by mpirun, their distribution, and a log-normal one")
	s.Draw(figures.SampleFigures(c)...)
	return []document.Section{s}
}

func fingerprintHead(f *Fingerprint) document.Section {
	s := fingerprintAnswer(f)[0]
	s.Fact("Folder", "%s", f.Folder.Folder)
	t := f.Timing
	s.Fact("Timed", "sync %s, sample %s, cache %s%s; %s", phrase.Known(t.Sync), phrase.Known(t.Sample),
		phrase.Known(t.Cache), phrase.When(t.ThreadLevel != "", ", thread level %s", t.ThreadLevel), visits(f.Visits))
	s.Fact("Operation", "%s", f.Operation.Text())
	return s
}

func visits(n int) string {
	switch n {
	case 0:
		return "in which order is not known"
	case 1:
		return "one call repeated in a row"
	}
	return fmt.Sprintf("in %d turns an mpirun, with other calls in between", n)
}

func fingerprintQuantiles(f *Fingerprint) document.Section {
	s := document.Titled("Quantiles")
	s.Table = &document.Table{Head: []string{"samples", "n"}, Align: "lr", Narrow: true, Key: 2}
	for _, q := range f.All.Quantiles {
		s.Table.Head, s.Table.Align = append(s.Table.Head, quantileName(q.P)), s.Table.Align+"r"
	}
	s.Table.Head, s.Table.Align = append(s.Table.Head, "mean"), s.Table.Align+"r"
	add := func(name string, d *Distribution) {
		if d == nil {
			return
		}
		cells := []string{name, fmt.Sprint(d.N)}
		cells = append(cells, lists.Map(d.Quantiles, func(q Quantile) string { return phrase.Duration(&q.S) })...)
		s.Table.Add(append(cells, phrase.Duration(&d.Mean))...)
	}
	add("all", f.All)
	add("good", f.Good)
	return s
}

func fingerprintModes(f *Fingerprint) []document.Section {
	t := &document.Table{Head: []string{"mode", "near", "from", "to", "share", ""}, Align: "rrrrrl"}
	for i, m := range f.Modes {
		t.Add(fmt.Sprint(i+1), phrase.Duration(&m.AtS), phrase.Duration(&m.LoS), phrase.Duration(&m.HiS),
			phrase.Percent(m.Share), strings.Repeat("█", int(math.Ceil(40*m.Share))))
	}
	return document.Tabled(t, "", "Modes: where the good samples cluster")
}

// categoryMeanings says which samples belong to a category.
var categoryMeanings = map[Category]string{
	First:   "the first of an mpirun",
	Warmup:  "before the running minimum falls by a tenth of the median; misfires often",
	Outlier: "at least twice the median of its mpirun",
	Good:    "all others",
}

func fingerprintCategories(f *Fingerprint) []document.Section {
	t := &document.Table{Head: []string{"category", "samples", "share", "which"}, Align: "lrrl", Flex: 3}
	for _, c := range Categories {
		t.Add(string(c), fmt.Sprint(f.Categories[c]),
			phrase.Percent(float64(f.Categories[c])/float64(max(1, f.Samples-f.Invalid))), categoryMeanings[c])
	}
	return document.Tabled(t, "", "Categories")
}

// fingerprintWindows shows the cost of each of several windows (S-REVISITED, Fig. 19 and 20).
func fingerprintWindows(f *Fingerprint) []document.Section {
	of := map[int64][]FingerprintRun{}
	for _, r := range f.Runs {
		of[r.WindowNS] = append(of[r.WindowNS], r)
	}
	if len(of) < 2 {
		return nil
	}
	t := &document.Table{Head: []string{"window", "mpiruns", "samples", "invalid", "run median", "from", "to"},
		Align: "rrrrrrr"}
	for _, window := range slices.Sorted(maps.Keys(of)) {
		samples, invalid, medians := 0, 0, []float64{}
		for _, r := range of[window] {
			samples, invalid = samples+len(r.NS), invalid+r.Invalid
			if r.RunMedianS != nil {
				medians = append(medians, *r.RunMedianS)
			}
		}
		row := []string{phrase.Nanoseconds(float64(window)), fmt.Sprint(len(of[window])), fmt.Sprint(samples),
			phrase.Percent(float64(invalid) / float64(max(1, samples))), "-", "-", "-"}
		if slices.Sort(medians); len(medians) > 0 {
			middle := stats.MedianSorted(medians)
			row[4], row[5], row[6] = phrase.Duration(&middle), phrase.Duration(&medians[0]),
				phrase.Duration(&medians[len(medians)-1])
		}
		t.Add(row...)
	}
	return document.Tabled(t, "invalid: a rank came after the start of the window, or the call ended after it. run median: the middle, least and largest of the mpiruns.", "By window, from one start to the next")
}

func fingerprintRuns(f *Fingerprint) []document.Section {
	t := &document.Table{Head: []string{"mpirun", "n", "warm-up", "outliers", "good", "first", "median", "run median",
		"faults", "switches"}, Align: "rrrrrrrrrr", Spare: []int{1}}
	for _, r := range f.Runs {
		t.Add(fmt.Sprint(r.Run), fmt.Sprint(len(r.NS)), phrase.BlankZero(r.Categories[Warmup]),
			phrase.BlankZero(r.Categories[Outlier]), fmt.Sprint(r.Categories[Good]),
			phrase.Duration(r.FirstS), phrase.Duration(r.MedianS), phrase.Duration(r.RunMedianS),
			check.CallsOf(r.PageFaults), check.CallsOf(r.Switches))
	}
	return document.Tabled(t, "run median: after the outlier filter; what tests compare. faults, switches: page faults and involuntary context switches a call, at the rank that has most.",
		"By mpirun")
}

// mostRanks limits how many ranks are shown: those with the longest medians.
const mostRanks = 32

// fingerprintRanks compares the ranks, each by its own clock.
func fingerprintRanks(f *Fingerprint) []document.Section {
	ranks := slices.Clone(f.ByRank)
	if len(ranks) > mostRanks {
		slices.SortStableFunc(ranks, func(a, b RankTimes) int { return cmp.Compare(b.MedianS, a.MedianS) })
		ranks = ranks[:mostRanks]
	}
	longest := 0.0
	for _, r := range ranks {
		longest = max(longest, r.MedianS)
	}
	t := &document.Table{Head: []string{"rank", "min", "Q1", "median", "Q3", "max", "slowest", ""}, Align: "rrrrrrrl"}
	for _, r := range ranks {
		t.Add(fmt.Sprint(r.Rank), phrase.Duration(&r.MinS), phrase.Duration(&r.Q1S), phrase.Duration(&r.MedianS),
			phrase.Duration(&r.Q3S), phrase.Duration(&r.MaxS), phrase.Percent(r.Slowest),
			strings.Repeat("█", int(math.Ceil(20*r.MedianS/max(longest, 1e-12)))))
	}
	out := document.Tabled(t, "slowest: in this share of the repetitions no rank took longer; bars are the medians."+
		phrase.When(len(ranks) < len(f.ByRank), " %d more ranks, with shorter medians, are in fingerprint.json.",
			len(f.ByRank)-len(ranks)), "By rank, each by its own clock")
	if len(out) > 0 {
		out[0].Figures = []picture.Figure{rankFigure(f)}
	}
	return out
}

func fingerprintACF(f *Fingerprint) []document.Section {
	if len(f.ACF) == 0 {
		return nil
	}
	t := &document.Table{Head: []string{"lag"}, Align: "l", Narrow: true}
	numbers, bars := []string{"r"}, []string{""}
	for h, r := range f.ACF {
		t.Head, t.Align = append(t.Head, fmt.Sprintf("%4d", h+1)), t.Align+"r"
		numbers, bars = append(numbers, check.Correlation(r)), append(bars, picture.Bar(r))
	}
	t.Rows = [][]string{numbers, bars}
	return document.Tabled(t, fmt.Sprintf("Independent samples stay within ±%.2f at 19 of 20 lags; %.1f samples in a row are worth one independent sample.", f.ACFBound, f.Inefficiency),
		"Autocorrelation after the outlier filter, medians over the mpiruns")
}

func fingerprintFactors(f *Fingerprint) []document.Section {
	s := document.Titled("Factors")
	s.Fact("MPI library", "%s", phrase.ShortVersion(f.Folder.Library.Version)+
		phrase.When(f.Folder.Library.PML != "", " (pml %s)", f.Folder.Library.PML))
	s.Fact("launch", "%s", phrase.Known(strings.Join(f.Launch, " ")))
	s.Fact("host", "%s, Linux %s, %s", phrase.Known(f.Factors.Hostname), phrase.Known(f.Factors.Kernel),
		phrase.Known(f.Factors.CPU))
	out := []document.Section{s}
	shown := map[string]int{}
	for i := range f.Factors.Layouts {
		if l := &f.Factors.Layouts[i]; l.Shape == f.Shape {
			out = append(out, environment.LayoutSections(l, f.Folder.Library.Version, shown)...)
		}
	}
	return out
}

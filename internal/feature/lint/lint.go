package lint

import (
	"bytes"
	"slices"

	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/lint/table"
	"pgmpi/internal/lists"
	"pgmpi/internal/reading"
	"pgmpi/internal/regular"
	"pgmpi/internal/tuning"
	"pgmpi/mockups"
)

// Lint holds guidelines against a table of algorithms.
type Lint struct {
	Table  string      // openmpi, or a file
	Prices table.Model // µs and ns
	All    bool        // not only the guidelines that tables foresee
}

const openMPI = "openmpi"

// ofTuned says where the table holds: since 5.0 "han" comes before "tuned" on nodes with several processes.
const ofTuned = "It is of Open MPI 4.1 to 5.0.9, without han, which 5.0 takes on nodes of several processes"

// mayBeHans tells whether a shape has, or may have, several nodes with several processes.
func mayBeHans(s guidelines.Shape) bool { return s.Nodes != 1 && s.PPN != 1 }

// usualPrices describes a network as clusters have it; µs and ns.
var usualPrices = table.Model{Alpha: 2, Gap: .2, Beta: .07, Gamma: .15, Copy: .15}

// Plan judges the plan of a configuration.
func (l *Lint) Plan(config *glfile.File) (*document.Document, error) {
	judged, err := l.judge(config)
	if err != nil {
		return nil, err
	}
	if len(judged.Rows)+len(judged.Chosen) == 0 {
		return nil, fail.Setupf("nothing to test: no guideline compares calls of these sizes on this number of processes; --np 64 has some")
	}
	return kind.Document(judged), nil
}

// Suspected lists the calls of a configuration that are suspected of anything, such as "MPI_Bcast:65536:4".
func (l *Lint) Suspected(config *glfile.File) (calls []string, err error) {
	judged, err := l.judge(config)
	if err != nil {
		return nil, err
	}
	for _, r := range judged.Suspected() {
		for _, bytes := range []int64{r.Msize, r.Other} { // guidelines about sizes need both
			calls = lists.With(calls, guidelines.CallAt(mockups.Collective(r.Function), bytes, r.NP, ""))
		}
	}
	return calls, nil
}

func (l *Lint) judge(config *glfile.File) (*table.Lint, error) {
	plan, err := config.Plan(config.Job.NP)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	t, err := l.table()
	if err != nil {
		return nil, err
	}
	m, err := l.prices()
	if err != nil {
		return nil, err
	}
	judged := table.New(t, m, plan, l.All)
	if l.Table == openMPI && slices.ContainsFunc(plan.Shapes, mayBeHans) {
		judged.Notes = append(judged.Notes, ofTuned)
	}
	return judged, nil
}

func (l *Lint) table() (t *table.Table, err error) {
	if l.Table == openMPI {
		return table.OpenMPI(), nil
	}
	text, err := regular.Read(l.Table, reading.MostReport)
	if err != nil {
		return nil, fail.Setupf("the table of algorithms: %w; it is openmpi, or a file", err)
	}
	if bytes.HasPrefix(text, []byte("\x7fELF")) {
		var tree *tuning.Tree
		if tree, err = tuning.FindTree(l.Table); err == nil {
			t, err = table.MPICH(tree)
		}
	} else {
		t, err = table.Read(l.Table, text)
	}
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	return t, nil
}

func (l *Lint) prices() (m table.Model, err error) {
	p := l.Prices
	for _, x := range []float64{p.Alpha, p.Gap, p.Beta, p.Gamma, p.Copy} {
		if !(x >= 0 && x < 1e9) {
			return m, fail.Setupf("%g is no price: --latency, --gap, --beta, --gamma and --copy are at least 0", x)
		}
	}
	return table.Model{Alpha: p.Alpha / 1e6, Gap: p.Gap / 1e6, Beta: p.Beta / 1e9, Gamma: p.Gamma / 1e9, Copy: p.Copy / 1e9}, nil
}

package table

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"pgmpi/analyze/chosen"
	"pgmpi/guidelines"
	"pgmpi/internal/tuning"
	"pgmpi/mockups"
)

// Table tells which algorithm a library takes for a call: "binomial", or "chain+32Ki".
type Table struct {
	Name      string
	algorithm func(tuning.Call) (string, error)
	own       func(collective string) []string // algorithms at some size; not all have a known cost
	Notes     []string                         // what is wrong with its file
	given     bool                             // by a file, of which the choices are wanted
}

//go:embed openmpi.txt
var openMPI string

// OpenMPI returns the table of Open MPI 4.1.0 to 5.0.9.
func OpenMPI() *Table {
	t, err := Read("openmpi", []byte(openMPI))
	if err != nil {
		panic(err) // a test reads it
	}
	return t
}

// MPICH makes a table of the selection tree of a library, for processes on one node.
func MPICH(tree *tuning.Tree) (*Table, error) {
	choose, err := tree.Chooser()
	return &Table{Name: "mpich", algorithm: choose, own: func(collective string) (names []string) {
		for _, a := range tree.Algorithms {
			if name, ok := strings.CutPrefix(a, "MPIR_"+strings.TrimPrefix(collective, "MPI_")+"_intra_"); ok {
				names = append(names, name)
			}
		}
		return names
	}}, err
}

// Read reads a which.json of `pgmpi which`, a file of rules of Open MPI, a selection tree of MPICH, or a text of the
// form of openmpi.txt.
func Read(name string, text []byte) (*Table, error) {
	switch {
	case rulesBegin.Match(text):
		return ofRules(name, text)
	case treeBegins.Match(text):
		return ofTree(name, text)
	}
	if !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		t := lines{}
		err := t.read(name, string(text))
		return &Table{Name: name, algorithm: t.algorithm, own: t.own}, err
	}
	w, err := chosen.ReadWhich(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not what `pgmpi which --format json` writes: %w", name, err)
	}
	return asked{w}.table(name), nil
}

// asked answers from what a library was asked about. Algorithms that cannot be told apart send the same messages:
// any will do.
type asked struct{ *chosen.Which }

func (w asked) table(name string) *Table {
	return &Table{Name: name, algorithm: w.algorithm, own: w.own}
}

// algorithm returns the one of the nearest smaller and larger sizes, if both have the same.
func (w asked) algorithm(c tuning.Call) (string, error) {
	var below, above *chosen.WhichRow
	for i := range w.Rows {
		r := &w.Rows[i]
		np, _ := strconv.Atoi(strings.TrimPrefix(r.Shape, "p"))
		if r.Collective != c.Function || guidelines.ShapeOf(r.Shape, np).NP != c.NP || len(r.Algorithms) == 0 {
			continue
		}
		if r.Msize <= c.Block && (below == nil || r.Msize > below.Msize) {
			below = r
		}
		if r.Msize >= c.Block && (above == nil || r.Msize < above.Msize) {
			above = r
		}
	}
	if below == nil || above == nil || below.Algorithms[0] != above.Algorithms[0] {
		return "", fmt.Errorf("%s on %d processes is not in the table at all sizes that are needed", c.Function, c.NP)
	}
	return below.Algorithms[0], nil
}

func (w asked) own(collective string) (names []string) {
	for _, r := range w.Rows {
		if r.Collective == collective {
			names = append(names, r.Algorithms...)
		}
	}
	return names
}

// lines holds a table by collective: below a number of processes, algorithms each below a number of bytes.
type lines map[string][]line

type line struct {
	below   int64
	choices []choice
}

type choice struct {
	algorithm string
	below     int64
}

func (t lines) read(name, text string) error {
	of := ""
	for i, row := range strings.Split(text, "\n") {
		words := strings.Fields(row)
		var err error
		switch f, known := mockups.Get(strings.TrimSpace(row)); {
		case len(words) == 0 || row[0] == '#':
		case row[0] != ' ' && !(known && f.IsCollective()):
			err = errors.New("not the name of a collective, such as MPI_Bcast")
		case row[0] != ' ':
			of = words[0]
		default:
			err = t.add(of, words)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", name, i+1, err)
		}
	}
	if len(t) == 0 {
		return fmt.Errorf("%s: no table of algorithms; docs/at-scale.md has its form", name)
	}
	return nil
}

func (t lines) add(of string, words []string) error {
	if of == "" || len(words)%2 == 1 {
		return errors.New(`not "<PROCESSES ALGORITHM <BYTES … ALGORITHM" below a collective`)
	}
	below, err := limit(words[0])
	l := line{below: below}
	for i := 1; i < len(words) && err == nil; i += 2 {
		c := choice{words[i], math.MaxInt64}
		if i+1 < len(words) {
			c.below, err = limit(words[i+1])
		}
		if !hasCost(of, c.algorithm) {
			err = fmt.Errorf("no cost is known of %s by %q", of, c.algorithm)
		}
		l.choices = append(l.choices, c)
	}
	t[of] = append(t[of], l)
	return err
}

// limit reads "<1024", or "*" for no limit.
func limit(word string) (int64, error) {
	if word == "*" {
		return math.MaxInt64, nil
	}
	digits, less := strings.CutPrefix(word, "<")
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n < 1 || !less {
		return 0, fmt.Errorf("%q is no limit such as <1024, or *", word)
	}
	return n, nil
}

func (t lines) algorithm(c tuning.Call) (string, error) {
	bytes := c.Block
	if c.Function == "MPI_Reduce_scatter" {
		bytes *= int64(c.NP)
	}
	at := slices.IndexFunc(t[c.Function], func(l line) bool { return int64(c.NP) < l.below })
	if at < 0 {
		return "", fmt.Errorf("the table has no %s on %d processes", c.Function, c.NP)
	}
	choices := t[c.Function][at].choices
	return choices[max(0, slices.IndexFunc(choices, func(x choice) bool { return bytes < x.below }))].algorithm, nil
}

func (t lines) own(collective string) (names []string) {
	for _, l := range t[collective] {
		for _, c := range l.choices {
			names = append(names, c.algorithm)
		}
	}
	return names
}

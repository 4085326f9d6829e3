package explore

import (
	"errors"
	"slices"
	"strings"

	"pgmpi/analyze/medians"
	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// Config is the [explore] section of gl.toml. It names the library's own algorithms to try, and says
// how to choose among them.
type Config struct {
	// Algorithms are "all", "MPI_Bcast", "MPI_Bcast@binomial", and the same after a "!" for what is
	// left out.
	Algorithms []string `json:"algorithms"`
	Select     int      `json:"select"` // mpiruns that choose
	Rounds     int      `json:"rounds"` // in which an mpirun visits its cases, or 0 for measure.turns
	// Takes has the algorithms that the library takes by itself. It is asked before the first mpirun, and no key.
	Takes []Taken `json:"takes,omitempty" key:"-"`
}

// Taken names what the library takes for a call. Several algorithms cannot be told apart.
type Taken struct {
	medians.Cell
	Algorithms []string `json:"algorithms"`
}

const (
	allAlgorithms = "all"
	mostSelect    = 100
	mostRounds    = 1000
)

// Section is [explore].
var Section = &conf.SectionOf[Config]{Name: "explore", Rows: func(c *Config) []conf.Key {
	return []conf.Key{
		{Field: conf.At(&c.Algorithms, []string{allAlgorithms}, collectives, conf.NotEmpty[string]("nothing to explore")),
			Text: "which of the library's own algorithms `pgmpi explore` tries: `all`, a collective's (`Bcast`), one (`Bcast@binomial`); " +
				"with a `!` in front: not these",
			More: "`pgmpi list --algorithms` shows them; see [how-to-tune.md](how-to-tune.md).", Flag: "algorithms", Value: "LIST"},
		{Field: conf.At(&c.Select, 3, conf.Within(1, mostSelect)),
			Text: "mpiruns that choose the candidates; other ones test them", Flag: "select", Value: "N"},
		{Field: conf.At(&c.Rounds, 0, conf.Within(0, mostRounds)),
			Text: "in how many rounds these mpiruns visit their cases, each with its share of the repetitions, " +
				"unless `measure.turns` says so; `0`: ten, of at least ten repetitions each"},
	}
}}

// collectives returns an error for each text that names none. Which algorithms there are only the library knows.
func collectives(texts *[]string) (errs []error) {
	for i, text := range *texts {
		name := strings.TrimPrefix(text, "!")
		id := mockups.Canonical(name)
		(*texts)[i] = strings.TrimSuffix(text, name) + id
		f, ok := mockups.Get(id)
		errs = append(errs, conf.Unless(id == allAlgorithms || ok && (f.IsCollective() || f.Algorithm != ""), "%s",
			conf.Unknown("collective", mockups.Collective(id), append(mockups.Collectives(), allAlgorithms)))...)
	}
	return errs
}

// Names tells whether any algorithm of a collective may be tried.
func (c Config) Names(collective string) bool {
	return c.Wants(collective) || slices.ContainsFunc(c.Algorithms, func(text string) bool {
		return mockups.Collective(text) == collective && mockups.Algorithm(text) != ""
	})
}

// Wants tells whether an algorithm, "MPI_Bcast@binomial", is to be tried.
func (c Config) Wants(id string) bool {
	names := func(prefix string) bool {
		return slices.ContainsFunc([]string{allAlgorithms, mockups.Collective(id), id}, func(name string) bool { return slices.Contains(c.Algorithms, prefix+name) })
	}
	only := slices.ContainsFunc(c.Algorithms, func(text string) bool { return !strings.HasPrefix(text, "!") })
	return (names("") || !only) && !names("!")
}

// Known returns an error where an algorithm is named that the library does not have.
func (c Config) Known(list []protocol.Algorithms) error {
	for _, text := range c.Algorithms {
		id := strings.TrimPrefix(text, "!")
		if mockups.Algorithm(id) == "" {
			continue
		}
		var ids []string
		for _, a := range list {
			for _, x := range a.Names {
				if a.Collective == mockups.Collective(id) {
					ids = append(ids, mockups.AlgorithmID(a.Collective, x.Name))
				}
			}
		}
		if !slices.Contains(ids, id) {
			return errors.New(conf.Unknown("algorithm", id, ids))
		}
	}
	return nil
}

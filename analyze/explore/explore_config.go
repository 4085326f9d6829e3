package explore

import (
	"errors"
	"slices"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/measure/protocol"
	"pgmpi/mockups"
)

// ExploreConfig is the [explore] section of gl.toml: which of the library's own
// algorithms are tried, and how they are chosen.
type ExploreConfig struct {
	// Algorithms are "all", "MPI_Bcast", "MPI_Bcast@binomial", and the same behind a "!" for
	// what is left out.
	Algorithms []string `toml:"algorithms" json:"algorithms"`
	Select     int      `toml:"select" json:"select"` // mpiruns that choose
	Rounds     int      `toml:"rounds" json:"rounds"` // in which an mpirun visits its cases; 0: as measure.turns
}

func DefaultExplore() ExploreConfig {
	return ExploreConfig{Algorithms: []string{allAlgorithms}, Select: 3}
}

const (
	allAlgorithms = "all"
	mostSelect    = 100
	mostRounds    = 1000
)

// Validate returns everything that is wrong with the section. Which algorithms there
// are only the library knows.
func (c ExploreConfig) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	for _, text := range c.Algorithms {
		id := strings.TrimPrefix(text, "!")
		f, ok := mockups.Get(id)
		if id != allAlgorithms && (!ok || f.IsMockup() && f.Algorithm == "") {
			errs.Check(false, "algorithms", "%s", conf.Unknown("collective", mockups.Collective(id), append(mockups.Collectives(), allAlgorithms)))
		}
	}
	errs.Check(len(c.Algorithms) > 0, "algorithms", "is empty: nothing to explore")
	errs.Check(c.Select >= 1 && c.Select <= mostSelect, "select", "must be from 1 to %d, not %d", mostSelect, c.Select)
	errs.Check(c.Rounds >= 0 && c.Rounds <= mostRounds, "rounds", "must be from 0 to %d, not %d", mostRounds, c.Rounds)
	return errs
}

// Names tells whether any algorithm of a collective may be tried.
func (c ExploreConfig) Names(collective string) bool {
	return c.Wants(collective) || slices.ContainsFunc(c.Algorithms, func(text string) bool {
		return mockups.Collective(text) == collective && mockups.Algorithm(text) != ""
	})
}

// Wants tells whether an algorithm, "MPI_Bcast@binomial", is to be tried.
func (c ExploreConfig) Wants(id string) bool {
	names := func(prefix string) bool {
		return slices.ContainsFunc([]string{allAlgorithms, mockups.Collective(id), id}, func(name string) bool { return slices.Contains(c.Algorithms, prefix+name) })
	}
	only := slices.ContainsFunc(c.Algorithms, func(text string) bool { return !strings.HasPrefix(text, "!") })
	return (names("") || !only) && !names("!")
}

// Known returns an error where an algorithm is named that the library does not have.
func (c ExploreConfig) Known(list []protocol.Algorithms) error {
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

package remedy

import (
	"slices"

	"pgmpi/internal/conf"
	"pgmpi/internal/tuning"
)

// Config is the [remedy] section of gl.toml.
type Config struct {
	Kinds  []string `json:"kinds"`  // of choices, in the order in which they are tried
	Proofs int      `json:"proofs"` // at most
	Harm   float64  `json:"harm"`   // ratio from which a slower case counts; 0 stands for analyze.min_slowdown
}

func kinds() []string {
	return []string{string(tuning.ByEnv), string(tuning.OwnAlgorithm), string(tuning.ByComponent)}
}

const mostProofs = 100

const mostHarm = 100.

var section = &conf.SectionOf[Config]{Name: "remedy", Rows: func(c *Config) []conf.Key {
	return []conf.Key{
		{Field: conf.SomeOf(&c.Kinds, kinds(), "kind of remedy", "nothing to try", kinds()),
			Text: "what `pgmpi remedy` tries; the environment comes first",
			More: "`environment`: variables of the C library's malloc; `algorithm`: the MPI library's own algorithms. " +
				"See [how-to-tune.md](how-to-tune.md#from-a-violation-to-a-setting).", Flag: "kinds", Value: "LIST"},
		{Field: conf.At(&c.Harm, 0, func(harm *float64) []error {
			return conf.Unless(*harm == 0 || *harm >= 1 && *harm <= mostHarm, "must be from 1 to %g, or 0, not %g", mostHarm, *harm)
		}), Text: "ratio from which a case that is significantly slower is harmed", Empty: "`analyze.min_slowdown`",
			More: "A guideline that is newly violated is a harm where the call takes this much longer itself.", Flag: "harm", Value: "RATIO"},
		{Field: conf.At(&c.Proofs, 8, conf.Within(1, mostProofs)),
			Text: "proofs, of many mpiruns each, at most: one more follows whenever a part of the setting is taken back"},
	}
}}

func (c Config) Wants(k tuning.Kind) bool { return slices.Contains(c.Kinds, string(k)) }

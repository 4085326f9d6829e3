package tuning

import (
	"slices"

	"pgmpi/internal/conf"
)

// Config is the [remedy] section of gl.toml.
type Config struct {
	Kinds  []string `toml:"kinds" json:"kinds"`   // of choices, in the order in which they are tried
	Proofs int      `toml:"proofs" json:"proofs"` // at most
	Harm   float64  `toml:"harm" json:"harm"`     // ratio from which a slower case counts; 0 stands for analyze.min_slowdown
}

func DefaultConfig() Config { return Config{Kinds: Kinds(), Proofs: 8} }

func Kinds() []string { return []string{string(ByEnv), string(OwnAlgorithm), string(ByComponent)} }

const mostProofs = 100

const mostHarm = 100.

func (c Config) Validate() []conf.FieldError {
	var errs conf.FieldErrors
	for _, k := range c.Kinds {
		errs.Check(slices.Contains(Kinds(), k), "kinds", "%s", conf.Unknown("kind of remedy", k, Kinds()))
	}
	errs.Check(len(c.Kinds) > 0, "kinds", "is empty: nothing to try")
	errs.Check(c.Proofs >= 1 && c.Proofs <= mostProofs, "proofs", "must be from 1 to %d, not %d", mostProofs, c.Proofs)
	errs.Check(c.Harm == 0 || c.Harm >= 1 && c.Harm <= mostHarm, "harm", "must be from 1 to %g, or 0, not %g", mostHarm, c.Harm)
	return errs
}

func (c Config) Wants(k Kind) bool { return slices.Contains(c.Kinds, string(k)) }

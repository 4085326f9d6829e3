package settings

import (
	"github.com/spf13/pflag"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
)

// Narrow describes a flag whose value limits a check to some calls.
type Narrow struct {
	Flag, Usage string
	Needed      bool // help shows it among the few flags that are needed most
	// Last lets it choose from what all other flags have left; without it the other flags override what it sets.
	Last bool
	// Do sets which calls are checked. The note says how many there are.
	Do func(value string, f *glfile.File) (note string, err error)
}

type narrowed struct {
	Narrow
	value string // "" if it is not given
}

// Narrows declares flags whose values limit a check to some calls.
func (s *Settings) Narrows(fs *pflag.FlagSet, by ...Narrow) {
	for _, n := range by {
		given := &narrowed{Narrow: n}
		s.narrows = append(s.narrows, given)
		fs.StringVar(&given.value, n.Flag, "", n.Usage)
		manual.Under(fs.Lookup(n.Flag), "check")
		if n.Needed {
			manual.Need(fs.Lookup(n.Flag))
		}
	}
}

func (s *Settings) narrow(f *glfile.File, last bool) (err error) {
	for _, n := range s.narrows {
		if n.value == "" || n.Last != last {
			continue
		}
		if s.Note, err = n.Do(n.value, f); err != nil {
			return fail.AsSetup(err)
		}
	}
	return nil
}

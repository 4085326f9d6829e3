package settings

import (
	"github.com/spf13/pflag"

	"pgmpi/analyze"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
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
	// After says more of these calls by what the check found; may be nil.
	After func(value string, r *analyze.Report) (*document.Document, error)
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

// After returns documents that follow the answer of a check.
func (s *Settings) After(r *analyze.Report) (all []*document.Document, err error) {
	for _, n := range s.narrows {
		if n.value == "" || n.After == nil {
			continue
		}
		d, err := n.After(n.value, r)
		if err != nil {
			return all, fail.AsSetup(err)
		}
		all = append(all, d)
	}
	return all, nil
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

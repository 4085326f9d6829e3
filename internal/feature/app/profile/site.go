package profile

import (
	"cmp"
	"fmt"
	"slices"
)

// Site counts the calls of one function, at one size, from one place of the program.
type Site struct {
	Function string `json:"function"`
	Bytes    int64  `json:"bytes"`  // as in Calls; 0 of functions without rows there
	Module   string `json:"module"` // the program, or a library of it
	Offset   uint64 `json:"offset"` // in it, where the call returns to
	Where    string `json:"where"`  // "exchange at halo.c:42", as far as that is known
	Calls    int64  `json:"calls"`
	SumNS    int64  `json:"sum_ns"`
}

// HasSize tells whether the calls have rows by size.
func (s Site) HasSize() bool { return slices.Contains(functions, s.Function) }

// SiteSeconds returns the time in calls from a place as a part of the run-time, as Seconds does for a Call.
func (p *Profile) SiteSeconds(s Site) float64 { return p.seconds(s.SumNS) }

func sortSites(all []Site) {
	slices.SortStableFunc(all, func(a, b Site) int { return cmp.Compare(b.SumNS, a.SumNS) })
}

func (p *Profile) checkSites() error {
	spent, all := 0., p.spent()
	for i, s := range p.Sites {
		spent += float64(s.SumNS)
		if !s.HasSize() && classOf(s.Function) == "" || s.Bytes < 0 || s.Bytes > mostBytes || s.Calls < 1 || s.SumNS < 0 {
			return fmt.Errorf("sites[%d], %.40q: %d calls of %d bytes in %d ns cannot be", i, s.Function, s.Calls, s.Bytes,
				s.SumNS)
		}
	}
	if spent > all*inexact+rounding*float64(len(p.Sites)) {
		return fmt.Errorf("calls from its sites take %.3g s, and all of them %.3g s", spent/1e9, all/1e9)
	}
	return nil
}

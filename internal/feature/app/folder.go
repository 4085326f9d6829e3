package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/feature/remedy"
	"pgmpi/internal/reading"
	"pgmpi/internal/regular"
	"pgmpi/internal/tuning"
	"pgmpi/measure/launch"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

const mostRemedy = 64 << 20 // bytes

// Joined holds a check, its remedy, if any, and the calls of a program.
type Joined struct {
	Gain   *GainResult
	Config *glfile.File // the check's
	Calls  *profile.Profile
}

// Of joins the results folder of a check and a profile.
func Of(check, calls string) (*Joined, error) {
	folder, m, err := reading.Open(check, results.Check)
	if err != nil {
		return nil, err
	}
	config, err := reading.ConfigOf(m)
	if err != nil {
		return nil, err
	}
	j, err := reading.Judge(folder, m, config.Analyze)
	if err != nil {
		return nil, err
	}
	p, err := profile.Read(calls)
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	if p.Library == "" {
		return nil, fail.Setupf("%s does not say which library the program ran with, so that no check is known to be of it: profile the program anew", calls)
	}
	if a, b := versionOf(p.Library), versionOf(j.Report.Library.Version); a != b {
		return nil, fail.Setupf("%s is of %s and %s of %s: check the library that the program runs with (--rank, --launch)", calls, a, check, b)
	}
	mends, err := remedyOf(filepath.Join(check, remedy.Folder, remedy.File))
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	g := Join(j.Report, mends, p)
	for i := range g.Trades {
		g.Trades[i].Folder = filepath.Join(check, remedy.Folder, g.Trades[i].Folder)
	}
	g.Check, g.Profile = check, calls
	return &Joined{g, config, p}, nil
}

func versionOf(text string) tuning.Library { return tuning.LibraryOf(launch.Family(text), text) }

// remedyOf reads the remedy of a check, or returns nil if there is none.
func remedyOf(path string) (*remedy.Result, error) {
	text, err := regular.Read(path, mostRemedy)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	r := &remedy.Result{}
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err == nil && r.Schema != remedy.Schema {
		err = fmt.Errorf("its schema is %.40q, not %q", r.Schema, remedy.Schema)
	}
	if err == nil {
		err = checkRemedy(r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; `pgmpi remedy` writes it anew", path, err)
	}
	return r, nil
}

// checkRemedy refuses numbers that no proof gives, since a gain is computed from them.
func checkRemedy(r *remedy.Result) error {
	for i, k := range r.Cells {
		if _, ok := mockups.Get(k.Function); !ok || k.Msize < 0 || k.NP < 1 || !slices.Contains(remedy.CellStates, k.State) {
			return fmt.Errorf("cells[%d] is no cell: %.40q of %d B, %d processes, %.40q", i, k.Function, k.Msize, k.NP, k.State)
		}
		for _, x := range []*float64{k.BeforeS, k.AfterS, k.Gain, k.GainLo, k.GainHi} {
			if x != nil && *x < 0 {
				return fmt.Errorf("cells[%d] has the time or gain %g", i, *x)
			}
		}
	}
	for i, t := range r.Trades {
		for _, k := range slices.Concat(t.Mends, t.Harms) {
			for _, x := range []*float64{k.Ratio, k.Lo, k.Hi} {
				if x != nil && *x < 0 {
					return fmt.Errorf("trades[%d] has the ratio %g", i, *x)
				}
			}
		}
		if t.Folder != filepath.Base(t.Folder) {
			return fmt.Errorf("trades[%d] is in %.40q, which is no name of a folder", i, t.Folder)
		}
	}
	return nil
}

// Remedy returns the variables of the remedy in the folder of a check. They only choose algorithms or keep memory.
func Remedy(check string) (map[string]string, error) {
	f := &glfile.File{}
	if f.MPI.Under = filepath.Join(check, remedy.Folder); !reading.Has(f.MPI.Under, tuning.EnvFile) {
		return nil, fail.Setupf("there is no setting to compare with, as %s has no %s: `pgmpi remedy %s` looks for one, and `pgmpi apply` tries mock-ups", f.MPI.Under, tuning.EnvFile, check)
	}
	err := experiment.Under(f)
	return f.MPI.Env, err
}

package app

import (
	"errors"
	"io/fs"
	"path/filepath"

	"pgmpi/analyze"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/feature/remedy"
	"pgmpi/internal/reading"
	"pgmpi/internal/tuning"
	"pgmpi/measure/launch"
	"pgmpi/measure/results"
)

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
	if err := agree(calls, p, j.Report); err != nil {
		return nil, err
	}
	mends, err := remedyOf(filepath.Join(check, remedy.Folder, remedy.File))
	if err != nil {
		return nil, fail.AsSetup(err)
	}
	g := Join(j.Report, mends, p)
	for i, t := range g.Messages {
		if t.Folder != "" {
			g.Messages[i].Folder = filepath.Join(check, remedy.Folder, t.Folder)
		}
	}
	for i := range g.Trades {
		g.Trades[i].Folder = filepath.Join(check, remedy.Folder, g.Trades[i].Folder)
	}
	g.Check, g.Profile = check, calls
	if n := otherStart(p, m, config.MPI.Env); n != "" {
		g.Notes = append(g.Notes, n)
	}
	return &Joined{g, config, p}, nil
}

// agree refuses a profile of another library than the check's.
func agree(path string, p *profile.Profile, r *analyze.Report) error {
	if p.Library == "" {
		return fail.Setupf("%s does not say which library the program ran with, so that no check is known to be of it: profile the program anew", path)
	}
	if a, b := versionOf(p.Library), versionOf(r.Library.Version); a != b {
		return fail.Setupf("%s is of %s and the check of %s: check the library that the program runs with (--rank, --launch)", path, a, b)
	}
	return nil
}

func versionOf(text string) tuning.Library { return tuning.LibraryOf(launch.Family(text), text) }

// remedyOf reads the remedy of a check, or returns nil if there is none.
func remedyOf(path string) (*remedy.Result, error) {
	r, err := remedy.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return r, err
}

// hasRemedy refuses a check without a setting to compare with.
func hasRemedy(check string) error {
	if folder := filepath.Join(check, remedy.Folder); !reading.Has(folder, tuning.EnvFile) {
		return fail.Setupf("there is no setting to compare with, as %s has no %s: `pgmpi remedy %s` looks for one, "+
			"--under names one, and `pgmpi apply` tries mock-ups", folder, tuning.EnvFile, check)
	}
	return nil
}

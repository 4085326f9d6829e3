package run

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/clean"
	"pgmpi/internal/conf"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
)

// NewFolder returns a path named by the time; a second one in the same second gets a number.
func NewFolder(prefix string, now time.Time) string {
	name := prefix + now.UTC().Format("20060102T150405Z")
	path := name
	for i := 2; !results.IsFresh(path); i++ {
		path = fmt.Sprintf("%s-%d", name, i)
	}
	return path
}

// NewFolder returns a new folder of the experiment, such as pgmpi-explore-20260102T150405Z.
func (x *Experiment) NewFolder() string {
	if command := x.Command(); command != string(results.Check) {
		return NewFolder("pgmpi-"+command+"-", time.Now())
	}
	return NewFolder("pgmpi-", time.Now())
}

// Before returns the manifest of a folder in which an experiment goes on. It returns nil if nothing
// has been measured yet.
func Before(x *Experiment, path string, resume bool) (*results.Manifest, error) {
	if results.IsFresh(path) {
		return nil, nil
	}
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return nil, fail.Setupf("--out: %s is a file: name a folder", path)
	}
	if !resume {
		return nil, fail.Setupf("the folder %s is not empty: --resume goes on in it, another --out starts anew", path)
	}
	_, m, err := reading.Open(path)
	if err == nil && m.Kind != x.Kind {
		return nil, fail.Setupf("%s is a folder of %s: `%s` goes on in it; take a new folder with --out", path, m.Kind.Command(), m.Kind.GoesOn(conf.Quote(path)))
	}
	return m, err
}

// MayStart returns an error if resuming may start what somebody else has named. Only the manifest
// names it then, and nothing shows that the folder is the user's. given tells whether a key of
// gl.toml comes from a flag.
func MayStart(path string, before *results.Manifest, config *glfile.File, given func(keys ...string) bool) error {
	var names []string
	name := func(key, value string, set bool) {
		if set && !given(key) {
			names = append(names, fmt.Sprintf("%s = %s", key, clean.Line(value)))
		}
	}
	name("mpi.rank", fmt.Sprintf("%q", config.MPI.Rank), config.MPI.Rank != "")
	name("mpi.launch", fmt.Sprintf("%q", config.MPI.Launch), len(config.MPI.Launch) > 0)
	name("mpi.library", fmt.Sprintf("%q", config.MPI.Library), config.MPI.Library != "")
	name("mpi.env", fmt.Sprintf("%q", slices.Sorted(maps.Keys(config.MPI.Env))), len(config.MPI.Env) > 0)
	for _, m := range config.Mockup {
		name("mockup.file", fmt.Sprintf("%q", m.File), true)
	}
	if len(names) == 0 || results.Own(path, before) {
		return nil
	}
	return fail.AsSetup(fail.Above(fmt.Errorf("%s says what is to be started", path), append(names, "Nothing shows that you have made this folder: it is a copy, or others may write to it. "+
		"Give these again by what this command has (--rank, --launch, --guidelines with your gl.toml), or measure in a folder of your own")...))
}

// goOn checks that a folder can be resumed; its Plan rules.
func goOn(before, now *results.Manifest, config *glfile.File, path string) (*results.Manifest, error) {
	old, err := reading.ConfigOf(before)
	if err != nil {
		return nil, err
	}
	if err := sameMeasurement(old, config, path); err != nil {
		return nil, err
	}
	if before.Rank.Hash != now.Rank.Hash || now.Rank.LibVersion != "" && before.Rank.LibVersion != now.Rank.LibVersion {
		return nil, fail.Setupf("%s was measured with another rank program or MPI library (%s, %s; now %s, %s): take a new folder with --out",
			path, clean.Line(before.Rank.LibVersion), clean.Line(before.Rank.Hash), now.Rank.LibVersion, now.Rank.Hash)
	}
	before.Config, before.Launch = now.Config, now.Launch
	return before, nil
}

// sameMeasurement refuses to go on in a folder with another configuration; only [analyze] may
// change.
func sameMeasurement(before, now *glfile.File, folder string) error {
	var differ []string
	there, here := settings(before), settings(now)
	names := append([]string{"check", "guideline", "mockup", "job", "mpi", "nrep", "measure"}, slices.Sorted(maps.Keys(now.Fixed()))...)
	for _, name := range names {
		a, errA := json.Marshal(there[name])
		b, errB := json.Marshal(here[name])
		if err := errors.Join(errA, errB); err != nil {
			return err
		}
		differ = append(differ, differences(name, a, b)...)
	}
	if len(differ) == 0 {
		return nil
	}
	return fail.AsSetup(fail.Above(fmt.Errorf("%s was measured with another configuration", folder),
		append(differ, "take a new folder with --out, or the old settings, which hold without --guidelines and flags")...))
}

// settings returns the sections of a configuration that may not change, guidelines by ID. It leaves
// out the path of the rank program, whose hash is compared, and the way of the job to rank 0 and
// the limit of the start, which change no result.
func settings(f *glfile.File) map[string]any {
	byID := map[string]guidelines.User{}
	for _, u := range f.Guideline {
		byID[u.ID] = u
	}
	mpi := f.MPI
	mpi.Rank, mpi.JobFile, mpi.StartLimit = "", false, 0
	all := f.Fixed()
	maps.Copy(all, map[string]any{"check": f.Check, "guideline": byID, "mockup": f.Mockup, "job": f.Job, "mpi": mpi,
		"nrep": f.NREP, "measure": f.Measure})
	return all
}

// differences returns a line for every key whose value differs between two JSON texts. They are the
// keys of gl.toml, with dots between tables.
func differences(key string, there, now json.RawMessage) (out []string) {
	if bytes.Equal(there, now) {
		return nil
	}
	var a, b map[string]json.RawMessage
	if errors.Join(json.Unmarshal(there, &a), json.Unmarshal(now, &b)) != nil { // at most one is a table
		const missing = "nothing" // such as a variable of mpi.env
		return []string{fmt.Sprintf("%s: %s there, %s now", key, cmp.Or(string(there), missing), cmp.Or(string(now), missing))}
	}
	names := map[string]json.RawMessage{}
	maps.Copy(names, a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out = append(out, differences(key+"."+name, a[name], b[name])...)
	}
	return out
}

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgmpi/analyze/report"
	"pgmpi/guidelines"
	"pgmpi/internal/command"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/exitcode"
	"pgmpi/internal/experiment"
	"pgmpi/internal/experiment/run"
	"pgmpi/measure/results"
	"pgmpi/testkit/bed"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// experimentOf returns the experiment of a kind of folders. It is nil where its tool is not in this tree.
func experimentOf(kind results.Kind) *run.Experiment {
	h := command.New(io.Discard, io.Discard)
	equip(h)
	for _, x := range h.Kinds {
		if x.Kind == kind {
			own := *x
			return &own
		}
	}
	return nil
}

// folders makes a results folder of each experiment, and returns them by its name.
func folders(t *testing.T, root string) map[string]string {
	t.Helper()
	b := bed.New(t)
	config := func(x *run.Experiment) *glfile.File {
		f := glfile.Default()
		if x.Defaults != nil {
			f = *x.Defaults()
		}
		f.MPI.Rank, f.MPI.Launch, f.Job.NP = b.Rank, []string{"true", "{np}"}, []int{2}
		f.Job.MPIRuns, f.Job.Msizes, f.NREP.Fixed, f.NREP.Predictions = 6, guidelines.MsizeList{"8", "1Ki"}, 10, 1
		f.Check.Functions = []string{"MPI_Bcast"}
		return &f
	}
	out := map[string]string{}
	do := func(name string, x *run.Experiment) {
		out[name] = filepath.Join(root, name)
		f := config(x)
		if x.Kind == results.Check {
			f.Check = guidelines.Config{Guidelines: []string{"GL8"}}
		}
		c := must.Get(b.New(x, f, out[name]))(t)
		must.Do(t, c.Open())
		must.Get(bed.Done(t.Context(), c))(t)
	}
	do("check", experiment.Check)
	if x := experimentOf(results.Fingerprint); x != nil {
		x.Prepare = nil
		x.Plan = func(config *glfile.File) (*guidelines.Plan, error) {
			config.Measure.PerRank, config.Measure.Turns, config.NREP.Fixed = true, 1, 1000
			return config.CasesOnly(config.Job.NP, []string{"MPI_Bcast"}, 8)
		}
		x.Judge = func(*run.Campaign) (*run.Found, error) { return &run.Found{Document: &document.Document{}}, nil }
		do("fingerprint", x)
	}
	if x := experimentOf(results.Explore); x != nil {
		out["explore"] = filepath.Join(root, "explore")
		explored(t, b, x, out["explore"])
	}
	if experimentOf(results.Imported) != nil {
		out["imported"] = filepath.Join(root, "imported")
		inProcess("analyze", "--from", "osu", osuFile(t, root, 1, "P50 Tail Lat(us)"), "--np", "2", "--out", out["imported"])
	}
	x := &experiment.AB{Out: filepath.Join(root, "ab"), Names: [experiment.MaxSides]string{"A", "B"}}
	for i, side := range []string{"a", "b"} {
		f := config(experiment.Side)
		f.Check = guidelines.Config{Guidelines: []string{"GL8"}}
		x.Sides = append(x.Sides, must.Get(b.New(experiment.Side, f, filepath.Join(x.Out, side)))(t))
		must.Do(t, x.Sides[i].Open())
		defer x.Sides[i].Close()
	}
	must.Do(t, x.Measure(t.Context()))
	out["ab"] = x.Out
	return out
}

// explored makes a folder of an exploration. The ranks of a bed have no algorithms, so it takes those that a dry
// run assumes.
func explored(t *testing.T, b *bed.Bed, x *run.Experiment, path string) {
	t.Helper()
	f := must.Get(glfile.Parse("gl.toml", []byte("[explore]\nalgorithms = [\"MPI_Bcast@binomial\"]\nselect = 3\n")))(t)
	f.MPI.Rank, f.MPI.Launch, f.Job.NP = b.Rank, []string{"true", "{np}"}, []int{2}
	f.Job.Msizes, f.NREP.Predictions, f.Check.Functions = guidelines.MsizeList{"8"}, 1, []string{"MPI_Bcast"}
	prepare := x.Prepare
	x.Prepare = func(ctx context.Context, f *glfile.File, o run.Options) (*glfile.File, error) {
		o.Dry = true
		return prepare(ctx, f, o)
	}
	c := must.Get(b.New(x, f, path))(t)
	must.Do(t, c.Open())
	must.Get(bed.Done(t.Context(), c))(t)
}

// files returns the files below a folder, with their contents.
func files(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var text []byte
			text, err = os.ReadFile(path)
			out[path] = string(text)
		}
		return err
	}))
	return out
}

// Each command that reads results folders shows those that it understands. It refuses all others with the command
// that shows them, and then writes nothing.
func TestAFolderIsShownByItsCommandsAndNoOthers(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	all := folders(t, root)
	shown := map[string]string{"check": "analyze DIR", "explore": "analyze DIR",
		"fingerprint": "fingerprint DIR CASE", "ab": "compare DIR", "imported": "analyze DIR"}
	every := "check explore fingerprint imported"
	for command, takes := range map[string]string{
		"analyze DIR":                            "check explore imported",
		"analyze NIGHT --baseline DIR":           "check ab imported", // a folder of nights
		"compare DIR NIGHT":                      "check fingerprint imported",
		"compare --matrix DIR":                   "check imported",
		"compare --repeat DIR NIGHT":             "check fingerprint imported",
		"history DIR":                            "check ab imported",
		"expect DIR":                             "check imported",
		"export DIR --what verdicts":             "check imported",
		"export DIR --what samples":              "check explore fingerprint imported",
		"export DIR --what medians":              "check explore fingerprint imported",
		"export DIR --format osu":                "check explore fingerprint imported",
		"figures DIR --out ROOT/fig":             "check imported",
		"remedy DIR":                             "check explore",
		"analyze DIR --summary mean":             "check",
		"times DIR":                              "check explore fingerprint imported",
		"fingerprint DIR MPI_Bcast:8":            "check explore fingerprint imported",
		"fingerprint DIR DIR MPI_Bcast:8":        "check explore fingerprint imported",
		"fingerprint Bcast:8 --resume --out DIR": "fingerprint",
		"status DIR":                             every,
		"env DIR":                                every,
		"check --resume --out DIR":               "check",
		"nrep --out DIR":                         "check",
		"explore --resume --out DIR":             "explore",
	} {
		if name, _, _ := strings.Cut(command, " "); !has(name) || strings.Contains(command, "--summary") && !has("analyze --summary") {
			continue
		}
		for kind, dir := range all {
			t.Run(command+" "+kind, func(t *testing.T) {
				before := files(t, root)
				in := strings.NewReplacer("DIR", dir, "NIGHT", all["check"], "ROOT", root)
				s := inProcess(strings.Fields(in.Replace(command))...)
				if slices.Contains(strings.Fields(takes), kind) {
					should.Hold(t, !strings.Contains(s.Stderr, dir+" is a folder of"), "exit %d: %s", s.Code, s.Stderr)
					return
				}
				s.Exits(t, exitcode.Setup)
				want := fmt.Sprintf("%s is a folder of pgmpi %s; pgmpi %s shows it", dir, words(kind), in.Replace(shown[kind]))
				should.Hold(t, strings.Contains(s.Stderr, want) || strings.Contains(s.Stderr, fmt.Sprintf("%s is a folder of pgmpi %s: `pgmpi", dir, words(kind))),
					"%s\nwant %s", s.Stderr, want)
				should.Equal(t, before, files(t, root), "the folder has changed")
			})
		}
	}
	inProcess("compare", all["ab"]).Exits(t, exitcode.OK)
}

// words returns the words of the command that makes a kind of folders.
func words(kind string) string {
	switch kind {
	case "imported":
		return "analyze --from"
	}
	return kind
}

// A folder of an older version does not say what kind it is.
func TestAFolderWithoutAKindIsACheck(t *testing.T) {
	dir := folders(t, t.TempDir())["check"]
	path := filepath.Join(dir, "manifest.json")
	var old map[string]any
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile(path))(t), &old))
	delete(old, "kind")
	must.Do(t, os.WriteFile(path, must.Get(json.Marshal(old))(t), 0o666))
	_, m := must.Two(results.Open(dir, results.Check))(t)
	should.Equal(t, m.Kind, results.Check)
}

func TestStatusCountsTheMpirunsOfAllStages(t *testing.T) {
	for kind, dir := range folders(t, t.TempDir()) {
		if kind == "ab" {
			continue
		}
		raw := must.Get(os.ReadDir(filepath.Join(dir, "raw")))(t)
		var s report.Status
		must.Do(t, json.Unmarshal([]byte(inProcess("status", dir, "--format", "json").Exits(t, exitcode.OK).Stdout), &s))
		should.Hold(t, s.Done == len(raw) && s.Done != 0 && s.Planned >= s.Done, "%s: %d of %d mpiruns done, and there are %d", kind, s.Done, s.Planned, len(raw))
	}
}

package reading_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/series"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// aReport writes a report.json, and what is given of a manifest beside it.
func aReport(t *testing.T, dir string, r *analyze.Report, m *results.Manifest) {
	t.Helper()
	must.Do(t, os.MkdirAll(dir, 0o777))
	r.Folder = filepath.Base(dir)
	for name, v := range map[string]any{reading.ReportName: r, reading.ManifestName: m} {
		if v == any((*results.Manifest)(nil)) {
			continue
		}
		text, err := json.Marshal(v)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), text, 0o666)
		}
		must.Do(t, err)
	}
}

func created(at string) *analyze.Report {
	return &analyze.Report{Schema: analyze.Schema, Library: analyze.Library{Name: "mpich"}, Origin: analyze.Origin{Created: at}}
}

// foldersOf lists the nights, and what was skipped with the reason.
func foldersOf(t *testing.T, roots ...string) (nights []series.Night, skipped map[string]string) {
	t.Helper()
	h := must.Get(reading.History(roots, nil))(t)
	skipped = map[string]string{}
	for _, s := range h.Skipped {
		skipped[filepath.Base(filepath.Dir(s.Path))+"/"+filepath.Base(s.Path)] = s.Reason
	}
	for _, s := range h.Series {
		nights = append(nights, s.Nights...)
	}
	return nights, skipped
}

func TestHistoryFindsTheReportsBelowItsRoots(t *testing.T) {
	root := t.TempDir()
	aReport(t, filepath.Join(root, "b"), created("2026-01-01T02:00:00Z"), &results.Manifest{})
	aReport(t, filepath.Join(root, "b", "raw"), created("2026-01-09T02:00:00Z"), nil) // in a results folder
	aReport(t, filepath.Join(root, "deep", "er", "a"), created("2026-01-02T02:00:00Z"), nil)
	aReport(t, filepath.Join(root, ".hidden"), created("2026-01-09T02:00:00Z"), nil)
	aReport(t, root, created("2026-01-03T02:00:00Z"), nil)
	must.Do(t, os.Symlink(filepath.Join(root, "b"), filepath.Join(root, "latest")))
	link := filepath.Join(t.TempDir(), "link")
	must.Do(t, os.Symlink(root, link))
	nights, skipped := foldersOf(t, root, filepath.Join(root, "b"), link, filepath.Join(root, "b", reading.ReportName))
	var got []string
	for _, n := range nights {
		got = append(got, n.Created[8:10]+" "+n.Folder)
	}
	want := "01 b, 02 a, 03 " + filepath.Base(root)
	should.Hold(t, strings.Join(got, ", ") == want && len(skipped) == 0, "%q, want %s; skipped %v", got, want, skipped)
}

// Nothing that somebody left below a root ends a history, or makes it wait.
func TestWhatCannotBeReadIsNamedAndLeftOut(t *testing.T) {
	root := t.TempDir()
	aReport(t, filepath.Join(root, "good"), created("2026-01-01T02:00:00Z"), nil)
	other := created("2026-01-01T02:00:00Z")
	other.Schema = "pgmpi-report/9"
	aReport(t, filepath.Join(root, "newer"), other, nil)
	aReport(t, filepath.Join(root, "1", "2", "3", "4", "5", "6", "7"), created("2026-01-01T02:00:00Z"), nil)
	put := func(name string, how func(path string) error) {
		path := filepath.Join(root, name, reading.ReportName)
		must.Do(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), how(path)))
	}
	text := func(text string) func(string) error {
		return func(path string) error { return os.WriteFile(path, []byte(text), 0o666) }
	}
	put("cut", text(`{"schema":"pgmpi-report/1","verd`))
	aReport(t, filepath.Join(root, "timeless"), created(""), nil)
	put("list", text(`[]`))
	put("deep", text(strings.Repeat("[", 100000)))
	put("fifo", func(path string) error { return syscall.Mkfifo(path, 0o666) })
	put("folder", func(path string) error { return os.Mkdir(path, 0o777) })
	put("link", func(path string) error { return os.Symlink(filepath.Join(root, "good", reading.ReportName), path) })
	put("huge", func(path string) error { return errors.Join(text("")(path), os.Truncate(path, reading.MostReport+1)) })
	aReport(t, filepath.Join(root, "unjudged"), created(""), &results.Manifest{})
	must.Do(t, os.Remove(filepath.Join(root, "unjudged", reading.ReportName)))
	nights, skipped := foldersOf(t, root)
	should.Hold(t, len(nights) == 1 && len(skipped) == 11, "%d nights, skipped %v", len(nights), skipped)
	for path, want := range map[string]string{
		"newer/report.json": `schema "pgmpi-report/9"`, "cut/report.json": "damaged", "timeless/report.json": "does not say when", "list/report.json": "damaged", "deep/report.json": "damaged", "fifo/report.json": "is a named pipe",
		"folder/report.json": "is a folder", "link/report.json": "is a link", "huge/report.json": "at most 64 are read", "6/7": "more than 6 folders deep",
		filepath.Base(root) + "/unjudged": "`pgmpi analyze DIR` writes one",
	} {
		should.Hold(t, strings.Contains(skipped[path], want), "%s: %q, want %q", path, skipped[path], want)
	}
}

func TestAHistoryOfNothingIsRefused(t *testing.T) {
	root := t.TempDir()
	bad := filepath.Join(root, "bad")
	aReport(t, bad, &analyze.Report{}, nil)
	for _, path := range []string{filepath.Join(root, "missing"), t.TempDir(), root, filepath.Join(bad, reading.ReportName)} {
		var setup *fail.Setup
		_, err := reading.History([]string{path}, nil)
		should.Hold(t, errors.As(err, &setup), "%s: %v", path, err)
	}
	_, err := reading.History([]string{root}, nil)
	should.Hold(t, strings.Contains(err.Error(), `bad/report.json": schema ""`), "%v", err)
}

package reading_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/fail"
	"pgmpi/internal/reading"
	"pgmpi/measure/results"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// aCheck is a results folder in which GL8 is violated at 8 B and not at 64 B.
func aCheck(t *testing.T) string {
	dir := filepath.Join(t.TempDir(), "out")
	fixture.Folder(t, dir, glfile.Default())
	return dir
}

// refused fails the test unless the error is one of the set-up, and has the words.
func refused(t *testing.T, err error, words string) {
	t.Helper()
	var setup *fail.Setup
	should.Hold(t, errors.As(err, &setup) && strings.Contains(err.Error(), words), "%v, want %s", err, words)
}

func TestWhatIsNoResultsFolderIsRefused(t *testing.T) {
	manifest := func(text string) func(string) error {
		return func(dir string) error {
			return os.WriteFile(filepath.Join(dir, reading.ManifestName), []byte(text), 0o666)
		}
	}
	for words, change := range map[string]func(dir string) error{
		"is a file, and a results folder is wanted": func(dir string) error {
			return errors.Join(os.RemoveAll(dir), os.WriteFile(dir, nil, 0o666))
		},
		"there is no folder": os.RemoveAll,
		"is no results folder: it has no manifest.json": func(dir string) error {
			return os.Remove(filepath.Join(dir, reading.ManifestName))
		},
		"unexpected end of JSON":       manifest("{"),
		`schema "pgmpi-manifest/9"`:    manifest(`{"schema":"pgmpi-manifest/9"}`),
		"is a folder of pgmpi explore": manifest(`{"schema":"pgmpi-manifest/1","kind":"explore"}`),
	} {
		dir := aCheck(t)
		must.Do(t, change(dir))
		_, _, err := reading.Open(dir, results.Check)
		refused(t, err, words)
	}
}

func TestAConfigurationOfAFolderIsThatOfItsManifestWithDefaults(t *testing.T) {
	c := must.Get(reading.ConfigOf(&results.Manifest{Config: json.RawMessage(`{"Job":{"mpiruns":7}}`), TOML: "[job]"}))(t)
	should.Equal(t, c.Job.MPIRuns, 7)
	should.Equal(t, c.Source, "[job]")
	should.Equal(t, c.Analyze.Alpha, glfile.Default().Analyze.Alpha)
	for _, config := range []string{"", "[]", `{"Job":{"mpiruns":"many"}}`} {
		_, err := reading.ConfigOf(&results.Manifest{Config: json.RawMessage(config)})
		refused(t, err, "manifest.json: config: ")
	}
}

func TestSelectionsAreOfThePlanAndEachTestIsChosenOnce(t *testing.T) {
	folder, m := must.Two(reading.Open(aCheck(t)))(t)
	j := must.Get(reading.Judge(folder, m, glfile.Default().Analyze))(t)
	_, err := reading.Selected(&m.Plan, []string{"GL8:8", "GL9"})
	refused(t, err, "--explain: ")
	for text, want := range map[string][]int{"GL8:8 GL8:64 MPI_Reduce:8": {0, 1}, "violated GL8": {0}, "": nil} {
		chosen := must.Get(reading.Selected(&m.Plan, strings.Fields(text)))(t)
		should.Equal(t, j.Chosen(chosen, t.Errorf), want, text)
	}
}

package consumers

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"pgmpi/testkit/must"
)

// temp is removed at the end of all tests.
var temp string

// TestMain puts pgmpi on the PATH, alone: where it lies beside rank programs, it finds them. `make test` has built it.
func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if temp, err = os.MkdirTemp("", "pgmpi-consumers-"); err != nil {
			panic(err)
		}
		defer os.RemoveAll(temp)
		pgmpi := filepath.Join(temp, "pgmpi")
		if bin := os.Getenv("PGMPI_TEST_BIN"); bin != "" {
			built, err := os.ReadFile(filepath.Join(bin, "pgmpi"))
			if err == nil {
				err = os.WriteFile(pgmpi, built, 0o777)
			}
			if err != nil {
				panic(err)
			}
		} else if out, err := inModule("go", "build", "-buildvcs=false", "-o", pgmpi, "./cmd/pgmpi"); err != nil {
			panic(err.Error() + ": " + out)
		}
		os.Setenv("PATH", temp+string(filepath.ListSeparator)+os.Getenv("PATH"))
		return m.Run()
	}())
}

// inModule runs a command in the module that is tested.
func inModule(program string, args ...string) (out string, err error) {
	cmd := exec.Command(program, args...)
	cmd.Dir = filepath.Join("..", "..")
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// documents is a folder with every document of the tests of analyze/report and of features in every format. In
// `make test` these tests have written it when they ran.
var documents = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("PGMPI_DOCUMENTS"); dir != "" {
		return dir, nil
	}
	dir := filepath.Join(temp, "documents")
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	args := []string{"test", "-count=1", "-vet=off", "-run", "^(TestDocumentsForConsumers|TestTheDocumentOwesNothing|TestTheDocumentsOweNothing)$", "./analyze/report"}
	rooms, _ := filepath.Glob("../feature/*/document_test.go")
	for _, test := range rooms {
		args = append(args, "./internal/feature/"+filepath.Base(filepath.Dir(test)))
	}
	out, err := inModule("go", append(args, "-args", "-documents", dir)...)
	if err != nil {
		os.Stderr.WriteString(out)
	}
	return dir, err
})

// matching are the documents whose names match, by name.
func matching(t *testing.T, pattern string) map[string]string {
	t.Helper()
	dir := must.Get(documents())(t)
	paths, err := filepath.Glob(filepath.Join(dir, pattern))
	must.Hold(t, err == nil && len(paths) != 0, "no documents %s: %v", pattern, err)
	out := map[string]string{}
	for _, path := range paths {
		text := must.Get(os.ReadFile(path))(t)
		out[filepath.Base(path)] = string(text)
	}
	return out
}

func saved(t *testing.T, name string) string {
	t.Helper()
	return matching(t, name)[name]
}

func TestKeptFoldersCanBeTriedAsTheirReadmeSays(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(string(must.Get(os.ReadFile("../../testdata/recompute/README.md"))(t)), "/tmp/kept", filepath.Join(t.TempDir(), "kept"))
	commands := regexp.MustCompile(`(?m)^    (.*)$`).FindAllStringSubmatch(text, -1)
	must.Hold(t, len(commands) > 5, "%q", commands)
	for _, c := range commands {
		if out, err := inModule("sh", "-c", c[1]+"; [ $? -le 1 ]"); err != nil {
			t.Errorf("%s: %s", c[1], out)
		}
	}
}

// Package internal_test holds the code to the layers of docs/dev/architecture.md.
package internal_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

const module = "pgmpi/"

// layers are the rooms of the three rings, the highest first: commands in the first line, features in the second, the
// core in all others. A room may import what is in its own line or below, and Go forbids circles. A folder that is not
// named belongs to the nearest one above it that is.
var layers = [][]string{
	{"cmd/pgmpi", "cmd/pgmpi-rank"},
	{"internal/feature"},
	{"internal/command", "internal/settings", "internal/experiment", "internal/progress", "internal/reading", "internal/untimed"},
	{"analyze/report", "internal/conf/glfile"},
	{"measure", "measure/rank"},
	{"analyze"},
	{"measure/results", "measure/protocol", "measure/host", "measure/batch", "internal/osu"},
	{"guidelines", "mockups", "nrep", "internal/tuning", "measure/clocks"},
	{"internal/document", "internal/picture", "internal/phrase", "internal/manual"},
	{"internal/conf", "internal/stats", "internal/remark", "internal/fail", "internal/exitcode", "internal/clean", "internal/regular"},
	{"internal/version", "internal/lists", "internal/child", "internal/schema"},
}

// aside is what no program of pgmpi is made from: packages that tests share, and modules of
// their own. All else imports none of it.
var aside = []string{"testkit", "internal/consumers", "bench"}

// measure, though it is above, may not import analyze: they meet in a results folder.
const producer, consumer = "measure", "analyze"

// withC are the only packages with cgo, but for the rank/ of a feature: all else is built and tested without MPI.
var withC = []string{"mockups/c", "measure/rank/native", "measure/rank/mpi", "measure/rank/call", "measure/rank/clock",
	"measure/rank/mpit", "measure/rank/loop", "measure/rank/probe"}

// importsOf returns the packages of the module and "C" that each package imports,
// by the files that are not tests, whatever their build tags.
func importsOf(t *testing.T, root string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	must.Do(t, fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path.Join(root, name), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		imports := out[path.Dir(name)]
		for _, i := range file.Imports {
			text, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if local, ok := strings.CutPrefix(text, module); ok || text == "C" {
				imports = append(imports, local)
			}
		}
		out[path.Dir(name)] = imports
		return nil
	}))
	return out
}

// layerOf returns the index of a package's layer, or -1 if it has none.
func layerOf(dir string) int {
	for ; dir != "."; dir = path.Dir(dir) {
		for i, entries := range layers {
			if slices.Contains(entries, dir) {
				return i
			}
		}
	}
	return -1
}

func within(dir, folder string) bool { return dir == folder || strings.HasPrefix(dir, folder+"/") }

func isAside(dir string) bool {
	return slices.ContainsFunc(aside, func(folder string) bool { return within(dir, folder) })
}

func TestImportsRunDownwards(t *testing.T) {
	for from, imports := range importsOf(t, "..") {
		layer := layerOf(from)
		should.Hold(t, layer >= 0 || isAside(from), "%s is in no layer: give it one here and in docs/dev/architecture.md", from)
		for _, to := range imports {
			if to == "C" {
				continue
			}
			below := layerOf(to)
			switch {
			case within(from, producer) && within(to, consumer):
				t.Errorf("%s imports %s: code that measures must not know what becomes of its samples", from, to)
			case isAside(to) && !isAside(from):
				t.Errorf("%s imports %s, which no program is made from", from, to)
			case isAside(from):
			case below < layer:
				t.Errorf("%s imports %s, which is above it", from, to)
			}
		}
	}
}

// pairs are the features that may import another one: all else that they share is the core's.
var pairs = map[string][]string{"app": {"remedy"}, "remedy": {"explore"}, "explore": {"which"}, "calls": {"figures"}}

// A feature stands on the core: the core does not know it, and other features only where they are listed.
func TestFeaturesStandOnTheCoreAlone(t *testing.T) {
	const features = "internal/feature"
	name := func(dir string) string {
		first, _, _ := strings.Cut(strings.TrimPrefix(dir, features+"/"), "/")
		return first
	}
	for from, imports := range importsOf(t, "..") {
		for _, to := range imports {
			switch {
			case !within(to, features) || to == features && within(from, features):
			case within(from, "cmd"): // it has the list
			case !within(from, features):
				t.Errorf("%s imports %s: the core knows no feature", from, to)
			default:
				a, b := name(from), name(to)
				should.Hold(t, a == b || slices.Contains(pairs[a], b), "feature %s imports feature %s, which is no listed pair", a, b)
			}
		}
	}
}

// A folder that no list names is built and tested, and no program has it.
func TestTheProgramsListEveryFeature(t *testing.T) {
	imports := importsOf(t, "..")
	for dir := range imports {
		program := "cmd/pgmpi"
		if own, _ := path.Match("internal/feature/*/rank", dir); own {
			program = "cmd/pgmpi-rank"
		} else if own, _ := path.Match("internal/feature/*", dir); !own {
			continue
		}
		should.Hold(t, slices.Contains(imports[program], dir), "%s/features.go has no line of %s", program, dir)
	}
}

func TestArchitecturePageShowsTheLayers(t *testing.T) {
	page := must.Get(os.ReadFile("../docs/dev/architecture.md"))(t)
	var want strings.Builder
	for _, entries := range layers {
		want.WriteString("    " + strings.Join(entries, "   ") + "\n")
	}
	should.Contain(t, string(page), want.String())
}

func TestOnlyTheRankProgramHasC(t *testing.T) {
	for dir, imports := range importsOf(t, "..") {
		own, _ := path.Match("internal/feature/*/rank", dir)
		may := own || slices.Contains(withC, dir)
		should.Hold(t, !slices.Contains(imports, "C") || may, "%s uses cgo: only %v and a feature's own rank may", dir, withC)
	}
}

// mostLines and mostFiles are what one reader can hold; a package of a file for each item
// of a table, such as commands, may have more files.
const mostLines, mostFiles = 3000, 25

var filePerItem = []string{"cmd/pgmpi"}

func TestNoPackageIsTooLargeToHold(t *testing.T) {
	lines, files := map[string]int{}, map[string]int{}
	must.Do(t, fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		dir := path.Dir(name)
		files[dir]++
		text, err := os.ReadFile(path.Join("..", name))
		lines[dir] += strings.Count(string(text), "\n")
		return err
	}))
	for dir, n := range lines {
		should.Hold(t, n <= mostLines, "%s has %d lines, more than %d: give a subject of it a package of its own", dir, n, mostLines)
		should.Hold(t, files[dir] <= mostFiles || slices.Contains(filePerItem, dir), "%s has %d files, more than %d", dir, files[dir], mostFiles)
	}
}

func TestArchitecturePageNamesWhatIsThere(t *testing.T) {
	page := must.Get(os.ReadFile("../docs/dev/architecture.md"))(t)
	for _, m := range regexp.MustCompile("`([a-z_]+/[A-Za-z_/.-]+)`").FindAllStringSubmatch(string(page), -1) {
		_, err := os.Stat(path.Join("..", m[1]))
		should.Do(t, err)
	}
}

package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// shownElsewhere has the kinds of documents without an example here, and what shows them.
var shownElsewhere = map[string]string{
	"algorithms": "cmd/pgmpi's tests of list --algorithms",
	"figures":    "cmd/pgmpi's scripts of figures",
	"list":       "cmd/pgmpi's golden files of list",
	"matrix":     "TestMatrix… of cmd/pgmpi and internal/experiment/run",
	"medians":    "medians.csv of every check",
	"plan":       "cmd/pgmpi's tests of dry runs in every format",
	"status":     "internal/experiment's tests of status",
}

// An example gives a kind its golden files, and hostile feeds every example with texts of others.
func TestEveryKindOfDocumentHasAnExample(t *testing.T) {
	var docs []byte
	for _, page := range []string{"results-format.md", "dev/results-folder.md"} {
		text := must.Get(os.ReadFile("../../docs/" + page))(t)
		docs = append(docs, text...)
	}
	shown := map[string]bool{}
	for _, e := range examples(t) {
		shown[e.Document.Name] = true
	}
	for name, k := range kinds(t) {
		should.Hold(t, shown[name] != (shownElsewhere[name] != ""), "%s: kind %q wants either a line of examples() or a reason in shownElsewhere", k.path, name)
		should.Hold(t, !k.forPrograms || regexp.MustCompile(`\b`+name+`\.(json|csv)|pgmpi [^`+"`"+`]*`+name).Match(docs),
			"%s: neither docs/results-format.md nor docs/dev/results-folder.md has a line about %s", k.path, name)
	}
}

// kind is where a document.Kind stands, and whether programs read its documents.
type kind struct {
	path        string
	forPrograms bool
}

// kinds has every package-level document.Kind below this folder, by its Name.
func kinds(t *testing.T) map[string]kind {
	t.Helper()
	out, files := map[string]kind{}, token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			of, ok := literal.Type.(*ast.IndexExpr)
			if !ok {
				return true
			}
			if x, ok := of.X.(*ast.SelectorExpr); !ok || x.Sel.Name != "Kind" {
				return true
			}
			forPrograms, name := false, ""
			for _, element := range literal.Elts {
				field, ok := element.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				switch field.Key.(*ast.Ident).Name {
				case "Name":
					name, _ = strconv.Unquote(field.Value.(*ast.BasicLit).Value)
				case "JSON", "Rows":
					forPrograms = true
				}
			}
			out[name] = kind{path, forPrograms}
			return true
		})
		return nil
	})
	must.Hold(t, err == nil && len(out) >= 15, "%d kinds of documents were found: %v", len(out), err)
	return out
}

// Package kinds finds the kinds of documents that the code declares, so that a test can ask all of them for what they
// owe.
package kinds

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgmpi/testkit/must"
)

// Kind tells where a document.Kind is declared, and what programs read of it.
type Kind struct {
	Name, Variable, Path string
	JSON, Rows           bool
}

// Told tells whether pages have a line about what programs read of the kind: its file, or the command that prints it.
func (k Kind) Told(pages []byte) bool {
	return !k.JSON && !k.Rows || regexp.MustCompile(`\b`+k.Name+`\.(json|csv)|pgmpi [^`+"`"+`]*`+k.Name).Match(pages)
}

// Pages are those that say what programs read, below docs/.
var Pages = []string{"results-format.md", "dev/results-folder.md"}

// Below returns every package-level document.Kind in the files below a folder.
func Below(t *testing.T, root string) (out []Kind) {
	t.Helper()
	files := token.NewFileSet()
	must.Do(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if value, ok := n.(*ast.ValueSpec); ok && len(value.Values) == 1 {
				if k, ok := kindOf(value.Values[0]); ok {
					k.Variable, k.Path = value.Names[0].Name, path
					out = append(out, k)
				}
			}
			return true
		})
		return nil
	}))
	return out
}

func kindOf(value ast.Expr) (k Kind, ok bool) {
	literal, ok := value.(*ast.CompositeLit)
	if !ok {
		return k, false
	}
	of, ok := literal.Type.(*ast.IndexExpr)
	if !ok {
		return k, false
	}
	if x, ok := of.X.(*ast.SelectorExpr); !ok || x.Sel.Name != "Kind" {
		return k, false
	}
	for _, element := range literal.Elts {
		field, ok := element.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch field.Key.(*ast.Ident).Name {
		case "Name":
			k.Name, _ = strconv.Unquote(field.Value.(*ast.BasicLit).Value)
		case "JSON":
			k.JSON = true
		case "Rows":
			k.Rows = true
		}
	}
	return k, true
}

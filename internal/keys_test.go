package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A key may have its field, default, limit, row and flag, and nobody who asks for its value. Fields of one name count
// for each other, so that this finds most such keys, and never one that is read.
func TestEveryKeyOfTheConfigurationIsReadByCode(t *testing.T) {
	keys, read, sources := map[string]string{}, map[string]bool{}, token.NewFileSet()
	must.Do(t, filepath.WalkDir(repository, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != repository && (strings.HasPrefix(d.Name(), ".") || slices.Contains([]string{"bin", "testdata", "testkit", "bench", "consumers"}, d.Name())):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(sources, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && (f.Name.Name == "Validate" || f.Recv != nil && strings.HasSuffix(f.Name.Name, "Rows")) {
				continue
			}
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.SelectorExpr:
					read[n.Sel.Name] = true
				case *ast.StructType:
					keysOf(n, path, keys)
				}
				return true
			})
		}
		return nil
	}))
	must.Hold(t, len(keys) > 80, "%d fields with a key were found", len(keys))
	for field, path := range keys {
		should.Hold(t, read[field], "%s: no code reads %s", path, field)
	}
}

// keysOf adds the fields of a struct that have a key of gl.toml.
func keysOf(s *ast.StructType, path string, keys map[string]string) {
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		if key := reflect.StructTag(tag).Get("toml"); key != "" && key != "-" {
			for _, name := range f.Names {
				keys[name.Name] = path
			}
		}
	}
}

// The command mutate changes a package in one place at a time, and lists the changes that the package's own tests do
// not notice. All changes are built into one test program, which makes the change that MUTANT numbers; each is tried
// on the tests that run through it. FILES names the files to change, or all are changed.
//
//	FILES="family.go design.go" go run .ci/mutate.go ./analyze/judge
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// helpers is added to the package.
const helpers = `package %s

import ("cmp"; "os"; "strconv"; "sync")

var mutant__, _ = strconv.Atoi(os.Getenv("MUTANT"))
var reached__ sync.Map

func on__(i int) bool {
	if mutant__ < 0 {
		if _, known := reached__.LoadOrStore(i, true); !known {
			f, _ := os.OpenFile(os.Getenv("REACHED"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
			f.WriteString(strconv.Itoa(i) + "\n")
			f.Close()
		}
	}
	return i == mutant__
}
func less__[T cmp.Ordered](i int, a, b T) bool    { if on__(i) { return a <= b }; return a < b }
func greater__[T cmp.Ordered](i int, a, b T) bool { if on__(i) { return a >= b }; return a > b }
func atMost__[T cmp.Ordered](i int, a, b T) bool  { if on__(i) { return a < b }; return a <= b }
func atLeast__[T cmp.Ordered](i int, a, b T) bool { if on__(i) { return a > b }; return a >= b }
type number__ interface{ ~int|~int8|~int16|~int32|~int64|~uint|~uint8|~uint16|~uint32|~uint64|~float64 }
func plus__[T number__](i int, a T) T  { if on__(i) { return a + 1 }; return a }
func minus__[T number__](i int, a T) T { if on__(i) { return a - 1 }; return a }
`

var comparisons = map[token.Token]string{
	token.LSS: "less__", token.GTR: "greater__", token.LEQ: "atMost__", token.GEQ: "atLeast__",
}

// change puts text into a file at offsets, and says what it does and where. An operand of && or || is made to
// decide nothing: a test that notices this notices the operand's negation too.
type change struct {
	file     string
	at       token.Position
	inserts  []insert
	does     string
	compiles bool
	tests    []string
	became   string
}

type insert struct {
	offset, width int // width counts the bytes that the text replaces
	depth         int // negative where a node ends; at the same place, the lesser goes before the greater
	text          string
}

// mutated is a package with its changes.
type mutated struct {
	folder, name, work string
	paths              []string // of files
	changes            []*change
}

func main() {
	m := &mutated{folder: os.Args[1]}
	var err error
	m.work, err = os.MkdirTemp("", "mutate")
	check(err)
	defer os.RemoveAll(m.work)
	m.find()
	m.build()
	took := m.reach()
	m.try(took)
	count := map[string]int{}
	for _, c := range m.changes {
		count[c.became]++
	}
	able := len(m.changes) - count["not compiled"]
	share := 100 * float64(count["caught"]) / float64(able)
	fmt.Printf("%s: %d of %d caught (%.1f %%): %v\n", m.folder, count["caught"], able, share, count)
}

// list runs `go list` on the package.
func (m *mutated) list(args ...string) []string {
	out, err := exec.Command("go", append(append([]string{"list"}, args...), m.folder)...).Output()
	check(err)
	return strings.Fields(string(out))
}

// find lists all changes of the package.
func (m *mutated) find() {
	exports := map[string]string{}
	for _, line := range m.list("-deps", "-export", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}") {
		path, file, _ := strings.Cut(line, "=")
		exports[path] = file
	}
	set := token.NewFileSet()
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(set, "gc", lookup)}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	var trees []*ast.File
	for _, name := range m.list("-f", "{{join .GoFiles \" \"}}") {
		path := filepath.Join(m.folder, name)
		tree, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		check(err)
		trees, m.paths, m.name = append(trees, tree), append(m.paths, path), tree.Name.Name
	}
	_, err := config.Check(m.name, set, trees, info)
	check(err)
	only := strings.Fields(os.Getenv("FILES"))
	for i, tree := range trees {
		if len(only) == 0 || slices.Contains(only, filepath.Base(m.paths[i])) {
			f := &finder{m: m, set: set, info: info, path: m.paths[i]}
			f.text, err = os.ReadFile(f.path)
			check(err)
			ast.PreorderStack(tree, nil, f.visit)
		}
	}
}

type finder struct {
	m    *mutated
	set  *token.FileSet
	info *types.Info
	path string
	text []byte
}

func (f *finder) source(n ast.Node) string {
	return string(f.text[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset])
}

// around puts text before and after a node; %d in it becomes the change's number.
func (f *finder) around(n ast.Node, depth int, before, after, does string) *change {
	i := fmt.Sprint(len(f.m.changes) + 1)
	from, to := f.set.Position(n.Pos()), f.set.Position(n.End())
	c := &change{file: f.path, at: from, does: does, compiles: true, inserts: []insert{
		{from.Offset, 0, depth, strings.ReplaceAll(before, "%d", i)},
		{to.Offset, 0, -depth, strings.ReplaceAll(after, "%d", i)},
	}}
	f.m.changes = append(f.m.changes, c)
	return c
}

// visit finds the changes that can be made at a node.
func (f *finder) visit(n ast.Node, above []ast.Node) bool {
	depth := 10 * len(above)
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.ArrayType:
		return false
	case *ast.BinaryExpr:
		f.binary(n, depth)
	case *ast.IfStmt:
		f.condition(n.Cond, depth)
	case *ast.CaseClause:
		if s, ok := above[len(above)-2].(*ast.SwitchStmt); ok && s.Tag == nil {
			for _, x := range n.List {
				f.condition(x, depth)
			}
		}
	case *ast.SelectorExpr: // not a name without its package
		ast.PreorderStack(n.X, append(above, n), f.visit)
		return false
	case *ast.CallExpr: // no rule says which numbers an error names
		return f.source(n.Fun) != "fmt.Errorf"
	case *ast.BasicLit, *ast.Ident:
		f.number(n.(ast.Expr), depth)
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.BranchStmt, *ast.AssignStmt:
		f.statement(n.(ast.Stmt), above, depth)
	case *ast.ReturnStmt:
		f.returns(n, above, depth)
		if last := len(n.Results) - 1; last > 0 && f.isError(n.Results[last]) {
			ast.PreorderStack(n.Results[last], append(above, n), f.visit) // nobody reads what is returned with an error
			return false
		}
	}
	return true
}

// errors is the interface that errors among results implement.
var errors = types.Universe.Lookup("error").Type().Underlying().(*types.Interface)

func (f *finder) isError(x ast.Expr) bool {
	return f.source(x) != "nil" && types.Implements(f.info.Types[x].Type, errors)
}

func (f *finder) binary(n *ast.BinaryExpr, depth int) {
	switch n.Op {
	case token.LAND:
		for _, x := range []ast.Expr{n.X, n.Y} {
			f.around(x, depth+5, "((", ") || on__(%d))", "true in place of "+f.source(x))
		}
	case token.LOR:
		for _, x := range []ast.Expr{n.X, n.Y} {
			f.around(x, depth+5, "((", ") && !on__(%d))", "false in place of "+f.source(x))
		}
	case token.EQL, token.NEQ:
		f.around(n, depth, "((", ") != on__(%d))", "not "+f.source(n))
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		c := f.around(n, depth, comparisons[n.Op]+"(%d, ", ")", "equality in "+f.source(n))
		c.inserts = append(c.inserts, insert{f.set.Position(n.OpPos).Offset, len(n.Op.String()), 0, ","})
	}
}

// condition negates an expression, unless its operator is changed itself.
func (f *finder) condition(x ast.Expr, depth int) {
	if _, ok := x.(*ast.BinaryExpr); !ok {
		f.around(x, depth+5, "((", ") != on__(%d))", "not "+f.source(x))
	}
}

// number changes a constant where it is used.
func (f *finder) number(x ast.Expr, depth int) {
	is := f.info.Types[x]
	if name, ok := x.(*ast.Ident); ok {
		object, constant := f.info.Uses[name].(*types.Const)
		if !constant {
			return
		}
		is = types.TypeAndValue{Type: cmp.Or[types.Type](is.Type, object.Type()), Value: object.Val()}
	}
	if is.Value == nil {
		return
	}
	basic, ok := is.Type.Underlying().(*types.Basic)
	if !ok || basic.Info()&types.IsNumeric == 0 || basic.Info()&types.IsUntyped != 0 {
		return
	}
	name := types.TypeString(is.Type, func(p *types.Package) string {
		if p.Path() == f.m.name {
			return ""
		}
		return p.Name()
	})
	f.around(x, depth, "plus__["+name+"](%d, ", ")", f.source(x)+" + 1")
	f.around(x, depth+1, "minus__["+name+"](%d, ", ")", f.source(x)+" - 1")
}

// statement drops a statement that stands in a list.
func (f *finder) statement(n ast.Stmt, above []ast.Node, depth int) {
	switch above[len(above)-1].(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
	default:
		return
	}
	source := f.source(n)
	if a, ok := n.(*ast.AssignStmt); ok && a.Tok == token.DEFINE || strings.HasPrefix(source, "panic(") {
		return
	}
	f.around(n, depth, "if !on__(%d) { ", " }", "without "+strings.SplitN(source, "\n", 2)[0])
}

// zero matches the text of a zero value.
var zero = regexp.MustCompile(`^(nil|0|false|""|\w+\{\})$`)

// returns returns nothing instead of a result, or the other truth value.
func (f *finder) returns(n *ast.ReturnStmt, above []ast.Node, depth int) {
	var results *ast.FieldList
	for _, node := range above {
		switch node := node.(type) {
		case *ast.FuncDecl:
			results = node.Type.Results
		case *ast.FuncLit:
			results = node.Type.Results
		}
	}
	if len(n.Results) == 1 && f.info.Types[n.Results[0]].Type.String() == "bool" {
		if !zero.MatchString(f.source(n.Results[0])) {
			f.condition(n.Results[0], depth)
		}
		return
	}
	if !slices.ContainsFunc(n.Results, func(x ast.Expr) bool { return !zero.MatchString(f.source(x)) }) {
		return
	}
	var nothing []string
	for _, field := range results.List {
		for range max(1, len(field.Names)) {
			nothing = append(nothing, "*new("+f.source(field.Type)+")")
		}
	}
	first, _, _ := strings.Cut(f.source(n), "\n")
	f.around(n, depth, "if on__(%d) { return "+strings.Join(nothing, ", ")+" }; ", "", "zeros in place of "+first)
}

// place matches the place of a compiler's error.
var place = regexp.MustCompile(`(?m)^(\S+\.go):(\d+):\d+: `)

// build makes the test program, without changes that do not compile.
func (m *mutated) build() {
	replace := map[string]string{}
	path := func(file string) string {
		here, err := filepath.Abs(file)
		check(err)
		return here
	}
	for {
		for i, file := range append(m.paths, filepath.Join(m.folder, "mutants__.go")) {
			text := []byte(fmt.Sprintf(helpers, m.name))
			if i < len(m.paths) {
				text = m.changed(file)
			}
			replace[path(file)] = filepath.Join(m.work, filepath.Base(file))
			check(os.WriteFile(replace[path(file)], text, 0o666))
		}
		overlay, err := json.Marshal(map[string]any{"Replace": replace})
		check(err)
		check(os.WriteFile(filepath.Join(m.work, "overlay"), overlay, 0o666))
		said, err := exec.Command("go", "test", "-c", "-vet=off", "-gcflags=-e", "-overlay", filepath.Join(m.work, "overlay"),
			"-o", filepath.Join(m.work, "test"), m.folder).CombinedOutput()
		if err == nil {
			return
		}
		dropped := 0
		for _, at := range place.FindAllStringSubmatch(string(said), -1) {
			for _, c := range m.changes {
				if c.compiles && filepath.Base(c.file) == filepath.Base(at[1]) && fmt.Sprint(c.at.Line) == at[2] {
					c.compiles, c.became = false, "not compiled"
					dropped++
				}
			}
		}
		if dropped == 0 {
			check(fmt.Errorf("does not build:\n%s", said))
		}
	}
}

// changed returns a file with all changes.
func (m *mutated) changed(file string) (out []byte) {
	text, err := os.ReadFile(file)
	check(err)
	var all []insert
	for _, c := range m.changes {
		if c.file == file && c.compiles {
			all = append(all, c.inserts...)
		}
	}
	slices.SortStableFunc(all, func(a, b insert) int { // what ends at a place comes before what begins there
		return cmp.Or(cmp.Compare(a.offset, b.offset), cmp.Compare(a.depth, b.depth))
	})
	at := 0
	for _, i := range all {
		out = append(append(out, text[at:i.offset]...), i.text...)
		at = i.offset + i.width
	}
	return append(out, text[at:]...)
}

func (m *mutated) run(env, tests, limit string) ([]byte, error) {
	c := exec.Command("sh", "-c", `ulimit -v 8000000; exec "$@"`, "sh", filepath.Join(m.work, "test"), "-test.failfast",
		"-test.run", tests, "-test.timeout", limit)
	c.Dir, c.Env = m.folder, append(os.Environ(), strings.Fields(env)...)
	return c.CombinedOutput()
}

// reach notes which tests run through a change, and how long they take.
func (m *mutated) reach() map[string]time.Duration {
	out, err := exec.Command(filepath.Join(m.work, "test"), "-test.list", "^(Test|Fuzz)").Output()
	check(err)
	took := map[string]time.Duration{}
	for _, test := range strings.Fields(string(out)) {
		file := filepath.Join(m.work, "reached")
		os.Remove(file)
		began := time.Now()
		if said, err := m.run("MUTANT=-1 REACHED="+file, "^"+test+"$", "10m"); err != nil {
			check(fmt.Errorf("%s fails without a change: %s", test, said))
		}
		took[test] = time.Since(began)
		text, _ := os.ReadFile(file)
		for _, i := range strings.Fields(string(text)) {
			var at int
			fmt.Sscan(i, &at)
			m.changes[at-1].tests = append(m.changes[at-1].tests, test)
		}
	}
	return took
}

// try makes the changes one by one; quick tests run first.
func (m *mutated) try(took map[string]time.Duration) {
	var all sync.WaitGroup
	next := make(chan int)
	for range 2 {
		all.Go(func() {
			for i := range next {
				c := m.changes[i]
				m.tryOne(i, c, took)
				if c.became != "caught" {
					fmt.Printf("%s:%d:%d: %s: %s\n", c.file, c.at.Line, c.at.Column, c.became, c.does)
				}
			}
		})
	}
	for i, c := range m.changes {
		if c.compiles {
			next <- i
		}
	}
	close(next)
	all.Wait()
}

func (m *mutated) tryOne(i int, c *change, took map[string]time.Duration) {
	c.became = "not run"
	slices.SortFunc(c.tests, func(a, b string) int { return cmp.Compare(took[a], took[b]) })
	for len(c.tests) > 0 && c.became != "caught" {
		n := max(1, len(c.tests)/2)
		limit := 20 * time.Second
		for _, test := range c.tests[:n] {
			limit += 10 * took[test]
		}
		c.became = "survived"
		if _, err := m.run(fmt.Sprint("MUTANT=", i+1), "^("+strings.Join(c.tests[:n], "|")+")$", limit.String()); err != nil {
			c.became = "caught"
		}
		c.tests = c.tests[n:]
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
}

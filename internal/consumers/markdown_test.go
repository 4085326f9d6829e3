package consumers

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	goldtext "github.com/yuin/goldmark/text"

	"pgmpi/internal/clean"
	"pgmpi/internal/document"
	"pgmpi/testkit/fixture"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A reader of GitHub's Markdown finds every text as it was, and no more structure than we gave.
func TestMarkdownShowsEveryTextAsItIs(t *testing.T) {
	texts := []string{fixture.Hostile, "# no heading", "## #", "> no quotation", "- no list", "+ no list", "1. no list", "12) no list", "=", "---", "_no_ emphasis __no__ *no* **no** ~~no~~",
		"MPI_Bcast and a_b_c_", "`code", "<b>&lt;</b>", "[no](link)", "![no](picture)", `a\*b`, "a|b", "no heading\n===", "\tno code"}
	parser := goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough)).Parser()
	for _, want := range texts {
		s := document.Section{Title: want, Notes: []string{want}, Table: &document.Table{Head: []string{"head", "x"}, Align: "ll", Rows: [][]string{{want, "x"}}}}
		s.Say("%s", want)
		s.Item("%s", want)
		s.Fact(want, "%s", want)
		s.Lines(want, "```", "````")
		s.Rewrite(clean.Line, clean.Text, clean.TableCell)
		fields := func(text string) string { return strings.Join(strings.Fields(text), " ") }
		line, flow := fields(clean.Line(want)), fields(clean.Text(want))
		var out bytes.Buffer
		must.Do(t, document.WriteMarkdown(&out, &document.Document{Sections: []document.Section{s}}))
		source := out.Bytes()
		var got []string
		must.Do(t, ast.Walk(parser.Parse(goldtext.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n := n.(type) {
			case *ast.FencedCodeBlock:
				if entering {
					got = append(got, n.Kind().String()+": "+string(n.Lines().Value(source)))
				}
				return ast.WalkSkipChildren, nil
			case *ast.Link, *ast.Image, *ast.CodeSpan, *ast.RawHTML, *ast.HTMLBlock, *ast.Blockquote, *ast.ThematicBreak, *ast.CodeBlock:
				t.Errorf("%q becomes a %s in:\n%s", want, n.Kind(), source)
			}
			if entering && n.ChildCount() > 0 && n.FirstChild().Type() == ast.TypeInline && n.Type() == ast.TypeBlock {
				got = append(got, n.Kind().String()+": "+plainText(n, source))
			}
			return ast.WalkContinue, nil
		}))
		expect := []string{"Heading: " + line, "Paragraph: " + flow, "Paragraph: " + flow, "Paragraph: " + line + ": " + flow,
			"FencedCodeBlock: " + clean.Line(want) + "\n```\n````\n", "TableCell: head", "TableCell: x", "TableCell: " + line, "TableCell: x", "Paragraph: " + flow}
		a, b := strings.Join(got, "\n"), strings.Join(expect, "\n")
		should.Hold(t, a == b, "%q: got\n%s\nwant\n%s\nof\n%s", want, a, b, source)
	}
}

// GitHub tells whoever is named with an @. A comment names nobody, fits, and can be found again by its first line.
func TestACommentFitsAndTellsNobody(t *testing.T) {
	parser := goldmark.New(goldmark.WithExtensions(extension.Table)).Parser()
	mention := regexp.MustCompile(`(^|[^0-9A-Za-z_` + "`" + `/])@[0-9A-Za-z]`)
	for name, text := range matching(t, "*.github-comment") {
		first, _, _ := strings.Cut(text, "\n")
		should.Hold(t, strings.HasPrefix(first, "<!-- pgmpi ") && strings.HasSuffix(first, " -->"), "%s: %s", name, first)
		markers := 0
		should.Hold(t, strings.Count(text, "\n") <= 60, "%s: %d lines", name, strings.Count(text, "\n"))
		source := []byte(text)
		must.Do(t, ast.Walk(parser.Parse(goldtext.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n.(type) {
			case *ast.FencedCodeBlock:
				return ast.WalkSkipChildren, nil
			case *ast.HTMLBlock:
				markers++ // entered and left
				return ast.WalkContinue, nil
			case *ast.Link, *ast.Image, *ast.RawHTML, *ast.Blockquote:
				t.Errorf("%s: a %s in:\n%s", name, n.Kind(), source)
			}
			if entering && n.ChildCount() > 0 && n.FirstChild().Type() == ast.TypeInline {
				should.Hold(t, !mention.MatchString(plainText(n, source)), "%s: %s", name, plainText(n, source))
			}
			return ast.WalkContinue, nil
		}))
		should.Equal(t, markers, 2, name)
	}
}

// plainText is the text of inline nodes, as a reader sees it.
func plainText(n ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			out.Write(unescaped(t.Segment.Value(source)))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// unescaped drops the backslashes of escapes, which goldmark leaves to its renderer.
func unescaped(b []byte) []byte {
	var out []byte
	for i := 0; i < len(b); i++ {
		if b[i] == '\\' && i+1 < len(b) && strings.IndexByte("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", b[i+1]) >= 0 {
			i++
		}
		out = append(out, b[i])
	}
	return out
}

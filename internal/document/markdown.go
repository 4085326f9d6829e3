package document

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"pgmpi/internal/lists"
	"pgmpi/internal/phrase"
)

var markdownFormat = Format{Name: "markdown", ext: "md", from: sections, Write: WriteMarkdown}

// WriteMarkdown writes sections as GitHub and GitLab show them.
func WriteMarkdown(w io.Writer, d *Document) error {
	var out bytes.Buffer
	for _, s := range d.sections() {
		if s.Title != "" {
			fmt.Fprintf(&out, "## %s\n\n", Escaped(s.Title))
		}
		for i, t := range s.Text {
			out.WriteString(markdownText(t))
			if i+1 == len(s.Text) || t.Style != s.Text[i+1].Style || t.Style == Paragraph {
				out.WriteString("\n")
			}
		}
		if s.Table != nil {
			if err := markdownTable(&out, s.Table); err != nil {
				return err
			}
		}
		for _, n := range s.Notes {
			fmt.Fprintf(&out, "%s\n\n", Block(n))
		}
	}
	_, err := w.Write(append(bytes.TrimRight(out.Bytes(), "\n"), '\n'))
	return err
}

func markdownText(t Text) string {
	switch t.Style {
	case Paragraph:
	case Item:
		return fmt.Sprintf("- %s\n", Block(t.Text))
	case Fact:
		if t.Name == "" {
			return fmt.Sprintf("  - %s\n", Block(t.Text))
		}
		return fmt.Sprintf("- **%s:** %s\n", Escaped(t.Name), Escaped(t.Text))
	case Verbatim:
		return codeBlock(t.Name, t.Text)
	case Command:
		return codeBlock(t.Name, strings.Join(continued(t.Words, LeastWidth), "\n"))
	case Drawing:
		return codeBlock(t.Name, strings.Join(t.Draw(UsualWidth), "\n"))
	}
	return Block(t.Text) + "\n"
}

// Fenced puts a text as it is into a fence that it cannot end.
func Fenced(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "\n" + text + "\n" + fence + "\n"
}

func codeBlock(name, text string) string {
	return phrase.When(name != "", "%s:\n\n", Escaped(name)) + Fenced(text)
}

func markdownTable(out *bytes.Buffer, t *Table) error {
	rows := lists.Map(t.Rows, escapedCells)
	err := t.draw(out, escapedCells(t.Head), rows, tw.CellPadding{Global: tw.PaddingDefault}, tablewriter.WithRenderer(renderer.NewMarkdown()))
	out.WriteString("\n")
	return err
}

func escapedCells(cells []string) []string {
	return lists.Map(cells, func(c string) string { return Escaped(strings.ReplaceAll(c, "+\n", "+")) })
}

// strongMarks mean something anywhere in a line, also for GitHub's formulas ($) and entities (&).
// edgeMarks do so only at the edge of a word: MPI_Bcast and page.md#place stay as they are.
const (
	strongMarks = "\\`*~<[|$&"
	edgeMarks   = "_#"
)

// Escaped returns a text that shows as it is, on one line.
func Escaped(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	word := func(i int) bool {
		return i >= 0 && i < len(runes) && (unicode.IsLetter(runes[i]) || unicode.IsDigit(runes[i]))
	}
	var out strings.Builder
	for i, r := range runes {
		if strings.ContainsRune(strongMarks, r) || strings.ContainsRune(edgeMarks, r) && !(word(i-1) && word(i+1)) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		if r == '@' && !word(i-1) && word(i+1) {
			out.WriteString("&#8203;") // else GitHub and GitLab notify somebody of that name
		}
	}
	return out.String()
}

var numbered = regexp.MustCompile(`^(\d+)([.)])( |$)`)

// Block escapes a text that begins a line or an item of a list. The text then begins no quotation,
// list or rule.
func Block(text string) string {
	text = Escaped(text)
	if text != "" && strings.ContainsRune(">+=-", rune(text[0])) {
		return `\` + text
	}
	return numbered.ReplaceAllString(text, `$1\$2$3`)
}

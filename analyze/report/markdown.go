package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

var markdownFormat = Format{Name: "markdown", ext: "md", from: sections, Write: writeMarkdown}

// writeMarkdown writes sections as GitHub and GitLab show them.
func writeMarkdown(w io.Writer, d *Document) error {
	var out bytes.Buffer
	for _, s := range d.Sections {
		if s.Title != "" {
			fmt.Fprintf(&out, "## %s\n\n", escaped(s.Title))
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
			fmt.Fprintf(&out, "%s\n\n", escaped(n))
		}
	}
	_, err := w.Write(append(bytes.TrimRight(out.Bytes(), "\n"), '\n'))
	return err
}

func markdownText(t Text) string {
	switch {
	case t.Style == Verbatim && t.Name != "":
		return fmt.Sprintf("%s:\n\n```\n%s\n```\n", escaped(t.Name), t.Text)
	case t.Style == Verbatim:
		return fmt.Sprintf("```\n%s\n```\n", t.Text)
	case t.Style == Fact && t.Name == "":
		return fmt.Sprintf("  - %s\n", escaped(t.Text))
	case t.Style == Fact:
		return fmt.Sprintf("- **%s:** %s\n", escaped(t.Name), escaped(t.Text))
	case t.Style == Item:
		return fmt.Sprintf("- %s\n", escaped(t.Text))
	}
	return escaped(t.Text) + "\n"
}

func markdownTable(out *bytes.Buffer, t *Table) error {
	rows := make([][]string, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = escapedCells(row)
	}
	err := t.draw(out, escapedCells(t.Head), rows, tw.CellPadding{Global: tw.PaddingDefault}, tablewriter.WithRenderer(renderer.NewMarkdown()))
	out.WriteString("\n")
	return err
}

func escapedCells(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = escaped(strings.ReplaceAll(c, "+\n", "+"))
	}
	return out
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "~", `\~`, "<", `\<`, "[", `\[`, "|", `\|`)

// escaped is a text as it is, on one line.
func escaped(text string) string {
	return markdownEscapes.Replace(strings.Join(strings.Fields(text), " "))
}

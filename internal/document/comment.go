package document

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// commentFormat writes a comment on a pull request. Its first line, which nobody sees, tells a
// workflow which comment to replace.
var commentFormat = Format{Name: "github-comment", ext: "comment.md", from: comment, Write: writeComment}

const mostCommented = 60 // lines

func writeComment(w io.Writer, d *Document) error {
	var out bytes.Buffer
	fmt.Fprintf(&out, "<!-- pgmpi %s -->\n**pgmpi %[1]s**\n\n", d.Name)
	if err := WriteMarkdown(&out, d.Brief()); err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) > mostCommented {
		left := len(lines) - mostCommented + 3
		lines = lines[:mostCommented-3]
		lines = append(lines, openFence(lines), "", fmt.Sprintf("%d more lines are in the report.", left))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// openFence returns the fence of code that lines begin and do not end, or "".
func openFence(lines []string) (open string) {
	for _, line := range lines {
		switch fence := strings.TrimLeft(line, "`"); {
		case open == line:
			open = ""
		case open == "" && fence == "" && len(line) >= 3:
			open = line
		}
	}
	return open
}

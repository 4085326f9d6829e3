package picture

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"pgmpi/internal/fixture/must"
	"pgmpi/internal/fixture/should"
)

// preamble is what the first lines of the files ask for. `table` goes before pgfplots, which loads xcolor.
const preamble = `\documentclass{article}
\usepackage[margin=1cm]{geometry}
\usepackage[table]{xcolor}
\usepackage{pgfplots} \pgfplotsset{compat=1.16}
\pagestyle{empty}
\begin{document}
`

// A real TeX, where there is one, sets every picture, hostile texts and all, without a word about missing characters
// or numbers.
func TestTeXSetsEveryPicture(t *testing.T) {
	if exec.Command("kpsewhich", "pgfplots.sty").Run() != nil {
		t.Skip("no pdflatex with pgfplots on the PATH")
	}
	// PGMPI_TEX keeps what is set, to be looked at.
	dir := os.Getenv("PGMPI_TEX")
	if dir == "" {
		dir = t.TempDir()
	}
	var document bytes.Buffer
	document.WriteString(preamble)
	all := examples()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var out bytes.Buffer
		must.Do(t, writeTeX(&out, all[name]))
		must.Do(t, os.WriteFile(filepath.Join(dir, name+".tex"), out.Bytes(), 0o666))
		fmt.Fprintf(&document, "\\noindent\\input{%s}\n\\clearpage\n", name)
	}
	document.WriteString("\\end{document}\n")
	must.Do(t, os.WriteFile(filepath.Join(dir, "all.tex"), document.Bytes(), 0o666))
	cmd := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "all.tex")
	cmd.Dir = dir
	said, err := cmd.CombinedOutput()
	must.Hold(t, err == nil, "%v:\n%s", err, said)
	bad := regexp.MustCompile(`(?m)^.*(Missing character|Package pgfplots Warning|Dimension too large|NaN).*$`).FindAll(said, 5)
	should.Hold(t, bad == nil, "%s", bytes.Join(bad, []byte("\n")))
}

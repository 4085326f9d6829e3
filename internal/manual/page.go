package manual

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/internal/exitcode"
	"pgmpi/internal/version"
)

var exitCodes = []struct {
	code  int
	means string
}{
	{exitcode.OK, "nothing violated; with a baseline: nothing newly wrong"},
	{exitcode.Violated, "violated; with a baseline: an alarm"},
	{exitcode.Setup, "nothing was measured"},
	{exitcode.Failed, "the measurement failed, or a call is wrong"},
	{exitcode.NoVerdict, "no verdict possible"},
	{exitcode.Interrupted, "interrupted"},
}

// variables lists the environment variables that pgmpi reads by itself. Batch systems and MPI libraries define
// others.
var variables = [][2]string{
	{"PGMPI_RANK", "the rank program, where neither --rank nor mpi.rank of gl.toml names one"},
	{"COLUMNS", "how wide a line may be, where --width does not say it"},
	{"NO_COLOR", "if set, no colour, where --color does not say otherwise"},
}

func PageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// Page returns the manual page of a command, or of pgmpi, for the macros of man(7).
func Page(c *cobra.Command) string {
	var b strings.Builder
	name := roff(PageName(c))
	_, arguments, _ := strings.Cut(c.Use, " ")
	fmt.Fprintf(&b, ".\\\" Made by: pgmpi man\n.TH %s 1 \"\" \"%s\" \"pgmpi manual\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n",
		strings.ToUpper(name), roff("pgmpi "+version.String()), name, roff(c.Short), roff(c.CommandPath()))
	if arguments != "" {
		fmt.Fprintf(&b, ".I %s\n", roff(arguments))
	}
	flags := Flags(c)
	if len(flags) > 0 || !c.HasParent() {
		b.WriteString(".RI [ FLAGS ]\n")
	}
	b.WriteString(".SH DESCRIPTION\n" + paragraphs(c.Long))
	if c.Example != "" {
		b.WriteString(".SH EXAMPLES\n.nf\n" + roff(c.Example) + "\n.fi\n")
	}
	item := func(head, text string) { fmt.Fprintf(&b, ".TP\n%s\n%s\n", head, text) }
	if !c.HasParent() {
		b.WriteString(".SH COMMANDS\n")
		for _, of := range Commands(c) {
			item(".B "+roff(of.Use), roff(of.Short)+", see\n.BR "+roff(PageName(of))+" (1)")
		}
		b.WriteString(".SH ENVIRONMENT\n")
		for _, v := range variables {
			item(".B "+v[0], roff(v[1]))
		}
	}
	if len(flags) > 0 {
		b.WriteString(".SH OPTIONS\n")
	}
	for _, p := range parts(flags) {
		if p.title != "" {
			fmt.Fprintf(&b, ".SS %s\n", roff(p.title))
		}
		p.flags.VisitAll(func(f *pflag.Flag) {
			value, text := pflag.UnquoteUsage(f)
			item(strings.TrimSuffix(fmt.Sprintf(`\fB%s\fR \fI%s\fR`, roff("--"+f.Name), roff(value)), ` \fI\fR`), roff(text+Usual(f)))
		})
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range exitCodes {
		item(fmt.Sprint(".B ", e.code), roff(e.means))
	}
	if c.HasParent() {
		b.WriteString(".SH SEE ALSO\n.BR pgmpi (1)\n")
	}
	return b.String()
}

// paragraphs sets the text of a help; indented lines stay as they are.
func paragraphs(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		switch {
		case line == "":
			b.WriteString(".PP\n")
		case strings.HasPrefix(line, "  "):
			b.WriteString(".nf\n" + roff(line) + "\n.fi\n")
		default:
			b.WriteString(roff(line) + "\n")
		}
	}
	return b.String()
}

var roffMarks = strings.NewReplacer(`\`, `\e`, `-`, `\-`)

// roff escapes text so that nothing in it is a request. A dot or an apostrophe at the beginning of a line would be
// one.
func roff(text string) string {
	text = roffMarks.Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

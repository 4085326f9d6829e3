package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func manCommand() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "man [COMMAND]",
		Short: "print a manual page, for man -l",
		Long: "Prints the manual page of pgmpi, or of one of its commands, as `make install`\n" +
			"installs it. To read it without an installation:\n" +
			"  pgmpi man check | man -l -",
		Args:              wants(0, 1, "one command, or none"),
		ValidArgsFunction: commandNames,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && out != "":
				return setupf("man: --out is for all pages; the page of %s goes to standard output", args[0])
			case out != "":
				return writePages(c.Root(), out)
			case len(args) == 1:
				of, err := find(c.Root(), args[0])
				if err != nil {
					return err
				}
				return say(page(of))
			}
			return say(page(c.Root()))
		},
	}
	c.Flags().StringVar(&out, "out", "", "a `DIR` for all pages")
	return c
}

// writePages writes pgmpi.1, and pgmpi-COMMAND.1 for every command.
func writePages(root *cobra.Command, dir string) error {
	folder, err := folderFor(dir)
	for _, c := range append(commands(root), root) {
		if err == nil {
			err = folder.WriteFile(pageName(c)+".1", func(w io.Writer) error {
				_, err := io.WriteString(w, page(c))
				return err
			})
		}
	}
	return err
}

func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// variables of the environment that pgmpi reads by itself; those of batch systems
// and MPI libraries are theirs.
var variables = [][2]string{
	{"PGMPI_RANK", "the rank program, where neither --rank nor mpi.rank of gl.toml names one"},
	{"COLUMNS", "how wide a line may be, where --width does not say it"},
	{"NO_COLOR", "if set, no colour, where --color does not say otherwise"},
}

// page is the manual page of a command, or of pgmpi, for the macros of man(7).
func page(c *cobra.Command) string {
	var b strings.Builder
	name := roff(pageName(c))
	_, arguments, _ := strings.Cut(c.Use, " ")
	fmt.Fprintf(&b, ".\\\" Made by: pgmpi man\n.TH %s 1 \"\" \"%s\" \"pgmpi manual\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.B %s\n",
		strings.ToUpper(name), roff("pgmpi "+version), name, roff(c.Short), roff(c.CommandPath()))
	if arguments != "" {
		fmt.Fprintf(&b, ".I %s\n", roff(arguments))
	}
	flags := flagsOf(c)
	if len(flags) > 0 || !c.HasParent() {
		b.WriteString(".RI [ FLAGS ]\n")
	}
	b.WriteString(".SH DESCRIPTION\n" + paragraphs(c.Long))
	item := func(head, text string) { fmt.Fprintf(&b, ".TP\n%s\n%s\n", head, text) }
	if !c.HasParent() {
		b.WriteString(".SH COMMANDS\n")
		for _, of := range commands(c) {
			item(".B "+roff(of.Use), roff(of.Short)+", see\n.BR "+roff(pageName(of))+" (1)")
		}
		b.WriteString(".SH ENVIRONMENT\n")
		for _, v := range variables {
			item(".B "+v[0], roff(v[1]))
		}
	}
	if len(flags) > 0 {
		b.WriteString(".SH OPTIONS\n")
	}
	for _, s := range sections(flags) {
		if s.title != "" {
			fmt.Fprintf(&b, ".SS %s\n", roff(s.title))
		}
		s.flags.VisitAll(func(f *pflag.Flag) {
			value, text := pflag.UnquoteUsage(f)
			item(strings.TrimSuffix(fmt.Sprintf(`\fB%s\fR \fI%s\fR`, roff("--"+f.Name), roff(value)), ` \fI\fR`), roff(text+usual(f)))
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

// paragraphs is the text of a help, in which indented lines stay as they are.
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

// roff is text in which nothing is a request: a dot or an apostrophe at the
// beginning of a line would be one.
func roff(text string) string {
	text = roffMarks.Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}

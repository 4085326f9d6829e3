package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/pflag"
)

func manCommand() command {
	return command{
		name:  "man",
		args:  "[COMMAND]",
		short: "print a manual page, for man -l",
		long: "Prints the manual page of pgmpi, or of one of its commands, as `make install`\n" +
			"installs it. To read it without an installation:\n" +
			"  pgmpi man check | man -l -",
		flags: func(fs *pflag.FlagSet) action {
			out := fs.String("out", "", "a `DIR` for all pages")
			return func(_ context.Context, args []string) error {
				switch {
				case len(args) == 1 && *out != "":
					return setupf("man: --out is for all pages; that of %s alone goes to standard output", args[0])
				case len(args) == 0 && *out != "":
					return writePages(*out)
				case len(args) == 0:
					return say(overviewPage())
				case len(args) == 1:
					c, err := find(args[0])
					if err != nil {
						return err
					}
					return say(c.page())
				}
				return setupf("man: name one command, or none; see `pgmpi help man`")
			}
		},
	}
}

// writePages writes pgmpi.1, and pgmpi-COMMAND.1 for every command.
func writePages(dir string) error {
	folder, err := folderFor(dir)
	if err != nil {
		return err
	}
	write := func(name, text string) error {
		return folder.WriteFile(name+".1", func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		})
	}
	err = write("pgmpi", overviewPage())
	for _, c := range commands() {
		err = errors.Join(err, write("pgmpi-"+c.name, c.page()))
	}
	return err
}

// overviewPage is pgmpi(1), for the macros of man(7).
func overviewPage() string {
	var b strings.Builder
	head(&b, "pgmpi", "check whether an MPI library keeps its own promises")
	b.WriteString(".B pgmpi\n.I COMMAND\n.RI [ FLAGS ]\n.SH DESCRIPTION\n")
	paragraphs(&b, about)
	b.WriteString(".SH COMMANDS\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s, see\n.BR %s (1)\n", roff(strings.TrimSpace(c.name+" "+c.args)), roff(c.short), roff("pgmpi-"+c.name))
	}
	b.WriteString(".SH ENVIRONMENT\n")
	for _, v := range variables {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", v[0], roff(v[1]))
	}
	exitStatus(&b)
	return b.String()
}

// variables of the environment that pgmpi reads by itself; those of batch systems
// and MPI libraries are theirs.
var variables = [][2]string{
	{"PGMPI_RANK", "the rank program, where neither --rank nor mpi.rank of gl.toml names one"},
	{"COLUMNS", "how wide a line may be, where --width does not say it"},
	{"NO_COLOR", "if set, no colour, where --color does not say otherwise"},
}

// page is the manual page of a command.
func (c command) page() string {
	var b strings.Builder
	fs, _ := c.flagSet()
	head(&b, "pgmpi-"+c.name, c.short)
	fmt.Fprintf(&b, ".B %s\n", roff("pgmpi "+c.name))
	if c.args != "" {
		fmt.Fprintf(&b, ".I %s\n", roff(c.args))
	}
	if fs.HasFlags() {
		b.WriteString(".RI [ FLAGS ]\n")
	}
	b.WriteString(".SH DESCRIPTION\n")
	paragraphs(&b, c.long)
	if fs.HasFlags() {
		b.WriteString(".SH OPTIONS\n")
	}
	for _, s := range sections(fs) {
		if s.title != "" {
			fmt.Fprintf(&b, ".SS %s\n", roff(s.title))
		}
		s.flags.VisitAll(func(f *pflag.Flag) {
			value, text := pflag.UnquoteUsage(f)
			if value != "" {
				value = " \\fI" + roff(value) + "\\fR"
			}
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR%s\n%s\n", roff("--"+f.Name), value, roff(text+usual(f)))
		})
	}
	exitStatus(&b)
	b.WriteString(".SH SEE ALSO\n.BR pgmpi (1)\n")
	return b.String()
}

func head(b *strings.Builder, name, short string) {
	fmt.Fprintf(b, ".\\\" Made by: pgmpi man\n.TH %s 1 \"\" \"%s\" \"pgmpi manual\"\n.SH NAME\n%s \\- %s\n.SH SYNOPSIS\n",
		roff(strings.ToUpper(name)), roff("pgmpi "+version), roff(name), roff(short))
}

func exitStatus(b *strings.Builder) {
	b.WriteString(".SH EXIT STATUS\n")
	for _, c := range exitCodes {
		fmt.Fprintf(b, ".TP\n.B %d\n%s\n", c.code, roff(c.means))
	}
}

// paragraphs writes the text of a help, in which indented lines stay as they are.
func paragraphs(b *strings.Builder, text string) {
	literal, gap := false, false
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if line == "" {
			gap = true
			continue
		}
		turns := strings.HasPrefix(line, "  ") != literal
		if turns && literal {
			b.WriteString(".fi\n")
		}
		if turns || gap {
			b.WriteString(".PP\n")
		}
		if turns && !literal {
			b.WriteString(".nf\n")
		}
		literal, gap = literal != turns, false
		b.WriteString(roff(line) + "\n")
	}
	if literal {
		b.WriteString(".fi\n")
	}
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

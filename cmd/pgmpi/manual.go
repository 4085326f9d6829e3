package main

import (
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
)

const about = `pgmpi finds out whether an MPI library keeps its own promises.

A collective should never be slower than an emulation of it by other
collectives (its mock-up), than itself on more data, or than itself called k
times on 1/k of the data. pgmpi measures, tests and reports the violations.
`

func helpCommand(h *command.Host) *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND]",
		Short:             "show the commands, or the flags of one",
		Args:              command.Wants(0, 1, "one command, or none"),
		ValidArgsFunction: manual.CommandNames,
		RunE: func(c *cobra.Command, args []string) error {
			of, err := named(c.Root(), args)
			if err != nil {
				return err
			}
			return h.Say(manual.Help(of, false))
		},
	}
}

func manCommand(h *command.Host) *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:     "man [COMMAND]",
		Example: "pgmpi man check | man -l -\npgmpi man --out share/man/man1",
		Short:   "print a manual page, for man -l",
		Long: "Prints the manual page of pgmpi, or of one of its commands, as `make install`\n" +
			"installs it. To read it without an installation:\n" +
			"  pgmpi man check | man -l -",
		Args:              command.Wants(0, 1, "one command, or none"),
		ValidArgsFunction: manual.CommandNames,
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case len(args) == 1 && out != "":
				return fail.Setupf("man: --out is for all pages; the page of %s goes to standard output", args[0])
			case out != "":
				return writePages(c.Root(), out)
			}
			of, err := named(c.Root(), args)
			if err != nil {
				return err
			}
			return h.Say(manual.Page(of))
		},
	}
	c.Flags().StringVar(&out, "out", "", "a `DIR` for all pages")
	return c
}

func named(root *cobra.Command, args []string) (*cobra.Command, error) {
	c, rest, err := root.Find(args)
	if err == nil && c == root && len(rest) > 0 {
		err = unknownCommand(root, rest[0])
	}
	return c, fail.AsSetup(err)
}

func writePages(root *cobra.Command, dir string) error {
	folder, err := command.FolderFor(dir)
	for _, c := range append(manual.Commands(root), root) {
		if err == nil {
			err = folder.WriteText(manual.PageName(c)+".1", manual.Page(c))
		}
	}
	return err
}

func completionCommand(h *command.Host) *cobra.Command {
	return &cobra.Command{
		Use:     "completion SHELL",
		Example: "source <(pgmpi completion bash)\npgmpi completion fish | source",
		Short:   "print a script that completes commands in a shell",
		Long: "Prints a script for bash, zsh or fish, by which the shell completes commands,\n" +
			"flags and what may follow them. For the running shell only:\n" +
			"  bash:  source <(pgmpi completion bash)\n" +
			"  zsh:   source <(pgmpi completion zsh)\n" +
			"  fish:  pgmpi completion fish | source\n" +
			"`make install` puts all three where the shells look.",
		Args:      command.Wants(1, 1, "one shell: "+strings.Join(manual.Shells, ", ")),
		ValidArgs: manual.Shells,
		RunE:      func(c *cobra.Command, args []string) error { return manual.Completion(h.Stdout, c.Root(), args[0]) },
	}
}

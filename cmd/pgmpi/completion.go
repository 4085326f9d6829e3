package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/internal/conf"
)

var shells = []string{"bash", "zsh", "fish"}

func completionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "completion of commands and flags for a shell",
		Long: "Prints a script for bash, zsh or fish, by which the shell completes commands,\n" +
			"flags and what may follow them. For this shell only:\n" +
			"  bash:  source <(pgmpi completion bash)\n" +
			"  zsh:   source <(pgmpi completion zsh)\n" +
			"  fish:  pgmpi completion fish | source\n" +
			"`make install` puts all three where the shells look.",
		Args:      wants(1, 1, "one shell: "+strings.Join(shells, ", ")),
		ValidArgs: shells,
		RunE: func(c *cobra.Command, args []string) error {
			switch args[0] {
			case "bash":
				if err := say(wordsOfBash); err != nil {
					return err
				}
				return c.Root().GenBashCompletionV2(stdout, true)
			case "zsh":
				return c.Root().GenZshCompletion(stdout)
			case "fish":
				return c.Root().GenFishCompletion(stdout, true)
			}
			return setupf("completion: %s", conf.Unknown("shell", args[0], shells))
		},
	}
}

// wordsOfBash stands in for the one function that cobra's script takes from the
// bash-completion project, which is not everywhere: the words up to the cursor, cut at
// blanks only, where bash cuts them at "=" and ":" too.
const wordsOfBash = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        local line=${COMP_LINE:0:COMP_POINT}
        read -ra words <<<"$line"
        [[ $line == *[[:blank:]] ]] && words+=("")
        cword=$((${#words[@]} - 1)) cur=${words[-1]} prev=${words[-2]-}
    }
fi
`

// describeShortly cuts the texts of flags for the lines of a menu.
func describeShortly(root *cobra.Command) {
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) { f.Usage = brief(f) })
	}
}

// choices is the annotation of a flag that says what may follow it.
const choices = "choices"

// chooses notes what may follow a flag.
func chooses(fs *pflag.FlagSet, flag string, names []string) {
	fs.Lookup(flag).Annotations = map[string][]string{choices: names}
}

// choicesOf is what may follow a flag; nil where it is no name of a list.
func choicesOf(f *pflag.Flag) []string {
	if k, ok := f.Value.(*keyFlag); ok {
		return k.key.Names
	}
	return f.Annotations[choices]
}

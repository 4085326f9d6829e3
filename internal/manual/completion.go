package manual

import (
	"io"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/internal/conf"
	"pgmpi/internal/fail"
)

var Shells = []string{"bash", "zsh", "fish"}

func Completion(w io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		if _, err := io.WriteString(w, wordsOfBash); err != nil {
			return err
		}
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	}
	return fail.Setupf("completion: %s", conf.Unknown("shell", shell, Shells))
}

// wordsOfBash replaces the one function that cobra's script takes from bash-completion, which is not everywhere: it
// finds the words up to the cursor, cut at blanks only, where bash cuts them at "=" and ":" too.
const wordsOfBash = `if ! declare -F _get_comp_words_by_ref >/dev/null; then
    _get_comp_words_by_ref() {
        local line=${COMP_LINE:0:COMP_POINT}
        read -ra words <<<"$line"
        [[ $line == *[[:blank:]] ]] && words+=("")
        cword=$((${#words[@]} - 1)) cur=${words[-1]} prev=${words[-2]-}
    }
fi
`

func CommandNames(c *cobra.Command, args []string, _ string) (names []cobra.Completion, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		for _, of := range Commands(c.Root()) {
			names = append(names, cobra.CompletionWithDesc(of.Name(), of.Short))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// Offer notes for Offered what may follow a flag.
func Offer(f *pflag.Flag, names []string) { annotate(f, choices, names...) }

func Offered(c *cobra.Command) {
	for _, f := range Flags(c) {
		if names := f.Annotations[choices]; names != nil {
			_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
		}
	}
}

var endOfBrief = regexp.MustCompile(`[:;(]`)

// Shorten cuts the texts of all flags for the lines of a menu.
func Shorten(root *cobra.Command) {
	for _, c := range root.Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			_, text := pflag.UnquoteUsage(f)
			if at := endOfBrief.FindStringIndex(text); at != nil && at[0] > 0 {
				text = text[:at[0]]
			}
			f.Usage = strings.TrimRight(text, " ,.")
		})
	}
}

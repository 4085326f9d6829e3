package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"pgmpi/internal/conf"
)

var shells = []string{"bash", "zsh", "fish"}

func completionCommand() command {
	return command{
		name:  "completion",
		args:  "SHELL",
		short: "completion of commands and flags for a shell",
		long: "Prints a script for bash, zsh or fish, by which the shell completes commands,\n" +
			"flags and what may follow them. For this shell only:\n" +
			"  bash:  source <(pgmpi completion bash)\n" +
			"  zsh:   source <(pgmpi completion zsh)\n" +
			"  fish:  pgmpi completion fish | source\n" +
			"`make install` puts all three where the shells look.",
		flags: func(*pflag.FlagSet) action {
			return func(_ context.Context, args []string) error {
				if len(args) != 1 {
					return setupf("completion: name one shell: %s", strings.Join(shells, ", "))
				}
				switch args[0] {
				case "bash":
					return say(bashCompletion())
				case "zsh":
					return say(zshCompletion())
				case "fish":
					return say(fishCompletion())
				}
				return setupf("completion: %s", conf.Unknown("shell", args[0], shells))
			}
		},
	}
}

// single is a text in a shell's single quotes.
func single(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// flagNames are the flags of a command with their dashes.
func flagNames(fs *pflag.FlagSet) []string {
	var names []string
	fs.VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return append(names, "--help")
}

// bashCompletion needs nothing of the bash-completion project. Bash cuts a word
// at "=", so the flag of --sync=w is two words back.
func bashCompletion() string {
	var b strings.Builder
	b.WriteString(`# Completion of pgmpi for bash, made by: pgmpi completion bash
_pgmpi() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} flags='' words=''
    if [ "$cur" = = ]; then
        cur=''
    elif [ "$prev" = = ] && [ "$COMP_CWORD" -gt 1 ]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    COMPREPLY=()
`)
	names := strings.Join(commandNames(), " ")
	fmt.Fprintf(&b, "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W %s -- \"$cur\"))\n        return\n    fi\n",
		single(names+" help"))
	b.WriteString("    case ${COMP_WORDS[1]} in\n")
	for _, c := range commands() {
		fs, _ := c.flagSet()
		fmt.Fprintf(&b, "    %s)\n        flags=%s words=%s\n        case $prev in\n", c.name,
			single(strings.Join(flagNames(fs), " ")), single(strings.Join(argumentsOf(c), " ")))
		fs.VisitAll(func(f *pflag.Flag) {
			if names := choicesOf(f); names != nil {
				fmt.Fprintf(&b, "        --%s) words=%s ;;\n", f.Name, single(strings.Join(names, " ")))
			}
		})
		b.WriteString("        esac\n        ;;\n")
	}
	fmt.Fprintf(&b, "    help) words=%s ;;\n", single(names))
	// Where nothing fits, "-o default" goes on with file names.
	b.WriteString(`    esac
    case $cur in
    -*) words=$flags ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _pgmpi pgmpi
`)
	return b.String()
}

var zshMarks = strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`, `:`, `\:`)

func zshCompletion() string {
	var b strings.Builder
	b.WriteString("#compdef pgmpi\n# Completion of pgmpi for zsh, made by: pgmpi completion zsh\n_pgmpi() {\n    local -a commands\n    commands=(\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "        %s\n", single(c.name+":"+zshMarks.Replace(c.short)))
	}
	b.WriteString(`        'help:the flags of a command'
    )
    if (( CURRENT == 2 )); then
        _describe command commands
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
`)
	for _, c := range commands() {
		fs, _ := c.flagSet()
		fmt.Fprintf(&b, "    %s)\n        _arguments", c.name)
		fs.VisitAll(func(f *pflag.Flag) { fmt.Fprintf(&b, " \\\n            %s", single(zshFlag(f))) })
		rest := "*:file:_files"
		if words := argumentsOf(c); words != nil {
			rest = "*:word:(" + strings.Join(words, " ") + ")"
		}
		fmt.Fprintf(&b, " \\\n            %s\n        ;;\n", single(rest))
	}
	b.WriteString(`    help) _describe command commands ;;
    esac
}
if [ "$funcstack[1]" = _pgmpi ]; then
    _pgmpi "$@"
else
    compdef _pgmpi pgmpi
fi
`)
	return b.String()
}

// zshFlag is a flag as _arguments wants it.
func zshFlag(f *pflag.Flag) string {
	value, _ := pflag.UnquoteUsage(f)
	text := "--" + f.Name
	if value == "" {
		return text + "[" + zshMarks.Replace(brief(f)) + "]"
	}
	text += "=[" + zshMarks.Replace(brief(f)) + "]:" + zshMarks.Replace(value) + ":"
	if names := choicesOf(f); names != nil {
		return text + "(" + strings.Join(names, " ") + ")"
	}
	return text + "_files"
}

func fishCompletion() string {
	var b strings.Builder
	b.WriteString("# Completion of pgmpi for fish, made by: pgmpi completion fish\ncomplete -c pgmpi -n __fish_use_subcommand -f\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "complete -c pgmpi -n __fish_use_subcommand -f -a %s -d %s\n", c.name, fishQuoted(c.short))
	}
	b.WriteString("complete -c pgmpi -n __fish_use_subcommand -f -a help -d 'the flags of a command'\n")
	fmt.Fprintf(&b, "complete -c pgmpi -n '__fish_seen_subcommand_from help' -f -a %s\n", single(strings.Join(commandNames(), " ")))
	for _, c := range commands() {
		in := single("__fish_seen_subcommand_from " + c.name)
		if words := argumentsOf(c); words != nil {
			fmt.Fprintf(&b, "complete -c pgmpi -n %s -f -a %s\n", in, single(strings.Join(words, " ")))
		}
		fs, _ := c.flagSet()
		fs.VisitAll(func(f *pflag.Flag) {
			value, _ := pflag.UnquoteUsage(f)
			wants := ""
			if names := choicesOf(f); names != nil {
				wants = " -x -a " + single(strings.Join(names, " "))
			} else if value != "" {
				wants = " -r -F"
			}
			fmt.Fprintf(&b, "complete -c pgmpi -n %s -l %s%s -d %s\n", in, f.Name, wants, fishQuoted(brief(f)))
		})
	}
	return b.String()
}

// fishQuoted is a text in fish's single quotes, where a backslash quotes.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

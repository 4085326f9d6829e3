package trouble

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"pgmpi/internal/lists"
)

//go:embed hints.txt
var hintsText string

// hint is a kind of failure.
type hint struct {
	name                 string
	words                []*regexp.Regexp
	what, try            string
	early, again, shaped bool
}

var hints = sync.OnceValue(func() []hint {
	list, err := read(hintsText)
	if err != nil {
		panic(err) // a test reads it
	}
	return list
})

// read reads kinds of failure, in the form that hints.txt explains.
func read(text string) (list []hint, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case word == "" || word[0] == '#':
		case word[0] == '[':
			h := hint{name: strings.Trim(word, "[]")}
			for _, flag := range strings.Fields(rest) {
				switch flag {
				case "early":
					h.early = true
				case "again":
					h.again = true
				case "shaped":
					h.shaped = true
				default:
					return nil, fmt.Errorf("hints.txt:%d: unknown word %q", n, flag)
				}
			}
			list = append(list, h)
		case len(list) == 0:
			return nil, fmt.Errorf("hints.txt:%d: it belongs to no kind", n)
		default:
			if err := list[len(list)-1].add(word, rest, list); err != nil {
				return nil, fmt.Errorf("hints.txt:%d: %w", n, err)
			}
		}
	}
	return list, nil
}

func (h *hint) add(word, rest string, before []hint) error {
	if word != "?" && dollar.MatchString(strings.ReplaceAll(rest, "$$", "")) {
		return fmt.Errorf("$1 stands for a group of the words, and $$ for a dollar: %.60q", rest)
	}
	switch word {
	case "?":
		x, err := regexp.Compile(strings.ReplaceAll(rest, " ", `\s+`))
		h.words = append(h.words, x)
		return err
	case "what":
		h.what = rest
	case "try":
		at := reference.FindStringSubmatch(rest)
		if at == nil {
			h.try = rest
			return nil
		}
		other := lists.First(before, func(o hint) bool { return o.name == at[1] })
		if other == nil || other.try == "" {
			return fmt.Errorf("there is no [%s] above", at[1])
		}
		h.try = strings.TrimSuffix(rest, "{"+at[1]+"}") + other.try
	default:
		return fmt.Errorf("a line begins with ?, what or try, and not with %q", word)
	}
	return nil
}

// dollar matches one that is no group's.
var dollar = regexp.MustCompile(`\$(?:[^1-9]|[1-9]\w)`)

// reference matches the name of another kind at the end of a remedy.
var reference = regexp.MustCompile(`\{([a-z-]+)\}$`)

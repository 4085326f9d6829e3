package trouble

import "strings"

// Said holds what is known of an mpirun that failed.
type Said struct {
	Words   string // its error, and all that launcher and ranks printed
	Greeted bool   // rank 0 had come through MPI_Init
	Shaped  bool   // ranks were asked for by nodes
}

// Advice explains a failure.
type Advice struct {
	Kind  string // its name in hints.txt
	What  string // in one line, where Words are worse
	Try   string
	Lines string // of Words, that say it
	Again bool   // it may not come again
}

// Explain returns the advice for the first kind of failure that the words fit, or nil.
func Explain(s *Said) *Advice {
	for _, h := range hints() {
		if h.early && s.Greeted || h.shaped && !s.Shaped {
			continue
		}
		for _, words := range h.words {
			at := words.FindStringSubmatchIndex(s.Words)
			if at == nil {
				continue
			}
			what := ""
			if h.what != "" {
				what = filled(string(words.ExpandString(nil, h.what, s.Words, at)))
			}
			return &Advice{Kind: h.name, What: what, Try: string(words.ExpandString(nil, h.try, s.Words, at)), Again: h.again, Lines: linesOf(s.Words, at[0], at[1])}
		}
	}
	return nil
}

// filled takes away what surrounds a group without words.
func filled(what string) string {
	what = strings.ReplaceAll(strings.Join(strings.Fields(what), " "), " ()", "")
	return strings.TrimRight(strings.NewReplacer(" :", ":", " ,", ",").Replace(what), ": ")
}

// linesOf returns the whole lines of a part of a text.
func linesOf(text string, from, to int) string {
	from = strings.LastIndexByte(text[:from], '\n') + 1
	if end := strings.IndexByte(text[to:], '\n'); end >= 0 {
		to += end
	} else {
		to = len(text)
	}
	return Excerpt(text[from:to])
}

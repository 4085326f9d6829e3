package document

import "pgmpi/internal/phrase"

// Tabled is a section with a table and a note where there is one, if the table has rows.
func Tabled(t *Table, note, title string, args ...any) []Section {
	if len(t.Rows) == 0 {
		return nil
	}
	s := Titled(title, args...)
	s.Table = t
	if note != "" {
		s.Notes = []string{note}
	}
	return []Section{s}
}

// Listed is a section with the first items of a list; more says how many there are besides.
func Listed[T any](title string, list []T, most int, more string, item func(T) string) []Section {
	if len(list) == 0 {
		return nil
	}
	s := Titled("%s", title)
	shown, rest := phrase.First(list, most, more)
	for _, x := range shown {
		s.Item("%s", item(x))
	}
	if rest != "" {
		s.Item("%s", rest)
	}
	return []Section{s}
}

package report

import (
	"pgmpi/internal/document"
)

// tabled is a section with a table and a note where there is one, if the table has rows.
func tabled(t *document.Table, note, title string, args ...any) []document.Section {
	if len(t.Rows) == 0 {
		return nil
	}
	s := document.Titled(title, args...)
	s.Table = t
	if note != "" {
		s.Notes = []string{note}
	}
	return []document.Section{s}
}

package document

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

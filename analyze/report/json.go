package report

import (
	"encoding/json"
	"io"
)

var jsonFormat = Format{Name: "json", ext: "json", from: value, Write: writeJSON}

// writeJSON writes the value as its type documents it.
func writeJSON(w io.Writer, d *Document) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(d.Value)
}

package report

import (
	"encoding/json"
	"io"

	"pgmpi/analyze"
)

var _ = register(Format{Name: "json", File: "report.json", Write: writeJSON})

// writeJSON writes the Report as it is documented in analyze.Report.
func writeJSON(w io.Writer, r *analyze.Report) error { return indentedJSON(w, r) }

func indentedJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

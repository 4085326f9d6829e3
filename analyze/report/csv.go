package report

import (
	"encoding/csv"
	"io"
)

var csvFormat = Format{Name: "csv", ext: "csv", from: rows, Write: writeCSV}

func writeCSV(w io.Writer, d *Document) error { return csv.NewWriter(w).WriteAll(d.Rows) }

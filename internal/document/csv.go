package document

import (
	"encoding/csv"
	"io"

	"pgmpi/internal/clean"
)

var csvFormat = Format{Name: "csv", ext: "csv", from: rows, Write: writeCSV}

func writeCSV(w io.Writer, d *Document) error {
	out := csv.NewWriter(w)
	for _, row := range d.Rows {
		if err := out.Write(clean.All(clean.Cell, row)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

package document

import (
	"encoding/csv"
	"io"
	"slices"

	"pgmpi/internal/clean"
)

var csvFormat = Format{Name: "csv", ext: "csv", from: rows, Write: writeCSV}

func writeCSV(w io.Writer, d *Document) error {
	out := csv.NewWriter(w)
	for _, row := range d.Rows {
		row = slices.Clone(row)
		for i := range row {
			row[i] = clean.Cell(row[i])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

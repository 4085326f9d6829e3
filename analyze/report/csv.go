package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
)

var csvFormat = Format{Name: "csv", ext: "csv", from: rows, Write: writeCSV}

func writeCSV(w io.Writer, d *Document) error {
	out := csv.NewWriter(w)
	for _, row := range d.Rows {
		row = slices.Clone(row)
		for i := range row {
			row[i] = noFormula(row[i])
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// noFormula puts an apostrophe before a text that a spreadsheet would calculate.
func noFormula(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

package document

import "io"

// osuFormat is the text of OSU's benchmarks.
var osuFormat = Format{Name: "osu", ext: "osu.txt", from: plotted, Write: func(w io.Writer, d *Document) error {
	_, err := io.WriteString(w, d.Plotted)
	return err
}}

package picture

import "io"

// Format is one way to write pictures; Ext is the ending of its files.
type Format struct {
	Ext   string
	Write func(w io.Writer, p *Picture) error
}

var Formats = []Format{
	{"pdf", writePDF},
	{"svg", writeSVG},
	{"png", writePNG},
	{"csv", writeCSV},
}

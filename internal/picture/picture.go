package picture

import (
	"io"

	"pgmpi/internal/clean"
)

// Picture holds what one set of files shows: panels next to each other with the same axes, or a
// heat map.
type Picture struct {
	Name   string // of its files, without the ending
	Kind   string // its group of pictures, in the plural
	Title  string
	Panels []Figure
	Heat   *HeatMap
}

func (p *Picture) Clean() {
	p.Title = clean.Line(p.Title)
	for i := range p.Panels {
		p.Panels[i].Rewrite(clean.Line, clean.TableCell)
	}
	if p.Heat != nil {
		p.Heat = p.Heat.Rewritten(clean.Line)
	}
}

// Format writes pictures in one way; Ext is the ending of its files.
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

// Tone names what a terminal says by a colour besides the words.
type Tone int

const (
	Plain    Tone = iota
	Slow          // violated
	Possible      // possible or faster
	Open          // undecided
)

package picture

import (
	"pgmpi/internal/clean"
)

// Picture is what one set of files shows: panels beside each other with the same axes, or a heat map.
type Picture struct {
	Name   string // of its files, without the ending
	Kind   string // what it is one of, in the plural
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

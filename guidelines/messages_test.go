package guidelines

import (
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

func TestMessagesAreAskedOfTwoProcessesOrMore(t *testing.T) {
	s := settings("messages", "GL28")
	s.Shapes = []Shape{{NP: 1}, {NP: 2}}
	p := build(t, s)
	of := map[int]map[string]bool{1: {}, 2: {}}
	for _, x := range p.Tests {
		of[x.Shape.NP][x.Guideline+":"+x.Function] = true
	}
	should.Equal(t, of[1], map[string]bool{"GL28:MPI_Bcast": true}, "on one process")
	should.Equal(t, len(of[2]), 1+4+4, "on two: %v", of[2])
	should.Contain(t, strings.Join(p.Notes, "\n"),
		"GL2 is not tested on p1: a message needs two processes", "M1 is not tested on p1")
}

// Isend may cost the price of a request beyond Send.
func TestOnlyIsendIsAllowedATolerance(t *testing.T) {
	for _, x := range build(t, settings("messages")).Tests {
		should.Equal(t, x.Tolerant, x.Guideline == "M3", "%s", x.Guideline)
	}
}

func TestMessagesAreOffByDefault(t *testing.T) {
	for _, g := range Default().resolve(nil) {
		should.Hold(t, g.Group == "", "%s: %s is in the group %s", g.ID, g.Function, g.Group)
	}
}

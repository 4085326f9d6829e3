package guidelines

import (
	"slices"

	"pgmpi/mockups"
)

// Group is a part of the catalogue that is selected by its name, and off by default. Most
// are the guidelines about another way to call a collective, with GL1 and GL2 of such calls.
type Group string

// The groups, and the selector of the whole catalogue with all of them.
const (
	Nonblocking Group = "nonblocking"
	Persistent  Group = "persistent"
	InPlace     Group = "in_place"
	// Lanes are about mock-ups that divide their work among nodes.
	Lanes Group = "lanes"

	everything = "everything"
)

// callsOf are the calls that a group is about, if any.
var callsOf = map[Group]mockups.Call{Nonblocking: mockups.Nonblocking, Persistent: mockups.Persistent, InPlace: mockups.InPlace}

// Groups are all of them, in the order of the catalogue.
func Groups() []Group { return []Group{Lanes, Nonblocking, Persistent, InPlace} }

// Pair says that a collective called in one way is not to be slower than called in another;
// "": as usual.
type Pair struct {
	Call, Than mockups.Call
	Tolerant   bool
}

// pairs are the guidelines of an entry about calls: as many as collectives have both sides.
func (e Entry) pairs() (out []Guideline) {
	for _, of := range mockups.Identities() {
		for _, p := range e.Pairs {
			g := Guideline{ID: e.ID, Type: Pattern, Function: mockups.CallOf(of, p.Call), Mockup: mockups.CallOf(of, p.Than), Group: e.Group, Tolerant: p.Tolerant}
			if isCall(g.Function) && isCall(g.Mockup) {
				out = append(out, g)
			}
		}
	}
	return out
}

// InGroups are the guidelines that an entry without a mock-up, GL1 or GL2, is in the groups.
func (e Entry) InGroups() (out []Guideline) {
	if e.Type == Pattern {
		return nil
	}
	for _, group := range Groups() {
		call := callsOf[group]
		if call == "" {
			continue
		}
		for _, of := range mockups.Identities() {
			if f := mockups.CallOf(of, call); isCall(f) {
				out = append(out, Guideline{ID: e.ID, Type: e.Type, Function: f, Group: group})
			}
		}
	}
	return out
}

func isGroup(name string) bool { return slices.Contains(Groups(), Group(name)) }

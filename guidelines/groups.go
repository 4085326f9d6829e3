package guidelines

import (
	"slices"

	"pgmpi/mockups"
)

// Group is a part of the catalogue that its name selects. It is off by default. Most groups are about
// another way to call a collective, with GL1 and GL2 for such calls.
type Group string

const (
	Nonblocking Group = "nonblocking"
	Persistent  Group = "persistent"
	InPlace     Group = "in_place"
	// Lanes has guidelines about mock-ups that divide their work among nodes.
	Lanes Group = "lanes"
	// Counts, datatypes and processes that differ from the regular calls.
	Irregular    Group = "irregular"
	Derived      Group = "datatypes"
	Neighborhood Group = "neighborhood"
	LargeCounts  Group = "large_counts"
	// Messages has guidelines about messages between two ranks, which are no collectives.
	Messages Group = "messages"
	// Textbook asks whether any textbook algorithm by messages is faster.
	Textbook Group = "textbook"
	// Fewer asks whether a call on fewer of the processes is faster, the others served by messages.
	Fewer Group = "fewer"

	everything = "everything"

	// Eager selects of Messages what finds an eager limit at the least cost: GL2 at the sizes where limits are.
	Eager      = "eager"
	leastEager = 1 << 10
	mostEager  = 64 << 10
)

var callsOf = map[Group][]mockups.Call{
	Nonblocking: {mockups.Nonblocking}, Persistent: {mockups.Persistent}, InPlace: {mockups.InPlace},
	Irregular: irregular(), Derived: {mockups.Call(mockups.Vector), mockups.Call(mockups.Indexed)},
	Neighborhood: {mockups.Neighborhood}, LargeCounts: {mockups.LargeCount},
}

func irregular() (calls []mockups.Call) {
	for _, r := range mockups.Unequal {
		calls = append(calls, mockups.Call(r), mockups.Counted(r, mockups.Wide))
	}
	return calls
}

var groups = []Group{Lanes, Nonblocking, Persistent, InPlace, Irregular, Derived, Neighborhood, LargeCounts, Messages, Textbook, Fewer}

// These guidelines have one test for all mock-ups of their kind: the Mockup is "", and the verdict names the fastest.
const (
	TextbookID = "TB1"
	FewerID    = "FP1"
)

// OneOf tells whether a guideline is one of these.
func OneOf(id string) bool { return id == TextbookID || id == FewerID }

// AllOf returns the mock-ups of a collective on p processes that such a guideline is about.
func AllOf(id, of string, p int) []string {
	switch id {
	case TextbookID:
		return mockups.Textbook(of)
	case FewerID:
		return mockups.Fewer(of, p)
	}
	return nil
}

// pair says that one way to call a collective must not be slower than another; "" is the usual way.
type pair struct {
	Call, Than mockups.Call
	Tolerant   bool
}

func (e Entry) pairs() (out []Guideline) {
	for _, of := range mockups.Functions() {
		if f, _ := mockups.Get(of); f.Message != (e.Group == Messages) {
			continue
		}
		for _, p := range e.Pairs {
			g := Guideline{ID: e.ID, Type: Pattern, Function: mockups.CallOf(of, p.Call), Mockup: mockups.CallOf(of, p.Than), Group: e.Group, Tolerant: p.Tolerant}
			if mockups.IsCallOf(g.Function, of) && mockups.IsCallOf(g.Mockup, of) {
				out = append(out, g)
			}
		}
	}
	return out
}

// byRule holds calls with counts by every rule against others with the same counts.
func byRule(than mockups.Call) (pairs []pair) {
	for _, r := range mockups.Rules {
		pairs = append(pairs, pair{mockups.Counted(r, ""), mockups.Counted(r, than), false})
	}
	return pairs
}

// inGroups returns the guidelines GL1 or GL2 about the calls of the groups. A call with a
// vector of equal counts would repeat a regular collective.
func (e Entry) inGroups() (out []Guideline) {
	if e.Type == Pattern {
		return nil
	}
	for _, group := range groups {
		for _, f := range mockups.Variants() {
			if of, _ := mockups.Get(f.Of); slices.Contains(callsOf[group], f.Call) && (of.Regular || f.Rule != "") {
				out = append(out, Guideline{ID: e.ID, Type: e.Type, Function: f.ID, Group: group})
			}
		}
	}
	for _, id := range mockups.Messages() {
		out = append(out, Guideline{ID: e.ID, Type: e.Type, Function: id, Group: Messages})
	}
	return out
}

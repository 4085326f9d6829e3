package series

import (
	"cmp"
	"fmt"
	"pgmpi/analyze"
)

// machineState begins the name of the factor.
const machineState = "machine state"

// otherSpeed is how much two folders' yardsticks differ where the machine was in
// another state.
const otherSpeed = 1.5

// machineStates are the shapes on which two folders met other states of the machine:
// the yardstick's readings of the machine differ, or only one of them has several.
func machineStates(a, b *analyze.Side) []Difference {
	var out []Difference
	for _, shape := range a.Manifest.Plan.Shapes {
		statesA, statesB := a.Set.States(shape), b.Set.States(shape)
		inA, inB := cmp.Or(analyze.StatesOf(statesA, shape.String()), "one state"), cmp.Or(analyze.StatesOf(statesB, shape.String()), "one state")
		differ := (statesA == nil) != (statesB == nil)
		speedA, speedB := a.Set.Speed(shape), b.Set.Speed(shape)
		for _, q := range ofMachine {
			x, y := *speedA.At(q), *speedB.At(q)
			if min(x, y) > 0 && otherState(x, y) {
				differ, inA, inB = true, fmt.Sprintf("%s %.3g ns (%s)", q, x, inA), fmt.Sprintf("%s %.3g ns (%s)", q, y, inB)
				break
			}
		}
		if differ && len(a.Set.WallNS[shape.String()]) > 0 && len(b.Set.WallNS[shape.String()]) > 0 {
			out = append(out, Difference{Factor: machineState + " " + shape.String(), A: inA, B: inB})
		}
	}
	return out
}

package world

var (
	IID    = World{Own: .04}
	Shared = World{Cases: .0346, Own: .02}
	Slow   = World{Own: .04, Slow: .1}
	Quiet  = World{General: .03, Cases: .03, Own: .021, Slow: .05}
	// The second state holds in 30 or 70 % of the mpiruns.
	States2  = World{General: .03, Cases: .03, Own: .03, States: [2]float64{.3, .7}}
	Changing = World{General: .03, Cases: .03, Own: .03, States: [2]float64{.3, .7}, Changes: .1}
	mixing   = World{Own: .03, States: [2]float64{.3, .3}, Changes: .18}
	odd      = World{Own: .02, Odd: .2}
	// The sides' spreads really differ this much: docs/statistics.md.
	mixed = [][2]float64{{.07, 7}, {.14, 4}, {.14, 2.5}}
)

// Noises lists the worlds of which errors, power and intervals are asked. A world without aims has
// what all mpiruns of a check share, so that no test of them can know it, or what no test can see.
var Noises = []struct {
	Name  string
	World World
	Most  float64    // checks with a false violation where every ratio is 1
	Least [3]float64 // found of slowdowns
}{
	{"iid 4 %", IID, .05, [3]float64{.45, .95, .995}}, {"shared, ρ .75", Shared, .05, [3]float64{.45, .95, .995}}, {"tails of t, 2 degrees of freedom", World{Own: .04, Tails: 2}, .05, [3]float64{}}, {"Cauchy 3 %", World{Own: .03, Tails: 1}, .05, [3]float64{}},
	{"10 % glitches up to ×10", World{Own: .03, Glitches: [2]float64{.1, .1}}, .05, [3]float64{0, .85, .85}}, {"the same of the call", World{Own: .03, Glitches: [2]float64{.1, 0}}, .05, [3]float64{}}, {"the same of the other", World{Own: .03, Glitches: [2]float64{0, .1}}, .05, [3]float64{}}, {"30 % glitches up to ×5", World{Own: .03, Glitches: [2]float64{.3, .3}, Larger: 5}, .05, [3]float64{}},
	{"skew of the call", World{Own: .02, Skew: [2]float64{.1, 0}}, .05, [3]float64{}}, {"skew of the other", World{Own: .02, Skew: [2]float64{0, .1}}, .05, [3]float64{}}, {"10 % of mpiruns ×1.35", Slow, .05, [3]float64{.45, .95, .995}}, {"clock of 10 ns at 450 ns", World{Own: .04, Step: 10}, .05, [3]float64{.40, .95, .995}}, {"clock of 40 ns at 350 ns", World{Own: .04, Step: 40, Takes: 350}, .05, [3]float64{}}, {"clock of 40 ns at 200 ns", World{Own: .04, Step: 40, Takes: 200}, .05, [3]float64{}},
	{"spreads as in reality", World{Own: .04, Spreads: mixed}, .05, [3]float64{}}, {"all spreads 10:1", World{Own: .071, Spreads: [][2]float64{{1, 10}}}, .10, [3]float64{}}, {"call jumps ×1.2, 1/1.2", World{Own: .002, Jumps: 1.2}, .10, [3]float64{}}, {"two States2, ×2", States2, .05, [3]float64{}}, {"two States2, 10 % of pairs in both", Changing, .05, [3]float64{}},
	{"two States2, 18 % of pairs in both", mixing, .05, [3]float64{0, .85, .85}}, {"20 % of run medians ×1.3", odd, .05, [3]float64{}}, {"the ratio drifts by 6 % in a check", World{Own: .04, Drift: .06}, .05, [3]float64{}}, {"own effects last, AR(1) .5", World{Own: .04, Lasts: .5}, 0, [3]float64{}}, {"each test 1 % elsewhere in a check", World{Own: .04, Offset: .01}, 0, [3]float64{}}, {"each test 1.5 % elsewhere", World{Own: .04, Offset: .015}, 0, [3]float64{}}, {"each test 3 % elsewhere", World{Own: .04, Offset: .03}, 0, [3]float64{}},
}

package measure

import (
	"cmp"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// maxTurns, with results.MaxVisits, limits the order of the visits. It is in the header of every raw
// file, and must stay below what a reader takes.
const maxTurns = 10000

// usualTurns was chosen by its effect on verdicts that flip (docs/dev/measuring.md).
const usualTurns = 10

// A pair that takes turns has this many calls of each side, or what fits into this time
// (docs/dev/measuring.md).
const (
	alternations = 200
	pairTime     = 10 * time.Millisecond
)

// InTurns returns how often each side of a pair is called, from the seconds of one call of both.
func InTurns(both float64) float64 {
	return min(alternations, protocol.PairBatch*math.Ceil(pairTime.Seconds()/both/protocol.PairBatch))
}

// Without turns configured a visit has leastCalls repetitions, and a case fewVisits, if it has as many
// repetitions: above some 20 µs visits differ more than the calls of one do (docs/dev/measuring.md).
const (
	leastCalls = 5
	fewVisits  = 4
)

// turns returns the number of rounds in which a task visits its cases. Unless configured, it is one
// where caches are prepared before each call, where bounds of repeated calls are measured, and where
// the temporaries of all cases do not fit side by side.
func (s *Session) turns(t Task) int {
	switch {
	case t.turns > 0:
		return t.turns
	case t.Mode == protocol.ModeNREP || t.Mode == protocol.ModeMessages:
		return 1 // what is repeated until it is known well enough has no parts
	case t.Work != nil:
		return 1 // it goes on with what the calls have just taken
	case t.Mode == protocol.ModeAlternate:
		return 1 // a visit does a whole pair
	case s.Measure.Turns == 0 && !s.roomForTurns(t):
		return 1
	}
	return min(s.Measure.MostTurns(), max(1, results.MaxVisits/max(1, len(t.Cases))))
}

// LeavesParts tells whether an mpirun of stage 2 that is cut off may have left finished rounds.
func (c Config) LeavesParts() bool { return c.MostTurns() > 1 && c.sendsRounds() }

// sendsRounds tells whether stage 2 sends finished rounds: durations of every rank, and
// counters, come with the last one only.
func (c Config) sendsRounds() bool { return !c.PerRank && len(c.Counters) == 0 }

func (c Config) MostTurns() int {
	if c.Turns == 0 && (c.Provable || c.Cache != "warm") {
		return 1
	}
	return cmp.Or(c.Turns, usualTurns)
}

func (s *Session) roomForTurns(t Task) bool {
	plan := &s.Manifest.Plan
	cases := append(lists.Map(t.Cases, func(c Sampled) int { return c.Plan }), t.Fillers...)
	room := mockups.Room{Cap: cmp.Or(s.Manifest.MemoryCap[t.Shape.String()], int64(s.Measure.TempMemory)), Apart: plan.Apart(cases)}
	sized := plan.Sized(cases)
	once, _ := mockups.Fit(sized, t.Shape.NP, room)
	room.OwnTemps = true
	own, _ := mockups.Fit(sized, t.Shape.NP, room)
	return slices.Equal(once, own)
}

// pair has both sides of a guideline, as indices into Task.Cases.
type pair [2]int

// rounds returns the indices of the cases, and of the fillers after them, as they are visited: in n
// rounds, each in an order of its own. A case with fewer than least repetitions a round is not in all
// of them; the fillers are in the first. Empty rounds are left out.
func (t Task) rounds(rng *rand.Rand, n, least int, plan *results.Manifest) (out [][]int) {
	all := len(t.Cases) + len(t.Fillers)
	if n <= 1 {
		return [][]int{slices.DeleteFunc(rng.Perm(all), t.second)}
	}
	pairs := t.pairs(plan)
	for _, rank := range spread(n) {
		var there []int
		for i, c := range t.Cases {
			if rank < max(1, min(fewVisits, c.NRep), c.NRep/least) {
				there = append(there, i)
			}
		}
		if len(out) == 0 {
			for i := range t.Fillers {
				there = append(there, len(t.Cases)+i)
			}
		}
		next := round(rng, there, all, pairs)
		if len(next) == 0 {
			continue
		}
		if n := len(out); n > 0 && next[0] == out[n-1][len(out[n-1])-1] {
			slices.Reverse(next) // else the end of one round and the start of the next were one call repeated
		}
		out = append(out, next)
	}
	return out
}

// spread ranks n rounds so that the first few are far from each other (van der Corput). With k
// repetitions a case is in the rounds of the k lowest ranks: spread evenly, and never without a case
// that has more. The first round has rank 0.
func spread(n int) []int {
	rounds := make([]int, n)
	for i := range rounds {
		rounds[i] = i
	}
	slices.SortFunc(rounds, func(a, b int) int { return cmp.Compare(bits.Reverse(uint(a)), bits.Reverse(uint(b))) })
	ranks := make([]int, n)
	for rank, i := range rounds {
		ranks[i] = rank
	}
	return ranks
}

// pairs returns the cases that are compared with each other, tier by tier; the first tier
// becomes neighbours first.
func (t Task) pairs(m *results.Manifest) [][]pair {
	at := map[[2]int]int{}
	for i, c := range t.Cases {
		at[[2]int{c.Plan, c.Calls}] = i
	}
	for i, plan := range t.Fillers {
		at[[2]int{plan}] = len(t.Cases) + i
	}
	tiers := map[guidelines.Type][]pair{}
	add := func(kind guidelines.Type, a, b [2]int) {
		x, here := at[a]
		if y, too := at[b]; here && too {
			tiers[kind] = append(tiers[kind], pair{x, y})
		}
	}
	if t.Mode.FollowsUp() {
		for _, f := range m.Following(t.Mode) {
			kind, calls := guidelines.Split, f.Calls
			if calls == 1 {
				kind, calls = guidelines.Pattern, 0
			}
			add(kind, [2]int{f.Case}, [2]int{f.Part, calls})
		}
	} else {
		for _, test := range m.Plan.Tests {
			for _, other := range test.Others {
				add(test.Type, [2]int{test.Case}, [2]int{other})
			}
		}
	}
	return [][]pair{tiers[guidelines.Pattern], tiers[guidelines.Monotony], tiers[guidelines.Split]}
}

// round returns a random order of the cases that are there, of n in all. Pairs are taken
// at random, tier by tier. A case that has no place yet gets one next to its partner, but not
// between cases of an earlier tier; two that have theirs stay.
func round(rng *rand.Rand, there []int, n int, tiers [][]pair) []int {
	const absent, alone = -2, -1
	group := slices.Repeat([]int{absent}, n) // of each case
	for _, i := range there {
		group[i] = alone
	}
	var groups [][]int
	var earlier []int // group of each case before this tier
	for _, pairs := range tiers {
		earlier = slices.Clone(group)
		for _, k := range rng.Perm(len(pairs)) {
			a, b := pairs[k][0], pairs[k][1]
			switch {
			case group[a] == absent || group[b] == absent || group[a] != alone && group[b] != alone:
				continue
			case group[a] == alone && group[b] == alone:
				group[a] = len(groups)
				groups = append(groups, []int{a})
			case group[a] == alone:
				a, b = b, a
			}
			g := groups[group[a]]
			at, step := slices.Index(g, a), -1
			if rng.IntN(2) == 1 {
				at, step = at+1, 1
			}
			for at > 0 && at < len(g) && earlier[g[at-1]] != alone && earlier[g[at-1]] == earlier[g[at]] {
				at += step
			}
			groups[group[a]] = slices.Insert(g, at, b)
			group[b] = group[a]
		}
	}
	for _, i := range there {
		if group[i] == alone {
			groups = append(groups, []int{i})
		}
	}
	rng.Shuffle(len(groups), func(i, k int) { groups[i], groups[k] = groups[k], groups[i] })
	return slices.Concat(groups...)
}

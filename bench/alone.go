package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/bench/steady"
	"pgmpi/guidelines"
	"pgmpi/internal/lists"
	"pgmpi/measure/protocol"
)

const (
	aloneAgree = .95
	aloneSizes = `"16", "1Ki", "16Ki", "128Ki", "1Mi"`
)

// aloneBench asks whether a verdict is about the call: it measures the same tests in a default check, in
// one of five sizes, and each in a check of its own.
func aloneBench(ctx context.Context, e *env) {
	const toml = "[check]\nguidelines = [\"GL3..GL17\"]\n"
	besideLoad(ctx, e.load, func(ctx context.Context) {
		full := e.check(ctx, "default check", toml+e.job(`"1..1Mi"`), 1)
		small := e.check(ctx, "five sizes", toml+e.job(aloneSizes), 2)
		smallMpiruns, fullMpiruns := get(steady.Open(small.out)), get(steady.Open(full.out))
		pairs := map[string]*agreement{}
		for n, v := range aloneCells(small.Verdicts, e.times) {
			text := fmt.Sprintf("[check]\nguidelines = [%q]\nfunctions = [%q]\n", v.Guideline, v.Function) + e.job(fmt.Sprintf("%q", fmt.Sprint(v.Msize)))
			alone := e.check(ctx, fmt.Sprintf("%s %s at %d B alone", v.Guideline, v.Function, v.Msize), text, n+3)
			of := [3]*analyze.Verdict{same(alone.Verdicts, v), same(small.Verdicts, v), same(full.Verdicts, v)}
			folders := [3]*steady.Folder{get(steady.Open(alone.out)), smallMpiruns, fullMpiruns}
			for _, p := range [][2]int{{0, 1}, {0, 2}, {1, 2}} {
				names := [3]string{"alone", "five sizes", "default"}
				both := names[p[0]] + " and " + names[p[1]]
				compareConditions(pairs, both, of[p[0]], of[p[1]])
				a, b := steady.Effects(folders[p[0]], folders[p[1]], v)
				compareEffects(pairs, "repeated, in one state of the machine, "+both, a, b)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(pairs)) {
			a := pairs[name]
			e.aim(fmt.Sprintf("%s: agree, of %d", name, a.of), float64(a.n)/float64(a.of), "%.3f", aloneAgree, 0)
		}
	})
}

// aloneCells returns at most n tests of patterns: violated ones first, then others, spread evenly.
func aloneCells(verdicts []analyze.Verdict, n int) (cells []*analyze.Verdict) {
	for _, violated := range []bool{true, false} {
		var those []*analyze.Verdict
		for i := range verdicts {
			if v := &verdicts[i]; v.Type == guidelines.Pattern && v.Ratio != nil && (v.Verdict == judge.Violated) == violated {
				those = append(those, v)
			}
		}
		take := min(len(those), n-len(cells))
		for i := range take {
			cells = append(cells, those[i*len(those)/take])
		}
	}
	return cells
}

func same(verdicts []analyze.Verdict, as *analyze.Verdict) *analyze.Verdict {
	return lists.First(verdicts, func(v analyze.Verdict) bool {
		return v.Guideline == as.Guideline && v.Function == as.Function && v.Mockup == as.Mockup && v.Msize == as.Msize
	})
}

type agreement struct{ n, of int }

// compareConditions counts a test's answers under each condition that two checks have measured it in.
func compareConditions(pairs map[string]*agreement, name string, a, b *analyze.Verdict) {
	if a == nil || b == nil {
		return
	}
	compareEffects(pairs, "repeated, "+name, &a.Effect, &b.Effect)
	compareEffects(pairs, "alternating, "+name, effectOf(a.Alternating), effectOf(b.Alternating))
	compareEffects(pairs, "malloc "+protocol.MallocSettled+", "+name, effectOf(a.OtherMalloc), effectOf(b.OtherMalloc))
}

func compareEffects(pairs map[string]*agreement, key string, a, b *analyze.Effect) {
	agree, known := steady.Agree(a, b)
	if !known {
		return
	} else if pairs[key] == nil {
		pairs[key] = &agreement{}
	}
	if pairs[key].of++; agree {
		pairs[key].n++
	} else {
		fmt.Printf("      %s: %.2f [%.2f, %.2f] and %.2f [%.2f, %.2f]\n", key, *a.Ratio, *a.RatioLo95, *a.RatioHi95, *b.Ratio, *b.RatioLo95, *b.RatioHi95)
	}
}

func effectOf(e *analyze.Elsewhere) *analyze.Effect {
	if e == nil {
		return nil
	}
	return &e.Effect
}

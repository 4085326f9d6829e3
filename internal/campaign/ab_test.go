package campaign

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgmpi/analyze/judge"
	"pgmpi/analyze/series"
)

func TestOrderOfTheSidesIsDrawnAndTheSeedDecides(t *testing.T) {
	order := drawOrder(1, 2, 200)
	if !slices.Equal(order, drawOrder(1, 2, 200)) || slices.Equal(order, drawOrder(2, 2, 200)) || slices.Equal(order, drawOrder(1, 1, 200)) {
		t.Error("the order does not follow from seed and stage")
	}
	if first := strings.Count(strings.Join(order, " "), "ab"); first < 70 || first > 130 {
		t.Errorf("A comes first in %d of 200 rounds", first)
	}
	if !slices.Equal(order[:50], drawOrder(1, 2, 50)) {
		t.Error("more rounds change the order of the first")
	}
}

func (b *bed) ab(toml string) *AB {
	b.t.Helper()
	x := &AB{Out: b.out, Names: [2]string{"A.toml", "B.toml"}}
	for i, name := range []string{"a", "b"} {
		x.Sides[i] = b.prepared(filepath.Join(b.out, name), toml)
		if err := x.Sides[i].Open(); err != nil {
			b.t.Fatal(err)
		}
		b.t.Cleanup(func() { x.Sides[i].Close() })
	}
	return x
}

func (x *AB) close() {
	x.Sides[0].Close()
	x.Sides[1].Close()
}

func TestTheSidesAlternateInTheOrderOfTheFolder(t *testing.T) {
	bubble(t, func(t *testing.T, b *bed) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute+time.Second)
		defer cancel()
		b.fake.Takes = time.Minute
		x := b.ab(quick)
		if err := x.Measure(ctx); err == nil {
			t.Fatal("it was not interrupted")
		}
		x.close()
		path := filepath.Join(b.out, ABFile)
		rec, err := readOrder(path)
		if err != nil || len(rec.PredictOrder) != 2 || len(rec.MeasureOrder) != 3 {
			t.Fatalf("%+v, %v", rec, err)
		}
		// Whatever the order of the rest was, it is kept.
		text, _ := os.ReadFile(path)
		swapped := strings.NewReplacer("ab", "ba", "ba", "ab").Replace(string(text[strings.Index(string(text), "predict_order"):]))
		if err := os.WriteFile(path, append(text[:strings.Index(string(text), "predict_order")], swapped...), 0o666); err != nil {
			t.Fatal(err)
		}
		x = b.ab(quick)
		if err := x.Measure(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.close()
		if n := len(b.fake.Jobs()); n != 21 {
			t.Errorf("%d jobs, want 20 and the one that was interrupted", n)
		}
		if last := b.seen[len(b.seen)-1]; last.Run != 12 || last.All != 20 || last.Before != 19 {
			t.Errorf("%+v", last)
		}
		now, _ := os.ReadFile(path)
		if !strings.HasSuffix(string(now), swapped) {
			t.Errorf("another order:\n%s", now)
		}
		var setup *Setup
		other := b.ab(quick)
		other.Sides[0].Manifest.Seed = 7
		if err := other.Measure(t.Context()); !errors.As(err, &setup) || !strings.Contains(err.Error(), "another seed") {
			t.Errorf("%v", err)
		}
	})
}

func TestSidesThatCannotBeComparedAreRefused(t *testing.T) {
	b := newBed(t)
	a := b.prepared(filepath.Join(b.out, "a"), quick)
	for _, c := range []struct{ old, new, says string }{
		{"mpiruns = 3", "mpiruns = 4", "A asks for 3 mpiruns and B for 4"},
		{"np = [2, 3]", "np = [2]", "different numbers of processes"},
		{`"8"`, `"16"`, "no case"},
	} {
		x := &AB{Sides: [2]*Campaign{a, b.prepared(filepath.Join(b.out, "b"), strings.Replace(quick, c.old, c.new, 1))}}
		err := x.Refuse(series.CompareConfig{Config: a.Config.Analyze, Alternative: judge.TwoSided, Paired: true})
		var setup *Setup
		if !errors.As(err, &setup) {
			t.Errorf("%s: %v", c.says, err)
		}
	}
}

package host

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Ranges is a set of small numbers, ascending: CPUs or ranks. As text it is a
// list as the kernel writes it, "0-3,8".
type Ranges []int

// The largest set, and the largest number in it, that a text may ask for.
const (
	maxRangesLen   = 1 << 17
	maxRangesValue = 1 << 24
)

func parseRanges(text string) (Ranges, error) {
	out := Ranges{}
	text = strings.TrimSpace(text)
	if text == "" {
		return out, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		a, b, ok := ends(part)
		if !ok || len(out)+b-a >= maxRangesLen {
			return nil, fmt.Errorf("%.40q is no list like 0-3,8", text)
		}
		for ; a <= b; a++ {
			out = append(out, a)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func ends(part string) (a, b int, ok bool) {
	first, last, isRange := strings.Cut(part, "-")
	if !isRange {
		last = first
	}
	a, errA := strconv.Atoi(first)
	b, errB := strconv.Atoi(last)
	return a, b, errA == nil && errB == nil && a >= 0 && b >= a && b < maxRangesValue
}

// Members returns how many numbers a text lists, or 0 if it is not a list.
func Members(text string) int {
	members := 0
	for part := range strings.SplitSeq(strings.TrimSpace(text), ",") {
		a, b, ok := ends(part)
		if !ok {
			return 0
		}
		members += b - a + 1
	}
	return members
}

func (r Ranges) String() string {
	var parts []string
	for i := 0; i < len(r); i++ {
		part, first := strconv.Itoa(r[i]), i
		for i+1 < len(r) && r[i+1] == r[i]+1 {
			i++
		}
		if i > first {
			part += "-" + strconv.Itoa(r[i])
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ",")
}

func (r Ranges) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

func (r *Ranges) UnmarshalText(text []byte) (err error) {
	*r, err = parseRanges(string(text))
	return err
}

func (r Ranges) Within(o Ranges) bool {
	for _, v := range r {
		if _, found := slices.BinarySearch(o, v); !found {
			return false
		}
	}
	return true
}

func (r Ranges) Union(o Ranges) Ranges {
	out := slices.Concat(r, o)
	slices.Sort(out)
	return slices.Compact(out)
}

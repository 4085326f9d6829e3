// Package lists makes lists from lists, and looks into them, where the standard library's slices has no
// function for it. It changes no list that it is given, and is a leaf.
package lists

import "slices"

// Map has a value for each of a list; of an empty one it is nil.
func Map[T, U any](list []T, to func(T) U) []U {
	out := slices.Grow([]U(nil), len(list))
	for _, x := range list {
		out = append(out, to(x))
	}
	return out
}

// Keep has the values that a condition holds for; of none it is nil.
func Keep[T any](list []T, holds func(T) bool) (out []T) {
	for _, x := range list {
		if holds(x) {
			out = append(out, x)
		}
	}
	return out
}

// Count is how many values a condition holds for.
func Count[T any](list []T, holds func(T) bool) (n int) {
	for _, x := range list {
		if holds(x) {
			n++
		}
	}
	return n
}

// First points to the first value that a condition holds for. It returns nil where there is none.
func First[T any](list []T, holds func(T) bool) *T {
	if i := slices.IndexFunc(list, holds); i >= 0 {
		return &list[i]
	}
	return nil
}

// FirstOrNew is First of a list that gets a new value at its end where there is none.
func FirstOrNew[T any](list *[]T, holds func(T) bool, fresh T) *T {
	if x := First(*list, holds); x != nil {
		return x
	}
	*list = append(*list, fresh)
	return &(*list)[len(*list)-1]
}

// With is a list with a value at its end, unless it has that already.
func With[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

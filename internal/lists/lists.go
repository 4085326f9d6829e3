// Package lists adds functions on lists that the standard package slices lacks. It changes no list that it is
// given, except in FirstOrNew, and imports nothing of pgmpi.
package lists

import "slices"

// Map returns a value for each of a list, or nil for an empty list.
func Map[T, U any](list []T, to func(T) U) []U {
	out := slices.Grow([]U(nil), len(list))
	for _, x := range list {
		out = append(out, to(x))
	}
	return out
}

// Keep returns the values that a condition holds for, or nil if it holds for none.
func Keep[T any](list []T, holds func(T) bool) (out []T) {
	for _, x := range list {
		if holds(x) {
			out = append(out, x)
		}
	}
	return out
}

// Count counts the values that a condition holds for.
func Count[T any](list []T, holds func(T) bool) (n int) {
	for _, x := range list {
		if holds(x) {
			n++
		}
	}
	return n
}

// First points to the first value that a condition holds for, or returns nil.
func First[T any](list []T, holds func(T) bool) *T {
	if i := slices.IndexFunc(list, holds); i >= 0 {
		return &list[i]
	}
	return nil
}

// FirstOrNew points to the first value that a condition holds for. Where it holds for none, the list gets fresh at
// its end.
func FirstOrNew[T any](list *[]T, holds func(T) bool, fresh T) *T {
	if x := First(*list, holds); x != nil {
		return x
	}
	*list = append(*list, fresh)
	return &(*list)[len(*list)-1]
}

// With returns the list with a value at its end, unless the list has it already.
func With[T comparable](list []T, x T) []T {
	if slices.Contains(list, x) {
		return list
	}
	return append(list, x)
}

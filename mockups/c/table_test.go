//go:build cgo

package c

import (
	"slices"
	"testing"

	"pgmpi/mockups"
)

func TestTablesOfCAndGoAgree(t *testing.T) {
	if err := Check(); err != nil {
		t.Error(err)
	}
}

func TestTablesThatDifferAreAnError(t *testing.T) {
	cases := map[string]func([]Row) []Row{
		"row missing":      func(r []Row) []Row { return r[:len(r)-1] },
		"row too many":     func(r []Row) []Row { return append(r, Row{ID: "x"}) },
		"rows swapped":     func(r []Row) []Row { r[0], r[1] = r[1], r[0]; return r },
		"other collective": func(r []Row) []Row { r[len(r)-1].Of = "MPI_Scan"; return r },
		"empty":            func([]Row) []Row { return nil },
	}
	for name, change := range cases {
		if err := compare(change(slices.Clone(Rows())), mockups.All()); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

package mockups

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Auto is the datatype that stands for what programs use: numbers where they reduce or send
// pieces with gaps, bytes where they only move data.
const Auto = "auto"

type Datatype struct {
	Name  string // as in gl.toml
	Bytes int64  // extent
	Ops   []string
	Auto  string // the operator that op = "auto" stands for
}

var (
	bitOps    = []string{"bor", "band", "bxor"}
	arithOps  = []string{"sum", "prod", "min", "max"}
	logicOps  = []string{"lor", "land", "lxor"}
	placeOps  = []string{"maxloc", "minloc"}
	datatypes = []Datatype{
		{Name: Auto, Bytes: 1, Ops: arithOps, Auto: "sum"},
		{Name: "byte", Bytes: 1, Ops: bitOps, Auto: "bor"},
		{Name: "int", Bytes: 4, Ops: slices.Concat(arithOps, bitOps, logicOps), Auto: "sum"},
		{Name: "unsigned", Bytes: 4, Ops: slices.Concat(arithOps, bitOps), Auto: "sum"},
		{Name: "int64", Bytes: 8, Ops: slices.Concat(arithOps, bitOps), Auto: "sum"},
		{Name: "uint64", Bytes: 8, Ops: slices.Concat(arithOps, bitOps), Auto: "sum"},
		{Name: "float", Bytes: 4, Ops: arithOps, Auto: "sum"},
		{Name: "double", Bytes: 8, Ops: arithOps, Auto: "sum"},
		{Name: "2int", Bytes: 8, Ops: placeOps, Auto: "maxloc"},
		{Name: "double_complex", Bytes: 16, Ops: []string{"sum"}, Auto: "sum"}, // a product has zeros of either sign
	}
)

// Datatypes returns the datatypes with the predefined operators that the MPI
// standard (MPI 4.0, section 6.9.2) allows on them.
func Datatypes() []Datatype { return datatypes }

func GetDatatype(name string) (Datatype, bool) {
	for _, d := range datatypes {
		if d.Name == name {
			return d, true
		}
	}
	return Datatype{}, false
}

// Elements returns the datatype that a function is called with, and the operator that it gets.
// A mock-up has them from its collective, even if it moves data by a reduction on bytes: both
// sides of a comparison have the same.
func (f Function) Elements(datatype, op string) (Datatype, string) {
	switch {
	case datatype == Auto && f.Numbers():
		datatype = "double"
	case datatype == Auto:
		datatype, op = "byte", "bor"
	}
	d, _ := GetDatatype(datatype)
	return d, op
}

// Own splits what a case has of its own, "int/max:root=1", into elements with their operator, or "", and a root, or
// JobsRoot.
func Own(text string) (elements string, root int) {
	elements, number, own := strings.Cut(text, rootIs)
	if root, err := strconv.Atoi(number); own && err == nil && root >= 0 {
		return strings.TrimSuffix(elements, ":"), root
	}
	return text, JobsRoot
}

const (
	// JobsRoot stands for the root of a case that has none of its own.
	JobsRoot = -1
	rootIs   = "root="
)

// WithRoot adds a root to elements, as Own splits them.
func WithRoot(elements string, root int) string {
	if root == JobsRoot {
		return elements
	}
	return strings.TrimPrefix(fmt.Sprintf("%s:%s%d", elements, rootIs, root), ":")
}

// RootOf returns the root of a case: its own, or its job's.
func RootOf(own string, job int) int {
	if _, root := Own(own); root != JobsRoot {
		return root
	}
	return job
}

// Kind returns the datatype and operator of a case: of its elements, "int/max", or its job's where it has none of its
// own.
func Kind(own, datatype, op string) (string, string) {
	elements, _ := Own(own)
	if its, by, own := strings.Cut(elements, "/"); own {
		return its, by
	}
	return datatype, op
}

func Ops() []string { return slices.Concat(arithOps, bitOps, logicOps, placeOps) }

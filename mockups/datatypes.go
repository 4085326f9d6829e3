package mockups

import "slices"

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
	datatypes = []Datatype{
		{Name: "byte", Bytes: 1, Ops: bitOps, Auto: "bor"},
		{Name: "int", Bytes: 4, Ops: slices.Concat(arithOps, bitOps, logicOps), Auto: "sum"},
		{Name: "float", Bytes: 4, Ops: arithOps, Auto: "sum"},
		{Name: "double", Bytes: 8, Ops: arithOps, Auto: "sum"},
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

func Ops() []string { return slices.Concat(arithOps, bitOps, logicOps) }

//go:build cgo

package c

import (
	"slices"
	"strconv"
	"testing"

	"pgmpi/mockups"
	"pgmpi/testkit/should"
)

func TestTablesOfCAndGoAgree(t *testing.T) {
	should.Do(t, Check())
}

func TestTablesThatDifferAreAnError(t *testing.T) {
	_, ids := Rows()
	for name, c := range map[string]struct {
		ids  []string
		says string
	}{
		"row missing":  {ids[1:], "no row " + strconv.Quote(ids[0])},
		"row too many": {append(slices.Clone(ids), "x"), `"x" too many`},
		"row twice":    {append(slices.Clone(ids), ids[0]), strconv.Quote(ids[0]) + " too many"},
		"empty":        {nil, "no row"},
	} {
		should.Fail(t, compare(c.ids, everything()), c.says, "%s", name)
	}
}

func TestOrderOfTheRowsIsFree(t *testing.T) {
	_, ids := Rows()
	slices.Reverse(ids)
	should.Do(t, compare(ids, everything()))
}

func everything() []mockups.Function { return slices.Concat(mockups.All(), mockups.Variants()) }

//go:build cgo

package c

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgmpi/mockups"
)

func TestTablesOfCAndGoAgree(t *testing.T) {
	if err := Check(); err != nil {
		t.Error(err)
	}
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
		if err := compare(c.ids, everything()); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOrderOfTheRowsIsFree(t *testing.T) {
	_, ids := Rows()
	slices.Reverse(ids)
	if err := compare(ids, everything()); err != nil {
		t.Error(err)
	}
}

func everything() []mockups.Function { return slices.Concat(mockups.All(), mockups.Variants()) }

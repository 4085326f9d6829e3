//go:build cgo

package rank

import (
	"strings"
	"testing"

	"pgmpi/mockups"
)

func TestFunctionWithoutAResultIsNotTakenForAnother(t *testing.T) {
	v, err := newVerifier("byte", "bor")
	if err != nil {
		t.Fatal(err)
	}
	f, _ := mockups.Get("MPI_Exscan")
	c := vcase{f: f, size: 2, count: 1, send: make([]byte, 1), recv: make([]byte, 1)}
	v.fill(c)
	if fault := v.check(c); fault != "" {
		t.Errorf("the undefined result of rank 0: %s", fault)
	}
	c.f.ID, c.f.Result = "MPI_New", nil
	if fault := v.check(c); !strings.Contains(fault, "its result is not known") {
		t.Errorf("a collective without a result passes: %q", fault)
	}
}

package internal_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// large lists what small things have brought along, and no program needs.
var large = []string{"net/http", "crypto/tls", "google.golang.org/protobuf/proto", "github.com/andybalholm/brotli",
	"gonum.org/v1/gonum/mat", "gonum.org/v1/plot/font/liberation"}

func TestNoProgramBringsALargeModuleForASmallThing(t *testing.T) {
	for _, program := range []string{"pgmpi", "pgmpi-rank"} {
		out := must.Get(exec.Command("go", "list", "-e", "-deps", "../cmd/"+program).Output())(t)
		deps := strings.Fields(string(out))
		for _, p := range large {
			should.Hold(t, !slices.Contains(deps, p), "%s imports %s: `go list -deps -f '{{.ImportPath}}: {{.Imports}}' ./cmd/%[1]s` shows by whom", program, p)
		}
	}
}

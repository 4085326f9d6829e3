package check

import (
	"fmt"
	"testing"

	"pgmpi/analyze"
	"pgmpi/testkit/should"
)

func TestMetricsOfTwoLibrariesDiffer(t *testing.T) {
	for want, l := range map[string]analyze.Library{
		"[{library openmpi} {version 4.1.4} {host n1}]":  {Name: "openmpi", Version: "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"},
		"[{library mpich} {version 5.0.0rc2} {host n1}]": {Name: "mpich", Version: "MPICH Version:      5.0.0rc2\nMPICH Release date: today"},
		"[{host n1}]": {},
	} {
		should.Equal(t, fmt.Sprint(Source(l, "n1")), want)
	}
}

package launch

import (
	"testing"

	"pgmpi/testkit/should"
)

// The texts are from Debian 12's libraries, of the tests of Julia's MPI.jl
// (lib/MPIPreferences) for MVAPICH2 2.3.6, Intel MPI and Cray MPICH, and of
// E4S-CL's tests for MVAPICH2 2.3.5.
func TestFamilyIsReadFromTheLibrarysVersion(t *testing.T) {
	for version, want := range map[string]string{
		"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4, May 26, 2022":                                        "openmpi",
		"Open MPI v5.0.0rc12, package: Open MPI root@builder Distribution, ident: 5.0.0rc12, repo rev: v5.0.0rc12":                      "openmpi",
		"MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\nMPICH Device:\tch4:ucx\n":                            "mpich",
		"MPI VERSION    : CRAY MPICH version 8.1.21 (ANL base 3.4a2)\n":                                                                 "mpich",
		"Intel(R) MPI Library 2019 Update 4 for Linux* OS\n":                                                                            "",
		"Intel(R) MPI Library 2021.6 for Linux* OS\n":                                                                                   "",
		"MVAPICH2 Version      :\t2.3.6\nMVAPICH2 Release date :\tMon March 29 22:00:00 EST 2021\nMVAPICH2 Device       :\tch3:mrail\n": "",
		"MVAPICH2 Version      :\t2.3.5\nMVAPICH2 configure    :\t--prefix=/opt/mpich-like --with-ch3-rank-bits=32\n":                   "",
		"HPE MPT 2.23  08/26/20 02:54:49-root":                                                                                          "",
	} {
		should.Equal(t, Family(version), want, "%.40q", version)
	}
}

package tuning

import (
	"fmt"
	"regexp"
	"strconv"
)

// Library is the MPI library that a setting is for; version 0.0.0 means unknown.
type Library struct {
	Family              string // as in protocol.RankInfo
	Major, Minor, Patch int
}

// LibraryOf takes the version out of the text of MPI_Get_library_version.
func LibraryOf(family, text string) Library {
	l := Library{Family: family}
	if m := versionNumber.FindStringSubmatch(text); m != nil {
		l.Major, _ = strconv.Atoi(m[1])
		l.Minor, _ = strconv.Atoi(m[2])
		l.Patch, _ = strconv.Atoi(m[3])
	}
	return l
}

// versionNumber matches the first number with dots: "Open MPI v4.1.4", "MPICH Version: 4.0.2".
var versionNumber = regexp.MustCompile(`\b[vV]?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,4}))?`)

func (l Library) String() string {
	return fmt.Sprintf("%s %d.%d.%d", l.Family, l.Major, l.Minor, l.Patch)
}

package launch

import "strings"

// Family is the family of MPI libraries that the text of
// MPI_Get_library_version belongs to, as in RankInfo.Library; "" if unknown.
func Family(version string) string {
	for _, f := range [][2]string{
		{"Open MPI", "openmpi"},
		{"Intel(R) MPI", "intel"},
		{"MVAPICH", "mvapich"},
		{"MPICH", "mpich"},
	} {
		if strings.Contains(version, f[0]) {
			return f[1]
		}
	}
	return ""
}

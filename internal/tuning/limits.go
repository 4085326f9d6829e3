package tuning

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
)

// limit is a variable that says up to which size a library sends messages at once. A larger one costs memory for each
// peer, and may slow longer messages.
type limit struct {
	family       string
	from, before int  // major versions of the library that have it; 0: no limit
	nodes        bool // is about messages between nodes, and not on one
	both         bool // or about both
	variable     string
	usual        int64  // the value that a report names
	layer        string // of Open MPI that must not be chosen for it
}

// limits has the variables of each library in the order of trial. Those that start with UCX_, FI_ and I_MPI_ are known
// to no MPI_T. Of MPICH only UCX's was tested, and none of Intel MPI.
var limits = []limit{
	{"openmpi", 0, 5, false, false, "OMPI_MCA_btl_vader_eager_limit", 32 << 10, "ucx"},
	{"openmpi", 5, 0, false, false, "OMPI_MCA_btl_sm_eager_limit", 32 << 10, "ucx"},
	{"openmpi", 0, 0, true, false, "OMPI_MCA_btl_tcp_eager_limit", 128 << 10, "ucx"},
	{"openmpi", 0, 0, false, true, "UCX_RNDV_THRESH", 64 << 10, "ob1"},
	{"mpich", 0, 0, false, true, "UCX_RNDV_THRESH", 64 << 10, ""},
	{"mpich", 4, 0, false, false, "MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD", 64 << 10, ""},
	{"mpich", 4, 0, true, false, "FI_OFI_RXM_BUFFER_SIZE", 64 << 10, ""},
	{"mpich", 0, 4, false, false, "MPIR_CVAR_NEMESIS_SHM_EAGER_MAX_SZ", 64 << 10, ""},
	{"mpich", 0, 4, true, false, "MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE", 256 << 10, ""},
	{"intel", 0, 0, false, false, "I_MPI_SHM_CELL_FWD_SIZE", 128 << 10, ""},
	{"intel", 0, 0, true, false, "FI_OFI_RXM_BUFFER_SIZE", 64 << 10, ""},
}

const eagerLimit = "larger eager limit"

// MostEager is the largest message that such a limit is about, in bytes.
const MostEager = 64 << 10

// Sends says which messages of a library are slow.
type Sends struct {
	Library Library
	Layer   string  // of Open MPI, "ob1", or "" if it is not known
	Nodes   bool    // between nodes
	Sizes   []int64 // measured ones from the smallest slow one on, ascending
}

func (s Sends) limits() []limit {
	return lists.Keep(limits, func(x limit) bool {
		in := s.Library.Major >= x.from && (x.before == 0 || s.Library.Major < x.before)
		return x.family == s.Library.Family && in && (x.both || x.nodes == s.Nodes) && (s.Layer == "" || s.Layer != x.layer)
	})
}

// Usual returns the setting that a report names with the memory that it costs, or "".
func (s Sends) Usual() (setting, memory string) {
	for _, x := range s.limits() {
		return x.variable + "=" + strconv.FormatInt(x.usual, 10), x.choice(x.usual).Memory()
	}
	return "", ""
}

// Limits returns the choices of each variable, ascending: one holds all measured messages up to a size, also with their
// headers.
func (s Sends) Limits() (variables [][]Choice) {
	for _, x := range s.limits() {
		var its []Choice
		for _, size := range s.Sizes {
			its = append(its, x.choice(2*size))
		}
		variables = append(variables, its)
	}
	return variables
}

func (x limit) choice(bytes int64) Choice {
	return Choice{Kind: ByComponent, Component: eagerLimit, Env: map[string]string{x.variable: strconv.FormatInt(bytes, 10)}}
}

// IsLimit tells whether a variable is one of these.
func IsLimit(variable string) bool {
	return slices.ContainsFunc(limits, func(x limit) bool { return x.variable == variable })
}

// manyPeers are the other processes on a node of 128.
const manyPeers = 127

// EagerLimit returns the limit in bytes that a choice sets, or 0.
func (c Choice) EagerLimit() int64 {
	for _, value := range c.Env {
		if bytes, err := strconv.ParseInt(value, 10, 64); err == nil && c.Component == eagerLimit {
			return bytes
		}
	}
	return 0
}

// Memory says what memory a larger eager limit costs at least where receives are late, or "".
func (c Choice) Memory() string {
	limit := c.EagerLimit()
	if limit == 0 {
		return ""
	}
	return fmt.Sprintf("one message before its receive from each of %d others on a node takes up to %d × %s at a process",
		manyPeers, manyPeers, conf.HumanSize(limit))
}

// isTold tells whether a library tells the value of a variable by MPI_T.
func isTold(variable string) bool {
	return strings.HasPrefix(variable, "OMPI_MCA_") || strings.HasPrefix(variable, "MPIR_CVAR_")
}

package tuning

import (
	"strings"
	"testing"

	"pgmpi/internal/lists"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestEagerLimitsAreOfTheLibraryAndItsTransport(t *testing.T) {
	variables := func(family string, major int, layer string, nodes bool) string {
		s := Sends{Library{Family: family, Major: major}, layer, nodes, []int64{4096}}
		return strings.Join(lists.Map(s.Limits(), func(of []Choice) string { return Variables(of[0].Env)[0] }), " ")
	}
	for _, c := range []struct {
		family string
		major  int
		layer  string
		nodes  bool
		want   string
	}{
		{"openmpi", 4, "ob1", false, "OMPI_MCA_btl_vader_eager_limit"},
		{"openmpi", 5, "ob1", false, "OMPI_MCA_btl_sm_eager_limit"},
		{"openmpi", 4, "ob1", true, "OMPI_MCA_btl_tcp_eager_limit"},
		{"openmpi", 5, "ucx", true, "UCX_RNDV_THRESH"},
		{"openmpi", 4, "", false, "OMPI_MCA_btl_vader_eager_limit UCX_RNDV_THRESH"},
		{"mpich", 4, "", false, "UCX_RNDV_THRESH MPIR_CVAR_CH4_IPC_CMA_P2P_THRESHOLD"},
		{"mpich", 5, "", true, "UCX_RNDV_THRESH FI_OFI_RXM_BUFFER_SIZE"},
		{"mpich", 3, "", true, "UCX_RNDV_THRESH MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE"},
		{"intel", 2021, "", false, "I_MPI_SHM_CELL_FWD_SIZE"},
		{"other", 1, "", false, ""},
	} {
		should.Equal(t, variables(c.family, c.major, c.layer, c.nodes), c.want, "%+v", c)
	}
}

// A message of a size takes room for its header, too.
func TestLimitsHoldTheMeasuredMessages(t *testing.T) {
	s := Sends{Library: Library{Family: "openmpi", Major: 4}, Layer: "ob1", Sizes: []int64{4 << 10, 64 << 10}}
	values := lists.Map(s.Limits()[0], func(c Choice) string { return c.Env["OMPI_MCA_btl_vader_eager_limit"] })
	should.Equal(t, values, []string{"8192", "131072"})
	setting, memory := s.Usual()
	should.Equal(t, setting, "OMPI_MCA_btl_vader_eager_limit=32768")
	should.Contain(t, memory, "127 × 32 KiB")
	setting, memory = Sends{}.Usual()
	should.Equal(t, setting+memory, "", "of no library")
}

// A limit that MPI_T does not know is seen in the ranks' environment, to which Open MPI's mpirun must hand it.
func TestLimitsAreSeenWhereTheyCanBe(t *testing.T) {
	for l, want := range map[Library]Entry{
		{Family: "openmpi", Major: 4}: {Variable: "OMPI_MCA_btl_vader_eager_limit", Value: "8192", Proof: ByValue},
		{Family: "mpich", Major: 4}:   {Variable: "UCX_RNDV_THRESH", Proof: ByRanks},
	} {
		c := Sends{Library: l, Sizes: []int64{4096}}.Limits()[0][0]
		s, err := environment.Write(Target{Library: l}, []Choice{c})
		must.Hold(t, err == nil && len(s.Entries) == 1, "%v: %+v, %v", l, s, err)
		got := s.Entries[0]
		should.Equal(t, Entry{Variable: got.Variable, Value: got.Value, Proof: got.Proof}, want)
		should.Hold(t, Steers(got.Variable, got.Value) && c.Concerns("MPI_Send") && c.Concerns("MPI_Bcast"), "%+v", c)
	}
	ucx := Choice{Kind: ByComponent, Component: eagerLimit, Env: map[string]string{"UCX_RNDV_THRESH": "8192"}}
	s, _ := environment.Write(Target{Library: Library{Family: "openmpi", Major: 4}}, []Choice{ucx})
	should.Equal(t, s.Env[handedOn], "UCX_RNDV_THRESH")
	should.Hold(t, Steers(handedOn, s.Env[handedOn]), "it is no setting")
}

package host

import (
	"strings"
	"testing"

	"pgmpi/internal/lists"
	"pgmpi/internal/remark"
	"pgmpi/testkit/should"
)

// What ranks have, and neither pgmpi's environment nor its launch command, comes from the launcher, whatever its name.
func TestWhatTheLauncherSetsForItselfIsNoSetting(t *testing.T) {
	asked := Asked([]string{"OMPI_MCA_pml=ob1", "UCX_TLS=tcp", "HOME=/root"},
		[]string{"mpirun", "-x", "MPIR_CVAR_A=1", "--mca", "coll", "^han", "-genv", "I_MPI_B", "1", "env", "PRTE_MCA_c=1"})
	should.Equal(t, asked, []string{"I_MPI_B", "MPIR_CVAR_A", "OMPI_MCA_coll", "OMPI_MCA_pml", "PRTE_MCA_c", "UCX_TLS"})
	ranks := []string{"OMPI_MCA_pml=ob1", "OMPI_MCA_coll=^han", "UCX_NET_DEVICES=eth0", "OMPI_TOMORROWS_NAME=1", "OMPI_MCA_mca_base_component_path=/x",
		"OMPI_VERSION=9.0", "I_MPI_TOMORROW=1", "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=vm"}
	should.Equal(t, EnvAsked(ranks, asked), map[string]string{"OMPI_MCA_pml": "ob1", "OMPI_MCA_coll": "^han", "UCX_NET_DEVICES": "eth0"})
}

func TestNamesThatTheLibraryDoesNotHaveAreKnown(t *testing.T) {
	openMPI := []string{"coll_tuned_use_dynamic_rules", "coll_tuned_alltoall_algorithm", "btl", "mca_base_param_files"}
	mpich := []string{"MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM", "MPIR_CVAR_DEBUG_HOLD"}
	for _, c := range []struct {
		set   string
		known []string
		want  string
	}{
		{"OMPI_MCA_use_dynamic_rules", openMPI, "use_dynamic_rules>coll_tuned_use_dynamic_rules"},
		{"OMPI_MCA_alltoall_algorithm", openMPI, "alltoall_algorithm>coll_tuned_alltoall_algorithm"},
		{"OMPI_MCA_coll_tuned_gather_algorithms", openMPI, "coll_tuned_gather_algorithms>"},
		{"OMPI_MCA_coll_tuned_use_dynamic_rules", openMPI, ""},
		{"OMPI_MCA_btl", openMPI, ""},
		{"OMPI_MCA_plm_rsh_agent", openMPI, ""}, // the launcher's
		{"MPIR_CVAR_ALLTOALL_ALGORITHM", mpich, "MPIR_CVAR_ALLTOALL_ALGORITHM>MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM"},
		{"MPIR_CVAR_DEBUG_HOLD", mpich, ""},
		{"OMPI_MCA_use_dynamic_rules", mpich, ""}, // of another library
		{"MPIR_CVAR_ALLTOALL_ALGORITHM", openMPI, ""},
		{"OMPI_MCA_x", nil, ""}, // the library tells no names
	} {
		got := lists.Map(UnknownOf(map[string]string{c.set: c.set}, c.known), func(s Setting) string { return s.Name + ">" + s.Near })
		should.Equal(t, strings.Join(got, " "), c.want, c.set)
	}
	should.Equal(t, NamesIn("# a comment = 1\n\n coll_tuned_priority = 3\nbtl=^tcp\n-x A\n"), []string{"coll_tuned_priority", "btl"})
}

// What chooses algorithms needs a switch, also where a file or the launch command sets it; and a component that is
// left out has to be there, if another one's name is near.
func TestSettingsWithoutTheirSwitchOrComponentDoNothing(t *testing.T) {
	const name, off = "coll_tuned_bcast_algorithm", " does nothing: OMPI_MCA_coll_tuned_use_dynamic_rules is not 1"
	in := func(name, value, from string) Setting { return Setting{Name: name, Value: value, From: from} }
	for _, c := range []struct {
		in   []Setting
		want []string
	}{
		{[]Setting{in(name, "6", "OMPI_MCA_"+name)}, []string{"OMPI_MCA_" + name + off}},
		{[]Setting{in(name, "6", "/home/me/.openmpi/mca-params.conf")}, []string{name + " in /home/me/.openmpi/mca-params.conf" + off}},
		{[]Setting{in(name, "6", "OMPI_MCA_"+name), in("coll_tuned_use_dynamic_rules", "0", "OMPI_MCA_x")}, []string{"OMPI_MCA_" + name + off}},
		{[]Setting{in(name, "6", "OMPI_MCA_"+name), in("coll_tuned_use_dynamic_rules", "1", "a file")}, nil},
		{[]Setting{in(name, "0", "OMPI_MCA_"+name), in("coll_tuned_bcast_algorithm_segmentsize", "1024", "OMPI_MCA_x")}, nil},
	} {
		should.Equal(t, (&Settings{InForce: c.in}).Idle(), c.want, c.in)
	}
	known := []string{"coll", "coll_han_priority", "coll_tuned_priority", "coll_base_verbose", "btl", "btl_tcp_eager_limit"}
	for value, want := range map[string][]string{
		"^hann":   {"coll=^hann (OMPI_MCA_coll) does not leave out hann: the library has no component of that name (did you mean han?)"},
		"^han":    nil,
		"tuned":   nil, // what is asked for and missing ends the program
		"^openib": nil,
	} {
		should.Equal(t, (&Settings{Unknown: LeftOut([]Setting{in("coll", value, "OMPI_MCA_coll")}, known)}).Idle(), want, value)
	}
	should.Equal(t, len(LeftOut([]Setting{in("btl", "^tcpp", "/etc/openmpi/openmpi-mca-params.conf"), in("coll_tuned_x", "^hann", "OMPI_MCA_x")}, known)), 0)
}

func TestSettingsOfFilesAndNamesThatDoNothingAreRemarked(t *testing.T) {
	l := &Layout{Settings: &Settings{
		InForce: []Setting{{Name: "coll_tuned_alltoall_algorithm", Value: "1", From: "/home/me/.openmpi/mca-params.conf"}, {Name: "btl", Value: "^uct", From: "/etc/openmpi/openmpi-mca-params.conf"}},
		Unknown: []Setting{{Name: "use_dynamic_rules", From: "OMPI_MCA_use_dynamic_rules", Near: "coll_tuned_use_dynamic_rules"}, {Name: "coll_x", From: "/home/me/.openmpi/mca-params.conf"}},
		Differ:  []string{"n2"},
	}}
	got := map[remark.ID][]string{}
	for _, r := range l.Remarks() {
		got[r.ID] = append(got[r.ID], r.Text)
	}
	should.Equal(t, got, map[remark.ID][]string{
		remark.LibrarySettings: {"the MPI library does not run as installed: coll_tuned_alltoall_algorithm=1 (/home/me/.openmpi/mca-params.conf)"},
		remark.SettingIgnored: {"OMPI_MCA_use_dynamic_rules does nothing: the library has no such variable (did you mean coll_tuned_use_dynamic_rules?)",
			"coll_x in /home/me/.openmpi/mca-params.conf does nothing: the library has no such variable",
			"coll_tuned_alltoall_algorithm in /home/me/.openmpi/mca-params.conf does nothing: OMPI_MCA_coll_tuned_use_dynamic_rules is not 1"},
		remark.EnvDiffers: {"on n2 the library has other settings in force than on the first node"},
	})
}

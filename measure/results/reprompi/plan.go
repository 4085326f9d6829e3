package reprompi

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// ourMockups maps ReproMPI's mock-ups (collective_ops/collectives.c) to ours that
// make the same calls. Its collectives have our names; no guideline is about its
// ping-pongs and barriers.
var ourMockups = map[string]string{
	"GL_Allgather_as_Allreduce":                   "allgather_as_allreduce",
	"GL_Allgather_as_Alltoall":                    "allgather_as_alltoall",
	"GL_Allgather_as_GatherBcast":                 "allgather_as_gather+bcast",
	"GL_Allreduce_as_ReduceBcast":                 "allreduce_as_reduce+bcast",
	"GL_Allreduce_as_ReducescatterAllgatherv":     "allreduce_as_reduce_scatter+allgatherv",
	"GL_Allreduce_as_ReducescatterblockAllgather": "allreduce_as_reduce_scatter_block+allgather",
	"GL_Bcast_as_ScatterAllgather":                "bcast_as_scatter+allgather",
	"GL_Gather_as_Allgather":                      "gather_as_allgather",
	"GL_Gather_as_Reduce":                         "gather_as_reduce",
	"GL_Reduce_as_Allreduce":                      "reduce_as_allreduce",
	"GL_Reduce_as_ReducescatterGatherv":           "reduce_as_reduce_scatter+gatherv",
	"GL_Reduce_as_ReducescatterblockGather":       "reduce_as_reduce_scatter_block+gather",
	"GL_Reduce_scatter_as_Allreduce":              "reduce_scatter_as_allreduce",
	"GL_Reduce_scatter_as_ReduceScatterv":         "reduce_scatter_as_reduce+scatterv",
	"GL_Reduce_scatter_block_as_ReduceScatter":    "reduce_scatter_block_as_reduce+scatter",
	"GL_Scan_as_ExscanReducelocal":                "scan_as_exscan+reduce_local",
	"GL_Scatter_as_Bcast":                         "scatter_as_bcast",
}

func functionOf(test string) string {
	if f, ok := mockups.Get(test); ok && !f.IsMockup() && test != "MPI_Barrier" {
		return test
	}
	return ourMockups[test]
}

// Import turns ReproMPI's output files, one for each mpirun, into what stages 1 and 2
// would have left behind. It takes the guidelines of check and users that have both
// sides in the data.
func Import(files []*File, check guidelines.Config, users []guidelines.User) (*results.Manifest, []results.Run, error) {
	if err := oneExperiment(files); err != nil {
		return nil, nil, err
	}
	first, root := files[0].Properties, 0
	if text, ok := first["root_proc"]; ok {
		if _, err := fmt.Sscan(text, &root); err != nil {
			return nil, nil, fmt.Errorf("%s: #@root_proc=%q: %w", files[0].Path, text, err)
		}
	}
	measured, sizes, unused := measuredSizes(files)
	if len(measured) == 0 {
		return nil, nil, fmt.Errorf("pgmpi has no guideline about any test of the data: %s", strings.Join(unused, ", "))
	}
	shape := guidelines.Shape{NP: files[0].np}
	// Sizes are bytes already, so the plan is made for bytes.
	plan, err := guidelines.Build(guidelines.Settings{Check: check, Users: users, Msizes: sizes, Datatype: "byte", Op: "auto",
		Root: root, Shapes: []guidelines.Shape{shape}, Measured: measured})
	if err != nil {
		return nil, nil, fmt.Errorf("the data allow no test: %w", err)
	}
	plan.Datatype, plan.Op = cmp.Or(first["datatype"], "unknown"), cmp.Or(first["operation"], "unknown")
	m := &results.Manifest{Schema: results.ManifestSchema, Plan: *plan, R: len(files), Rank: protocol.RankInfo{Library: "unknown",
		LibVersion: "not named in ReproMPI's output; measured by ReproMPI " + cmp.Or(first["reproMPIcommitSHA1"], "unknown")}}
	if len(unused) > 0 {
		m.Plan.Notes = append(m.Plan.Notes, "Left out, because no guideline is about them: "+strings.Join(unused, ", ")+".")
	}
	var runs []results.Run
	for i, f := range files {
		if !f.Ended {
			m.Plan.Notes = append(m.Plan.Notes, f.Path+" lacks the line \"# Execution time\": mpibenchmark may not have come to its end.")
		}
		runs = append(runs, runOf(f, i+1, shape, plan))
	}
	return m, runs, nil
}

func oneExperiment(files []*File) error {
	if len(files) == 0 {
		return errors.New("no files")
	}
	for i, f := range files {
		if slices.ContainsFunc(files[:i], func(g *File) bool { return g.Path == f.Path }) {
			return fmt.Errorf("%s is given twice: each file is one mpirun", f.Path)
		}
		for _, key := range []string{"nprocs", "datatype", "datatype_extent_bytes", "operation", "root_proc"} {
			if a, b := files[0].Properties[key], f.Properties[key]; a != b {
				return fmt.Errorf("%s has #@%s=%s, %s has %s: give the files of one experiment at a time", files[0].Path, key, a, f.Path, b)
			}
		}
	}
	return nil
}

// measuredSizes returns the sizes of every known function, all of them as text, and the
// unknown tests.
func measuredSizes(files []*File) (measured map[string][]int64, sizes, unused []string) {
	measured = map[string][]int64{}
	for _, f := range files {
		for _, c := range f.Cases {
			name := functionOf(c.Test)
			switch {
			case name == "" || c.Msize == 0:
				if !slices.Contains(unused, c.Test) {
					unused = append(unused, c.Test)
				}
			case !slices.Contains(measured[name], c.Msize):
				measured[name] = append(measured[name], c.Msize)
				sizes = append(sizes, fmt.Sprint(c.Msize))
			}
		}
	}
	return measured, sizes, unused
}

func runOf(f *File, number int, shape guidelines.Shape, plan *guidelines.Plan) results.Run {
	r := results.Run{Header: results.Header{Schema: results.RawSchema, Mode: protocol.ModeMeasure, Shape: shape, Run: number}}
	for i, k := range plan.Cases {
		for _, c := range f.Cases {
			if functionOf(c.Test) == k.Function && c.Msize == k.Msize {
				r.Cases = append(r.Cases, results.CaseInfo{Plan: i, Function: k.Function, Msize: k.Msize,
					CaseResult: protocol.CaseResult{Case: len(r.Cases), Status: protocol.StatusOK, NRep: len(c.Samples)}})
				r.Samples = append(r.Samples, c.Samples)
			}
		}
	}
	return r
}

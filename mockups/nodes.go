package mockups

// Decomposition says how a mock-up divides its work among nodes and the ranks of a node. Its
// id ends with it.
type Decomposition string

// The decompositions of J. L. Träff and S. Hunold (arXiv 1910.13373).
const (
	Lane Decomposition = "lane" // every rank of a node sends its part of the data to other nodes
	Hier Decomposition = "hier" // one rank of a node, its leader, sends to other nodes for the node
)

var Decompositions = []Decomposition{Lane, Hier}

var onNodes = map[Decomposition]string{Lane: " on lanes", Hier: " by leaders"}

type nodeRow struct {
	of, calls string
	temp      Temp // data of all nodes at a rank, or of a leader's node, are never more than a vector
	what      string
}

// nodeRows are the mock-ups that the authors have published. A lane has the ranks at the
// same place of every node.
var nodeRows = map[Decomposition][]nodeRow{
	Lane: {
		{"allgather", "allgather+allgather", Temp{PerRank: 1},
			"Allgather on every lane, Allgather on every node by a datatype that sorts the blocks"},
		{"allreduce", "reduce_scatter+allreduce+allgatherv", Temp{},
			"Reduce_scatter on every node, Allreduce of each part on its lane, Allgatherv on every node"},
		{"alltoall", "alltoall+alltoall", Temp{PerRank: 1},
			"Alltoall on every lane of all that is for a node, Alltoall on every node by a datatype that sorts the blocks"},
		{"bcast", "scatterv+bcast+allgatherv", Temp{},
			"Scatterv of parts on the root's node, Bcast of each on its lane, Allgatherv on every node"},
		{"exscan", "exscan+reduce_scatter+exscan+allgatherv+reduce_local", Temp{One: 2},
			"Exscan on every node, behind what the nodes before give: Reduce_scatter, Exscan of each part on its lane, Allgatherv"},
		{"gather", "gather+gather", Temp{PerRank: 1},
			"Gather on every lane, Gather on the root's node by a datatype that sorts the blocks"},
		{"reduce", "reduce_scatter+reduce+gatherv", Temp{One: 2},
			"Reduce_scatter on every node, Reduce of each part on its lane, Gatherv on the root's node"},
		{"reduce_scatter_block", "reduce_scatter_block+reduce_scatter_block", Temp{PerRank: 2},
			"the blocks sorted by lanes, Reduce_scatter_block on every node, Reduce_scatter_block on every lane"},
		{"scan", "scan+reduce_scatter+exscan+allgatherv+reduce_local", Temp{One: 2},
			"Scan on every node, behind what the nodes before give: Reduce_scatter, Exscan of each part on its lane, Allgatherv"},
		{"scatter", "scatter+scatter", Temp{PerRank: 1},
			"Scatter on the root's node by a datatype that sorts the blocks, Scatter on every lane"},
	},
	Hier: {
		{"allgather", "gather+allgather+bcast", Temp{}, "Gather on every node, Allgather among the leaders, Bcast on every node"},
		{"allreduce", "reduce+allreduce+bcast", Temp{}, "Reduce on every node, Allreduce among the leaders, Bcast on every node"},
		{"bcast", "bcast+bcast", Temp{}, "Bcast among the leaders, Bcast on every node"},
		{"exscan", "exscan+exscan+bcast+reduce_local", Temp{One: 2},
			"Exscan on every node, behind what the nodes before give: Exscan among the leaders, Bcast on every node"},
		{"gather", "gather+gather", Temp{PerRank: 1}, "Gather on every node, Gather among the leaders"},
		{"reduce", "reduce+reduce", Temp{One: 1}, "Reduce on every node, Reduce among the leaders"},
		{"reduce_scatter_block", "reduce+reduce_scatter_block+scatter", Temp{PerRank: 2},
			"Reduce on every node, Reduce_scatter_block among the leaders, Scatter on every node"},
		{"scan", "scan+exscan+bcast+reduce_local", Temp{One: 1},
			"Scan on every node, behind what the nodes before give: Exscan among the leaders, Bcast on every node"},
		{"scatter", "scatter+scatter", Temp{PerRank: 1}, "Scatter among the leaders, Scatter on every node"},
	},
}

func decomposed() (rows []Function) {
	for _, d := range Decompositions {
		for _, r := range nodeRows[d] {
			rows = append(rows, Function{ID: r.of + "_as_" + string(d), Over: d, Formula: formula(r.calls) + onNodes[d], What: r.what, Temp: r.temp})
		}
	}
	return rows
}

// Decomposed returns the mock-ups of a decomposition, in alphabetical order of their collectives.
func Decomposed(d Decomposition) []string {
	return ids(func(f Function) bool { return f.Over == d })
}

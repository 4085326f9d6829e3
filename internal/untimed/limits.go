package untimed

import (
	"context"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
)

// told lists where a library tells from which size on it does not send at once. The largest message below is less by
// the headers that Open MPI 4 leaves room for, and with UCX by one byte. Others are not known.
var told = []struct {
	library, variable string
	less              int64
	nodes             bool // only where ranks are on several nodes
}{
	{"openmpi", "btl_vader_eager_limit", 56, false},
	{"openmpi", "btl_tcp_eager_limit", 56, true},
	{"mpich", protocol.OfEnvironment + "UCX_RNDV_THRESH", 1, false},
}

// AboutMessages returns the largest messages in bytes that the library sends at once, of all transports that tell one,
// and where ranks are, of shapes with more than two. It starts an mpirun only where one can tell anything.
func (o *Once) AboutMessages(ctx context.Context) (most []int64, layouts []host.Layout, err error) {
	names := o.limitNames()
	for _, shape := range o.Shapes() {
		job := &protocol.Job{StallNS: int64(stall), Layout: shape.NP > 2}
		if shape.NP > 1 && len(names) > 0 {
			if job.Work, err = protocol.ListAlgorithms.Ask(protocol.AlgorithmsJob{Variables: names}); err != nil {
				return nil, nil, err
			}
		}
		if job.Work == nil && !job.Layout {
			continue
		}
		out, err := o.Do(ctx, shape, nil, job, nil)
		if err != nil {
			return nil, nil, err
		}
		if job.Layout {
			layouts = append(layouts, *out.Layout)
		}
		if job.Work == nil {
			continue
		}
		read, err := protocol.ListAlgorithms.Found(out.End.Answer)
		if err != nil {
			return nil, nil, err
		}
		most, names = largestEager(read.Variables, shape.Nodes > 1 || job.Layout && len(out.Layout.Nodes) > 1), nil
	}
	return most, layouts, nil
}

// limitNames returns the variables of the library at hand.
func (o *Once) limitNames() (names []string) {
	for _, t := range told {
		if t.library == o.Rank().Library {
			names = append(names, t.variable)
		}
	}
	return names
}

func largestEager(read []protocol.Variable, nodes bool) (most []int64) {
	for _, t := range told {
		for _, v := range read {
			bytes, err := conf.ParsePrintedSize(v.Value)
			if v.Name == t.variable && v.Known && err == nil && bytes > t.less && (nodes || !t.nodes) {
				most = lists.With(most, bytes-t.less)
			}
		}
	}
	return most
}

// PairsOf returns the pairs of ranks that the layouts of shapes give to messages, chosen by seed. Ranks 0 and 1 alone
// are left out: they are the usual ones.
func PairsOf(layouts []host.Layout, seed uint64) (out []guidelines.Between) {
	for _, l := range layouts {
		if pairs := l.Pairs(seed); len(pairs) > 1 {
			out = append(out, guidelines.Between{Shape: l.Shape, Pairs: pairs})
		}
	}
	return out
}

package untimed

import (
	"context"

	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/measure/protocol"
)

// told lists where a library tells from which size on it does not send at once. The largest message below is less by
// the headers that Open MPI 4 leaves room for, and with UCX by one byte. Others are not known.
var told = []struct {
	library, variable string
	less              int64
}{
	{"openmpi", "btl_vader_eager_limit", 56},
	{"mpich", protocol.OfEnvironment + "UCX_RNDV_THRESH", 1},
}

// EagerLimits returns the largest messages in bytes that the library sends at once, of all transports that tell one.
func (o *Once) EagerLimits(ctx context.Context) (most []int64, err error) {
	var names []string
	for _, t := range told {
		if t.library == o.Rank().Library {
			names = append(names, t.variable)
		}
	}
	if len(names) == 0 { // no mpirun can tell
		return nil, nil
	}
	read, err := o.Read(ctx, o.Few(), nil, names...)
	if err != nil {
		return nil, err
	}
	return largestEager(read.Variables), nil
}

func largestEager(read []protocol.Variable) (most []int64) {
	for _, t := range told {
		for _, v := range read {
			if bytes, err := conf.ParsePrintedSize(v.Value); v.Name == t.variable && v.Known && err == nil && bytes > t.less {
				most = lists.With(most, bytes-t.less)
			}
		}
	}
	return most
}

package run

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"time"

	"pgmpi/guidelines"
	"pgmpi/mockups"
)

// Network is what there is between the nodes of a shape, for an estimate.
type Network struct {
	Gbit    float64       // 10⁹ bit/s that a node sends, and as many that it receives
	Latency time.Duration // of a message without data between two nodes
}

// UsualNetwork is taken where nothing is known: that of many clusters.
var UsualNetwork = Network{Gbit: 100, Latency: 2 * time.Microsecond}

// Validate returns an error for what no network has; 0 is one that is not known.
func (n Network) Validate() error {
	if !(n.Gbit >= 0) || math.IsInf(n.Gbit, 0) || n.Latency < 0 {
		return errors.New("--network-gbit and --network-latency must be numbers of at least 0")
	}
	return nil
}

func (n Network) String() string {
	return fmt.Sprintf("%g Gbit/s and %v between nodes", n.Gbit, n.Latency)
}

// network is the Network of an estimate.
func (c *Campaign) network() Network {
	n := c.Network
	if n.Gbit == 0 {
		n.Gbit = UsualNetwork.Gbit
	}
	if n.Latency == 0 {
		n.Latency = UsualNetwork.Latency
	}
	return n
}

// steps is what the steps between nodes add to a call without data, in seconds.
func (n Network) steps(shape guidelines.Shape) float64 {
	if shape.Nodes < 2 {
		return 0
	}
	return n.Latency.Seconds() * float64(bits.Len(uint(shape.Nodes-1)))
}

// data is what a call's data take between nodes, in seconds: those of the busiest rank
// cross the link of its node once, and where every rank has other data for every rank,
// once for each rank of the node. A library that sends anything twice takes longer.
func (n Network) data(shape guidelines.Shape, f mockups.Function, need mockups.Need) float64 {
	if shape.Nodes < 2 {
		return 0
	}
	bytes := float64(max(need.Send, need.Recv))
	if f.Exchange {
		bytes *= float64(shape.PPN)
	}
	elsewhere := float64(shape.Nodes-1) / float64(shape.Nodes)
	return bytes * elsewhere * 8 / (n.Gbit * 1e9)
}

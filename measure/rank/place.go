//go:build cgo

package rank

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"time"

	"pgmpi/internal/conf"
	"pgmpi/measure/host"
	"pgmpi/measure/rank/mpi"
)

// How long all ranks sleep while it is seen what other programs do on their
// nodes: the kernel counts in ticks of up to 10 ms.
const (
	settle = 20 * time.Millisecond // until the last rank sleeps
	listen = 100 * time.Millisecond
)

var hostFiles = os.DirFS("/")

// place counts the ranks of every host, and refuses those that are not where they
// are wanted, or not on as many nodes for the library: all ranks come to the same answer.
func (s *session) place(wanted string, nodes int) error {
	name, _ := os.Hostname()
	sum := sha256.Sum256([]byte(name))
	hosts, err := mpi.AllGather(s.World, binary.LittleEndian.Uint64(sum[:]))
	if err != nil {
		return err
	}
	at := map[uint64]int{} // index into ranks
	var ranks []int
	for _, h := range hosts {
		i, known := at[h]
		if !known {
			i = len(ranks)
			at[h], ranks = i, append(ranks, 0)
		}
		ranks[i]++
	}
	s.beside = ranks[at[hosts[s.Rank]]]
	if got := host.Place(ranks); wanted != "" && got != wanted {
		return fmt.Errorf("the ranks are placed as %s (nodes × ranks on each), and %s is wanted", got, wanted)
	}
	if nodes == 0 {
		return nil
	}
	sees, _, err := s.Topology()
	if err == nil && sees != nodes {
		err = fmt.Errorf("the library has the ranks on %s, and their hosts are %d", conf.Plural(sees, "node"), nodes)
	}
	return err
}

// layout finds out, at rank 0, where all ranks run and on what. Every rank says
// little of itself; the first one of every node reads it for all.
func (s *session) layout() (*host.Layout, error) {
	name, _ := os.Hostname()
	own, err := host.ReadRank(name, os.Environ(), s.info.LibVersion, ownFile())
	if err != nil {
		return nil, err
	}
	ranks, err := mpi.Gather(s.World, &own)
	if err != nil {
		return nil, err
	}
	reads := make([]byte, s.Size) // by rank: 1 for the first one of a node
	for _, r := range host.Leaders(ranks) {
		reads[r] = 1
	}
	if reads, err = s.Text(reads, 0); err != nil {
		return nil, err
	}
	node, err := s.node(own, reads[s.Rank] == 1)
	if err != nil {
		return nil, err
	}
	nodes, err := mpi.Gather(s.World, node)
	if err != nil || s.Rank != 0 {
		return nil, err
	}
	return host.Merge(ranks, nodes)
}

// node reads the node, or waits while others do: nobody may be busy in MPI then.
func (s *session) node(own host.RankFacts, reads bool) (*host.NodeFacts, error) {
	var f host.NodeFacts
	if reads {
		f = host.ReadNode(hostFiles, own, os.Environ(), s.info.LibVersion, s.hash())
	}
	if err := s.Barrier(); err != nil {
		return nil, err
	}
	if !reads {
		time.Sleep(settle + listen + settle)
		return nil, nil
	}
	time.Sleep(settle)
	before := host.ReadCPUTime(hostFiles)
	time.Sleep(listen)
	f.Node.OthersBusy = host.ReadCPUTime(hostFiles).BusySince(before, len(f.Kind.Online))
	return &f, nil
}

// load is the highest one-minute load average of all nodes, at rank 0; -1
// where none is known.
func (s *session) load() (float64, error) {
	const unit = 100 // as the kernel rounds it
	highest, err := s.AllMax(int64(math.Round(host.Load(hostFiles) * unit)))
	return max(-1, float64(highest)/unit), err
}

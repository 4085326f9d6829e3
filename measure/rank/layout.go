//go:build cgo

package rank

/*
#include "rank.h"
*/
import "C"

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"time"
	"unsafe"

	"pgmpi/measure/host"
)

// How long all ranks sleep while it is seen what other programs do on their
// nodes: the kernel counts in ticks of up to 10 ms.
const (
	settle = 20 * time.Millisecond // until the last rank sleeps
	listen = 100 * time.Millisecond
)

var hostFiles = os.DirFS("/")

// gather brings what every rank says to rank 0, in the order of ranks; nil says nothing.
func gather[T any](w *world, mine *T) ([]T, error) {
	text, err := []byte(nil), error(nil)
	if mine != nil {
		if text, err = json.Marshal(mine); err != nil {
			return nil, err
		}
	}
	lengths, displs := make([]C.int, w.size), make([]C.int, w.size) // all 0 but at rank 0
	if err := mpiError("MPI_Gather", C.pg_text_lengths(w.x, C.int(len(text)), &lengths[0])); err != nil {
		return nil, err
	}
	total := 0
	for i, n := range lengths {
		displs[i] = C.int(total)
		if total += int(n); total > math.MaxInt32 {
			return nil, errors.New("what the ranks say of their nodes is more than 2 GiB")
		}
	}
	all := make([]byte, max(1, total))
	text = append(text, 0) // a pointer to nothing is none
	rc := C.pg_texts(w.x, unsafe.Pointer(&text[0]), C.int(len(text)-1), unsafe.Pointer(&all[0]), &lengths[0], &displs[0])
	if err := mpiError("MPI_Gatherv", rc); err != nil {
		return nil, err
	}
	var out []T
	for i, n := range lengths {
		if n == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(all[displs[i]:displs[i]+n], &v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// place counts the ranks of every host, and refuses those that are not where they
// are wanted: all ranks come to the same answer.
func (s *session) place(wanted string) error {
	name, _ := os.Hostname()
	sum := sha256.Sum256([]byte(name))
	hosts, err := allGather(s.world, binary.LittleEndian.Uint64(sum[:]))
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
	s.beside = ranks[at[hosts[s.rank]]]
	if got := host.Place(ranks); wanted != "" && got != wanted {
		return fmt.Errorf("the ranks are placed as %s (nodes × ranks on each), and %s is wanted", got, wanted)
	}
	return nil
}

// layout finds out, at rank 0, where all ranks run and on what. Every rank says
// little of itself; the first one of every node reads it for all.
func (s *session) layout() (*host.Layout, error) {
	name, _ := os.Hostname()
	own, err := host.ReadRank(name, os.Environ(), s.info.LibVersion, ownFile())
	if err != nil {
		return nil, err
	}
	ranks, err := gather(s.world, &own)
	if err != nil {
		return nil, err
	}
	reads := make([]byte, s.size) // by rank: 1 for the first one of a node
	for _, r := range host.Leaders(ranks) {
		reads[r] = 1
	}
	if reads, err = s.text(reads, 0); err != nil {
		return nil, err
	}
	node, err := s.node(own, reads[s.rank] == 1)
	if err != nil {
		return nil, err
	}
	nodes, err := gather(s.world, node)
	if err != nil || s.rank != 0 {
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
	if err := s.barrier(); err != nil {
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
func (w *world) load() (float64, error) {
	const unit = 100 // as the kernel rounds it
	highest := C.int64_t(math.Round(host.Load(hostFiles) * unit))
	err := mpiError("MPI_Sendrecv of the load", C.pg_all_max(w.x, &highest))
	return max(-1, float64(highest)/unit), err
}

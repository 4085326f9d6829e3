//go:build cgo

package rank

/*
#include "rank.h"
*/
import "C"

import (
	"encoding/json"
	"errors"
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

// gather brings a text of every rank to rank 0, in the order of ranks.
func (w *world) gather(mine []byte) ([][]byte, error) {
	lengths, displs := make([]C.int, w.size), make([]C.int, w.size) // all 0 but at rank 0
	if err := mpiError("MPI_Gather", C.pg_text_lengths(w.x, C.int(len(mine)), &lengths[0])); err != nil {
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
	mine = append(mine, 0) // a pointer to nothing is none
	err := mpiError("MPI_Gatherv", C.pg_texts(w.x, unsafe.Pointer(&mine[0]), C.int(len(mine)-1), unsafe.Pointer(&all[0]), &lengths[0], &displs[0]))
	if err != nil || w.rank != 0 {
		return nil, err
	}
	texts := make([][]byte, w.size)
	for i, n := range lengths {
		texts[i] = all[displs[i] : displs[i]+n]
	}
	return texts, nil
}

// layout finds out, at rank 0, where all ranks run and on what. Every rank says
// little of itself; the first one of every node reads it for all.
func (s *session) layout() (*host.Layout, error) {
	name, _ := os.Hostname()
	seat, err := host.ReadRank(name, os.Environ(), s.info.LibVersion, s.info.Hash)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(seat)
	if err != nil {
		return nil, err
	}
	texts, err := s.gather(text)
	if err != nil {
		return nil, err
	}
	seats, err := decoded[host.RankFacts](texts)
	if err != nil {
		return nil, err
	}
	reads := make([]byte, s.size) // by rank: 1 for the first one of a node
	for _, r := range host.Leaders(seats) {
		reads[r] = 1
	}
	if reads, err = s.text(reads, 0); err != nil {
		return nil, err
	}
	if text, err = s.view(seat, reads[s.rank] == 1); err != nil {
		return nil, err
	}
	if texts, err = s.gather(text); err != nil || s.rank != 0 {
		return nil, err
	}
	views, err := decoded[host.NodeFacts](texts)
	if err != nil {
		return nil, err
	}
	return host.Merge(seats, views)
}

// view reads the node, or waits while others do: nobody may be busy in MPI then.
func (s *session) view(seat host.RankFacts, reads bool) ([]byte, error) {
	var v host.NodeFacts
	if reads {
		v = host.ReadNode(hostFiles, seat, os.Environ(), s.info.LibVersion, s.info.Hash)
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
	v.Node.OthersBusy = host.ReadCPUTime(hostFiles).BusySince(before, len(v.Kind.Online))
	return json.Marshal(v)
}

// decoded are the texts that are not empty.
func decoded[T any](texts [][]byte) ([]T, error) {
	var out []T
	for _, t := range texts {
		if len(t) == 0 {
			continue
		}
		var v T
		if err := json.Unmarshal(t, &v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// load is the highest one-minute load average of all nodes, at rank 0; -1
// where none is known.
func (w *world) load() (float64, error) {
	const unit = 100 // as the kernel rounds it
	highest := C.int64_t(math.Round(host.Load(hostFiles) * unit))
	err := mpiError("MPI_Sendrecv of the load", C.pg_all_max(w.x, &highest))
	return max(-1, float64(highest)/unit), err
}

//go:build cgo

package rank

/*
#cgo CFLAGS: -std=c11 -Wall -Wextra -I${SRCDIR}/../../../../measure/rank/native -I${SRCDIR}/../../../../mockups/c
#include <stdlib.h>
#include "rank.h"
#include "conformance.h"
*/
import "C"

import (
	"encoding/json"
	"slices"
	"time"
	"unsafe"

	"pgmpi/internal/feature/remedy/work"
	"pgmpi/measure/rank"
	"pgmpi/measure/rank/mpi"
)

// partSizes counts the job's sizes at which parts of the world are called on: the first ones.
const partSizes = 2

// Work does work.Work at the ranks. It names each call before it is made: the call may end the mpirun.
var Work = rank.Alone(work.Work, func(m *rank.Mpirun, j *work.Job) (*[]work.Call, error) {
	defer m.Watch("no call came back for %v (measure.stall)")()
	made, err := makeAll(m.World, j, func(i, n int, c work.Call) {
		text, _ := json.Marshal(c)
		m.Step(i, n, c.Name(), string(text))
		if i >= j.PauseFrom {
			time.Sleep(time.Duration(j.PauseNS))
		}
	})
	return &made, err
})

// makeAll makes the calls of a job. At rank 0 it returns them with what any rank found wrong. before
// hears of call i of n before it is made.
func makeAll(w *mpi.World, j *work.Job, before func(i, n int, c work.Call)) ([]work.Call, error) {
	var l *C.pg_conformance
	most := int64(64)
	for _, sizes := range append(j.More, work.Sizes{Msizes: j.Msizes}) {
		most = slices.Max(append(sizes.Msizes, most))
	}
	comm := (*C.pg_ctx)(unsafe.Pointer(w.Context)).comm
	if err := mpi.Error("communicators for conformance calls", C.pg_conformance_open(comm, C.long(most), &l)); err != nil {
		return nil, err
	}
	defer C.pg_conformance_close(l)
	var text [C.PG_CONFORMANCE_TEXT]C.char
	var mine []work.Call
	all := calls(l, j)
	for i, c := range all {
		before(i, len(all), c.Call)
		rc := C.pg_conformance_make(l, C.int(c.comm), C.int(c.call), C.int(c.Msize/4), &text[0])
		if err := mpi.Error(work.ErrorText+c.Name(), rc); err != nil {
			return nil, err
		}
		if c.Wrong = C.GoString(&text[0]); c.Wrong != "" {
			mine = append(mine, c.Call)
		}
	}
	return join(w, all, mine)
}

type call struct {
	work.Call
	comm, call int
}

func calls(l *C.pg_conformance, j *work.Job) (out []call) {
	var text [C.PG_CONFORMANCE_TEXT]C.char
	for comm := range int(C.pg_conformance_comms(l)) {
		for k := range int(C.pg_conformance_calls()) {
			function := C.GoString(C.pg_conformance_function(C.int(k)))
			if len(j.Functions) > 0 && !slices.Contains(j.Functions, function) {
				continue
			}
			C.pg_conformance_name(C.int(k), &text[0])
			if slices.Contains(j.Skip, work.Call{Function: function, What: C.GoString(&text[0])}.Kind()) {
				continue
			}
			np := int(C.pg_conformance_size(l, C.int(comm)))
			sizes := []int64{0}
			if C.pg_conformance_sized(C.int(k)) != 0 {
				sizes = sizesOn(j, function, np, comm == 0)
			}
			for _, size := range sizes {
				out = append(out, call{work.Call{Function: function, NP: np,
					Msize: size, Comm: C.GoString(C.pg_conformance_comm(l, C.int(comm))), What: C.GoString(&text[0])}, comm, k})
			}
		}
	}
	return out
}

func sizesOn(j *work.Job, function string, np int, world bool) []int64 {
	sizes := slices.Clone(j.Msizes)
	if !world {
		sizes = sizes[:min(partSizes, len(sizes))]
	}
	for _, more := range j.More {
		if more.Function == function && more.NP == np {
			sizes = append(sizes, more.Msizes...)
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

func join(w *mpi.World, calls []call, mine []work.Call) (out []work.Call, err error) {
	if most := 100; len(mine) > most {
		mine = mine[:most]
	}
	all, err := mpi.Gather(w, &mine)
	if err != nil || w.Rank != 0 {
		return nil, err
	}
	wrong := map[string]string{}
	for _, found := range all {
		for _, c := range found {
			if wrong[c.Name()] == "" {
				wrong[c.Name()] = c.Wrong
			}
		}
	}
	for _, c := range calls {
		c.Wrong = wrong[c.Name()]
		out = append(out, c.Call)
	}
	return out, nil
}

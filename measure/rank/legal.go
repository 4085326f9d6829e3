//go:build cgo

package rank

/*
#include <stdlib.h>
#include "rank.h"
#include "legal.h"
*/
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"pgmpi/measure/protocol"
)

// partSizes are the sizes at which parts of the world are called on, as places in the job's.
const partSizes = 2

// legal makes the calls of a job, each named before it is made.
func (s *session) legal(j *protocol.Job) (*outcome, error) {
	if j.NP != s.size {
		return nil, errors.New("the job is not for these processes")
	}
	var l *C.pg_legal
	if err := mpiError("communicators for legal calls", C.pg_legal_open(s.x.own, C.long(slices.Max(append([]int64{64}, j.Conformance.Msizes...))), &l)); err != nil {
		return nil, err
	}
	defer C.pg_legal_close(l)
	calls := legalCalls(l, j.Conformance)
	stall := time.Duration(j.StallNS)
	if s.rank != 0 {
		stall += 2 * time.Second // rank 0 has the word
	}
	watchdog := s.watch(stall, fmt.Sprintf("no call came back for %v (measure.stall)", stall))
	defer watchdog.Stop()
	text := (*C.char)(C.malloc(C.PG_LEGAL_TEXT))
	defer C.free(unsafe.Pointer(text))
	var mine []protocol.ConformanceCall
	for i, c := range calls {
		watchdog.Reset(stall)
		s.setName(c.Name())
		if s.rank == 0 {
			name, _ := json.Marshal(c.ConformanceCall)
			s.say("%s %d %d %s", protocol.LineProgress, i, len(calls), name)
			time.Sleep(time.Duration(j.Conformance.PauseNS))
		}
		rc := C.pg_legal_make(l, C.int(c.comm), C.int(c.call), C.int(c.Msize/4), text)
		if err := mpiError(protocol.ConformanceError+c.Name(), rc); err != nil {
			return nil, err
		}
		if c.Wrong = C.GoString(text); c.Wrong != "" {
			mine = append(mine, c.ConformanceCall)
		}
	}
	return s.legalOutcome(calls, mine)
}

// legalCall is a call with where C has it.
type legalCall struct {
	protocol.ConformanceCall
	comm, call int
}

func legalCalls(l *C.pg_legal, j *protocol.ConformanceJob) (out []legalCall) {
	text := (*C.char)(C.malloc(C.PG_LEGAL_TEXT))
	defer C.free(unsafe.Pointer(text))
	for comm := range int(C.pg_legal_comms(l)) {
		for call := range int(C.pg_legal_calls()) {
			function := C.GoString(C.pg_legal_function(C.int(call)))
			if len(j.Functions) > 0 && !slices.Contains(j.Functions, function) {
				continue
			}
			C.pg_legal_name(C.int(call), text)
			if slices.Contains(j.Skip, protocol.ConformanceCall{Function: function, What: C.GoString(text)}.Kind()) {
				continue
			}
			for i, size := range j.Msizes {
				sized := C.pg_legal_sized(C.int(call)) != 0
				if !sized && i > 0 || comm > 0 && i >= partSizes {
					break
				}
				if !sized {
					size = 0
				}
				out = append(out, legalCall{protocol.ConformanceCall{Function: function, NP: int(C.pg_legal_size(l, C.int(comm))),
					Msize: size, Comm: C.GoString(C.pg_legal_comm(l, C.int(comm))), What: C.GoString(text)}, comm, call})
			}
		}
	}
	return out
}

// legalOutcome joins what all ranks found.
func (s *session) legalOutcome(calls []legalCall, mine []protocol.ConformanceCall) (*outcome, error) {
	if most := 100; len(mine) > most {
		mine = mine[:most]
	}
	all, err := gather(s.world, &mine)
	if err != nil || s.rank != 0 {
		return &outcome{}, err
	}
	wrong := map[string]string{}
	for _, found := range all {
		for _, c := range found {
			if wrong[c.Name()] == "" {
				wrong[c.Name()] = c.Wrong
			}
		}
	}
	o := &outcome{}
	for _, c := range calls {
		c.Wrong = wrong[c.Name()]
		o.end.Conformance = append(o.end.Conformance, c.ConformanceCall)
	}
	return o, nil
}

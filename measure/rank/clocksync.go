//go:build cgo

package rank

/*
#include "rank.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"pgmpi/measure/clocks"
	"pgmpi/measure/protocol"
)

// syncClocks makes a global clock of the ranks' own by the named method: it
// sets the model that pg_global and pg_local use, on every rank. All ranks must
// call it, and all fail when one does. The reference is rank 0's clock.
func (w *world) syncClocks(method string) error {
	if _, err := w.synchronise(method); err != nil {
		return fmt.Errorf("clock synchronisation %q: %w", method, err)
	}
	return nil
}

// clockMethod finds the model of this rank's clock relative to the first of the
// team; all members call it. A new one is one file clocksync_NAME.go.
type clockMethod func(*clockSync) error

// clockMethods is filled by the files clocksync_NAME.go.
var clockMethods = map[string]clockMethod{}

// sharedSuffix marks the two-level methods: the first rank of every host takes
// part, the others of the host read the same clock.
const sharedSuffix = "+shared"

// clockSync is one synchronisation under way, as one rank of its team sees it.
type clockSync struct {
	*world
	team  []int        // ranks that take part, the reference first
	me    int          // index of this rank in team
	model clocks.Model // of this rank's clock
	pings []clocks.Ping

	// What it costs: how many partners this rank has had one after the other
	// (at the reference that is the number of dependent rounds), and the
	// messages that it has sent and caused.
	rounds, messages int
}

func (w *world) synchronise(method string) (*clockSync, error) {
	w.setModel(clocks.Model{})
	hosts, mine, err := w.hosts()
	if err != nil {
		return nil, err
	}
	s := &clockSync{world: w}
	name, twoLevel := strings.CutSuffix(method, sharedSuffix)
	switch do, ok := clockMethods[name]; {
	case method == protocol.ClockSyncShared:
		if err := onlyOneHost(hosts); err != nil {
			return s, err // on every rank
		}
		err = s.among(mine.ranks, shared)
	case !ok:
		return nil, fmt.Errorf("this rank program has no such clock synchronisation")
	case twoLevel:
		var leaders []int
		for _, h := range hosts {
			leaders = append(leaders, h.ranks[0])
		}
		if err = s.among(leaders, do); err == nil {
			w.setModel(s.model)
		}
		err = errors.Join(err, s.among(mine.ranks, shared))
	default:
		all := make([]int, w.size)
		for i := range all {
			all[i] = i
		}
		err = s.among(all, do)
	}
	if err := w.agree(err); err != nil {
		return s, err
	}
	w.setModel(s.model)
	return s, nil
}

// among has a method done by the ranks of a team.
func (s *clockSync) among(team []int, do clockMethod) error {
	s.team, s.me = team, -1
	for i, r := range team {
		if r == s.rank {
			s.me = i
		}
	}
	if s.me < 0 || len(team) == 1 {
		return nil
	}
	return do(s)
}

func (w *world) setModel(m clocks.Model) {
	w.time.model.origin, w.time.model.offset = C.int64_t(m.Origin), C.int64_t(m.Offset)
	w.time.model.intercept, w.time.model.slope = C.double(m.Intercept), C.double(m.Slope)
}

func (w *world) model() clocks.Model {
	m := &w.time.model
	return clocks.Model{Origin: int64(m.origin), Offset: int64(m.offset), Intercept: float64(m.intercept), Slope: float64(m.slope)}
}

func (w *world) read() int64 { return reading(w.time.now) }

// clockHost is a group of ranks whose clock should be one and the same.
type clockHost struct {
	id, name string
	ranks    []int
}

// hosts groups all ranks by the kernel they run on and the time namespace they
// are in, which shifts a kernel's clocks; both in the order of ranks. mine is
// this rank's.
func (w *world) hosts() (all []clockHost, mine clockHost, err error) {
	name, _ := os.Hostname()
	id := bootID()
	if id == "" {
		id = fmt.Sprintf("unknown kernel of rank %d", w.rank)
	}
	if namespace, err := os.Readlink("/proc/self/ns/time"); err == nil && w.clock.Name != protocol.ClockRDTSCP {
		id += " " + namespace
	}
	records, err := w.allGather([]byte(fmt.Sprintf("%-80.80s%.64s", id, name)), 144)
	if err != nil {
		return nil, clockHost{}, err
	}
	at := map[string]int{}
	for r, text := range records {
		id := string(text[:80])
		i, ok := at[id]
		if !ok {
			i = len(all)
			at[id] = i
			all = append(all, clockHost{id: id, name: strings.TrimRight(string(text[80:]), "\x00")})
		}
		all[i].ranks = append(all[i].ranks, r)
	}
	return all, all[at[string(records[w.rank][:80])]], nil
}

func onlyOneHost(hosts []clockHost) error {
	if len(hosts) == 1 {
		return nil
	}
	a, b := hosts[0], hosts[1]
	return fmt.Errorf("the ranks read %d different clocks: rank %d runs on host %s, rank %d on host %s (another kernel, or another time namespace); use measure.clock_sync = \"hca3%s\"",
		len(hosts), a.ranks[0], a.name, b.ranks[0], b.name, sharedSuffix)
}

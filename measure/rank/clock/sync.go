//go:build cgo

package clock

/*
#include "rank.h"
*/
import "C"

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"pgmpi/measure/clocks"
	"pgmpi/measure/clocks/methods"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/mpi"
)

// SharedSuffix marks the two-level methods: the first rank of every host takes
// part, the others of the host read the same clock.
const SharedSuffix = "+shared"

func (c *Clock) Synchronise(method string) error {
	_, err := c.synchronise(method)
	return err
}

// synchronise makes a global clock of the ranks' own by the named method: it
// sets the model that pg_global and pg_local use, on every rank. All ranks must
// call it, and all fail when one does. The reference is rank 0's clock.
func (c *Clock) synchronise(method string) (*methods.Sync, error) {
	c.time.model = cModel(clocks.Model{})
	hosts, mine, err := c.hosts()
	if err != nil {
		return nil, err
	}
	s := c.sync()
	name, twoLevel := strings.CutSuffix(method, SharedSuffix)
	switch do, ok := methods.By[name]; {
	case method == protocol.ClockSyncShared:
		if err := onlyOneHost(hosts); err != nil {
			return s, err // on every rank
		}
		err = s.Among(mine.ranks, methods.Shared)
	case !ok:
		return nil, fmt.Errorf("this rank program has no such clock synchronisation")
	case twoLevel:
		var leaders []int
		for _, h := range hosts {
			leaders = append(leaders, h.ranks[0])
		}
		if err = s.Among(leaders, do); err == nil {
			c.time.model = cModel(s.Model)
		}
		err = errors.Join(err, s.Among(mine.ranks, methods.Shared))
	default:
		err = s.Among(c.everyone(), do)
	}
	if err := c.Agree(err); err != nil {
		return s, err
	}
	c.time.model = cModel(s.Model)
	return s, nil
}

func (c *Clock) sync() *methods.Sync {
	return &methods.Sync{Peers: peers{c}, Rank: c.Rank, Clock: c.Info.Name}
}

func (c *Clock) everyone() []int {
	all := make([]int, c.Size)
	for i := range all {
		all[i] = i
	}
	return all
}

func cModel(m clocks.Model) C.pg_model {
	return C.pg_model{origin: C.int64_t(m.Origin), offset: C.int64_t(m.Offset), intercept: C.double(m.Intercept), slope: C.double(m.Slope)}
}

func (c *Clock) Model() clocks.Model {
	m := &c.time.model
	return clocks.Model{Origin: int64(m.origin), Offset: int64(m.offset), Intercept: float64(m.intercept), Slope: float64(m.slope)}
}

// clockHost is a group of ranks whose clock should be one and the same.
type clockHost struct {
	name  string
	ranks []int
}

// hosts groups all ranks by their kernel and their time namespace, which shifts a kernel's clocks. Both
// are in the order of ranks; mine is this rank's.
func (c *Clock) hosts() (all []clockHost, mine clockHost, err error) {
	id := cmp.Or(host.BootID(hostFiles), fmt.Sprintf("unknown kernel of rank %d", c.Rank))
	if namespace, err := os.Readlink("/proc/self/ns/time"); err == nil && c.Info.Name != protocol.ClockRDTSCP {
		id += " " + namespace
	}
	var own struct {
		id   [80]byte
		name [64]byte
	}
	name, _ := os.Hostname()
	copy(own.id[:], id)
	copy(own.name[:], name)
	records, err := mpi.AllGather(c.World, own)
	if err != nil {
		return nil, clockHost{}, err
	}
	at := map[[80]byte]int{}
	for r, rank := range records {
		i, ok := at[rank.id]
		if !ok {
			i = len(all)
			at[rank.id] = i
			all = append(all, clockHost{name: strings.TrimRight(string(rank.name[:]), "\x00")})
		}
		all[i].ranks = append(all[i].ranks, r)
	}
	return all, all[at[own.id]], nil
}

// OneHost tells whether all ranks read the clock of one kernel.
func (c *Clock) OneHost() (bool, error) {
	hosts, _, err := c.hosts()
	return len(hosts) == 1, err
}

func onlyOneHost(hosts []clockHost) error {
	if len(hosts) == 1 {
		return nil
	}
	a, b := hosts[0], hosts[1]
	return fmt.Errorf("the ranks read %d different clocks: rank %d runs on host %s, rank %d on host %s (another kernel, or another time namespace); use measure.clock_sync = \"hca3%s\"",
		len(hosts), a.ranks[0], a.name, b.ranks[0], b.name, SharedSuffix)
}

// Examine synchronises once by a method and compares the clocks after it. It does so at once and some
// seconds later (S-REVISITED, Algorithms 20 and 22). alive is called whenever something has been
// finished.
func (c *Clock) Examine(method string, j *protocol.ClocksJob, alive func()) (protocol.ClockSync, error) {
	out := protocol.ClockSync{Method: method}
	if err := c.Barrier(); err != nil {
		return out, err
	}
	start := time.Now()
	sync, err := c.synchronise(method)
	if err != nil {
		out.Failed = err.Error()
		return out, nil
	}
	if err := c.Barrier(); err != nil {
		return out, err
	}
	end := time.Now()
	out.DurationNS = end.Sub(start).Nanoseconds()
	perRank, err := mpi.AllGather(c.World, [2]int{sync.Rounds, sync.Messages})
	if err != nil {
		return out, err
	}
	for _, r := range perRank { // the rounds of the busiest rank, the messages of all
		out.Rounds, out.Messages = max(out.Rounds, r[0]), out.Messages+r[1]
	}
	for _, seconds := range append([]float64{0}, j.Seconds...) {
		alive()
		later := time.Duration(seconds * 1e9)
		check := protocol.ClockCheck{Seconds: seconds}
		if j.Compute {
			check.TrueNS, err = c.trueErrors(sync.Model, later)
		} else {
			time.Sleep(time.Until(end.Add(later)))
			check, err = c.compare(sync.Model, seconds)
		}
		if err != nil {
			return out, err
		}
		out.Checks = append(out.Checks, check)
	}
	return out, nil
}

func (c *Clock) Compare() (protocol.ClockCheck, error) { return c.compare(c.Model(), 0) }

// compare has every rank exchange messages with rank 0, in turn. It gives the error of the rank's
// global clock as SKaMPI would measure the offset.
func (c *Clock) compare(m clocks.Model, seconds float64) (protocol.ClockCheck, error) {
	out := protocol.ClockCheck{Seconds: seconds}
	mine, err := c.sync().Offset(c.everyone())
	if err != nil {
		return out, err
	}
	wrong := m.Global(mine.At) - (mine.At - mine.Ahead)
	perRank, err := mpi.AllGather(c.World, [2]int64{wrong, mine.Bound})
	if err != nil {
		return out, err
	}
	for _, r := range perRank {
		out.ErrorNS = append(out.ErrorNS, r[0])
		out.BoundNS = append(out.BoundNS, r[1])
	}
	out.TrueNS, err = c.trueErrors(m, 0)
	return out, err
}

// trueErrors gives by rank how far the global clock is ahead of rank 0's at an instant. It does so in
// the test build whose clocks are known, and returns nil in every other.
func (c *Clock) trueErrors(m clocks.Model, later time.Duration) ([]int64, error) {
	var mine, reference C.int64_t
	if C.pg_injected(C.int64_t(later), &mine, &reference) == 0 {
		return nil, nil
	}
	return mpi.AllGather(c.World, m.Global(int64(mine))-int64(reference))
}

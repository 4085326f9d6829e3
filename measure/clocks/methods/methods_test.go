package methods

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgmpi/measure/clocks"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// drift has every clock but the reference's; neighbours drift in opposite directions.
const drift = 50e-6

// network has the messages under way between ranks whose clocks are known. Time passes only while
// all of them wait (testing/synctest).
type network struct {
	start time.Time
	links map[[2]int]chan message // from and to
}

// message is what arrives some time after it was sent.
type message struct {
	sent  time.Time
	model clocks.Model
	time  int64
	last  bool
}

func newNetwork(p int) *network {
	n := &network{time.Now(), map[[2]int]chan message{}}
	for from := range p {
		for to := range p {
			n.links[[2]int{from, to}] = make(chan message, 1)
		}
	}
	return n
}

// reading is what the clock of a rank shows now: it is seconds ahead, and drifts.
func (n *network) reading(rank int) int64 {
	passed := time.Since(n.start)
	ahead := int64(rank) * int64(2*time.Second)
	if rank > 0 {
		ahead += int64(drift * float64(1-2*(rank%2)) * float64(passed))
	}
	return int64(passed) + ahead
}

// node is a rank on the network, with the delays of the messages that come to it.
type node struct {
	*network
	rank   int
	delays *rand.Rand
}

func (n node) send(to int, m message) error {
	m.sent = time.Now()
	n.links[[2]int{n.rank, to}] <- m
	return nil
}

// receive waits for a microsecond and more after a message was sent; one of a hundred is held up.
func (n node) receive(from int) message {
	m := <-n.links[[2]int{from, n.rank}]
	delay := time.Microsecond + time.Duration(500*n.delays.ExpFloat64())
	if n.delays.IntN(100) == 0 {
		delay += 100 * time.Microsecond
	}
	time.Sleep(time.Until(m.sent.Add(delay)))
	return m
}

func (n node) Turn(to int) error                   { return n.send(to, message{}) }
func (n node) Give(to int, m clocks.Model) error   { return n.send(to, message{model: m}) }
func (n node) Await(from int) error                { n.receive(from); return nil }
func (n node) Take(from int) (clocks.Model, error) { return n.receive(from).model, nil }

func (n node) Ask(ref int, pings []clocks.Ping, patience int) (done int, err error) {
	shortest, age := int64(1)<<62, 0
	for i := range pings {
		last := i+1 == len(pings) || patience > 0 && age >= patience
		pings[i].Sent = n.reading(n.rank)
		_ = n.send(ref, message{last: last})
		pings[i].Remote = n.receive(ref).time
		pings[i].Back = n.reading(n.rank)
		if age++; pings[i].RTT() < shortest {
			shortest, age = pings[i].RTT(), 0
		}
		if last {
			return i + 1, nil
		}
	}
	return len(pings), nil
}

func (n node) Answer(client int, m clocks.Model) error {
	for last := false; !last; {
		last = n.receive(client).last
		_ = n.send(client, message{time: m.Global(n.reading(n.rank))})
	}
	return nil
}

// synchronised has every rank of a team synchronise, and returns them.
func synchronised(t *testing.T, n *network, p int, do Method) []*Sync {
	t.Helper()
	team, all, errs := make([]int, p), make([]*Sync, p), make([]error, p)
	for i := range team {
		team[i] = i
	}
	var ranks sync.WaitGroup
	for rank := range all {
		all[rank] = &Sync{Peers: node{n, rank, rand.New(rand.NewPCG(uint64(rank), 1))}, Rank: rank, Clock: "known"}
		ranks.Go(func() { errs[rank] = all[rank].Among(team, do) })
	}
	ranks.Wait()
	for _, err := range errs {
		must.Do(t, err)
	}
	return all
}

// errors are how far the ranks' global clocks are ahead of the reference's now.
func (n *network) errors(all []*Sync) (out []float64) {
	for rank, s := range all {
		out = append(out, float64(s.Model.Global(n.reading(rank))-n.reading(0)))
	}
	return out
}

// Offsets alone are wrong by the drift, linear models are not. Right after the synchronisation both
// know clocks that are seconds apart.
func TestLinearModelsFollowDriftAndOffsetsDoNot(t *testing.T) {
	for name, do := range By {
		for _, p := range []int{2, 3, 4, 7} {
			synctest.Test(t, func(t *testing.T) {
				what := fmt.Sprintf("p = %d, %s", p, name)
				n := newNetwork(p)
				all := synchronised(t, n, p, do)
				wantCost(t, what, name, all)
				at := n.errors(all)
				const later = 20 * time.Second
				time.Sleep(later)
				for rank, after := range n.errors(all)[1:] {
					before := at[rank+1]
					moved := max(after-before, before-after) / (drift * float64(later))
					should.Hold(t, max(before, -before) < 1e6, "%s: rank %d is off by %.0f ns at once", what, rank+1, before)
					if name == "skampi" || name == "netgauge" {
						should.Hold(t, moved > .98 && moved < 1.02, "%s: rank %d is off by %.3f of the drift, not by all of it",
							what, rank+1, moved)
					} else {
						should.Hold(t, moved < .05, "%s: rank %d is off by %.3f of the drift", what, rank+1, moved)
					}
				}
			})
		}
	}
}

// wantCost compares rounds and messages with their formulas. A turn is one message, an exchange
// two; an offset takes 100, a fit point 20 of them.
func wantCost(t *testing.T, what, name string, all []*Sync) {
	t.Helper()
	const offset, line, rtt = 1 + 200, 100 * (1 + 40), 1 + 200
	p, rounds, messages := len(all), 0, 0
	log := bits.Len(uint(p - 1))
	for _, s := range all {
		rounds, messages = max(rounds, s.Rounds), messages+s.Messages
	}
	want := map[string]struct{ rounds, messages int }{
		"skampi":   {p - 1, (p - 1) * offset},
		"netgauge": {log, messages},
		"jk":       {p - 1, (p - 1) * (rtt + line)},
		"hca":      {log + p - 1, (p - 1) * (rtt + line + 1 + offset)},
		"hca2":     {log, (p - 1) * (rtt + line + offset + 1)},
		"hca3":     {log, (p - 1) * (line + offset)},
	}[name]
	should.Hold(t, rounds == want.rounds && messages == want.messages, "%s: %d rounds and %d messages, want %+v",
		what, rounds, messages, want)
	if name == "netgauge" {
		// The shortest exchange is 100 old at the end; there are never more than 10,000.
		should.Hold(t, messages >= (p-1)*(2+2*101) && messages <= (p-1)*(2+2*10000), "%s: %d messages", what, messages)
	}
}

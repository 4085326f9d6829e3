package profile

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"pgmpi/internal/lists"
)

// Message counts messages of one function, of Bytes to less than twice as many. Their calls are in Functions, too.
type Message struct {
	Function string `json:"function"` // without _c
	Bytes    int64  `json:"bytes"`    // 0, or a power of two; of a wait, of the largest message that was sent before
	Pair     Pair   `json:"pair"`
	Calls    int64  `json:"calls"`
	SumNS    int64  `json:"sum_ns"`
}

// Pair tells between which processes messages are sent.
type Pair string

const (
	OnNode       Pair = "node"
	BetweenNodes Pair = "nodes"
	SomePair     Pair = "" // not known
)

// messageFunctions are those that measure/preload counts by size; a test compares them.
var messageFunctions = strings.Fields(`MPI_Send MPI_Bsend MPI_Ssend MPI_Rsend MPI_Recv MPI_Mrecv MPI_Sendrecv
	MPI_Sendrecv_replace MPI_Isend MPI_Ibsend MPI_Issend MPI_Irsend MPI_Irecv MPI_Imrecv MPI_Wait MPI_Waitall MPI_Waitany
	MPI_Waitsome`)

// Waits tells whether calls wait for messages that others have started.
func (m Message) Waits() bool { return strings.HasPrefix(m.Function, "MPI_Wait") }

// End is the size from which on messages are no longer among these.
func (m Message) End() int64 { return max(1, 2*m.Bytes) }

// SizesLike returns the size that a message is counted under.
func SizesLike(bytes int64) int64 {
	if bytes < 1 {
		return 0
	}
	return 1 << (bits.Len64(uint64(bytes)) - 1)
}

// MessageSeconds returns the time in messages as a part of the run-time, as Seconds does for a Call.
func (p *Profile) MessageSeconds(m Message) float64 { return p.seconds(m.SumNS) }

// MessagesOfRank returns how many a mean rank makes.
func (p *Profile) MessagesOfRank(m Message) float64 { return float64(m.Calls) / float64(p.Ranks) }

func (m Message) kind() Message { return Message{Function: m.Function, Bytes: m.Bytes, Pair: m.Pair} }

func (p *Profile) addMessages(more []Message) {
	for _, m := range more {
		a := lists.FirstOrNew(&p.Messages, func(a Message) bool { return a.kind() == m.kind() }, m.kind())
		a.Calls, a.SumNS = a.Calls+m.Calls, a.SumNS+m.SumNS
	}
}

func sortMessages(all []Message) {
	slices.SortStableFunc(all, func(a, b Message) int { return cmp.Compare(b.SumNS, a.SumNS) })
}

// checkMessages refuses more messages of a function than it has calls.
func (p *Profile) checkMessages() error {
	most := map[string]Function{}
	for _, f := range p.Functions {
		name := strings.TrimSuffix(f.Name, "_c")
		most[name] = Function{name, most[name].Calls + f.Calls, most[name].SumNS + f.SumNS}
	}
	for i, m := range p.Messages {
		of := most[m.Function]
		of.Calls, of.SumNS = of.Calls-m.Calls, of.SumNS-m.SumNS
		most[m.Function] = of
		switch {
		case !slices.Contains(messageFunctions, m.Function) || !slices.Contains([]Pair{OnNode, BetweenNodes, SomePair}, m.Pair):
			return fmt.Errorf("messages[%d]: no messages of %.40q between %.40q are counted", i, m.Function, m.Pair)
		case m.Bytes < 0 || m.Bytes > mostBytes || m.Bytes != SizesLike(m.Bytes):
			return fmt.Errorf("messages[%d], %s: %d bytes are no power of two", i, m.Function, m.Bytes)
		case m.Calls < 1 || m.SumNS < 0 || of.Calls < 0 || float64(-of.SumNS) > float64(m.SumNS)*(inexact-1)+rounding:
			return fmt.Errorf("messages[%d], %s: %d messages in %d ns are more than its calls", i, m.Function, m.Calls, m.SumNS)
		}
	}
	return nil
}

const rounding = 1e4 // ns: each sum is rounded on its own

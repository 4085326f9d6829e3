package mockups

// The ways to exchange messages between two ranks, 0 and 1 unless an id names others. The rest takes no part.
const (
	Synchronous Call = "synchronous" // MPI_Ssend
	Immediate   Call = "immediate"   // MPI_Isend, then Wait
	Started     Call = "started"     // MPI_Send_init: Start, then Wait
	Streamed    Call = "stream"      // MPI_Send/stream: in a row, then one answer
	OneByOne    Call = "one_by_one"  // MPI_Send/one_by_one: as many, each an answer to the one before
)

// messages are what collectives are not: only two ranks take part.
var messages = []Function{
	{ID: "MPI_Send", Formula: "Send(n)", What: "half a ping-pong by Send and Recv", Half: true},
	{ID: "MPI_Sendrecv", Formula: "Sendrecv(n)", What: "both ranks to each other at once, by Sendrecv"},
}

// otherMessages are the other ways to exchange them.
var otherMessages = []struct {
	of            string
	call          Call
	formula, what string
}{
	{"MPI_Send", Synchronous, "Ssend(n)", "half a ping-pong by Ssend and Recv"},
	{"MPI_Send", Immediate, "Isend(n) + Wait", "half a ping-pong by Isend, Irecv and Wait"},
	{"MPI_Send", Started, "Start + Wait of Send_init(n)",
		"half a ping-pong by requests made before, started and waited for"},
	{"MPI_Send", Streamed, "64·Send(n) in a row + answer", "64 messages by Send in a row to a receiver that answers them once, without data"},
	{"MPI_Send", OneByOne, "64·Send(n)", "64 messages one by one, in 32 ping-pongs by Send and Recv"},
	{"MPI_Sendrecv", ToAll, "Isend(n) + Irecv(n) + Waitall",
		"both ranks to each other at once, by Isend, Irecv and Waitall"},
}

// fromFirst is the first rank's block at the second one, the only data that streams must leave.
var fromFirst Result = func(rank, p, root, block int) Source {
	if rank != 1 {
		return undefined
	}
	return Source{0, 0, 0}
}

func messageCalls() (calls []Call) {
	for _, m := range otherMessages {
		if m.call != ToAll { // a collective has it, too
			calls = append(calls, m.call)
		}
	}
	return calls
}

// fromPartner is the other rank's block. A rank that takes no part gets nothing.
var fromPartner Result = func(rank, p, root, block int) Source {
	if rank > 1 || p < 2 {
		return undefined
	}
	return Source{1 - rank, 1 - rank, 0}
}

// makeMessage makes another way to exchange messages out of the usual one.
func makeMessage(f *Function) bool {
	for _, m := range otherMessages {
		if m.of == f.Of && m.call == f.Call {
			f.Formula, f.What = m.formula, m.what
			if f.Call == Streamed || f.Call == OneByOne {
				f.Half, f.Result = false, fromFirst
			}
			return true
		}
	}
	return false
}

// Messages returns the usual ways to exchange messages.
func Messages() []string { return ids(func(f Function) bool { return f.Message && f.Of == "" }) }

package methods

import (
	"math/bits"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestEveryProcessIsAClientOnceInTheTree(t *testing.T) {
	for p := 1; p <= 40; p++ {
		for name, rounds := range map[string][]int{"upwards": upwards(p), "downwards": downwards(p)} {
			want := bits.Len(uint(p - 1))
			should.Hold(t, len(rounds) == want, "p = %d takes %d rounds %s, want ⌈log2 p⌉ = %d", p, len(rounds), name, want)
			clients, known := map[int]int{}, map[int]bool{0: true}
			for _, r := range rounds {
				busy := map[int]bool{}
				for me := range p {
					who, client, ok := partner(p, me, r)
					if !ok {
						continue
					}
					back, otherClient, otherOK := partner(p, who, r)
					must.Hold(t, otherOK && back == me && otherClient != client && !busy[me],
						"p = %d round %d: %d deals with %d, which deals with %d", p, r, me, who, back)
					busy[me] = true
					if !client {
						continue
					}
					clients[me]++
					should.Hold(t, name != "downwards" || known[who], "p = %d round %d: %d learns from %d, which does not know the global time yet", p, r, me, who)
					known[me] = true
				}
			}
			for me := 1; me < p; me++ {
				should.Hold(t, clients[me] == 1, "p = %d %s: %d is a client %d times, want once", p, name, me, clients[me])
			}
		}
	}
}

//go:build cgo

package rank

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"
)

func TestEveryProcessIsAClientOnceInTheTree(t *testing.T) {
	for p := 1; p <= 40; p++ {
		for name, rounds := range map[string][]int{"upwards": upwards(p), "downwards": downwards(p)} {
			if want := bits.Len(uint(p - 1)); len(rounds) != want {
				t.Errorf("p = %d takes %d rounds %s, want ⌈log2 p⌉ = %d", p, len(rounds), name, want)
			}
			clients, known := map[int]int{}, map[int]bool{0: true}
			for _, r := range rounds {
				busy := map[int]bool{}
				for me := range p {
					who, client, ok := partner(p, me, r)
					if !ok {
						continue
					}
					back, otherClient, otherOK := partner(p, who, r)
					if !otherOK || back != me || otherClient == client || busy[me] {
						t.Fatalf("p = %d round %d: %d deals with %d, which deals with %d", p, r, me, who, back)
					}
					busy[me] = true
					if !client {
						continue
					}
					clients[me]++
					if name == "downwards" && !known[who] {
						t.Errorf("p = %d round %d: %d learns from %d, which does not know the global time yet", p, r, me, who)
					}
					known[me] = true
				}
			}
			for me := 1; me < p; me++ {
				if clients[me] != 1 {
					t.Errorf("p = %d %s: %d is a client %d times, want once", p, name, me, clients[me])
				}
			}
		}
	}
}

func TestRDTSCPNeedsTheFlagsOfAnInvariantCounter(t *testing.T) {
	const cpuinfo = "processor\t: 0\nflags\t\t: fpu tsc rdtscp %s\nbugs\t\t: rdtscp\n"
	for flags, want := range map[string]string{
		"constant_tsc nonstop_tsc": "",
		"constant_tsc":             "nonstop_tsc",
		"":                         "constant_tsc, nonstop_tsc",
	} {
		if got := missingFlags(strings.Replace(cpuinfo, "%s", flags, 1)); got != want {
			t.Errorf("with the flags %q it misses %q, want %q", flags, got, want)
		}
	}
}

func TestAListOfSeveralCoresIsNotPinned(t *testing.T) {
	for list, want := range map[string]string{"3": "3", "": "", "0-4095": "", "0,4095": ""} {
		if got := siblings(list); got != want {
			t.Errorf("processors %q: %q, want %q", list, got, want)
		}
	}
}

func TestSharedNamesBothHostsAndTheRemedy(t *testing.T) {
	err := onlyOneHost([]clockHost{{name: "a", ranks: []int{0, 1}}, {name: "b", ranks: []int{2}}})
	for _, part := range []string{"rank 0 runs on host a", "rank 2 on host b", `clock_sync = "hca3+shared"`} {
		if !strings.Contains(fmt.Sprint(err), part) {
			t.Errorf("%v does not say %q", err, part)
		}
	}
	if err := onlyOneHost([]clockHost{{name: "a"}}); err != nil {
		t.Error(err)
	}
}

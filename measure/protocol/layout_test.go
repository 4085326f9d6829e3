package protocol

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"pgmpi/measure/host"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestLayoutTravelsInShortLines(t *testing.T) {
	l := &host.Layout{Kinds: []host.NodeKind{{Online: host.Ranges{0, 1}}},
		Pinnings: [][]host.Pin{{{CPUs: host.Ranges{0}, Ranks: 1}, {CPUs: host.Ranges{1}, Ranks: 1}}}, Nodes: []host.Node{{Host: "a", Ranks: host.Ranges{0, 1}}}}
	for i := 1; i < 1000; i++ {
		l.Nodes = append(l.Nodes, host.Node{Host: fmt.Sprintf("node%04d", i), Ranks: host.Ranges{2 * i, 2*i + 1}})
	}
	l.OtherEnv = host.Ranges{7, 8, 9}
	var text bytes.Buffer
	w := NewOutputWriter(&text)
	w.Layout(l)
	must.Do(t, w.End(End{}))
	in := NewOutputReader(&Job{NP: 2000})
	for line := range bytes.Lines(text.Bytes()) {
		must.Hold(t, len(line) <= 8<<10, "a line of %d bytes", len(line))
		must.Get(in.Add(bytes.TrimSuffix(line, []byte("\n"))))(t)
	}
	want, _ := json.Marshal(l)
	got, _ := json.Marshal(in.Output().Layout)
	should.Hold(t, bytes.Equal(got, want), "got %.500s\nwant %.500s", got, want)
}

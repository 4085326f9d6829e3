package protocol

import (
	"bufio"
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func TestClocksArriveAsTheyWereSent(t *testing.T) {
	clocks := []ClockInfo{{Name: "monotonic", TickNS: 17, CostNS: 19.5}, {Name: "rdtscp", Refused: "not bound"}}
	syncs := []ClockSync{{Method: "shared", Failed: "two hosts\nand more"}, {Method: "hca3", DurationNS: 1, Rounds: 2, Messages: 3,
		Checks: []ClockCheck{{Seconds: 0.5, ErrorNS: []int64{0, -7}, BoundNS: []int64{0, 9}}}}}
	var text bytes.Buffer
	w := NewOutputWriter(&text)
	for _, s := range syncs {
		w.JSON(LineSync, s)
	}
	must.Do(t, w.End(End{Clock: &clocks[0], Clocks: clocks}))
	read := func(text string) (*Output, error) {
		r := NewOutputReader(&Job{Clocks: &ClocksJob{Methods: []string{"shared", "hca3"}}})
		for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
			if done, err := r.Add(s.Bytes()); err != nil || done {
				return r.Output(), err
			}
		}
		return nil, nil
	}
	out, err := read(text.String())
	must.Hold(t, err == nil && out != nil, "%v %v", out, err)
	should.Hold(t, reflect.DeepEqual(out.End.Clocks, clocks) && reflect.DeepEqual(out.Syncs, syncs) && out.End.Clock.TickNS == 17,
		"sent %v and %v, got %v and %v", clocks, syncs, out.End.Clocks, out.Syncs)
	_, err = read(strings.Replace(text.String(), `"rounds":2`, `"rounds":8`, 1))
	should.Hold(t, err != nil, "a changed number of rounds was not noticed")
	_, err = read(`sync {"method":"hca3"}` + "\n")
	should.Hold(t, err != nil && strings.Contains(err.Error(), "never compared"), "a synchronisation without comparisons: %v", err)
	_, err = read("sync {\n")
	should.Hold(t, err != nil, "a damaged sync line was read")
}

func TestWorstIgnoresTheSign(t *testing.T) {
	for _, c := range []struct {
		ns   []int64
		want int64
	}{{nil, 0}, {[]int64{3, -8, 5}, 8}, {[]int64{math.MaxInt64}, math.MaxInt64}} {
		should.Equal(t, Worst(c.ns), c.want, "worst of %v", c.ns)
	}
}

package protocol

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

func exitLines(t *testing.T, exits []Exit, end *Barriers) []string {
	t.Helper()
	var text bytes.Buffer
	w := NewOutputWriter(&text)
	for _, x := range exits {
		w.JSON(LineExit, x)
	}
	must.Do(t, w.End(End{Barriers: end}))
	return strings.Split(strings.TrimSpace(text.String()), "\n")
}

func readExits(job *ClocksJob, lines []string) (*Output, error) {
	r := NewOutputReader(&Job{NP: 2, Clocks: job})
	for _, l := range lines {
		if done, err := r.Add([]byte(l)); err != nil || done {
			return r.Output(), err
		}
	}
	return r.Output(), nil
}

func TestExitsArriveAsTheyWereSentAndNoneThatCannotBe(t *testing.T) {
	two := []Exit{{Rank: 0, First: 1}, {Rank: 1, MeanNS: 130.5, CINS: 2, MedianNS: 120, MaxNS: 9e6, Last: 1, ErrorNS: [2]int64{-5, 7}, BoundNS: [2]int64{80, 90}}}
	fine, asked := &Barriers{ClockSync: "shared", Calls: 10, ApartNS: 120, ApartP95NS: 300, TimeNS: 500}, &ClocksJob{Barriers: 10}
	out, err := readExits(asked, exitLines(t, two, fine))
	should.Hold(t, err == nil && reflect.DeepEqual(out.Exits, two) && reflect.DeepEqual(out.End.Barriers, fine),
		"sent %+v and %+v, got %+v and %+v, %v", two, fine, out.Exits, out.End.Barriers, err)
	for why, c := range map[string]struct {
		job   *ClocksJob
		exits []Exit
		end   *Barriers
	}{
		"more than the job asks for":   {&ClocksJob{}, two, fine},
		"of a third rank":              {asked, append(two[:2:2], Exit{Rank: 2}), fine},
		"rank 1, expected 0":           {asked, two[1:], fine},
		"has a negative time or share": {asked, []Exit{{Rank: 0, MinNS: -1}}, fine},
		"no barrier":                   {asked, two, &Barriers{}},
		"a negative time":              {asked, two, &Barriers{Calls: 1, ApartNS: -1}},
	} {
		_, err := readExits(c.job, exitLines(t, c.exits, c.end))
		should.Hold(t, err != nil, "%s: taken", why)
	}
}

package guidelines

import (
	"strings"
	"testing"

	"pgmpi/testkit/should"
)

func TestMessagesAreAskedOfTwoProcessesOrMore(t *testing.T) {
	s := settings("messages", "GL28")
	s.Shapes = []Shape{{NP: 1}, {NP: 2}}
	p := build(t, s)
	of := map[int]map[string]bool{1: {}, 2: {}}
	for _, x := range p.Tests {
		of[x.Shape.NP][x.Guideline+":"+x.Function] = true
	}
	should.Equal(t, of[1], map[string]bool{"GL28:MPI_Bcast": true}, "on one process")
	should.Equal(t, len(of[2]), 1+4+5, "on two: %v", of[2])
	should.Contain(t, strings.Join(p.Notes, "\n"),
		"Messages are not tested on p1: one needs two processes.")
}

// Isend may cost the price of a request beyond Send.
func TestOnlyIsendIsAllowedATolerance(t *testing.T) {
	for _, x := range build(t, settings("messages")).Tests {
		should.Equal(t, x.Tolerant, x.Guideline == "M3", "%s", x.Guideline)
	}
}

// Few sizes of the list cost little, and eager limits are among them.
func TestOfMessagesFewSplitsAreOnByDefault(t *testing.T) {
	of := func(c Config, msizes ...string) map[string][]int64 {
		s := settings()
		s.Check, s.Msizes = c, msizes
		out := map[string][]int64{}
		for _, g := range build(t, s).Guidelines {
			if g.Group == Messages {
				out[g.ID+":"+g.Function] = g.Msizes
			}
		}
		return out
	}
	usual := Default()
	few := []int64{1 << 10, 4 << 10, 16 << 10, 64 << 10}
	should.Equal(t, of(usual, "1..1Mi*4"), map[string][]int64{"GL2:MPI_Send": few, "GL2:MPI_Sendrecv": few}, "by default")
	for name, change := range map[string]func(c *Config){
		"without the group":      func(c *Config) { c.Exclude = []string{"messages"} },
		"without the guideline":  func(c *Config) { c.Exclude = []string{"GL2"} },
		"for a collective alone": func(c *Config) { c.Functions = []string{"MPI_Bcast"} },
		"with others alone":      func(c *Config) { c.Guidelines = []string{"GL1..GL17"} },
	} {
		c := usual
		change(&c)
		should.Equal(t, len(of(c, "1..1Mi*4")), 0, "%s", name)
	}
	usual.Guidelines = append(usual.Guidelines, "GL2:MPI_Send")
	should.Equal(t, len(of(usual, "1..1Mi*4")["GL2:MPI_Send"]), 11, "what is named has all sizes")
	usual.Guidelines[2] = "messages"
	all := of(usual, "1..1Mi*4")
	should.Hold(t, len(all) == 9 && len(all["GL2:MPI_Sendrecv"]) == 11, "and so has the group: %v", all)
	stream := all["M5:MPI_Send/stream"]
	should.Hold(t, len(stream) > 1 && stream[len(stream)-1] == 64<<10, "a stream: %v", stream)
	usual = Default()
	usual.Calls = []string{"MPI_Send:128", "MPI_Send:64"}
	should.Equal(t, of(usual, "8"), map[string][]int64{"GL2:MPI_Send": {64, 128}}, "what is called has its sizes")
}

// A check of messages takes seconds where nobody has chosen sizes. GL2 has all that may show an eager limit.
func TestTheGroupHasFewOfTheUsualSizes(t *testing.T) {
	of := func(msizes []string, selectors ...string) map[string]int {
		s := settings(selectors...)
		s.Check.Around, s.Msizes = []int64{4040, 4041}, msizes
		n := map[string]int{}
		for _, g := range build(t, s).Guidelines {
			n[g.ID+":"+g.Function] = len(g.Msizes)
		}
		return n
	}
	usual := of(UsualMsizes(), string(Messages))
	should.Equal(t, []int{usual["GL2:MPI_Send"], usual["GL1:MPI_Sendrecv"], usual["M1:MPI_Send"], usual["M5:MPI_Send/stream"]}, []int{12, 12, 7, 6}, "%v", usual)
	should.Equal(t, of(UsualMsizes(), Eager)["GL2:MPI_Send"], 9, "of a default check")
	should.Equal(t, of(UsualMsizes(), string(Messages), "M1", "GL2:MPI_Send")["GL2:MPI_Send"], 23, "what is named")
	should.Equal(t, of(UsualMsizes(), string(Messages), "M1")["M1:MPI_Send"], 23, "what is named")
	should.Equal(t, of([]string{"1..512Ki"}, string(Messages))["M1:MPI_Send"], 22, "chosen sizes")
}

// What is above or below all sizes of the list is not measured: a quick look stays one.
func TestMessagesAreMeasuredAroundTheLimitsThatTheLibraryTells(t *testing.T) {
	sizes := func(around []int64, guidelines []string, msizes ...string) map[string][]int64 {
		s := settings(guidelines...)
		s.Check.Around, s.Msizes = around, msizes
		out := map[string][]int64{}
		for _, g := range build(t, s).Guidelines {
			out[g.ID+":"+g.Function] = g.Msizes
		}
		return out
	}
	around := []int64{4040, 4041, 1 << 20, 1<<20 + 1}
	should.Equal(t, sizes(around, []string{Eager, "GL2"}, "1Ki", "4Ki")["GL2:MPI_Send"], []int64{1 << 10, 4040, 4041, 4 << 10}, "messages")
	should.Equal(t, sizes(around, []string{Eager, "GL2"}, "1Ki", "4Ki")["GL2:MPI_Bcast"], []int64{1 << 10, 4 << 10}, "collectives")
	should.Equal(t, sizes(around, []string{"messages"}, "8", "1Ki")["GL2:MPI_Send"], []int64{8, 1 << 10}, "below the limit")
}

func TestACheckKnowsWhetherItAsksOfMessages(t *testing.T) {
	with := Default()
	without, called := Default(), Default()
	without.Exclude, called.Calls = []string{string(Messages)}, []string{"MPI_Send:64"}
	should.Equal(t, []bool{with.AsksOfMessages(nil), without.AsksOfMessages(nil), called.AsksOfMessages(nil)}, []bool{true, false, false}, "")
}

func TestMessagesAreAskedOfEachPairOfRanks(t *testing.T) {
	s := settings("messages", "GL2:MPI_Bcast")
	s.Shapes = []Shape{{NP: 2}, {NP: 4}}
	s.Check.Between = []Between{{Shape: "p4", Pairs: [][2]int{{0, 1}, {1, 3}}}}
	tests := map[string]int{}
	p := build(t, s)
	for _, x := range p.Tests {
		tests[x.Shape.String()+" "+x.Function]++
		for _, i := range x.Others {
			should.Equal(t, strings.HasSuffix(p.Cases[i].Function, "/1-3"), strings.HasSuffix(x.Function, "/1-3"), "%s against %s", x.Function, p.Cases[i].Function)
		}
	}
	should.Equal(t, tests["p4 MPI_Send/1-3"], tests["p4 MPI_Send"], "tests of the other pair")
	should.Equal(t, tests["p4 MPI_Send"], tests["p2 MPI_Send"], "tests of the usual one")
	should.Hold(t, tests["p4 MPI_Send_init/1-3"] > 0 && tests["p4 MPI_Bcast"] > 0 && tests["p2 MPI_Send/1-3"]+tests["p4 MPI_Bcast/1-3"] == 0, "%v", tests)
}

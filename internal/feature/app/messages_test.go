package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgmpi/analyze"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/document"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/feature/remedy"
	"pgmpi/measure/host"
	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// sending profiles a program of 1 s on two ranks that spend 10 ms in each of these kinds of messages.
func sending(messages ...profile.Message) *profile.Profile {
	p := called()
	for _, m := range messages {
		m.Calls, m.SumNS = 200, 20e6
		p.Messages = append(p.Messages, m)
	}
	return p
}

// slowMessages reports that messages of 4 and 8 KiB, but not of 2 KiB, take longer than two of half the size.
func slowMessages() *analyze.Report {
	r := violated()
	r.Library.Version = "Open MPI v4.1.4"
	for size, verdict := range map[int64]judge.Verdict{2 << 10: judge.Kept, 4 << 10: judge.Violated, 8 << 10: judge.Violated} {
		v := analyze.Verdict{Type: guidelines.Split, Function: "MPI_Send", Msize: size, NP: 2, MedianS: number(1e-6), Verdict: verdict}
		v.Effect = analyze.Effect{Ratio: number(2), RatioLo95: number(1.6), RatioHi95: number(2.5)}
		r.Verdicts = append(r.Verdicts, v)
	}
	r.Measured.Factors.Layouts = []host.Layout{{Nodes: []host.Node{{Ranks: host.Ranges{0, 1}}}}}
	return r
}

func message(function string, bytes int64) profile.Message {
	return profile.Message{Function: function, Bytes: bytes, Pair: profile.OnNode}
}

// Sends, receives and waits of 4 to 16 KiB take 40 ms of 1 s: of these at most 1 - 1/2.5 = 60 %.
func TestMessagesThatSeveralSmallerOnesAreFasterThanAreNamed(t *testing.T) {
	g := Join(slowMessages(), nil, sending(message("MPI_Send", 4096), message("MPI_Recv", 4096), message("MPI_Isend", 8192), message("MPI_Waitall", 8192), message("MPI_Send", 2048),
		message("MPI_Send", 16384)))
	must.Hold(t, len(g.Messages) == 1, "%+v", g.Messages)
	m := g.Messages[0]
	should.Hold(t, m.From == 4096 && m.To == 16384 && near(m.RuntimeS, .04) && near(m.AtMostS, .024) && near(g.MessagesS, .05), "%+v, %g s", m, g.MessagesS)
	should.Equal(t, m.text(g), "4.0 % of the run-time in messages of 4 to 16 KiB, with all waiting in them: at most 2.4 % less as several smaller messages, which the check has found faster.")
	should.Hold(t, near(g.MessagesNeedS, .0004), "100 calls of each but the waits take 1 µs in the check: %g s", g.MessagesNeedS)
	for n, d := range []*document.Document{needs.Document(g), gains.Document(g)} {
		text := d.Sections[0].Text
		should.Contain(t, text[1].Text, "5.0 % in messages of measured sizes: about 0.04 % is what the library needs, the rest is waiting")
		should.Contain(t, text[2+n].Text, "messages of 4 to 16 KiB")
	}
}

// The remedy makes them at most 5 times as fast.
func TestASettingThatMakesMessagesFasterIsNamed(t *testing.T) {
	m := remedied(remedy.CellUndecided)
	m.Env = map[string]string{"OMPI_MCA_btl_vader_eager_limit": "32768"}
	m.Cells = append(m.Cells, remedy.Cell{Cell: medians.Cell{Function: "MPI_Send", Msize: 8192}, State: remedy.CellMended, By: []string{"larger eager limit"}, GainHi: number(5)})
	p := sending(message("MPI_Send", 8192))
	p.Calls = nil
	g := Join(slowMessages(), m, p)
	should.Equal(t, g.Messages[0].text(g), "1.0 % of the run-time in messages of 8 to 16 KiB, with all waiting in them: at most 0.8 % less under OMPI_MCA_btl_vader_eager_limit=32768.")
	d := gains.Document(g)
	should.Contain(t, d.Sections[0].Text[2].Text, "but its messages may gain")
	must.Do(t, d.Exit)
	g.AB = &ProgramAB{Ratio: 1.006, RatioLo: 1.005, RatioHi: 1.007, WithS: make([]float64, 10)}
	should.Contain(t, gainSeen(g, g.AB), "more than was shown, but up to 0.8 % was not excluded")

	m.Cells[1].State = remedy.CellUndecided
	m.Trades = []remedy.Trade{{Label: "larger eager limit", Env: m.Env, Folder: "trade-1", Mends: []remedy.Traded{
		{Cell: medians.Cell{Function: "MPI_Send", Msize: 8192}, Hi: number(2)}, {Cell: medians.Cell{Function: "MPI_Send", Msize: 9000}, Hi: number(4)}}}}
	g = Join(slowMessages(), m, p)
	should.Contain(t, g.Messages[0].text(g), "at most 0.8 % less under OMPI_MCA_btl_vader_eager_limit=32768, a trade that slows other calls; `. trade-1/env.sh` sets it.")
	should.Equal(t, g.messagesAtMostS(), 0., "a trade is not set")
	g.Check, g.Profile = "c", "app.prof"
	should.Equal(t, gains.Ending(g, "").Next[0].Value, "pgmpi gain c app.prof --under trade-1 --ab 10 -- mpirun … ./app")
}

func TestMessagesThatTheCheckSaysNothingOfAreNoGain(t *testing.T) {
	for name, change := range map[string]func(*analyze.Report, *profile.Message){
		"of a size that is kept":          func(_ *analyze.Report, m *profile.Message) { m.Bytes = 2048 },
		"of a size not measured":          func(_ *analyze.Report, m *profile.Message) { m.Bytes = 1 << 20 },
		"between other pairs":             func(_ *analyze.Report, m *profile.Message) { m.Pair = profile.BetweenNodes },
		"between unknown pairs":           func(_ *analyze.Report, m *profile.Message) { m.Pair = profile.SomePair },
		"where the check's are not known": func(r *analyze.Report, _ *profile.Message) { r.Measured.Factors.Layouts = nil },
		"of another kind":                 func(_ *analyze.Report, m *profile.Message) { m.Function = "MPI_Sendrecv" },
	} {
		r, m := slowMessages(), message("MPI_Send", 4096)
		change(r, &m)
		should.Equal(t, len(Join(r, nil, sending(m)).Messages), 0, "%s", name)
	}
	r, m := slowMessages(), message("MPI_Send", 4096)
	m.Pair = profile.BetweenNodes
	should.Contain(t, strings.Join(Join(r, nil, sending(m)).Notes, " "), "1.0 % of the run-time in messages of sizes that the check has measured, but between no such processes")
	r.Measured.Factors.Layouts[0].Nodes = []host.Node{{Ranks: host.Ranges{0}}, {Ranks: host.Ranges{1}}}
	should.Equal(t, len(Join(r, nil, sending(m)).Messages), 1, "messages between nodes, as in the check")
	r = slowMessages()
	r.Measured.Factors.Layouts[0].Nodes = append(r.Measured.Factors.Layouts[0].Nodes, host.Node{Ranks: host.Ranges{2, 3}})
	for i := range r.Verdicts[1:] {
		r.Verdicts[1+i].Function = "MPI_Send/1-3"
	}
	should.Equal(t, len(Join(r, nil, sending(m)).Messages), 1, "messages between nodes, as between ranks 1 and 3")
	should.Equal(t, len(Join(r, nil, sending(message("MPI_Send", 4096))).Messages), 0, "messages on one node")
	p := sending(message("MPI_Send", 2048))
	p.Functions = []profile.Function{{Name: "MPI_Send", Calls: 400, SumNS: 80e6}}
	g := Join(slowMessages(), nil, p)
	should.Hold(t, near(g.OtherS, .03) && g.Other == "messages", "4 %% of the run-time in sends, of which 1 %% is of a size that the check has: %+v", g)
	should.Contain(t, gains.Document(g).Sections[0].Text[1].Text, "is waiting; none is shown to be too slow")
}

// Of 10 ms each, messages of 4 to 8 KiB are checked, with half of the size; Sendrecv has its own.
func TestACheckIsPlannedFromMessagesToo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.prof")
	text := `{"schema":"pgmpi-profile/1","program":"app","processes":3,"ranks":3,"finished":true,"wall_ns":1000000000,"functions":[{"name":"MPI_Recv","calls":9,"sum_ns":60000000},` +
		`{"name":"MPI_Sendrecv","calls":9,"sum_ns":60000000}],"messages":[{"function":"MPI_Recv","bytes":4096,"pair":"node","calls":3,"sum_ns":30000000},` +
		`{"function":"MPI_Recv","bytes":8,"pair":"node","calls":3,"sum_ns":100},{"function":"MPI_Recv","bytes":8388608,"pair":"node","calls":3,"sum_ns":20000000},` +
		`{"function":"MPI_Sendrecv","bytes":65536,"pair":"node","calls":3,"sum_ns":30000000}],"calls":[]}`
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
	f := glfile.Default()
	note := must.Get(callsOf(path, &f))(t)
	should.Equal(t, f.Check.Calls, []string{"MPI_Send:2048:3", "MPI_Send:4096:3", "MPI_Sendrecv:32768:3", "MPI_Sendrecv:65536:3"})
	should.Equal(t, f.Job.NP, []int{3})
	should.Contain(t, note, "Messages are measured between ranks 0 and 1.")
	plan := must.Get(f.Plan(f.Job.NP))(t)
	must.Hold(t, len(plan.Tests) == 2, "%+v", plan.Tests)
	for _, x := range plan.Tests {
		should.Hold(t, x.Guideline == "GL2" && (x.Function == "MPI_Send" && x.Msize == 4096 || x.Function == "MPI_Sendrecv" && x.Msize == 65536), "%+v", x)
	}
	p := must.Get(profile.Read(path))(t)
	should.Equal(t, profiles.Ending(p, "").Next[0].Value, "pgmpi check --calls "+path)
}

func TestAnEstimateHasOneWordOfDoubt(t *testing.T) {
	should.Equal(t, about(.012), "about 1.2 %")
	should.Equal(t, about(1e-6), "less than 0.01 %")
}

func TestSizesOfMessagesAreWrittenAsRanges(t *testing.T) {
	for want, c := range map[string][2]int64{"0 B": {0, 1}, "1 B": {1, 2}, "2 to 4 B": {2, 4}, "512 B to 1 KiB": {512, 1024}, "4 to 32 KiB": {4096, 32768}} {
		should.Equal(t, sizes(c[0], c[1]), want)
	}
}

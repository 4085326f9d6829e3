package mockups

// fewerRows make the call on q of p processes and serve the others by messages.
var fewerRows = []struct {
	of        string
	temp      Temp
	commuting bool   // changes the order of the ranks
	how       string // what a broadcast does besides, or ""
}{
	{"allgather", Temp{}, false, ", whose blocks are broadcast"},
	{"allreduce", Temp{One: 1}, true, ""},
	{"barrier", Temp{}, false, ""},
	{"bcast", Temp{}, false, ""},
	{"gather", Temp{PerRank: 1}, false, ""},
	{"reduce", Temp{One: 2}, true, ""},
	{"scatter", Temp{PerRank: 1}, false, ""},
}

const (
	allButOne  = "p-1"
	powerOfTwo = "power_of_two"
)

var onFewer = map[string]string{allButOne: "p − 1 processes", powerOfTwo: "the largest power of two below p"}

func fewer() (rows []Function) {
	for _, r := range fewerRows {
		for _, q := range []string{allButOne, powerOfTwo} {
			calls := capital(r.of)
			if r.how != "" {
				calls += " + Bcast"
			}
			rows = append(rows, Function{ID: r.of + "_as_fewer@" + q, Formula: calls + " on " + onFewer[q], Temp: r.temp,
				Fewer: q, Commuting: r.commuting, What: capital(r.of) + " on " + onFewer[q] + ", messages serve the others" + r.how})
		}
	}
	return rows
}

// Fewer returns the mock-ups of a collective that call it on fewer than p processes, each number once.
func Fewer(of string, p int) []string {
	power := 1
	for 2*power < p {
		power *= 2
	}
	return ids(func(f Function) bool {
		return f.Of == of && p > 1 && (f.Fewer == allButOne || f.Fewer == powerOfTwo && power != p-1)
	})
}

package mockups

// fewerRows make the call on q of p processes and serve the others by messages.
var fewerRows = []struct {
	of    string
	temp  Temp
	calls string
}{
	{"allgather", Temp{}, "Allgather + Bcast"},
	{"allreduce", Temp{One: 2}, "Allreduce"},
	{"barrier", Temp{}, "Barrier"},
	{"bcast", Temp{}, "Bcast"},
	{"gather", Temp{PerRank: 1}, "Gather"},
	{"reduce", Temp{One: 2}, "Reduce"},
	{"scatter", Temp{PerRank: 1}, "Scatter"},
}

const (
	allButOne  = "p-1"
	powerOfTwo = "power_of_two"
)

var onFewer = map[string]string{allButOne: "p − 1 processes", powerOfTwo: "the largest power of two below p"}

func fewer() (rows []Function) {
	for _, r := range fewerRows {
		for _, q := range []string{allButOne, powerOfTwo} {
			formula := r.calls + " on " + onFewer[q]
			rows = append(rows, Function{ID: r.of + "_as_fewer@" + q, Formula: formula, Temp: r.temp, Fewer: q,
				What: formula + ", messages serve the others"})
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

package judge

import (
	"pgmpi/internal/lists"
	"pgmpi/internal/stats"
)

type TestName string

const TestAuto TestName = "auto"

// Test describes a statistic and everything that depends on which one it is. x holds the run
// medians of the call, y those that it must not exceed.
type Test struct {
	Name   TestName
	Title  func(r int) string // says what is computed with r medians per side
	Symbol string             // of the statistic
	P      func(x, y []float64) (stats.TestResult, error)
	MinP   func(m, n int) float64 // smallest P that m and n medians can give
	Effect func(x, y []float64) (stats.Effect, error)
	// Reach returns the least difference between the sides that r mpiruns show. It counts standard
	// deviations of a difference, for significance at the level with an even chance.
	Reach func(r int, level float64) float64

	// Centre returns the logarithm of Effect's ratio from the pairs' logarithms, if the Test is paired.
	Centre func(d []float64) float64

	Paired bool  // x_i belongs to y_i; pairs without a difference are dropped
	Most   int   // medians per side that it is computed for, or 0 for any number
	Beyond *Test // for more, and for method paper; nobody can ask for it by name
}

// tests lists all statistics; each has one line here and a file of its own.
var tests = []*Test{
	&rankSum,
	&cappedRank,
	&signedRank,
	&ks,
}

// automatic lists what TestAuto may choose, the preferred one first.
var automatic = []*Test{&cappedRank, &rankSum}

func Names() []TestName {
	return append([]TestName{TestAuto}, lists.Map(tests, func(t *Test) TestName { return t.Name })...)
}

// Get finds a test, also one that nobody can ask for, or returns nil.
func Get(name TestName) *Test {
	for _, t := range tests {
		if t.Beyond != nil && t.Beyond.Name == name {
			return t.Beyond
		}
		if t.Name == name {
			return t
		}
	}
	return nil
}

func (n TestName) Title(r int) string {
	if t := Get(n); t != nil {
		return t.Title(r)
	}
	return string(n)
}

func always(title string) func(int) string { return func(int) string { return title } }

func scale(xs []float64, by float64) []float64 {
	return lists.Map(xs, func(x float64) float64 { return x * by })
}

package stats

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgmpi/testkit/must"
	"pgmpi/testkit/should"
)

// A number that no test has seen is one that nobody has held against R or a paper.
func TestEveryStatisticIsNamedByATest(t *testing.T) {
	var tests strings.Builder
	sources, files := token.NewFileSet(), []*ast.File{}
	for _, path := range must.Get(filepath.Glob("*.go"))(t) {
		if strings.HasSuffix(path, "_test.go") {
			tests.Write(must.Get(os.ReadFile(path))(t))
			continue
		}
		files = append(files, must.Get(parser.ParseFile(sources, path, nil, 0))(t))
	}
	text := tests.String()
	for _, file := range files {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() {
				should.Hold(t, regexp.MustCompile(`\b`+f.Name.Name+`\b`).MatchString(text),
					"no test of this package names %s: give it vectors from R or SciPy (testdata/golden), or numbers with their source", f.Name.Name)
			}
		}
	}
}

// By R: pnorm, qt, and skewness of e1071 with type 2, which is G1 of Joanes and Gill, √(n(n−1))/(n−2) · m3/m2^1.5.
func TestDistributionsAndSkewnessAreThoseOfR(t *testing.T) {
	const rel = 1e-9
	close1(t, "pnorm(0)", NormalCDF(0), .5, rel)
	close1(t, "pnorm(1.959963984540054)", NormalCDF(1.959963984540054), .975, rel)
	close1(t, "qt(.975, 10)", StudentQuantile(.975, 10), 2.2281388519649385, rel)
	close1(t, "qt(.025, 10)", StudentQuantile(.025, 10), -2.2281388519649385, rel)
	close1(t, "qt(.95, 1)", StudentQuantile(.95, 1), math.Tan(.45*math.Pi), rel) // Cauchy's
	should.Equal(t, StudentQuantile(.5, 3), 0)
	should.Equal(t, Skewness([]float64{1, 2, 3}), 0)
	close1(t, "skewness(c(1, 2, 3, 10))", Skewness([]float64{1, 2, 3, 10}), 45/math.Pow(12.5, 1.5)*math.Sqrt(12)/2, rel)
}

// Walsh averages of 1, 2 and 4 are 1, 1.5, 2, 2.5, 3 and 4.
func TestCentresAreMediansOfWalshAverages(t *testing.T) {
	should.Equal(t, WalshCentre([]float64{1, 2, 4}), 2.25)
	should.Equal(t, CappedCentre([]float64{1, 2, 4}), 2.25)
	should.Equal(t, CappedCentre([]float64{1, 1.1, .9, 1.2, .8, 1000}), WalshCentre([]float64{1, 1.1, .9, 1.2, .8}), "one that is far")
	should.Equal(t, Logs([]float64{1, math.E}), []float64{0, 1})
}

// Counted by hand: of 70 orders of four and four values one has U = 16, one 15 and two 14; of 32 signs of five
// differences one has V = 15 and one 14.
func TestTheLeastSignificantStatisticIsCounted(t *testing.T) {
	should.Equal(t, LeastRankSum(4, .05), 15)
	should.Equal(t, LeastRankSum(4, .02), 16)
	should.Equal(t, LeastRankSum(2, .05), 5, "no U of two and two values")
	should.Equal(t, LargestV(4, Ranks), 10)
	should.Equal(t, LargestScore(4, Ranks), 4)
	should.Equal(t, LeastV(5, .05, Ranks), 15)
	should.Equal(t, LeastV(5, .07, Ranks), 14)
	should.Equal(t, LeastV(4, .05, Ranks), 11, "no V of four differences")
}

func TestFencesAreFromTheQuartiles(t *testing.T) {
	should.Equal(t, FencesSorted([]float64{1, 2, 3, 4, 5}, 1.5), Fences{Q1: 2, Q3: 4, Lo: -1, Hi: 7})
}

package report

import (
	"pgmpi/analyze"
	"pgmpi/internal/stats"
)

var testNames = map[string]string{
	analyze.TestRankSum:       "exact rank-sum",
	analyze.TestSignedRank:    "exact signed-rank",
	analyze.TestKS:            "exact Kolmogorov-Smirnov",
	analyze.TestRankSumNormal: "rank-sum (normal approximation)",
}

var statisticNames = map[string]string{
	analyze.TestRankSum: "U", analyze.TestRankSumNormal: "U", analyze.TestSignedRank: "V", analyze.TestKS: "D",
}

// testName says of a test with r mpiruns what is computed.
func testName(test string, r int) string {
	if test == analyze.TestSignedRank && r > stats.MaxExactSignedRank {
		return "signed-rank (normal approximation)"
	}
	return testNames[test]
}

var adjustNames = map[string]string{
	analyze.AdjustBH:   "adjusted by Benjamini-Hochberg",
	analyze.AdjustHolm: "adjusted by Holm",
	analyze.AdjustNone: "not adjusted",
}

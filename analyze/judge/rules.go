package judge

// Rules are what a Method decides. The zero value of each but Adjust is the rule of the paper.
type Rules struct {
	Adjust Adjust // in place of "auto"
	// Slowdown: a violation has to reach the minimum slowdown, and being kept is tested,
	// too. Else all that is significant is violated, and all that is not is kept.
	Slowdown  bool
	Margin    bool // the other side is multiplied by the minimum slowdown before the test
	Effects   bool // ratios are the test's own estimates, not ratios of the medians
	Aligns    bool // unpaired tests divide by what all cases of an mpirun have in common
	Exact     bool // tests are exact, and paired where R suffices; else rank-sum by its normal approximation
	Plans     bool // the number of tests decides R and the looks
	FollowsUp bool // suspicions of split-robustness are tested; else their medians decide
}

var rules = map[Method]Rules{
	MethodDefault: ours(AdjustBH, false),
	MethodCI:      ours(AdjustHolm, false),
	MethodMargin:  ours(AdjustBH, true),
	MethodPaper:   {Adjust: AdjustNone}, // S-PGMPI §4.3
}

func ours(a Adjust, margin bool) Rules {
	return Rules{Adjust: a, Margin: margin, Slowdown: true, Effects: true, Aligns: true, Exact: true, Plans: true, FollowsUp: true}
}

// Rules returns the rules of a method; of an unknown one, the default's.
func (m Method) Rules() Rules {
	if r, ok := rules[m]; ok {
		return r
	}
	return rules[MethodDefault]
}

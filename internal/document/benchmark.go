package document

// Benchmarks are run medians, for programs that compare benchmarks.
type Benchmarks struct {
	Facts      []Label // of all
	Benchmarks []Benchmark
}

// Benchmark is a run median; those with the same name are of the same case.
type Benchmark struct {
	Name  string
	Calls int
	NS    float64
}

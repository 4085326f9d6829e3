// Package judge turns run medians into verdicts (docs/dev/statistics.md).
//
// A Design is fixed before there are data: R, the number m of tests, and alpha choose the test and
// the adjustment, or a Refusal. A Family holds a Design's tests with their data; Look judges them,
// once or several times, and gives one Outcome per test. A check, the split experiment, a
// comparison of two folders and the simulations all use this engine.
//
// A statistic is one Test in a file of its own and one line in tests. The package knows numbers,
// not MPI: it imports nothing of measure.
package judge

// Package methods synchronises clocks: which rank asks which for the time, how often, and what model of
// its own clock each rank makes of the answers.
//
// It takes a team of ranks and the Peers of one of them, which send its messages. It returns the Model
// of its clock relative to the first of the team, and what that has cost. It sends nothing by itself,
// so that its tests need neither MPI nor a clock; the arithmetic is in measure/clocks.
package methods

// Package experiment lists all kinds of measurements in one table, for package run to measure: what
// they plan, their stages, and the answer that they make of a results folder. Two of them compare
// checks: two set-ups alternately, and the self-test.
//
// It takes a configuration, the path of a results folder and a function that reports progress, and
// returns documents and errors of package fail. It prints nothing, and knows neither flags nor exit
// codes.
package experiment

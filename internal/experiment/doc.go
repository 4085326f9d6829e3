// Package experiment has all kinds of measurements as values of one table, which package run
// measures: what they plan, their stages, and the answer that they make of a results folder.
// Two of them compare checks: two set-ups alternately, and the self-test.
//
// In go a configuration, the path of a results folder and what tells of the progress; out
// come documents and errors of package fail. It prints nothing, and knows neither flags nor
// exit codes.
package experiment

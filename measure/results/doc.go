// Package results reads and writes results folders: the manifest and the raw samples.
//
// Writers make a file appear only when it is whole; readers refuse a damaged
// one with its name and line. Durations are integers in nanoseconds, sizes are
// bytes. The package neither measures nor judges.
package results

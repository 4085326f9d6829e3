// Package results is what lies on disk: the manifest, the raw samples, and the
// folder they are in.
//
// Writers make a file appear only when it is whole; readers refuse a damaged
// one with its name and line. Durations are integers in nanoseconds, sizes are
// bytes. The package neither measures nor judges.
package results

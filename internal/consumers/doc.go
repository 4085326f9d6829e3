// Package consumers has nothing but tests: the programs that pgmpi's formats are for read what
// it writes, and scripts type what users type.
//
// It is a module of its own, so that no program of pgmpi depends on what these tests need.
package consumers

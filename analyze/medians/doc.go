// Package medians reduces raw files to one run median per case and mpirun. It adds facts about the
// samples: how many were out of sync, how much they depend on each other, which mpiruns were slow
// throughout, in which states the machine was.
//
// It takes the manifest and one mpirun after the other, so that only R numbers per case stay in
// memory. It judges nothing and reads no files.
package medians

// Package medians reduces raw files to one run median per case and mpirun, with facts about
// the samples (how many were out of sync, how much they depend on each other, which mpiruns
// were slow throughout, in which states the machine was).
//
// In come the manifest and one mpirun after the other, so that only R numbers
// per case stay in memory; out go values. It judges nothing and reads no files.
package medians

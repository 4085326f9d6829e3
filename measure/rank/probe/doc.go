// Package probe reads the reference probes: how fast the machine copies memory, reduces and passes
// messages at moments of an mpirun, outside of every timed region.
package probe

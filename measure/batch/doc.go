// Package batch is what pgmpi knows of batch systems: Slurm, and a template of
// the user's for any other.
//
// In come the environment of a process, the section [batch] of gl.toml, and
// what a job is to do; out come the job that the process is in with the time at
// which it ends, the text of a batch script, and the state of a job.
//
// Slurm is asked by its own programs, with a limit of time: what they do not
// tell stays unknown. The package never decides what becomes of a measurement.
package batch

// Package batch deals with batch systems: Slurm, and any other by a template of the user's.
//
// It takes the environment of a process, the section [batch] of gl.toml, and a job's work. It returns
// the job that the process is in with the time at which it ends, the text of a batch script, and the
// state of a job.
//
// It asks Slurm by Slurm's own programs, with a limit of time: what they do not tell stays unknown. The
// package never decides what becomes of a measurement.
package batch

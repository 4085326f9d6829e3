// Package batch is what pgmpi knows of batch systems.
//
// In come the environment of a process, the section [batch] of gl.toml, and
// what a job is to do; out come the job that the process is in with the time at
// which it ends, the text of a batch script, and the state of a job.
//
// A batch system is one file with a Scheduler, and one line in schedulers. It
// asks by the system's own programs, with a limit of time: what they do not
// tell stays unknown. It never decides what becomes of a measurement.
package batch

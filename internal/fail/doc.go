// Package fail names the ways in which a command ends without an answer; cmd/pgmpi makes
// exit codes of them.
package fail

// Package bisect finds the first commit since which an MPI library is slower, or faster.
//
// Two commits come in, how one commit is built into a folder, and a configuration; a Result comes
// out, which is kept so that the search can go on. It works in a clone of its own, changes nothing in
// the user's repository, and prints nothing.
package bisect

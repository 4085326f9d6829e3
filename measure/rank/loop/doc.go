// Package loop times: it has batches of repetitions made by the timed loop, which is C
// (native/loop.c), and gives rank 0 the samples. Between two clock reads, and in the loop around
// them, there is no Go: C is called once for each batch. Which cases are timed, how often and
// when, others decide.
package loop

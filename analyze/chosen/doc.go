// Package chosen reads and compares which.json, which names the algorithm that a library has chosen for each call. Out
// come rows for reports and comparisons. It asks no library.
package chosen

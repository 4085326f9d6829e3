// Package remedy turns the violations of a check into settings: it chooses what may help,
// tries and proves it in mpiruns of its own, and writes the files that put it into effect.
package remedy

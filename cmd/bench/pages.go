package main

import (
	"context"
	"fmt"
	"slices"

	"pgmpi/internal/stats"
)

const (
	pagesMiB  = 16
	pageBytes = 4096
	lineBytes = 64
	perPage   = 8   // lines that are looked at
	passes    = 3   // the best of which counts
	slowPage  = 1.5 // times the median page
	slowLine  = 1.3
)

// pagesBench shows what the place of a cache line in memory does to the time in
// which it passes from one core to another. A library's messages through shared
// memory take such lines, other ones in every mpirun: this part of the difference
// between mpiruns is the machine's.
func pagesBench(_ context.Context, e *env) error {
	cpus, err := twoCores()
	if err != nil {
		return err
	}
	e.title("round trip of a cache line between cores %d and %d, in %d MiB of shared memory", cpus[0], cpus[1], pagesMiB)
	mem, err := sharedPages(pagesMiB << 20 / pageBytes)
	if err != nil {
		return err
	}
	var at []int
	for page := range pagesMiB << 20 / pageBytes {
		for line := range perPage {
			at = append(at, page*pageBytes+line*(pageBytes/perPage+lineBytes))
		}
	}
	lines, err := roundTrips(cpus, mem, at, passes)
	if err != nil {
		return err
	}
	var pages []float64
	for page := range slices.Chunk(lines, perPage) {
		mean, _, err := stats.MeanSD(page)
		if err != nil {
			return err
		}
		pages = append(pages, mean)
	}
	showSpread("lines", slowLine, lines)
	showSpread(fmt.Sprintf("pages (mean of %d lines)", perPage), slowPage, pages)
	return nil
}

// showSpread prints how round trips are distributed, in ns, and how many are slow.
func showSpread(of string, slow float64, ns []float64) {
	q := quartiles(ns)
	n := 0
	for _, t := range ns {
		if t > slow*q[2] {
			n++
		}
	}
	fmt.Printf("   %d %s: least %.0f ns, quartiles %.0f, %.0f, %.0f, largest %.0f; %s above %.1f times the median\n",
		len(ns), of, q[0], q[1], q[2], q[3], q[4], percent(n, len(ns)), slow)
}

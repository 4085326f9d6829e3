package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pgmpi/bench/awk"
	"pgmpi/bench/slower"
	"pgmpi/internal/phrase"
)

// importBench takes a folder of other people's files: how long all of them take, how many of those with a collective
// are refused, and whether cells chosen at random are what awk reads.
func importBench(ctx context.Context, e *env) {
	if e.folder == "" {
		must(fmt.Errorf("import needs a folder of files of other benchmarks: make bench BENCHES=import DIR=…, or --folder DIR"))
	}
	e.exits = []int{4} // what was seen once is no verdict
	e.fastest(ctx, "wall-clock", 10, "analyze", "--from", "any", e.folder, "--np", "4", "--out", filepath.Join(e.dir, "imported"))
	fmt.Print(get(slower.Text(filepath.Join(e.dir, "imported"), 1.2)))
	files, refused, cells, wrong := e.eachImport(ctx)
	if files == 0 {
		return // PICO, of which a file says little without the others
	}
	e.aim(fmt.Sprintf("refused of %d files of OSU and IMB with a collective", files), float64(refused)/float64(files), "%.3f of them", 0, .01)
	e.aim(fmt.Sprintf("%d cells that awk reads otherwise", cells), float64(wrong), "%.0f", 0, 0)
}

// Cells of a file that are held against awk, and files that are, at most.
const (
	cellsOfImport = 10
	mostImports   = 600
)

func (e *env) eachImport(ctx context.Context) (files, refused, cells, wrong int) {
	random := rand.New(rand.NewPCG(e.seed, 0))
	must(filepath.WalkDir(e.folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || files == mostImports {
			return err
		}
		rows := awk.Rows(string(output(command(ctx, "awk", awk.Cells, path), 2)))
		if len(rows) == 0 {
			return nil
		}
		files++
		found, why := e.imported(ctx, path, files)
		if why != "" {
			if !strings.Contains(why, "no guideline is about") { // such as Allgatherv alone
				refused++
				fmt.Printf("      refused: %s", why)
			}
			return nil
		}
		keys := []string{}
		for key, times := range rows {
			if len(times) == 1 && !strings.HasPrefix(key, "Reduce_scatter") { // IMB's sizes there depend on its version
				keys = append(keys, key)
			}
		}
		random.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
		for _, key := range keys[:min(len(keys), cellsOfImport)] {
			if cells++; math.Abs(found[key]-rows[key][0]) > .0006 {
				wrong++
				fmt.Printf("      %s: %q is %g µs to pgmpi and %g µs to awk\n", path, key, found[key], rows[key][0])
			}
		}
		return nil
	}))
	return files, refused, cells, wrong
}

// imported returns the medians of one file by collective, processes and size, in µs, or why it is refused.
func (e *env) imported(ctx context.Context, path string, n int) (found map[string]float64, why string) {
	out := filepath.Join(e.dir, fmt.Sprint("one", n))
	args := []string{filepath.Join(e.bin, "pgmpi"), "analyze", "--from", "any", path, "--out", out}
	text := get(os.ReadFile(path))
	imb := bytes.Contains(text, []byte("# Benchmarking "))
	if !imb {
		args = append(args, "--np", "4")
	}
	cmd := command(ctx, args...)
	said, _ := cmd.CombinedOutput() // tells by what it wrote
	found = map[string]float64{}
	jobs, _ := filepath.Glob(filepath.Join(out, "*", "manifest.json"))
	one, _ := filepath.Glob(filepath.Join(out, "manifest.json"))
	for _, manifest := range append(jobs, one...) {
		name, p := "", "0"
		medians, _ := e.pgmpi(ctx, "export", filepath.Dir(manifest), "--format", "osu")
		for line := range strings.Lines(string(medians)) {
			words := strings.Fields(line)
			switch {
			case strings.HasPrefix(line, "# OSU MPI "):
				name, _, _ = strings.Cut(strings.TrimPrefix(line, "# OSU MPI "), " Latency Test")
				if titles := map[string]string{"Broadcast": "Bcast", "All-to-All Personalized Exchange": "Alltoall",
					"All-to-Allv Personalized Exchange": "Alltoallv"}; imb && titles[name] != "" {
					name = titles[name]
				}
			case strings.HasPrefix(line, "# Processes: ") && imb:
				p = words[2]
			case len(words) == 2 && words[0] != "#":
				found[name+"\t"+p+"\t"+words[0]], _ = strconv.ParseFloat(words[1], 64)
			}
		}
	}
	os.RemoveAll(out)
	return found, phrase.When(len(jobs)+len(one) == 0, "%s", said)
}

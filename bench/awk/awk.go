// Package awk reads tables of times with awk, to hold what pgmpi reads against another program.
package awk

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"pgmpi/internal/phrase"
)

// Cells prints collective, processes, size and time in µs of each row of OSU's and IMB's tables.
const Cells = `
/^# OSU / { name = ""; if (match($0, /MPI(-[A-Z]+)? .* Latency Test/)) { name = substr($0, RSTART, RLENGTH); sub(/^MPI(-[A-Z]+)? /, "", name); sub(/ Latency Test/, "", name) } p = 0 }
/^# Size/ { column = /Max Latency/ ? 4 : 2; n = NF - 1; if (/Latency\(us\)/ == 0) name = ""; cells = gsub(/[^ ]+\(us\)|Iterations|Validation/, "&") + 1 }
/^# Benchmarking / { name = $3; p = 0 }
/^# #processes = / { p = $4 }
/#bytes #repetitions/ { column = 4; cells = NF; if (!/t_max/) name = "" }
name != "" && NF == cells && $1 ~ /^[0-9]+$/ && $1 > 0 && $column ~ /^[0-9.]+$/ && $column > 0 { print name "\t" p "\t" $1 "\t" $column }
`

// collectiveTitle finds files with a collective that guidelines are about.
var collectiveTitle = regexp.MustCompile(`^(?:Broadcast|All-to-Allv? Personalized Exchange|(?:All|Reduce_?|Gather|Scatter|Bcast)[a-z_]*)\t`)

// Rows returns the times that Cells has printed, by collective, processes and size.
func Rows(printed string) map[string][]float64 {
	rows := map[string][]float64{}
	for line := range strings.Lines(printed) {
		if cut := strings.LastIndex(line, "\t"); collectiveTitle.MatchString(line) {
			us, _ := strconv.ParseFloat(strings.TrimSpace(line[cut:]), 64)
			rows[line[:cut]] = append(rows[line[:cut]], us)
		}
	}
	return rows
}

// Cells of a file that are held against awk, and files that are, at most.
const (
	cellsOfImport = 10
	mostImports   = 600
)

// found counts files with a collective, and cells of them.
type found struct{ Files, Refused, Cells, Wrong int }

// Check imports each file of a folder by itself, and holds cells of it against awk. It fails if over 1 % of the files
// with a collective are refused, or a cell differs. Of PICO, a file says little without the others.
func Check(ctx context.Context, bin, folder, dir string, seed uint64) error {
	if folder == "" {
		return errors.New("import needs a folder of files of other benchmarks: make bench BENCHES=import DIR=…, or --folder DIR")
	}
	f, err := check(ctx, bin, folder, dir, seed)
	fmt.Printf("   %d files of OSU and IMB with a collective, %d refused; %d cells, %d that awk reads otherwise\n", f.Files,
		f.Refused, f.Cells, f.Wrong)
	if err == nil && (f.Refused*100 > f.Files || f.Wrong > 0) {
		err = errors.New("more than 1 % of the files are refused, or a cell differs")
	}
	return err
}

func check(ctx context.Context, bin, folder, dir string, seed uint64) (f found, err error) {
	random := rand.New(rand.NewPCG(seed, 0))
	err = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || f.Files == mostImports {
			return err
		}
		printed, err := exec.CommandContext(ctx, "awk", Cells, path).Output()
		if err != nil {
			return err
		}
		rows := Rows(string(printed))
		if len(rows) == 0 {
			return nil
		}
		f.Files++
		times, why := imported(ctx, bin, path, filepath.Join(dir, "one"))
		if why != "" {
			if !strings.Contains(why, "no guideline is about") { // such as Allgatherv alone
				f.Refused++
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
			if f.Cells++; math.Abs(times[key]-rows[key][0]) > .0006 {
				f.Wrong++
				fmt.Printf("      %s: %q is %g µs to pgmpi and %g µs to awk\n", path, key, times[key], rows[key][0])
			}
		}
		return nil
	})
	return f, err
}

// imported returns the medians of one file by collective, processes and size, in µs, or why it is refused.
func imported(ctx context.Context, bin, path, out string) (times map[string]float64, why string) {
	args := []string{"analyze", "--from", "any", path, "--out", out}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err.Error()
	}
	imb := bytes.Contains(text, []byte("# Benchmarking "))
	if !imb {
		args = append(args, "--np", "4")
	}
	pgmpi := filepath.Join(bin, "pgmpi")
	said, _ := exec.CommandContext(ctx, pgmpi, args...).CombinedOutput() // tells by what it wrote
	times = map[string]float64{}
	jobs, _ := filepath.Glob(filepath.Join(out, "*", "manifest.json"))
	one, _ := filepath.Glob(filepath.Join(out, "manifest.json"))
	for _, manifest := range append(jobs, one...) {
		name, p := "", "0"
		medians, _ := exec.CommandContext(ctx, pgmpi, "export", filepath.Dir(manifest), "--format", "osu").Output()
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
				times[name+"\t"+p+"\t"+words[0]], _ = strconv.ParseFloat(words[1], 64)
			}
		}
	}
	os.RemoveAll(out)
	return times, phrase.When(len(jobs)+len(one) == 0, "%s", said)
}

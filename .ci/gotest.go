// The command gotest runs `go test` with its arguments and prints what that prints. The file that
// GOTEST_SKIPS names gets a line for each skipped test: why, a tab, which. The file that GOTEST_TIMES
// names gets a line for each other test: seconds with its subtests, a tab, which.
//
//	GOTEST_SKIPS=skips GOTEST_TIMES=times go run .ci/gotest.go -count=1 ./...
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
)

// event is a line of `go test -json` (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64 // seconds
}

// place matches the file and line before the reason of a skipped test.
var place = regexp.MustCompile(`^\s*[\w.]+\.go:\d+: `)

func main() {
	test := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	test.Stderr = os.Stderr
	events, err := test.StdoutPipe()
	check(err)
	check(test.Start())
	skips, times := follow(json.NewDecoder(events))
	var failed *exec.ExitError
	if err := test.Wait(); errors.As(err, &failed) {
		defer os.Exit(failed.ExitCode())
	} else {
		check(err)
	}
	appendTo(os.Getenv("GOTEST_SKIPS"), skips)
	appendTo(os.Getenv("GOTEST_TIMES"), times)
}

func appendTo(path, text string) {
	if path == "" || text == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	check(err)
	_, err = file.WriteString(text)
	check(errors.Join(err, file.Close()))
}

// follow prints the lines about packages and the output of failing tests. It returns which tests were skipped, and
// how long the others took.
func follow(events *json.Decoder) (skips, times string) {
	said := map[[2]string]string{}    // by package and test, while the test runs
	inside := map[[2]string]float64{} // seconds of its subtests, which end first
	for {
		var e event
		if err := events.Decode(&e); err == io.EOF {
			return skips, times
		} else {
			check(err)
		}
		key := [2]string{e.Package, e.Test}
		switch {
		case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
			fmt.Print(e.Output)
		case e.Action == "output" && !strings.HasPrefix(e.Output, "=== "):
			said[key] += e.Output
		case e.Action == "fail" && e.Test == "": // also what a crash or the time limit has ended
			for k, text := range said {
				if k[0] == e.Package {
					fmt.Print(text)
				}
			}
		case e.Action == "fail":
			fmt.Print(said[key])
		case e.Action == "skip" && e.Test != "" && !strings.HasPrefix(e.Test, "Fuzz"): // fuzz tests skip unfit inputs
			skips += fmt.Sprintf("%s\t%s %s\n", reason(said[key]), e.Package, e.Test)
		}
		if e.Action == "fail" || e.Action == "skip" || e.Action == "pass" {
			delete(said, key)
		}
		if (e.Action == "fail" || e.Action == "pass") && e.Test != "" {
			// A test's own time leaves out its subtests that run beside others.
			took := max(e.Elapsed, inside[key])
			delete(inside, key)
			if slash := strings.LastIndex(e.Test, "/"); slash >= 0 {
				inside[[2]string{e.Package, e.Test[:slash]}] += took
			} else {
				times += fmt.Sprintf("%.2f\t%s %s\n", took, e.Package, e.Test)
			}
		}
	}
}

// reason returns the last line that begins with a place: what a test said before it was skipped.
func reason(said string) string {
	why := "without a reason"
	for line := range strings.Lines(said) {
		if at := place.FindString(line); at != "" {
			why = strings.ReplaceAll(strings.TrimSpace(line[len(at):]), "\t", " ")
		}
	}
	return why
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(2)
	}
}

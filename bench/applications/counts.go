package applications

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed counter.c
var source []byte

var returnsInt = regexp.MustCompile(`\bint\s+(MPI_[A-Z][A-Za-z_0-9]*)\s*\(`)

// counter builds counter.c for the functions of mpi.h.
func (b *Bench) counter(ctx context.Context) (library string, err error) {
	compiler := "mpicc." + b.Library
	program, calls := filepath.Join(b.Dir, "counter.c"), filepath.Join(b.Dir, "calls.h")
	if err := os.WriteFile(program, []byte("#include <mpi.h>\n"), 0o666); err != nil {
		return "", err
	}
	header, err := b.Command(ctx, compiler, "-E", program).Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", compiler, err)
	}
	names := map[string]bool{}
	for _, m := range returnsInt.FindAllSubmatch(header, -1) {
		names[string(m[1])] = true
	}
	delete(names, "MPI_Pcontrol") // has any arguments
	text := "#define CALLS(CALL)"
	for _, name := range slices.Sorted(maps.Keys(names)) {
		text += fmt.Sprintf(" CALL(%s, %s_, %[2]s_f08_)", name, strings.ToLower(name))
	}
	err = errors.Join(os.WriteFile(calls, []byte(text+"\n"), 0o666), os.WriteFile(program, source, 0o666))
	if err != nil {
		return "", err
	}
	library = filepath.Join(b.Dir, "counter.so")
	// Programs that load their MPI library themselves need it here, so that this one finds what it counts.
	said, err := b.Command(ctx, compiler, "-O2", "-shared", "-fPIC", "-DFOR_"+b.Library, "-include", calls,
		"-o", library, program, "-ldl", "-Wl,--no-as-needed").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", compiler, err, said)
	}
	return library, nil
}

// counted sums up what the counter has written of each process.
func (a *applied) counted() (map[string]int64, error) {
	made := map[string]int64{}
	files, err := filepath.Glob(filepath.Join(a.dir, "counted.*"))
	for _, file := range files {
		text, failed := os.ReadFile(file)
		err = errors.Join(err, failed)
		words := strings.Fields(string(text))
		for i := 0; i+1 < len(words); i += 2 {
			n, failed := strconv.ParseInt(words[i+1], 10, 64)
			made[words[i]], err = made[words[i]]+n, errors.Join(err, failed)
		}
	}
	return made, err
}

// profiled returns the calls of the program's profile, by function.
func (a *applied) profiled() (map[string]int64, error) {
	var p struct {
		Functions []struct {
			Name  string `json:"name"`
			Calls int64  `json:"calls"`
		} `json:"functions"`
		Calls []struct {
			Function string `json:"function"`
			Calls    int64  `json:"calls"`
		} `json:"calls"`
	}
	text, err := os.ReadFile(filepath.Join(a.dir, "app.prof"))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	n := map[string]int64{}
	for _, f := range p.Functions {
		n[f.Name] += f.Calls
	}
	for _, c := range p.Calls {
		n[c.Function] += c.Calls
	}
	return n, err
}

var (
	polls = regexp.MustCompile(`^MPI_(Test.*|Iprobe|Improbe|Waitsome|Request_get_status)$`) // as often as there is time
	// asks are not counted by a profile (docs/how-to-gain.md).
	asks = regexp.MustCompile(`^MPI_(Finalized?|Initialized|Query_thread|Is_thread_main|Address|Get_.*|Type_.*|Op_.*|Group_.*|` +
		`Info_.*|Attr_.*|Keyval_.*|Errhandler_.*|Error_.*|Status_.*|Dims_create|Topo_test|Cartdim_get|` +
		`Cart_(coords|rank|shift|get|map)|Alloc_mem|Free_mem|Reduce_local|Pack(_external)?_size|[A-Z][a-z]+_(c2f|f2c)|` +
		`(Comm|Win|File)_(get_|set_|create_(keyval|errhandler)|free_keyval|delete_attr).*|` +
		`Comm_(rank|size|group|compare|remote_size|remote_group|test_inter))$`)
)

// counts holds the profile's counts against the counter's, and names what it leaves out.
func (a *applied) counts() error {
	made, err := a.counted()
	inProfile, unread := a.profiled()
	if err = errors.Join(err, unread); err != nil {
		return err
	}
	equal, calls, differ, polled, left := agree(made, inProfile, a.varies)
	both := fmt.Sprintf("%d calls of %d functions are equal", calls, equal)
	if len(differ) > 0 {
		both += ", not " + strings.Join(differ, ", ")
	}
	if len(polled) > 0 {
		both += "; polls " + strings.Join(polled, ", ")
	}
	a.Outcome(a.name+": counter and profile", both, "all", len(differ) == 0 && equal > 0)
	fmt.Printf("      a profile leaves out %s\n", strings.Join(left, ", "))
	return nil
}

// agree counts functions, with their calls, that two ways of counting agree on, and names the others: those that
// differ, those that are called as often as there is time, and what a profile does not count.
func agree(made, profiled map[string]int64, varies string) (equal int, calls int64, differ, polled, left []string) {
	names, vary := maps.Clone(made), regexp.MustCompile("^MPI_("+varies+")$")
	maps.Copy(names, profiled)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		short := strings.TrimPrefix(name, "MPI_")
		both := fmt.Sprintf("%s %d and %d", short, made[name], profiled[name])
		switch {
		case made[name] == profiled[name]:
			equal, calls = equal+1, calls+made[name]
		case polls.MatchString(name) || vary.MatchString(name):
			polled = append(polled, both)
		case profiled[name] == 0 && asks.MatchString(name):
			left = append(left, short)
		default:
			differ = append(differ, both)
		}
	}
	return equal, calls, differ, polled, left
}

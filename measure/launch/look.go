package launch

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/regular"
	"pgmpi/measure/protocol"
	"pgmpi/measure/trouble"
)

const maxProgram = 1 << 30

// Look does what Probe does without starting the rank program, from its file. It cannot know the MPI
// library, and its family only where the compiler wrapper's name shows it.
func Look(path string) (protocol.RankInfo, error) {
	info := protocol.RankInfo{Program: "pgmpi-rank"}
	f, err := regular.Open(path)
	if err != nil {
		return info, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, io.LimitReader(f, maxProgram)); err != nil {
		return info, err
	}
	info.Hash = fmt.Sprintf("%x", h.Sum(nil))[:16]
	built, err := buildinfo.Read(f)
	if err != nil {
		return info, nil // a script around one, perhaps
	}
	for _, s := range built.Settings {
		if s.Key == "-ldflags" {
			info.MPICC = linked(s.Value, "/measure/rank.MPICC")
			info.Version = linked(s.Value, "/measure/rank.Version")
		}
	}
	if ForABI(path) {
		info.BuiltFor = abiHeaders
		return info, nil
	}
	info.Library = familyOf(info.MPICC)
	return info, nil
}

func linked(flags, name string) string {
	_, value, _ := strings.Cut(flags, name+"=")
	value, _, _ = strings.Cut(value, " ")
	return value
}

// Needs returns the file name of the MPI library that a program asks for, such as libmpi.so.40. It is
// "" where the program's file does not tell.
func Needs(path string) string {
	library, _ := asksFor(path)
	return library
}

// asksFor also tells whether the program names folders in which the loader looks before all others.
func asksFor(path string) (library string, fixed bool) {
	f, err := regular.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	program, err := elf.NewFile(f)
	if err != nil {
		return "", false
	}
	folders, _ := program.DynString(elf.DT_RPATH)
	files, _ := program.ImportedLibraries() // none of a damaged program
	if i := slices.IndexFunc(files, func(file string) bool { return strings.HasPrefix(file, "libmpi") }); i >= 0 {
		library = files[i]
	}
	return library, len(folders) > 0
}

// mpiLibrary matches the file name of an MPI library, or of its Fortran parts.
var mpiLibrary = regexp.MustCompile(`^lib(mpich|mpi_abi|mpi)(?:fort|_mpifh|_usempi\w*)?\.so\.(\d+)$`)

// programAsks returns the MPI library that a program is linked with, as Needs does, and "" where its file does not
// tell. linked tells that MPI is in the program itself.
func programAsks(path string) (library string, linked bool) {
	f, err := regular.Open(path)
	if err != nil {
		return "", false
	}
	defer f.Close()
	program, err := elf.NewFile(f)
	if err != nil {
		return "", false
	}
	files, _ := program.ImportedLibraries()
	for _, file := range files {
		if m := mpiLibrary.FindStringSubmatch(file); m != nil {
			return "lib" + m[1] + ".so." + m[2], false
		}
	}
	symbols, _ := program.Symbols() // none of a stripped one
	linked = slices.ContainsFunc(symbols, func(s elf.Symbol) bool { return s.Name == "PMPI_Init" && s.Section != elf.SHN_UNDEF })
	return "", linked
}

// familyOf guesses the family from the name of a compiler wrapper or of its link's target.
func familyOf(mpicc string) string {
	target, err := filepath.EvalSymlinks(mpicc)
	if mpicc == "" || err != nil {
		target = mpicc
	}
	for _, name := range []string{mpicc, target} {
		for _, sign := range [][2]string{{"openmpi", "openmpi"}, {"opal_wrapper", "openmpi"}, {"mpich", "mpich"}} {
			if strings.Contains(name, sign[0]) {
				return sign[1]
			}
		}
	}
	return ""
}

// Likely is Launch without starting anything: it takes the first launcher of the rank
// program's family that exists, though it may be another library's. It returns nil if there
// is none, or the family is unknown.
func Likely(c Config, rank protocol.RankInfo, shape guidelines.Shape) ([]string, error) {
	known := find(rank.Library)
	switch {
	case c.oneWord("srun") && known.family == "":
		return nil, nil
	case c.oneWord("srun"):
		argv, err := srun(c.Words[0], rank, c.wishFor(shape))
		if err != nil {
			return nil, err
		}
		return c.settle(argv, shape)
	case len(c.Words) > 0:
		return Launch(c, rank, shape)
	}
	for _, name := range c.candidates(known.launchers, rank) {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		i := slices.IndexFunc(known.launchers, func(l launcher) bool { return slices.Contains(l.programs, filepath.Base(name)) })
		return c.settle(append([]string{path}, known.launchers[i].words(c.wishFor(shape))...), shape)
	}
	return nil, nil
}

// Probe asks a rank program what it is built for. No MPI is started. Of env, the variables of its ranks, it
// gets those by which the loader finds their library.
func Probe(path string, env map[string]string) (protocol.RankInfo, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var info protocol.RankInfo
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Stderr = &stderr
	cmd.Env = append(cmd.Environ(), loading(env)...)
	out, err := cmd.Output()
	if err != nil {
		words, _, _ := strings.Cut(stderr.String(), "\nruntime stack:") // of Go's runtime
		words, _, _ = strings.Cut(words, "\ngoroutine ")
		said := LastLines(words, 5)
		if said != "" {
			said = ":\n    " + strings.ReplaceAll(said, "\n", "\n    ")
		}
		if found, e := os.Stat(path); e == nil && found.IsDir() {
			return info, fmt.Errorf("the rank program %s is a folder: name the program in it", path)
		} else if e == nil && found.Mode()&0o111 == 0 {
			return info, fmt.Errorf("the rank program %s may not be executed: if it is one, chmod +x %[1]s", path)
		}
		return info, fmt.Errorf("%s --version: %w%s; %s", path, err, said, probeRemedy(err, stderr.String(), Needs(path)))
	}
	if err := json.Unmarshal(out, &info); err != nil || info.Program != "pgmpi-rank" {
		return info, fmt.Errorf("%s is no pgmpi-rank: it answers --version with %.60q", path, out)
	}
	return info, nil
}

// providers says where the library comes from that a program of `make dist` needs.
var providers = map[string]string{
	"libmpi.so.40":   "Open MPI 4 or 5 (its module; on Debian and Ubuntu apt-get install openmpi-bin)",
	"libmpich.so.12": "the MPICH of Debian and Ubuntu (apt-get install mpich)",
	abiFile:          "libraries with MPI's standard ABI (MPICH 5, Open MPI 6)",
	"libmpi.so.12":   "MPICH and libraries of its ABI (a module; Debian's MPICH has another name)",
}

func probeRemedy(err error, said, needs string) string {
	switch {
	case strings.Contains(said, needs+": cannot open shared object file") && providers[needs] != "":
		return fmt.Sprintf("it is built for %s, which comes with %s: load or install that, or name a rank program of the library that is here with --rank, mpi.rank or %s",
			needs, providers[needs], rankVariable)
	case errors.Is(err, syscall.EMFILE), strings.Contains(said, ": Error 24"):
		return "raise the limit of open files (ulimit -n)"
	case errors.Is(err, syscall.ENFILE), strings.Contains(said, ": Error 23"):
		return "this machine has too many files open: end what has them"
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, syscall.ENOMEM), strings.Contains(said, "out of memory"), strings.Contains(said, "failed to reserve"), strings.Contains(said, "failed to map"):
		return "raise the limits of processes and memory (ulimit -u, ulimit -v)"
	}
	if a := trouble.Explain(&trouble.Said{Words: said}); a != nil && a.What != "" {
		return a.What + "; try: " + a.Try
	}
	return "build it again with `make build`"
}

func LastLines(s string, n int) string {
	var lines []string
	for l := range strings.Lines(s) {
		if l = strings.TrimRight(l, "\r\n "); l != "" {
			lines = append(lines, l)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

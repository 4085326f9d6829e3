//go:build cgo

package rank

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"pgmpi/internal/conf"
	"pgmpi/measure/host"
	"pgmpi/measure/launch"
	"pgmpi/measure/protocol"
	"pgmpi/measure/rank/clock"
	"pgmpi/measure/rank/mpi"
	"pgmpi/measure/rank/mpit"
)

// Version and MPICC are set by the linker: pgmpi's version, and the compiler
// wrapper that built this program.
var (
	Version = "devel"
	MPICC   = ""
)

// info describes this rank program. MPI need not be started.
func info() protocol.RankInfo {
	name, _ := os.Hostname()
	family, builtFor, compiler := mpi.BuiltFor()
	version := firstLine(mpi.Library())
	if family == launch.OfABI { // any library: which, only the one that was loaded can tell
		family = cmp.Or(launch.Family(version), "unknown")
	}
	return protocol.RankInfo{
		Program: "pgmpi-rank", Version: Version, Library: family, BuiltFor: builtFor,
		LibVersion: version, MPICC: MPICC, Compiler: compiler, Flags: cFlags(),
		ClockTickNS: clock.Tick(protocol.ClockMonotonic), Host: name,
	}
}

// cFlags returns the compiler flags of the C parts, as Go keeps them in the program.
func cFlags() string {
	if b, ok := debug.ReadBuildInfo(); ok {
		for _, s := range b.Settings {
			if s.Key == "CGO_CFLAGS" {
				return s.Value
			}
		}
	}
	return ""
}

// checkLibrary compares the headers this program was compiled with and the
// library that the loader found; mixed objects crash.
func checkLibrary(i protocol.RankInfo) error {
	loaded := launch.Family(i.LibVersion)
	if loaded != "" && i.Library != "unknown" && loaded != i.Library {
		return fmt.Errorf("compiled for %s, but the loader found %q; build again (make build) with the mpicc of the library you mean, and check LD_LIBRARY_PATH", i.BuiltFor, i.LibVersion)
	}
	return nil
}

// firstLine keeps only the first line, and makes "MPICH 4.0.2" of
// "MPICH Version:	4.0.2"; MVAPICH2 has blanks before the colon.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	if name, number, ok := strings.Cut(line, ":"); ok {
		if name, ok := strings.CutSuffix(strings.TrimSpace(name), "Version"); ok {
			line = name + number
		}
	}
	return strings.Join(strings.Fields(line), " ")
}

// ownFile tells programs of one host apart, without reading them.
func ownFile() string {
	var s syscall.Stat_t
	if err := syscall.Stat("/proc/self/exe", &s); err != nil {
		return ""
	}
	return fmt.Sprint(s.Dev, s.Ino, s.Size, s.Mtim)
}

func ownHash() string {
	f, err := os.Open("/proc/self/exe")
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16]
}

// All ranks sleep this long to see what other programs do on their nodes: the kernel counts in ticks of
// up to 10 ms.
const (
	settle = 20 * time.Millisecond // until the last rank sleeps
	listen = 100 * time.Millisecond
)

var hostFiles = os.DirFS("/")

// place counts the ranks of every host, and refuses misplaced ones: not where they are wanted, or not
// on as many nodes for the library. All ranks come to the same answer.
func (s *session) place(wanted string, nodes int) error {
	name, _ := os.Hostname()
	sum := sha256.Sum256([]byte(name))
	hosts, err := mpi.AllGather(s.World, binary.LittleEndian.Uint64(sum[:]))
	if err != nil {
		return err
	}
	at := map[uint64]int{} // index into ranks
	var ranks []int
	for _, h := range hosts {
		i, known := at[h]
		if !known {
			i = len(ranks)
			at[h], ranks = i, append(ranks, 0)
		}
		ranks[i]++
	}
	s.beside = ranks[at[hosts[s.Rank]]]
	if got := host.Place(ranks); wanted != "" && got != wanted {
		return fmt.Errorf("the ranks are placed as %s (nodes × ranks on each), and %s is wanted", got, wanted)
	}
	if nodes == 0 {
		return nil
	}
	sees, _, err := s.Topology()
	if err == nil && sees != nodes {
		err = fmt.Errorf("the library has the ranks on %s, and their hosts are %d", conf.Plural(sees, "node"), nodes)
	}
	return err
}

// layout finds out, at rank 0, where all ranks run and on what. Every rank says
// little of itself; the first one of every node reads it for all.
func (s *session) layout(asked []string) (*host.Layout, error) {
	name, _ := os.Hostname()
	own, err := host.ReadRank(name, os.Environ(), asked, s.info.LibVersion, ownFile())
	if err != nil {
		return nil, err
	}
	ranks, err := mpi.Gather(s.World, &own)
	if err != nil {
		return nil, err
	}
	reads := make([]byte, s.Size) // by rank: 1 for the first one of a node
	for _, r := range host.Leaders(ranks) {
		reads[r] = 1
	}
	if reads, err = s.Text(reads, 0); err != nil {
		return nil, err
	}
	s.leads = reads[s.Rank] == 1
	node, err := s.node(own, asked)
	if err != nil {
		return nil, err
	}
	nodes, err := mpi.Gather(s.World, node)
	if err != nil {
		return nil, err
	}
	sees, _, err := s.Topology()
	if err != nil || s.Rank != 0 {
		return nil, err
	}
	l, err := host.Merge(ranks, nodes)
	if err == nil && sees != len(l.Nodes) {
		l.Seen = sees
	}
	return l, err
}

// node reads the node, or waits while others do: nobody may be busy in MPI then.
func (s *session) node(own host.RankFacts, asked []string) (*host.NodeFacts, error) {
	var f host.NodeFacts
	if s.leads {
		f = host.ReadNode(hostFiles, own, os.Environ(), asked, s.info.LibVersion, s.hash())
	}
	if err := s.Barrier(); err != nil {
		return nil, err
	}
	if !s.leads {
		time.Sleep(settle + listen + settle)
		return nil, nil
	}
	time.Sleep(settle)
	before := host.ReadCPUTime(hostFiles)
	time.Sleep(listen)
	f.Node.OthersBusy = host.ReadCPUTime(hostFiles).BusySince(before, len(f.Kind.Online))
	return &f, nil
}

// onNode has the settings of one node.
type onNode struct {
	Host     string
	Settings *host.Settings
}

// settings asks the library, on each node, what is not as installed. It comes after the last case: MPI_T loads
// components that calls do not need.
func (s *session) settings(asked []string) (*host.Settings, error) {
	var mine *onNode
	if s.leads {
		mine = &onNode{Settings: mpit.Settings(asked)}
		mine.Host, _ = os.Hostname()
	}
	all, err := mpi.Gather(s.World, mine)
	if err != nil || s.Rank != 0 || mine.Settings == nil {
		return nil, err
	}
	for _, other := range all {
		if other.Settings == nil || !slices.Equal(other.Settings.InForce, mine.Settings.InForce) {
			mine.Settings.Differ = append(mine.Settings.Differ, other.Host)
		}
	}
	return mine.Settings, nil
}

// load returns the highest one-minute load average of all nodes, at rank 0. It is -1 where none is
// known.
func (s *session) load() (float64, error) {
	const unit = 100 // as the kernel rounds it
	highest, err := s.AllMax(int64(math.Round(host.Load(hostFiles) * unit)))
	return max(-1, float64(highest)/unit), err
}

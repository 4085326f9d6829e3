package profile

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pgmpi/internal/lists"
	"pgmpi/internal/regular"
	"pgmpi/mockups"
)

// Schema names the format that this version reads.
const Schema = "pgmpi-profile/1"

const (
	MostFile  = 64 << 20 // bytes
	mostRanks = 1 << 24
	MostWords = 1 << 10 // of a launcher, and variables
)

// Profile lists the calls of one job of a program. Its numbers are sums over ranks, unless they say otherwise.
type Profile struct {
	Schema  string `json:"schema"`
	Program string `json:"program"`
	Library string `json:"library"` // first line of MPI_Get_library_version
	Host    string `json:"host"`    // of rank 0
	Created int64  `json:"created"` // Unix time, seconds
	// MallocMmap and MallocTrim are variables of glibc's malloc that the program ran with. They are "" if they were
	// not set.
	MallocMmap  string `json:"malloc_mmap_threshold"`
	MallocTrim  string `json:"malloc_trim_threshold"`
	ThreadLevel string `json:"thread_level,omitempty"`
	// Launch has the launcher's words that place ranks or choose in the library, with "{np}", or nil if they are not
	// known; LaunchLeft names its other options. Env has the variables that choose in the library.
	Launch     []string          `json:"launch,omitempty"`
	LaunchLeft []string          `json:"launch_left,omitempty"`
	Env        map[string]string `json:"env,omitempty"`
	Processes  int               `json:"processes"`         // in MPI_COMM_WORLD
	Ranks      int               `json:"ranks"`             // in the file; fewer than Processes if something ended the program
	Finished   bool              `json:"finished"`          // the program came to MPI_Finalize
	Hidden     string            `json:"hidden,omitempty"`  // functions of MPI that the program defines itself, or ""
	Sync       bool              `json:"sync,omitempty"`    // a barrier came before each blocking collective
	Spawned    bool              `json:"spawned,omitempty"` // by another job, with MPI_Comm_spawn
	WallNS     int64             `json:"wall_ns"`           // from the start of a process to its end, the greatest over ranks
	// Rounded counts calls whose size was rounded down to a power of two. There were too many kinds of calls.
	// LostCalls found no place in Calls.
	Rounded   int64      `json:"rounded"`
	LostCalls int64      `json:"lost_calls"`
	LostNS    int64      `json:"lost_ns"`
	Functions []Function `json:"functions"` // all others that were called; empty in a profile of collectives alone
	// Messages has the sizes of messages among Functions; nil in a profile of a version that counted none.
	Messages []Message `json:"messages,omitempty"`
	Calls    []Call    `json:"calls"`
	Made     []Made    `json:"made,omitempty"`  // the longest first; their calls are in Calls, too
	Sites    []Site    `json:"sites,omitempty"` // where the program calls from, if it was asked for; the dearest first
	// Path is the file that it was read from, or "".
	Path   string  `json:"-"`
	atOnce float64 // by which factor calls of concurrent threads take more than all time, if above 1
}

// Call describes one kind of call. Bytes counts one block, as the msize of a check does; where blocks differ
// (Uneven), it counts a mean block, rounded down to a power of two.
type Call struct {
	Function     string `json:"function"`
	Bytes        int64  `json:"bytes"`
	Processes    int    `json:"processes"`    // in the communicator; of an intercommunicator, on this side
	Communicator string `json:"communicator"` // world, self, part or inter
	Datatype     string `json:"datatype"`     // "MPI_INT", "derived" or "derived with holes"
	Op           string `json:"op"`           // "MPI_SUM", "user", or "" where nothing is reduced
	Uneven       bool   `json:"uneven"`
	Calls        int64  `json:"calls"`
	InPlace      int64  `json:"in_place"`
	OtherRoot    int64  `json:"other_root"` // calls with another root than rank 0
	Root         int    `json:"root"`       // SeveralRoots where they differ; 0 of an older version, whatever OtherRoot says
	Ranks        int    `json:"ranks"`      // with such calls
	SumNS        int64  `json:"sum_ns"`
	LeastRankNS  int64  `json:"least_rank_ns"` // of the rank that spent least in all its calls
	MostRankNS   int64  `json:"most_rank_ns"`
	LeastCallNS  int64  `json:"least_call_ns"`
	WaitingNS    int64  `json:"waiting_ns,omitempty"` // besides SumNS, in the barriers of a profile with Sync
	// Sampled calls were asked for their page faults: Faults in all, and more than a few in Faulting of them.
	Sampled  int64 `json:"sampled"`
	Faults   int64 `json:"faults"`
	Faulting int64 `json:"faulting"`
}

// Made counts pairs of calls, one after the other, that do what one call of Function does. Each of them is a Call.
type Made struct {
	By string `json:"by"` // "MPI_Reduce + MPI_Bcast"
	Call
}

func Read(path string) (*Profile, error) {
	text, err := regular.Read(path, MostFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w; `pgmpi profile` writes one", err)
	}
	if err != nil {
		return nil, err
	}
	p := &Profile{}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s is no profile of `pgmpi profile`: %w", path, err)
	}
	if p.Schema != Schema {
		return nil, fmt.Errorf("%s is no profile that this version reads: its schema is %.40q, not %q", path, p.Schema, Schema)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; profile the program anew", path, err)
	}
	p.settle()
	p.Path = path
	return p, nil
}

func (p *Profile) settle() {
	p.atOnce = p.spent() / p.most()
	slices.SortStableFunc(p.Calls, func(a, b Call) int { return cmp.Compare(b.SumNS, a.SumNS) })
	slices.SortStableFunc(p.Made, func(a, b Made) int { return cmp.Compare(b.SumNS, a.SumNS) })
	sortMessages(p.Messages)
	sortSites(p.Sites)
}

var part = regexp.MustCompile(`^\.rank\d+$`)

// Parts joins what ranks without MPI_Finalize have left next to path. It returns nil if no file is whole.
func Parts(path string) (whole *Profile, err error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, e := range entries {
		after, ok := strings.CutPrefix(e.Name(), filepath.Base(path))
		if !ok || !part.MatchString(after) {
			continue
		}
		p, err := Read(path + after)
		if err != nil {
			return nil, err
		}
		if whole == nil {
			whole = p
		} else if err := whole.add(p); err != nil {
			return nil, fmt.Errorf("%s: %w", path+after, err)
		}
	}
	if err == nil && whole != nil {
		err = whole.check()
		whole.settle()
	}
	return whole, err
}

// add joins the part of another rank.
func (p *Profile) add(q *Profile) error {
	if p.Library != q.Library || p.Processes != q.Processes || p.Sync != q.Sync {
		return fmt.Errorf("it is of %.60q on %d processes, and another part of %.60q on %d", q.Library, q.Processes, p.Library, p.Processes)
	}
	p.Ranks += q.Ranks
	p.WallNS = max(p.WallNS, q.WallNS)
	p.Rounded, p.LostCalls, p.LostNS = p.Rounded+q.Rounded, p.LostCalls+q.LostCalls, p.LostNS+q.LostNS
	for _, f := range q.Functions {
		if a := lists.First(p.Functions, func(a Function) bool { return a.Name == f.Name }); a != nil {
			a.Calls, a.SumNS = a.Calls+f.Calls, a.SumNS+f.SumNS
		} else {
			p.Functions = append(p.Functions, f)
		}
	}
	p.addMessages(q.Messages)
	for _, m := range q.Made {
		if a := lists.First(p.Made, func(a Made) bool { return a.By == m.By && a.kind() == m.kind() }); a != nil {
			a.Call.add(m.Call)
		} else {
			p.Made = append(p.Made, m)
		}
	}
	for _, c := range q.Calls {
		if a := lists.First(p.Calls, func(a Call) bool { return a.kind() == c.kind() }); a != nil {
			a.add(c)
		} else {
			p.Calls = append(p.Calls, c)
		}
	}
	return nil
}

func (a *Call) add(c Call) {
	a.Calls, a.InPlace, a.OtherRoot, a.Ranks = a.Calls+c.Calls, a.InPlace+c.InPlace, a.OtherRoot+c.OtherRoot, a.Ranks+c.Ranks
	a.WaitingNS += c.WaitingNS
	if a.Root != c.Root {
		a.Root = SeveralRoots
	}
	a.SumNS, a.Sampled, a.Faults, a.Faulting = a.SumNS+c.SumNS, a.Sampled+c.Sampled, a.Faults+c.Faults, a.Faulting+c.Faulting
	a.LeastRankNS, a.MostRankNS, a.LeastCallNS = min(a.LeastRankNS, c.LeastRankNS), max(a.MostRankNS, c.MostRankNS), min(a.LeastCallNS, c.LeastCallNS)
}

// Store writes a profile that Parts has joined.
func (p *Profile) Store(path string) error {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return regular.Write(path, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// kind returns the call without its numbers.
func (c Call) kind() Call {
	return Call{Function: c.Function, Bytes: c.Bytes, Processes: c.Processes, Communicator: c.Communicator, Datatype: c.Datatype, Op: c.Op, Uneven: c.Uneven, Root: min(1, max(c.Root, -c.Root))}
}

// MadeCalls returns how many collectives all ranks called, nonblocking ones too.
func (p *Profile) MadeCalls() int64 {
	made := p.LostCalls
	for _, c := range p.Calls {
		made += c.Calls
	}
	return made
}

// Wall returns the run-time in seconds.
func (p *Profile) Wall() float64 { return float64(p.WallNS) / 1e9 }

// Seconds returns the share of a call in the run-time, in seconds: the mean over all ranks. Where threads call at
// once, it is scaled down, so that all calls together do not exceed the run-time.
func (p *Profile) Seconds(c Call) float64 { return p.seconds(c.SumNS + c.WaitingNS) }

// SlowestSeconds returns the same of the rank that spends most, where ranks have different work.
func (p *Profile) SlowestSeconds(c Call) float64 {
	if !c.Differs() {
		return p.Seconds(c)
	}
	return max(p.Seconds(c), p.seconds(c.MostRankNS*int64(p.Ranks)))
}

func (p *Profile) seconds(ns int64) float64 {
	return float64(ns) / 1e9 / float64(p.Ranks) / max(1, p.atOnce)
}

// makesOne matches what makes a communicator, a window or a file, which have communicators of their own.
var makesOne = regexp.MustCompile(`^MPI_(Comm_(i?dup|split|create).*|Intercomm_.*|(Cart|Graph|Dist_graph)_(create.*|sub)|Win_(create|allocate).*|File_open)$`)

// Communicators returns how many communicators, windows and files a mean rank makes.
func (p *Profile) Communicators() (n float64) {
	for _, f := range p.Functions {
		if makesOne.MatchString(f.Name) {
			n += float64(f.Calls) / float64(p.Ranks)
		}
	}
	return n
}

// Collective returns the time in all blocking collectives, in seconds.
func (p *Profile) Collective() float64 {
	sum := p.seconds(p.LostNS)
	for _, c := range p.Blocking() {
		sum += p.Seconds(c)
	}
	return sum
}

// Blocking returns the calls that end with their collective.
func (p *Profile) Blocking() []Call {
	return lists.Keep(p.Calls, func(c Call) bool { return !c.Nonblocking() })
}

// Waiting returns the part of Seconds that surely waits for other ranks: what the mean rank spends beyond the rank
// that spends least. It does not see ranks that are late alternately. It is 0 where ranks have different work. With
// Sync it is all waiting, in any call.
func (p *Profile) Waiting(c Call) float64 {
	if p.Sync {
		return p.seconds(c.WaitingNS)
	}
	if c.Differs() || c.Nonblocking() {
		return 0
	}
	return max(0, p.Seconds(c)-p.seconds(c.LeastRankNS)*float64(c.Ranks))
}

// Tells returns whether Waiting tells anything of a call.
func (p *Profile) Tells(c Call) bool { return !c.Nonblocking() && (p.Sync || !c.Differs()) }

// Differs tells whether ranks have different work in a call, so that none is known to wait if it takes longer.
func (c Call) Differs() bool { return c.Uneven || slices.Contains(differing, c.Function) }

// CallsOfRank returns how often a mean rank calls.
func (p *Profile) CallsOfRank(c Call) float64 { return float64(c.Calls) / float64(p.Ranks) }

// LeastMean returns the mean time of a call at the rank that spends least, in seconds.
func (c Call) LeastMean() float64 { return c.mean(c.LeastRankNS) }

// MostWork returns the longest that the work in a call can take on average, in seconds: LeastMean, as the others wait
// longer, or the mean of the slowest rank where ranks have different work.
func (c Call) MostWork() float64 {
	if c.Differs() {
		return c.mean(c.MostRankNS)
	}
	return c.LeastMean()
}

func (c Call) mean(ofRankNS int64) float64 {
	return float64(ofRankNS) * float64(c.Ranks) / float64(c.Calls) / 1e9
}

// FaultsPerCall returns the page faults of most calls, or nil if none was asked. The first calls touch new memory
// in any program, so they do not count.
func (c Call) FaultsPerCall() *float64 {
	if c.Sampled == 0 {
		return nil
	}
	faults := 0.
	if 2*c.Faulting >= c.Sampled {
		faults = float64(c.Faults) / float64(c.Sampled)
	}
	return &faults
}

// Elements returns the datatype of a check with the same elements: of Fortran and C, and by any of their names. It is
// "" if a check has none.
func (c Call) Elements() string { return sameAs[c.Datatype] }

// Reduced returns elements and operator of a reduction as a check names them, "int/max", or "" for all other calls. Those
// that a check has not have no name there.
func (c Call) Reduced() string {
	if f, _ := mockups.Get(c.Function); !f.Reduces {
		return ""
	}
	return c.Elements() + "/" + strings.ToLower(strings.TrimPrefix(c.Op, "MPI_"))
}

// SeveralRoots stands for roots that differ, none of which is rank 0.
const SeveralRoots = -1

// RootIs tells whether calls have a root, which of an older version's most have, or none at all.
func (c Call) RootIs(root int) bool {
	f, _ := mockups.Get(c.Function)
	switch {
	case c.Root == 0 && c.OtherRoot > 0:
		return root != 0 || 2*c.OtherRoot <= c.Calls
	case !f.HasRoot():
		return true
	}
	return c.Root == root
}

// Comparable tells whether guidelines know such calls: on the processes of one communicator, with equal blocks of a
// predefined datatype, reduced by an operator of MPI.
func (c Call) Comparable() bool {
	_, known := mockups.Get(c.Function)
	return known && !c.Nonblocking() && c.Communicator != "inter" && c.Processes > 1 && !c.Uneven && c.Op != "user" && c.Datatype != "derived with holes"
}

package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pgmpi/mockups"
)

// These are the names that measure/preload writes; a test compares them.
var (
	functions = strings.Fields(`MPI_Allgather MPI_Allgatherv MPI_Allreduce MPI_Alltoall MPI_Alltoallv MPI_Alltoallw
		MPI_Barrier MPI_Bcast MPI_Exscan MPI_Gather MPI_Gatherv MPI_Reduce MPI_Reduce_scatter MPI_Reduce_scatter_block
		MPI_Scan MPI_Scatter MPI_Scatterv
		MPI_Iallgather MPI_Iallgatherv MPI_Iallreduce MPI_Ialltoall MPI_Ialltoallv MPI_Ialltoallw MPI_Ibarrier
		MPI_Ibcast MPI_Iexscan MPI_Igather MPI_Igatherv MPI_Ireduce MPI_Ireduce_scatter MPI_Ireduce_scatter_block
		MPI_Iscan MPI_Iscatter MPI_Iscatterv`)
	datatypes = append(strings.Fields(`MPI_DOUBLE MPI_INT MPI_BYTE MPI_FLOAT MPI_CHAR MPI_LONG MPI_LONG_LONG_INT
		MPI_UNSIGNED MPI_UNSIGNED_LONG MPI_UNSIGNED_LONG_LONG MPI_SHORT MPI_UNSIGNED_SHORT MPI_UNSIGNED_CHAR
		MPI_SIGNED_CHAR MPI_INT32_T MPI_INT64_T MPI_UINT32_T MPI_UINT64_T MPI_LONG_DOUBLE MPI_C_DOUBLE_COMPLEX
		MPI_C_FLOAT_COMPLEX MPI_C_BOOL MPI_DOUBLE_INT MPI_2INT MPI_DOUBLE_PRECISION MPI_INTEGER MPI_REAL
		MPI_DOUBLE_COMPLEX MPI_COMPLEX MPI_LOGICAL MPI_PACKED
		MPI_REAL4 MPI_REAL8 MPI_INTEGER1 MPI_INTEGER2 MPI_INTEGER4 MPI_INTEGER8 MPI_COMPLEX8 MPI_COMPLEX16 MPI_CHARACTER
		MPI_2REAL MPI_2DOUBLE_PRECISION MPI_2INTEGER MPI_AINT MPI_COUNT MPI_OFFSET MPI_INT8_T MPI_INT16_T MPI_UINT8_T
		MPI_UINT16_T MPI_FLOAT_INT MPI_LONG_INT MPI_SHORT_INT`), "", "derived", "derived with holes")
	operators = append(strings.Fields(`MPI_SUM MPI_MAX MPI_MIN MPI_PROD MPI_LAND MPI_BAND MPI_LOR MPI_BOR MPI_LXOR
		MPI_BXOR MPI_MAXLOC MPI_MINLOC`), "", "user")

	differing     = strings.Fields("MPI_Bcast MPI_Exscan MPI_Gather MPI_Gatherv MPI_Reduce MPI_Scan MPI_Scatter MPI_Scatterv")
	communicators = []string{"world", "self", "part", "inter"}
	threadLevels  = []string{"", "single", "funneled", "serialized", "multiple"}
)

// mockupOf maps pairs of calls that measure/preload counts to the mock-ups that make the same calls; a test compares them.
var mockupOf = map[string]string{
	"MPI_Reduce + MPI_Bcast":      "allreduce_as_reduce+bcast",
	"MPI_Gather + MPI_Bcast":      "allgather_as_gather+bcast",
	"MPI_Scatter + MPI_Allgather": "bcast_as_scatter+allgather",
	"MPI_Reduce + MPI_Scatter":    "reduce_scatter_block_as_reduce+scatter",
}

// Mockup returns the mock-up that makes these calls.
func (m Made) Mockup() string { return mockupOf[m.By] }

// sameAs maps names of datatypes to the datatypes of a check with elements of the same size and kind, on systems that
// pgmpi is for: with longs of 64 bits.
var sameAs = map[string]string{
	"MPI_BYTE": "byte", "MPI_DOUBLE": "double", "MPI_DOUBLE_PRECISION": "double", "MPI_REAL8": "double",
	"MPI_FLOAT": "float", "MPI_REAL": "float", "MPI_REAL4": "float",
	"MPI_INT": "int", "MPI_INT32_T": "int", "MPI_INTEGER": "int", "MPI_INTEGER4": "int",
	"MPI_UNSIGNED": "unsigned", "MPI_UINT32_T": "unsigned",
	"MPI_LONG": "int64", "MPI_LONG_LONG_INT": "int64", "MPI_INT64_T": "int64", "MPI_INTEGER8": "int64", "MPI_AINT": "int64",
	"MPI_COUNT": "int64", "MPI_OFFSET": "int64",
	"MPI_UNSIGNED_LONG": "uint64", "MPI_UNSIGNED_LONG_LONG": "uint64", "MPI_UINT64_T": "uint64",
	"MPI_2INT": "2int", "MPI_2INTEGER": "2int",
	"MPI_C_DOUBLE_COMPLEX": "double_complex", "MPI_DOUBLE_COMPLEX": "double_complex", "MPI_COMPLEX16": "double_complex",
}

const (
	mostThreads = 1024      // threads of a rank that call at once
	inexact     = 1.01      // the clock may count nanoseconds inexactly, by this factor
	mostWall    = 1e9 * 1e9 // ns; 30 years
	mostBytes   = 1 << 50
)

// most returns all the time that there is, in ns.
func (p *Profile) most() float64 { return float64(p.WallNS) * float64(p.Ranks) }

// spent returns the time of all calls, in ns.
func (p *Profile) spent() float64 {
	sum := float64(p.LostNS)
	for _, c := range p.Calls {
		sum += float64(c.SumNS) + float64(c.WaitingNS)
	}
	for _, f := range p.Functions {
		sum += float64(f.SumNS)
	}
	return sum
}

// check refuses what no program can have written: a profile may come from anybody.
func (p *Profile) check() error {
	switch {
	case p.Processes < 1 || p.Processes > mostRanks || p.Ranks < 1 || p.Ranks > p.Processes:
		return fmt.Errorf("%d ranks of %d processes cannot be", p.Ranks, p.Processes)
	case p.WallNS <= 0 || p.WallNS > mostWall:
		return fmt.Errorf("a run-time of %d ns cannot be", p.WallNS)
	case p.Rounded < 0 || p.LostCalls < 0 || p.LostNS < 0:
		return fmt.Errorf("%d rounded and %d lost calls of %d ns cannot be", p.Rounded, p.LostCalls, p.LostNS)
	case len(p.Launch) > MostWords || len(p.LaunchLeft) > MostWords || len(p.Env) > MostWords:
		return fmt.Errorf("a launcher with %d words and %d variables cannot be", len(p.Launch)+len(p.LaunchLeft), len(p.Env))
	case slices.ContainsFunc(p.Launch, func(w string) bool { return strings.ContainsRune(w, 0) }):
		return fmt.Errorf("no word of a launcher has a byte 0")
	case !slices.Contains(threadLevels, p.ThreadLevel):
		return fmt.Errorf("there is no thread level %.40q", p.ThreadLevel)
	}
	threads := 1.
	if p.ThreadLevel == "multiple" {
		threads = mostThreads
	}
	for i, c := range p.Calls {
		if err := c.check(p, threads); err != nil {
			return fmt.Errorf("calls[%d], %.40q: %w", i, c.Function, err)
		}
	}
	for i, m := range p.Made {
		err := m.check(p, threads)
		if its, _ := mockups.Get(m.Mockup()); err == nil && its.Of != m.Function {
			err = fmt.Errorf("no such calls are counted")
		}
		if err != nil {
			return fmt.Errorf("made[%d], %.40q by %.40q: %w", i, m.Function, m.By, err)
		}
	}
	for i, f := range p.Functions {
		if classOf(f.Name) == "" || f.Calls < 1 || f.SumNS < 0 {
			return fmt.Errorf("functions[%d], %.40q: %d calls in %d ns cannot be", i, f.Name, f.Calls, f.SumNS)
		}
	}
	if err := cmp.Or(p.checkMessages(), p.checkSites()); err != nil {
		return err
	}
	if p.spent() > p.most()*threads*inexact {
		return fmt.Errorf("its calls take %.3g s, and all ranks have %.3g s", p.spent()/1e9, p.most()/1e9)
	}
	return nil
}

func (c Call) check(p *Profile, threads float64) error {
	switch {
	case !slices.Contains(functions, c.Function):
		return fmt.Errorf("no collective of this name is counted")
	case !slices.Contains(datatypes, c.Datatype) || !slices.Contains(operators, c.Op) || !slices.Contains(communicators,
		c.Communicator):
		return fmt.Errorf("there is no datatype %.40q, operator %.40q or communicator %.40q", c.Datatype, c.Op,
			c.Communicator)
	case c.Processes < 1 || c.Processes > mostRanks || c.Communicator == "world" && c.Processes != p.Processes:
		return fmt.Errorf("%d processes of a communicator %s, and the program had %d", c.Processes, c.Communicator,
			p.Processes)
	case c.Ranks < 1 || c.Ranks > p.Ranks || c.Calls < int64(c.Ranks) || c.Bytes < 0 || c.Bytes > mostBytes:
		return fmt.Errorf("%d calls of %d ranks with %d bytes cannot be", c.Calls, c.Ranks, c.Bytes)
	case !c.rootCanBe():
		return fmt.Errorf("%d of %d calls have another root than rank 0, and theirs is %d", c.OtherRoot, c.Calls, c.Root)
	case c.WaitingNS < 0 || c.WaitingNS > 0 && (!p.Sync || c.Nonblocking()):
		return fmt.Errorf("%d ns in barriers before it cannot be", c.WaitingNS)
	case !within(c.InPlace, c.Calls) || !within(c.OtherRoot, c.Calls) || !within(c.Sampled, c.Calls) ||
		!within(c.Faulting, c.Sampled) || c.Faults < 0:
		return fmt.Errorf("more calls are in place, have another root or met page faults than there are, or fewer than none")
	}
	sum, ranks := float64(c.SumNS), float64(c.Ranks)
	least, most, shortest := float64(c.LeastRankNS), float64(c.MostRankNS), float64(c.LeastCallNS)
	rounding := ranks * inexact
	if least < 0 || shortest < 0 || least > most || least*ranks > sum*inexact+rounding || most > sum*inexact+rounding ||
		sum > most*ranks*inexact+rounding ||
		shortest*float64(c.Calls) > sum*inexact+float64(c.Calls) || most > float64(p.WallNS)*threads*inexact {
		return fmt.Errorf("%d ns in all, %d to %d of a rank, %d of a call in a run-time of %d ns do not agree", c.SumNS,
			c.LeastRankNS, c.MostRankNS, c.LeastCallNS, p.WallNS)
	}
	return nil
}

// rootCanBe tells whether calls can have their root. An intercommunicator has it on its other side.
func (c Call) rootCanBe() bool {
	most := c.Processes
	if c.Communicator == "inter" {
		most = mostRanks
	}
	return SeveralRoots <= c.Root && c.Root < most && (c.Root == 0 || c.OtherRoot == c.Calls)
}

func within(part, all int64) bool { return part >= 0 && part <= all }

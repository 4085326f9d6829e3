package mockups

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pgmpi/internal/conf"
)

// Need is the memory of a case in the buffers that all cases share, in bytes.
type Need struct {
	Send, Recv, Temp int64
	Reduced          int64 // what functions on numbers send, if their datatype is not the others'
	Kinds            int64 // of such buffers, one for each datatype and operator; 0 counts as one
}

// Within tells whether there is room for it where there is for another.
func (n Need) Within(room Need) bool {
	return n.Send <= room.Send && n.Recv <= room.Recv && n.Temp <= room.Temp && n.Reduced <= room.Reduced
}

func (n Need) Sum() int64 { return n.Send + n.Recv + n.Temp + n.Reduced*max(1, n.Kinds) }

type Sized struct {
	Function      Function
	Count, Extent int64
	After         int64 // bytes of temporaries that stand before its own
}

// Size returns a function with blocks of msize bytes of a job's datatype.
func Size(f Function, msize int64, datatype string) Sized {
	d, _ := f.Elements(datatype, "")
	return Sized{Function: f, Count: msize / max(1, d.Bytes), Extent: d.Bytes}
}

// Room is the memory of a rank, in bytes.
type Room struct {
	Cap      int64                   // limit of the rank
	Extra    int64                   // for other things than the buffers
	Span     func(bytes int64) int64 // size of a send or receive buffer; by default its bytes
	OwnTemps bool                    // gives every case temporaries of its own, side by side
	Apart    int                     // send buffers that functions on numbers have of their own, see Apart
}

// Apart counts the send buffers that functions on numbers have of their own: one for each kind of elements among
// cases. It is 0 where all share one, and kinds have the Elements of each case.
func Apart(datatype string, kinds []string) int {
	var own []string
	for _, k := range kinds {
		if elements, _ := Own(k); elements != "" {
			own = append(own, elements)
		}
	}
	slices.Sort(own)
	if n := len(slices.Compact(own)); n > 0 || datatype == Auto {
		return n + 1
	}
	return 0
}

// Fit returns the reasons why cases cannot be measured together on p processes. A reason is "" for the
// others, and shared has the sizes of the buffers that these share.
func Fit(cases []Sized, p int, room Room) (why []string, shared Need) {
	why = make([]string, len(cases))
	needs := make([]Need, len(cases))
	for i, c := range cases {
		if c.Function.MaxCount(c.Count, c.Extent, p) > math.MaxInt32 {
			why[i] = "its element count is above what an MPI int count holds"
			continue // and needs nothing
		}
		needs[i] = c.Function.Memory(c.Count, c.Extent, p)
		needs[i].Temp += c.After
		if room.Span != nil {
			needs[i].Send, needs[i].Recv = room.Span(needs[i].Send), room.Span(needs[i].Recv)
		}
		if room.Apart > 0 && c.Function.Numbers() {
			needs[i].Send, needs[i].Reduced, needs[i].Kinds = 0, needs[i].Send, int64(room.Apart)
		}
	}
	fits, shared := fit(needs, room.Cap-room.Extra, room.OwnTemps)
	for i, n := range needs {
		if fits[i] || why[i] != "" {
			continue
		}
		alone, with := n.Sum()+room.Extra, ""
		if alone <= room.Cap {
			with = " beside the buffers of smaller cases"
		}
		why[i] = fmt.Sprintf("it needs %s a rank%s, the cap is %s (measure.temp_memory, half of the free memory)",
			conf.HumanMemory(alone), with, conf.HumanMemory(room.Cap))
	}
	return why, shared
}

// fit takes the cases whose shared buffers need at most limit bytes, small ones first. Each
// buffer has the size of its largest use, so cases that fit alone may not fit together.
func fit(needs []Need, limit int64, ownTemps bool) (fits []bool, shared Need) {
	order := make([]int, len(needs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(needs[a].Sum(), needs[b].Sum()) })
	fits = make([]bool, len(needs))
	for _, i := range order {
		n := needs[i]
		with := Need{max(shared.Send, n.Send), max(shared.Recv, n.Recv), max(shared.Temp, n.Temp), max(shared.Reduced, n.Reduced), max(shared.Kinds, n.Kinds)}
		if ownTemps {
			with.Temp = shared.Temp + n.Temp
		}
		if with.Sum() <= limit {
			fits[i], shared = true, with
		}
	}
	return fits, shared
}

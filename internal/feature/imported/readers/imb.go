package readers

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgmpi/guidelines"
	"pgmpi/internal/feature/imported/sizes"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

// imbReader reads the tables of IMB-MPI1, and the tables of calls alone (_pure) of IMB-NBC and IMB-MPI4, of any
// numbers of processes:
//
//	# Benchmarking Bcast
//	# #processes = 2
//	# ( 2 additional processes waiting in MPI_Barrier)
//	#---------------------------------------------------
//	       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]
//	            1         1000         0.29         0.31         0.30
//
// t_max counts: the mean over the repetitions of the process that took longest.
var imbReader = reader{name: "imb", read: readIMB, sniff: func(_, head string) bool { return imbMark.MatchString(head) }}

var (
	imbMark    = regexp.MustCompile(`(?m)^# *Benchmarking \S+|^Benchmarking [A-Z]\w+$|^#bytes +#repetitions.* t_max|^#.*MPI Benchmark(?:s| Suite)\b.*part`)
	imbBench   = regexp.MustCompile(`^(?:# *Benchmarking (\S+)|Benchmarking ([A-Z]\w+)$)`)
	imbNP      = regexp.MustCompile(`^# *(?:\( *)?#processes = (\d+)`)
	imbVersion = regexp.MustCompile(`MPI Benchmark(?:s|(?:s? Suite)) +V?(\d+)(?:\.(\d+))?\S*(?: Update (\d+))?`)
	imbSetting = regexp.MustCompile(`^# (MPI_Datatype for reductions|MPI_Op) *: *(\S+)`)
)

func readIMB(in *input) error {
	t := tables{input: in, format: sizes.IMBUnknown}
	given, kinds := in.Shape, map[string]string{}
	return t.each(func(text string) (header bool, err error) {
		if cells := strings.Fields(text); slices.Contains(cells, "#repetitions") {
			t.header = imbColumns(cells)
			t.nameless = t.nameless || t.title == ""
			return true, nil
		}
		bench := imbBench.FindStringSubmatch(text)
		if bench == nil && !strings.HasPrefix(text, "#") {
			return false, nil
		}
		if found := imbVersion.FindStringSubmatch(text); found != nil {
			t.format = imbFormat(found[1], found[3])
		}
		if bench != nil {
			in.shape, in.Shape = guidelines.Shape{}, given
			title := bench[1] + bench[2] // one of them is there
			t.begin(title, imbFunction(title))
			t.now.Datatype, t.now.Op = "", ""
			if f, _ := mockups.Get(sizes.Of(t.function)); f.Reduces {
				t.now.Datatype, t.now.Op = kinds["MPI_Datatype for reductions"], kinds["MPI_Op"]
			}
			if t.element = bytesOf[t.now.Datatype]; t.element == 0 {
				t.element = bytesOf["MPI_FLOAT"]
			}
		}
		if found := imbNP.FindStringSubmatch(text); found != nil {
			if in.shape, err = shapeOf(found[1]); err != nil {
				return true, err
			}
			in.Shape = guidelines.Shape{}
			if given.NP == in.shape.NP { // a file may have many
				in.Shape = given
			}
		}
		if found := imbSetting.FindStringSubmatch(text); found != nil {
			kinds[found[1]] = found[2]
		}
		if date, ok := strings.CutPrefix(text, "# Date"); ok {
			t.when, _ = time.Parse(time.ANSIC, strings.TrimLeft(date, " :"))
		}
		return true, nil
	})
}

// imbFormat tells versions as numbers: 3.2, 4.1, 2017, 2019 Update 3, 2021.7.
func imbFormat(major, update string) string {
	year, _ := strconv.Atoi(major)
	if year > 2019 || year == 2019 && update != "" {
		return sizes.IMBBlocks
	}
	return sizes.IMBTotals
}

// imbFunction returns the function of a title. Ibcast and Bcast_persist overlap it with computing, and only what
// ends with _pure is a time of the call alone.
func imbFunction(title string) string {
	name, pure := strings.CutSuffix(title, "_pure")
	persistent := strings.TrimSuffix(name, "_persist")
	if !pure {
		return collective(title)
	}
	for _, f := range []string{"MPI_" + name, mockups.CallOf("MPI_"+persistent, mockups.Persistent)} {
		if m, _ := mockups.Get(f); m.HasData() {
			return f
		}
	}
	return ""
}

func imbColumns(names []string) *columns {
	c := &columns{n: len(names), size: slices.Index(names, "#bytes"), time: slices.Index(names, "t_max[usec]"),
		wrong: slices.Index(names, "defects"), statistic: results.Mean}
	if slices.Contains(names, "Group") || c.size < 0 || c.time < 0 {
		return nil
	}
	if i := slices.Index(names, "#Benchmarking"); i >= 0 {
		c.names = []int{i}
	}
	return c
}

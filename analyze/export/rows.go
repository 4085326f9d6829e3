package export

// Source is where a row comes from. Columns of every table begin with it; new ones of a
// table go to its end.
type Source struct {
	Folder  string `parquet:"folder,dict"`  // as it was given
	Library string `parquet:"library,dict"` // what the library says of itself, to the first comma
	Host    string `parquet:"host,dict"`    // where pgmpi ran
	Shape   string `parquet:"shape,dict"`
}

// Sample is one timed repetition.
type Sample struct {
	Source
	Function string `parquet:"function,dict"`
	MockupOf string `parquet:"mockup_of,dict"` // the collective that a mock-up stands for
	Variant  string `parquet:"variant,dict"`
	Msize    int64  `parquet:"msize,dict"` // bytes
	Mpirun   int32  `parquet:"mpirun,dict"`
	Rep      int32  `parquet:"rep,delta"` // from 0, within the mpirun
	NS       int64  `parquet:"ns,delta"`  // run-time in nanoseconds, of all Calls together
	Flags    int32  `parquet:"flags,dict"`
	Outlier  bool   `parquet:"outlier"` // valid, and left out by the filter
	Mode     string `parquet:"mode,dict"`
	Calls    int32  `parquet:"calls,dict"` // in a row that one sample is; nearly always 1
}

// Median is the run median of a case in one mpirun.
type Median struct {
	Source
	Function   string   `parquet:"function,dict"`
	MockupOf   string   `parquet:"mockup_of,dict"`
	Variant    string   `parquet:"variant,dict"`
	Msize      int64    `parquet:"msize"`
	NP         int32    `parquet:"np"`
	Mpirun     int32    `parquet:"mpirun"`
	MedianS    *float64 `parquet:"median_s,optional"` // seconds; nil: no sample is valid
	N          int32    `parquet:"n"`                 // samples that it is of
	Outliers   int32    `parquet:"outliers"`
	Invalid    int32    `parquet:"invalid"`
	Mode       string   `parquet:"mode,dict"`
	Calls      int32    `parquet:"calls"`
	FinishedAt string   `parquet:"finished_at,dict"`
}

// Verdict is what was found for one planned test; docs/results-format.md has the fields.
type Verdict struct {
	Source
	Guideline    string   `parquet:"guideline,dict"`
	Type         string   `parquet:"type,dict"`
	Function     string   `parquet:"function,dict"`
	Mockup       string   `parquet:"mockup,dict"`
	Msize        int64    `parquet:"msize"`
	MsizeOther   int64    `parquet:"msize_other"`
	K            int32    `parquet:"k"`
	NP           int32    `parquet:"np"`
	Verdict      string   `parquet:"verdict,dict"`
	Ratio        *float64 `parquet:"ratio,optional"`
	RatioLo95    *float64 `parquet:"ratio_lo95,optional"`
	RatioHi95    *float64 `parquet:"ratio_hi95,optional"`
	MedianS      *float64 `parquet:"median_s,optional"`
	OtherMedianS *float64 `parquet:"other_median_s,optional"`
	PAdjusted    *float64 `parquet:"p_adjusted,optional"`
	Replication  *float64 `parquet:"replication,optional"`
	Firm         bool     `parquet:"firm"`
	Mpiruns      int32    `parquet:"mpiruns"` // that it rests on
	Reason       string   `parquet:"reason"`
}

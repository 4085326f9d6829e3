package analyze

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pgmpi/analyze/chosen"
	"pgmpi/analyze/judge"
	"pgmpi/analyze/medians"
	"pgmpi/guidelines"
	"pgmpi/internal/phrase"
	"pgmpi/internal/remark"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/measure/results"
	"pgmpi/mockups"
)

const Schema = "pgmpi-report/1"

// Legend says what a size is; every report carries it.
const Legend = "bytes of one block of the MPI count argument: what one process contributes or gets " +
	"(sendcount of Gather, Allgather, Scatter, Alltoall and of every part of their v forms; count of Bcast, Reduce, Allreduce, Scan, Exscan; " +
	"recvcount of Reduce_scatter_block and of every part of Reduce_scatter; Barrier has size 0)."

// Report holds everything that was found, and what it rests on, as report.json has it. Undefined
// numbers are null.
type Report struct {
	Schema  string  `json:"schema"` // Schema
	Version string  `json:"pgmpi_version"`
	Library Library `json:"library"`
	Shapes  []Shape `json:"shapes"`
	Operation
	Origin

	R              int            `json:"r"`      // mpiruns per shape
	Method         judge.Method   `json:"method"` // default, ci, paper, margin
	Test           judge.TestName `json:"test"`   // one of cappedrank, signedrank, ranksum, ks, ranksum_normal
	Adjust         judge.Adjust   `json:"adjust"` // one of bh, holm, none
	M              int            `json:"m"`      // tests in the family that the adjustment is over
	Alpha          float64        `json:"alpha"`
	FamilyAlpha    float64        `json:"alpha_family"`    // this family's part of alpha; splits have the rest
	MinSlowdown    float64        `json:"min_slowdown"`    // ratio; not used by method paper
	SplitTolerance float64        `json:"split_tolerance"` // fraction of k·median at m_i
	// A tolerant verdict adds this share and these seconds to the other side's time.
	NBTolerance float64 `json:"nb_tolerance"`
	NBAllowance float64 `json:"nb_allowance_s"`
	PMin        float64 `json:"p_min"`        // smallest p-value attainable with this test and R
	ClockTickS  float64 `json:"clock_tick_s"` // seconds; the coarsest clock of all mpiruns
	// Rho is the median over tests of the Pearson correlation of paired log run medians: how much
	// of an mpirun's own effect both sides share.
	Rho             *float64 `json:"rho"`
	TiedTests       int      `json:"tied_tests"`       // tests with equal run medians among their 2R
	ZeroDifferences int      `json:"zero_differences"` // pairs without a difference, which the signed-rank test dropped

	// Between says how far the ratio of another check may lie from this one's.
	Between Between `json:"between_checks,omitzero"`

	Looks *LooksSummary    `json:"looks"`            // null for one look, at R
	Split *SplitExperiment `json:"split_experiment"` // null if none was made
	// Messages has the tests of messages, in the same mpiruns.
	Messages *SplitExperiment `json:"message_experiment,omitempty"`
	Across   []Across         `json:"on_fewer_processes,omitempty"` // calls that take longer than on more processes

	Summary    []SummaryRow   `json:"summary"`    // by shape and type
	Guidelines []GuidelineRow `json:"guidelines"` // in the Plan's order
	Verdicts   []Verdict      `json:"verdicts"`   // one per planned test, in the Plan's order
	// RunsNeededHalf says how many mpiruns would decide half of what is undecided, or is null.
	RunsNeededHalf *judge.Half `json:"runs_needed_half"`

	Refused      *judge.Refusal      `json:"refused"`          // null if R is large enough
	Incomplete   []Incomplete        `json:"incomplete"`       // planned tests without enough valid data
	Wrong        []CaseMessage       `json:"wrong"`            // cases with wrong data, and calls that hung or crashed
	Exclude      []string            `json:"exclude"`          // for check.exclude: what leaves the wrong functions out
	NotMeasured  []CaseMessage       `json:"not_measured"`     // other cases without times
	NotConverged []NotConverge       `json:"not_converged"`    // cases whose nrep is not what the predictor wanted
	OutOfSync    []medians.OutOfSync `json:"out_of_sync"`      // cases with samples that were left out
	States       []medians.State     `json:"states,omitempty"` // of the machine, by shape; absent if there was only one
	// Probes say how fast the machine was, by shape, as far as it was read.
	Probes []Probes `json:"yardstick,omitempty"`
	// SlowMpiruns lists the mpiruns in which many cases took longer than usual.
	SlowMpiruns []medians.SlowMpirun `json:"slow_mpiruns,omitempty"`
	// PageFaults lists the cases whose calls meet page faults, most of them first.
	PageFaults []medians.FaultingCase `json:"page_faults,omitempty"`
	// Bounds holds upper bounds of run-times, where they were measured (measure.provable).
	Bounds     []medians.CaseBound `json:"bounds,omitempty"`
	Dependence medians.Dependence  `json:"dependence"`     // of the samples on each other
	Gate       *Gate               `json:"gate,omitempty"` // null without baseline and expectations
	Notes      []string            `json:"notes"`          // what the Plan left out, and what sync = "auto" chose
	Warnings   []remark.Remark     `json:"warnings"`
	Exit       int                 `json:"exit_code"` // ExitCode()

	// Imported names the origin of measurements that another program made.
	Imported *results.ImportedFrom `json:"imported,omitempty"`
	SeenOnce string                `json:"seen_once,omitempty"` // why nothing that was imported has a verdict

	Measured Measured `json:"-"` // for formats that list run-times
	// Which holds the library's algorithms in the folder, or nil; which.json has them for programs.
	Which *chosen.Which `json:"-"`
}

// Operation says what the functions did, and what a message size means.
type Operation struct {
	Datatype    string `json:"datatype"`
	Op          string `json:"op"`
	Root        int    `json:"root"`
	MsizeLegend string `json:"msize_legend"` // Legend
	Gaps        bool   `json:"-"`            // some blocks have gaps
}

// Elements returns "int/sum", or both datatypes where reductions have another one than the rest.
func (o Operation) Elements() string {
	if o.Datatype != mockups.Auto {
		return o.Datatype + "/" + o.Op
	}
	number, op := mockups.Function{Reduces: true}.Elements(o.Datatype, o.Op)
	data, _ := mockups.Function{}.Elements(o.Datatype, o.Op)
	gaps := phrase.When(o.Gaps, ", %ss with gaps", number.Name)
	return fmt.Sprintf("%s/%s reductions%s, %ss else", number.Name, op, gaps, data.Name)
}

func (o Operation) Text() string {
	if o.Datatype == mockups.Auto {
		return fmt.Sprintf("%s, root %d", o.Elements(), o.Root)
	}
	return fmt.Sprintf("datatype %s, op %s, root %d", o.Datatype, o.Op, o.Root)
}

func OperationOf(p *guidelines.Plan) Operation {
	gaps := slices.ContainsFunc(p.Cases, func(c guidelines.Case) bool {
		f, _ := mockups.Get(c.Function)
		return f.Derived != ""
	})
	return Operation{p.Datatype, p.Op, p.Root, Legend, gaps}
}

type Library struct {
	Name    string `json:"name"`    // family: openmpi, mpich, …
	Version string `json:"version"` // as the library says it
	// PML is Open MPI's point-to-point messaging layer, all of them if shapes differ.
	PML string `json:"pml,omitempty"`
}

// Probes holds the yardstick's readings in the median mpirun of a shape.
type Probes struct {
	Shape string `json:"shape"`
	medians.Speed
}

// Shape names a number of processes, and where they ran.
type Shape struct {
	Name string `json:"name"` // "p4", or "16x1": nodes × processes per node
	guidelines.Shape
	// Place says where the ranks of "p4" were, if on several nodes: "2x2".
	Place string `json:"place,omitempty"`
}

// Count counts planned tests, or functions or guidelines.
type Count struct {
	Checked   int `json:"checked"` // measured, and not wrong
	Violated  int `json:"violated"`
	Suspected int `json:"suspected"` // split-robustness from medians
}

// SummaryRow counts one type of guideline on one shape, as Table 2 of S-PGMPI.
type SummaryRow struct {
	Shape string          `json:"shape"`
	NP    int             `json:"np"`
	Type  guidelines.Type `json:"type"`
	Tests Count           `json:"tests"`
	// Units counts functions (monotony, split) or guidelines (pattern), each
	// once over all sizes; Unit says which.
	Units Count  `json:"units"`
	Unit  string `json:"unit"` // "functions" or "guidelines"
	// Tests by verdict, only those that occur.
	ByVerdict map[judge.Verdict]int `json:"tests_by_verdict"`
}

type GuidelineRow struct {
	Guideline string          `json:"guideline"`
	Type      guidelines.Type `json:"type"`
	Function  string          `json:"function"`
	Mockup    string          `json:"mockup,omitempty"`
	Formula   string          `json:"formula"`
	// ByShape counts tests by shape name and verdict.
	ByShape map[string]map[judge.Verdict]int `json:"tests_by_shape"`
}

type CaseMessage struct {
	medians.Cell
	Status  protocol.Status `json:"status"` // empty in older reports
	Message string          `json:"message"`
}

func (c CaseMessage) Did() string {
	switch c.Status {
	case protocol.StatusHangs:
		return "hangs"
	case protocol.StatusCrashes:
		return "crashed"
	default:
		return "gave wrong data"
	}
}

// NotConverge names a case whose predictor stopped at max or max_time.
type NotConverge struct {
	medians.Cell
	NRep   int    `json:"nrep"`
	Reason string `json:"reason"`
}

// Incomplete names a planned test without enough valid data for a verdict.
type Incomplete struct {
	Guideline string `json:"guideline"`
	medians.Cell
	Reason string `json:"reason"`
}

// Short returns what the library says of itself, up to the first comma or line.
func (l Library) Short() string {
	short, _, _ := strings.Cut(strings.ReplaceAll(l.Version, "\n", ","), ",")
	short = strings.Join(strings.Fields(short), " ")
	const most = 200
	if r := []rune(short); len(r) > most {
		short = string(r[:most])
	}
	return cmp.Or(short, l.Name)
}

// Measured holds the data from which a report's verdicts were made. A report that was read from
// report.json has none.
type Measured struct {
	Cases   []medians.CaseMedians // with a valid run median, in the Plan's order
	Mpiruns []MpirunFactors       // by shape
	Rank    protocol.RankInfo
	Factors host.Factors    // what could change the result
	Config  json.RawMessage // the settings
}

// MpirunFactors say how much slower each mpirun was in general than its shape's others.
type MpirunFactors struct {
	Shape   string
	Factors []float64 // from mpirun 1; nil if not known
}

func (a *Analysis) RunMedians() []medians.CaseMedians { return a.set.AllMedians() }

// GateState says how a test of a night compares with the baselines.
type GateState string

const (
	New        GateState = "new"         // violated now and in the confirmation; tested and not violated in the baselines
	Worse      GateState = "worse"       // violated in both, by clearly more now
	Known      GateState = "known"       // violated in both
	Expected   GateState = "expected"    // violated, and an expectation names it
	Expired    GateState = "expired"     // violated, and the date of its expectation has passed
	Xpass      GateState = "xpass"       // expected, and kept
	Gone       GateState = "gone"        // violated in the baseline, kept now
	FirstShown GateState = "shown_first" // violated, and no baseline has tested it
	Unsure     GateState = "unsure"      // might have changed, and cannot be told
	Lost       GateState = "lost"        // judged in the baseline, and not measured now
)

type Gate struct {
	Baselines []Baseline        `json:"baselines"`
	FailOn    string            `json:"fail_on"` // new, sure (or firm), violated, times
	Strict    bool              `json:"strict"`
	Alarms    int               `json:"alarms"`           // what makes the night red
	Slower    []SlowerCase      `json:"slower,omitempty"` // with fail_on times: these are alarms, too
	ByState   map[GateState]int `json:"tests_by_state"`
	// NotJudged names shapes on which the machine was in a state that no baseline has.
	NotJudged []string `json:"not_judged,omitempty"`
	MustJudge bool     `json:"must_judge,omitempty"`  // then the check exits with 4
	First     bool     `json:"first_night,omitempty"` // there is no night before this one
	Notes     []string `json:"notes"`                 // what could not be compared, expectations that match nothing
}

// SlowerCase names a case that became slower than in every baseline. Its numbers compare it with
// the oldest of them.
type SlowerCase struct {
	medians.Cell
	BeforeS  *float64 `json:"before_s"` // median of run medians, seconds
	NowS     *float64 `json:"now_s"`
	Ratio    *float64 `json:"ratio"`
	Baseline string   `json:"baseline"`
}

type Baseline struct {
	Folder  string `json:"folder"`
	Created string `json:"created,omitempty"` // RFC 3339
	Library string `json:"library"`
}

type Gated struct {
	State       GateState `json:"state"`
	Alarm       bool      `json:"alarm"`
	StateReason string    `json:"state_reason,omitempty"`      // a sentence
	Ticket      string    `json:"ticket,omitempty" column:"-"` // of the expectation
}

type Origin struct {
	Created    string            `json:"created,omitempty"`      // RFC 3339; when the folder was made
	Finished   string            `json:"finished,omitempty"`     // when the last mpirun ended
	Host       string            `json:"host,omitempty"`         // of pgmpi
	Nodes      []string          `json:"nodes,omitempty"`        // that ranks ran on
	Kernel     string            `json:"kernel,omitempty"`       // of the nodes, or of Host if they are not known
	Command    []string          `json:"command,omitempty"`      // that made the folder
	Folder     string            `json:"folder,omitempty"`       // its name, without the path
	Label      map[string]string `json:"label,omitempty"`        // of --label
	GLTomlHash string            `json:"gl_toml_hash,omitempty"` // empty for the defaults
	RankHash   string            `json:"rank_hash,omitempty"`    // of the rank program
	Env        []string          `json:"env,omitzero"`           // NAME=VALUE, set around the ranks; could change a result
	Settings   []string          `json:"settings,omitzero"`      // NAME=VALUE, in force by files or the launch command
	WallClockS float64           `json:"wall_clock_s,omitempty"` // from Created to Finished
}

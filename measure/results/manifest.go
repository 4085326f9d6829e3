package results

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgmpi/guidelines"
	"pgmpi/internal/conf"
	"pgmpi/internal/lists"
	"pgmpi/internal/remark"
	"pgmpi/measure/host"
	"pgmpi/measure/protocol"
	"pgmpi/nrep"
)

const ManifestSchema = "pgmpi-manifest/1"

const MaxMPIRuns = 10000

// Manifest describes a results folder: the configuration as read, the Plan and every factor. What it
// says about mpiruns is derived; the raw files are the truth.
type Manifest struct {
	Schema  string `json:"schema"`
	Kind    Kind   `json:"kind,omitempty"`
	Version string `json:"pgmpi_version"`
	Created string `json:"created"`         // RFC 3339, UTC
	Night   int    `json:"night,omitempty"` // counts the nights of a folder, from 1: a clock may be wrong
	// FolderID is Folder.ID of the folder that it was written into. Absent if an
	// older version wrote it, or it was imported.
	FolderID string               `json:"folder_id,omitempty"`
	Command  []string             `json:"command,omitempty"` // that made the folder; absent if an older version did
	Label    map[string]string    `json:"label,omitempty"`   // of --label
	TOML     string               `json:"gl_toml"`           // as read, or empty for the defaults
	Config   json.RawMessage      `json:"config"`            // with all defaults and flags applied
	Plan     guidelines.Plan      `json:"plan"`
	R        int                  `json:"mpiruns"`
	Seed     uint64               `json:"seed"`
	Rank     protocol.RankInfo    `json:"rank"`
	Clock    *protocol.ClockInfo  `json:"clock,omitempty"` // timed the first mpirun; Clocks are all there are
	Clocks   []protocol.ClockInfo `json:"clocks,omitempty"`
	Launch   map[string][]string  `json:"launch"` // holds, by shape, the launcher's argument list with "{np}" in place
	// PML holds, by shape, Open MPI's point-to-point messaging layer in the first
	// mpirun.
	PML       map[string]string `json:"pml,omitempty"`
	Factors   host.Factors      `json:"factors"`              // what can change a result (S-REVISITED, Table VI)
	MemoryCap map[string]int64  `json:"memory_cap,omitempty"` // by shape, the cap in bytes that the first mpirun decided
	// Skip holds, by index into Plan.Cases, the cases that are not timed and why.
	Skip map[int]protocol.CaseResult `json:"skip,omitempty"`
	NRep map[int]NRep                `json:"nrep,omitempty"` // holds, by index into Plan.Cases, the repetitions of stage 2
	// Looks are the numbers of mpiruns after which decided tests are dropped; the last is R.
	// LookWeights are the shares of the error that they may spend. Both are empty for one look, at R.
	Looks       []int     `json:"looks,omitempty"`
	LookWeights []float64 `json:"look_weights,omitempty"`
	// Stopped holds, by mode, the mpiruns per shape after which max_time ended a
	// stage for good: to go on would be one more look at the data.
	Stopped map[protocol.Mode]int `json:"stopped,omitempty"`
	// SplitExperiment tells whether suspicions of split-robustness are to be tested. A share of alpha
	// is kept for them.
	SplitExperiment bool `json:"split_experiment,omitempty"`
	// FollowUps holds, by mode, the experiments that measure again, each fixed before its first mpirun.
	// A mode without one is not planned yet, or has nothing to measure.
	FollowUps map[protocol.Mode]*FollowUps `json:"follow_ups,omitempty"`
	Timing    map[string]protocol.Timing   `json:"timing,omitempty"`   // holds, by shape, how the first mpirun was timed
	Settings  []string                     `json:"settings,omitempty"` // sentences on settings of mpi.env that are ignored
	Events    []string                     `json:"events,omitempty"`   // sentences on mpiruns that were repeated
	// Imported tells where measurements of another program are from, if another has made them.
	Imported *ImportedFrom `json:"imported,omitempty"`
	// Sums holds the cases whose times add up to an unmeasured mock-up's. All are indices into
	// Plan.Cases.
	Sums map[int][]int `json:"sums,omitempty"`
}

// Statistic tells what a time of another program stands for.
type Statistic string

// The statistics; of a mean there is no test.
const (
	Samples Statistic = "samples" // one repetition
	Median  Statistic = "median"  // of an mpirun's
	Mean    Statistic = "mean"    // of an mpirun's, perhaps of the rank that took longest
)

type ImportedFrom struct {
	From      string    `json:"from"` // the format
	Machine   string    `json:"machine,omitempty"`
	Job       string    `json:"job,omitempty"`
	Statistic Statistic `json:"statistic"`
	Files     int       `json:"files"`
	// Averages has functions with a root whose times are averages over the ranks: some of these return early.
	Averages []string `json:"averages,omitempty"`
}

func (f *ImportedFrom) Name() string {
	return cmp.Or(strings.TrimSpace(f.Machine+" "+f.Job), "unnamed, "+f.From)
}

// SumVariant is the variant of cases that are sums.
const SumVariant = "sum"

// LeastRuns is the number of mpiruns that verdicts about measurements of another program need.
const LeastRuns = 8

// SeenOnce tells whether there are too few mpiruns of another program for verdicts, or only means.
func (m *Manifest) SeenOnce() bool {
	return m.Imported != nil && (m.R < LeastRuns || m.Imported.Statistic == Mean)
}

// FollowUps is an experiment with samples of its own: it follows up the suspicions of
// stage 2, confirms, or tests candidates.
type FollowUps struct {
	R           int          `json:"mpiruns"`
	Comparisons []Comparison `json:"comparisons"`
	Malloc      string       `json:"malloc,omitempty"` // its state, if not measure.malloc
}

// Comparison asks whether one call of Case is slower than Calls calls of Part in
// a row; Calls is 1 unless the test is about split-robustness.
type Comparison struct {
	Test  int `json:"test"`  // index into Plan.Tests
	Case  int `json:"case"`  // index into Plan.Cases: the call; for split-robustness the size m_j
	Part  int `json:"part"`  // index into Plan.Cases: the other side; for split-robustness the size m_i
	Calls int `json:"calls"` // k
}

// Following returns the comparisons that a mode follows up.
func (m *Manifest) Following(mode protocol.Mode) []Comparison {
	if x := m.FollowUps[mode]; x != nil {
		return x.Comparisons
	}
	return nil
}

// MallocByEnv tells whether variables of the environment have set the ranks' malloc.
func (m *Manifest) MallocByEnv() bool {
	for _, t := range m.Timing {
		if t.Malloc == protocol.MallocByEnv {
			return true
		}
	}
	return false
}

// Runs returns the number of mpiruns per shape of a stage: those planned, or fewer where max_time has
// ended it.
func (m *Manifest) Runs(mode protocol.Mode) int {
	planned := m.R
	if x := m.FollowUps[mode]; x != nil {
		planned = x.R
	} else if mode.FollowsUp() {
		planned = 0
	}
	if n, ok := m.Stopped[mode]; ok {
		return max(0, min(n, planned))
	}
	return planned
}

// NRep is the outcome of stage 1 for a case: the maximum over the predictions.
type NRep struct {
	N         int    `json:"n"`
	Converged bool   `json:"converged"`       // in every prediction
	Spent     bool   `json:"spent,omitempty"` // a prediction spent nrep.budget: more of them could not ask for more
	Reason    string `json:"reason,omitempty"`
}

// check refuses what would mislead readers: anybody can edit a manifest.
func (m *Manifest) check() error {
	if m.R < 0 || m.R > MaxMPIRuns {
		return fmt.Errorf("%d mpiruns, not 0 to %d", m.R, MaxMPIRuns)
	}
	runs := m.R
	for _, mode := range slices.Sorted(maps.Keys(m.FollowUps)) {
		x := m.FollowUps[mode]
		if x == nil || !mode.FollowsUp() {
			return fmt.Errorf("follow-ups of %q, which measures none", mode)
		}
		if x.R < 0 || x.R > MaxMPIRuns {
			return fmt.Errorf("%d mpiruns of %s, not 0 to %d", x.R, mode, MaxMPIRuns)
		}
		runs += x.R
	}
	if n := runs * len(m.Plan.Cases); n > maxMedians {
		return fmt.Errorf("%d mpiruns of %d cases are %d run medians, and pgmpi keeps at most %d: fewer mpiruns (--mpiruns), sizes (--msizes) or guidelines (check.guidelines)", runs, len(m.Plan.Cases), n, maxMedians)
	}
	for i := range m.Factors.Layouts {
		if err := m.Factors.Layouts[i].Check(); err != nil {
			return err
		}
	}
	return m.CheckIndices()
}

// CheckIndices refuses tests of the Plan, and follow-ups of an experiment, about cases that are not
// there.
func (m *Manifest) CheckIndices() error {
	for i, t := range m.Plan.Tests {
		for _, c := range append([]int{t.Case}, t.Others...) {
			if c < 0 || c >= len(m.Plan.Cases) {
				return fmt.Errorf("test %d of the plan (%s) names case %d of %d", i, t.Guideline, c, len(m.Plan.Cases))
			}
		}
	}
	for i, parts := range m.Sums {
		for _, c := range append([]int{i}, parts...) {
			if c < 0 || c >= len(m.Plan.Cases) {
				return fmt.Errorf("sum %d of the plan names case %d of %d", i, c, len(m.Plan.Cases))
			}
		}
	}
	for mode, x := range m.FollowUps {
		if x == nil {
			return fmt.Errorf("no follow-ups of %s", mode)
		}
		for i, f := range x.Comparisons {
			if min(f.Test, f.Case, f.Part) < 0 || f.Test >= len(m.Plan.Tests) || max(f.Case, f.Part) >= len(m.Plan.Cases) || f.Calls < 1 {
				return fmt.Errorf("follow-up %d of %s leads outside of the plan", i, mode)
			}
		}
	}
	return nil
}

// readOld takes follow-ups from where versions before 0.3 wrote them: each below its mode.
func (m *Manifest) readOld(text []byte) error {
	var old map[string]json.RawMessage
	if err := json.Unmarshal(text, &old); err != nil {
		return err
	}
	for _, mode := range protocol.FollowUps {
		var x *struct {
			FollowUps
			Comparisons []Comparison `json:"follow_ups"`
		}
		if text, ok := old[string(mode)]; !ok {
			continue
		} else if err := json.Unmarshal(text, &x); err != nil {
			return fmt.Errorf("%s: %w", mode, err)
		}
		if x != nil {
			x.FollowUps.Comparisons = x.Comparisons
			m.Planned(mode, &x.FollowUps)
		}
	}
	return nil
}

// Kind names the command that has made a results folder. It tells which commands can read it.
type Kind string

// The kinds that this version writes. One that it does not know is refused by every reader.
const (
	Check       Kind = "check" // by check, nrep and measure; both folders of an ab
	Explore     Kind = "explore"
	Fingerprint Kind = "fingerprint"
	AB          Kind = "ab"       // it holds two folders, and has no manifest
	Imported    Kind = "imported" // measurements of another program
)

// Checks are the kinds whose plans have tests of guidelines.
var Checks = []Kind{Check, Imported}

// ABFile marks a folder of `pgmpi ab`, whose results folders are a and b.
const ABFile = "ab.json"

// Proofs begins the name of a folder with the mpiruns of a remedy; a folder of `pgmpi ab` is in it for
// each proof.
const Proofs = "proof-"

func (k Kind) Command() string {
	switch k {
	case Imported:
		return "pgmpi analyze --from"
	default:
		return "pgmpi " + string(k)
	}
}

func (k Kind) Shown(path string) string {
	switch k {
	case Check, Explore, Imported:
		return "pgmpi analyze " + path
	case AB:
		return "pgmpi compare " + path
	case Fingerprint:
		return k.Command() + " " + path + " CASE"
	default:
		return k.Command() + " " + path
	}
}

func (k Kind) GoesOn(path string) string {
	if k == Fingerprint {
		return k.Command() + " CASE --out " + path + " --resume"
	}
	return k.Command() + " --out " + path + " --resume"
}

// OtherKind refuses a folder of a kind that the reader has no use for.
type OtherKind struct {
	Path string
	Kind Kind
}

func (e *OtherKind) Error() string {
	return fmt.Sprintf("%s is a folder of %s; %s shows it", e.Path, e.Kind.Command(), e.Kind.Shown(conf.Quote(e.Path)))
}

// Once a folder is begun, only the methods here change its manifest.

// put sets a key of a map, which a manifest leaves out while it is empty.
func put[K comparable, V any](m *map[K]V, key K, value V) {
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = value
}

func putFirst[K comparable, V any](m *map[K]V, key K, value V) {
	if _, known := (*m)[key]; !known {
		put(m, key, value)
	}
}

// Learned takes over what a finished mpirun decided for the ones after it: the
// memory cap, the cases that are not timed, the predicted repetitions.
func (m *Manifest) Learned(r *Run, n nrep.Config) {
	putFirst(&m.MemoryCap, r.Shape.String(), r.MemoryCap)
	putFirst(&m.Timing, r.Shape.String(), r.Timing)
	if m.Clock == nil && r.Clock != nil {
		m.Clock, m.Clocks, m.Rank.ClockTickNS = r.Clock, r.Clocks, r.Clock.TickNS
	}
	for i, c := range r.Cases {
		switch {
		case c.Status != protocol.StatusOK:
			putFirst(&m.Skip, c.Plan, c.CaseResult)
		case r.Mode == protocol.ModeNREP:
			// Predictions come from valid samples only.
			m.predicted(c, n.Kept(c.NRep-c.Invalid, protocol.ValidSeconds(r.Samples[i])))
		}
	}
}

func (m *Manifest) predicted(c CaseInfo, valid int) {
	now := NRep{N: valid, Converged: c.Converged, Spent: c.Converged && c.Reason != "", Reason: c.Reason}
	if before, predicted := m.NRep[c.Plan]; predicted {
		now.N = nrep.MaxOverPredictions([]int{before.N, valid})
		now.Converged, now.Spent = before.Converged && c.Converged, now.Spent || before.Spent
		if !before.Converged {
			now.Reason = before.Reason
		}
	}
	put(&m.NRep, c.Plan, now)
}

func (m *Manifest) Fixed(n int) {
	m.NRep = map[int]NRep{}
	for i := range m.Plan.Cases {
		m.NRep[i] = NRep{N: n, Converged: true}
	}
}

// Saw keeps what an mpirun has shown of the library: the shared libraries of mock-ups as it loaded
// them, and the messaging layer that it chose, or "" if that is not known.
func (m *Manifest) Saw(r *Run, pml string, loaded []protocol.Mockups) {
	for _, f := range loaded {
		putFirst(&m.Factors.Mockups, f.File, f.Hash)
	}
	switch {
	case r.Mode == protocol.ModeMessages: // it is the layer that counts, which stands before the one that the others have
	case pml != "":
		put(&m.PML, r.Shape.String(), pml)
	default:
		delete(m.PML, r.Shape.String())
	}
}

// Ran keeps where the first mpirun of a shape in this process ran, started by argv. After a --resume it
// keeps only what differs from what is known.
func (m *Manifest) Ran(r *Run, l *host.Layout, argv []string) {
	l.Shape, l.Since, l.Command = r.Shape.String(), RawName(r.Mode, r.Shape, r.Run), argv
	m.Factors.Add(*l)
}

// LeftOut skips a function in all its cases, and tells whether it was not skipped already.
func (m *Manifest) LeftOut(function string, why protocol.CaseResult) (skipped bool) {
	for i, k := range m.Plan.Cases {
		if _, already := m.Skip[i]; k.Function == function && !already {
			put(&m.Skip, i, why)
			skipped = true
		}
	}
	if skipped {
		m.Events = append(m.Events, fmt.Sprintf("%s %s: the mpirun was repeated without it", function, why.Status))
	}
	return skipped
}

func (m *Manifest) Repeated(raw, why string) {
	m.Events = append(m.Events, fmt.Sprintf("%s failed and was repeated: %s", raw, why))
}

// StopAfter ends a stage for good after a number of mpiruns per shape.
func (m *Manifest) StopAfter(mode protocol.Mode, runs int) { put(&m.Stopped, mode, runs) }

// Planned fixes the experiment of a mode, nil if there is nothing to measure.
func (m *Manifest) Planned(mode protocol.Mode, plan *FollowUps) {
	if plan == nil {
		delete(m.FollowUps, mode)
		return
	}
	put(&m.FollowUps, mode, plan)
}

func (m *Manifest) Ignored(text string) bool {
	if slices.Contains(m.Settings, text) {
		return false
	}
	m.Settings = append(m.Settings, text)
	return true
}

// Remarks returns those on where the ranks ran and on settings that do nothing.
func (m *Manifest) Remarks() []remark.Remark {
	out := m.Factors.Remarks()
	for _, text := range m.Settings {
		out = lists.With(out, remark.New(remark.SettingIgnored, "", "%s", text))
	}
	return out
}

// SettingsInForce returns the library's settings, NAME=VALUE, that neither the driver's environment nor mpi.env shows:
// they come from files, and from the launch command. known is false for folders that do not tell them.
func (m *Manifest) SettingsInForce() (list []string, known bool) {
	var config struct {
		MPI struct{ Env map[string]any }
	}
	_ = json.Unmarshal(m.Config, &config) // what cannot be read is unknown
	all, known := m.Factors.Settings()
	for _, s := range all {
		_, ofDriver := m.Factors.Env[s.From]
		if _, ofMPI := config.MPI.Env[s.From]; !ofDriver && !ofMPI {
			list = lists.With(list, s.String())
		}
	}
	return list, known
}

func (m *Manifest) Labelled(key, value string) { put(&m.Label, key, value) }

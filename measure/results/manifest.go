package results

import (
	"encoding/json"

	"pgmpi/guidelines"
)

// ManifestSchema names the format of manifest.json.
const ManifestSchema = "pgmpi-manifest/1"

// MaxMPIRuns is the largest R that a Manifest may have.
const MaxMPIRuns = 10000

// Manifest is what a results folder is about: the configuration as read, the
// Plan and every factor. What it says of mpiruns is derived; whole raw files
// are the truth.
type Manifest struct {
	Schema  string          `json:"schema"`
	Version string          `json:"pgmpi_version"`
	Created string          `json:"created"` // RFC 3339, UTC
	TOML    string          `json:"gl_toml"` // as read; empty: the defaults
	Config  json.RawMessage `json:"config"`  // with all defaults and flags applied
	Plan    guidelines.Plan `json:"plan"`
	R       int             `json:"mpiruns"`
	Seed    uint64          `json:"seed"`
	Rank    RankInfo        `json:"rank"`
	// Launch holds, by shape, the launcher's argument list with "{np}" in place.
	Launch  map[string][]string `json:"launch"`
	Factors Factors             `json:"factors"` // grows with what can change a result (S-REVISITED, Table VI)
	// MemoryCap holds, by shape, the cap in bytes that the first mpirun decided.
	MemoryCap map[string]int64 `json:"memory_cap,omitempty"`
	// Skip holds, by index into Plan.Cases, the cases that are not timed and why.
	Skip map[int]CaseResult `json:"skip,omitempty"`
	// NRep holds, by index into Plan.Cases, the repetitions of stage 2.
	NRep map[int]NRep `json:"nrep,omitempty"`
	// Events has a sentence for every mpirun that failed and was repeated.
	Events []string `json:"events,omitempty"`
}

// NRep is the outcome of stage 1 for a case: the maximum over the predictions.
type NRep struct {
	N         int    `json:"n"`
	Converged bool   `json:"converged"` // in every prediction
	Reason    string `json:"reason,omitempty"`
}

// Factors are the settings that can change a result: what the driver found on
// its own host at the start, and what the ranks found on theirs.
type Factors struct {
	Hostname string            `json:"hostname"`
	Kernel   string            `json:"kernel"`
	CPU      string            `json:"cpu"`
	Cores    int               `json:"cores"` // of the driver's affinity mask
	Env      map[string]string `json:"env"`   // OMPI_*, MPIR_CVAR_*, UCX_*, FI_*, SLURM_*, MV2_*, I_MPI_*
	Go       string            `json:"go"`
	// Layouts has one of every shape, from its first mpirun, and one more for
	// every --resume that found something else. Older manifests have none.
	Layouts []Layout `json:"layouts,omitempty"`
}

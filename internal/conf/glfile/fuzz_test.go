package glfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"pgmpi/testkit/must"
)

// FuzzParse tries any gl.toml: its errors name the file and a place in it, always in the same order; a file without
// errors has a Plan and can be kept in the manifest.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", Template(),
		"[job]\nnp = [4, 2]\nmsizes = [1, \"1Ki\", \"1..1Gi*4\"]\n",
		"[job]\nmsizes = [\"1..1Gi*1\"]\n",
		"[job]\nmsizes = [\"1..8388607Ti\", \"9223372036854775807\"]\n",
		"[check]\nguidelines = [\"GL1..GL99999999999\", \"GL1:MPI_Gather\", \"extended\"]\n",
		"[[guideline]]\nid = \"mine\"\nmonotony = \"MPI_Scan\"\nmsizes = [8, \"16..4Ki\"]\n",
		"guideline = [{ id = \"a\", pattern = { function = \"MPI_Bcast\", mockup = \"\" } }]\n",
		"mpi = { env = { \"é.\" = \"1\" }, rnak = \"\" }\n",
		"[analyze]\nalpha = nan\nmin_slowdown = inf\n",
		"nrep.cov_mean.window = 1\nnrep.\"cov_mean.window\" = 1\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := checked(text)
		if err != nil {
			located(t, text, err)
			_, again := checked(text)
			must.Hold(t, again != nil && again.Error() == err.Error(), "the same file gives other errors:\n%v\nthen\n%v", err, again)
			return
		}
		_, err = json.Marshal(file)
		must.Hold(t, err == nil, "a valid file cannot be kept in the manifest: %v", err)
		plannable(t, text, file)
	})
}

func checked(text []byte) (*File, error) {
	file, err := Parse("gl.toml", text)
	if err == nil {
		err = file.Validate(nil)
	}
	return file, err
}

func located(t *testing.T, text []byte, err error) {
	var all Errors
	must.Hold(t, errors.As(err, &all) && len(all) != 0, "%T: %v", err, err)
	lines := bytes.Count(text, []byte("\n")) + 1
	for _, e := range all {
		must.Hold(t, e.File == "gl.toml" && e.Msg != "" && e.Line >= 0 && e.Line <= lines && (e.Line > 0) == (e.Col > 0), "%#v of a file of %d lines", e, lines)
	}
}

func plannable(t *testing.T, text []byte, file *File) {
	plan, err := file.Plan(append([]int{}, file.Job.NP...))
	if err != nil {
		located(t, text, err)
		return
	}
	must.Hold(t, len(plan.Tests) != 0, "a plan without tests")
	for i, test := range plan.Tests {
		for _, c := range append([]int{test.Case}, test.Others...) {
			must.Hold(t, c >= 0 && c < len(plan.Cases), "test %d names case %d of %d", i, c, len(plan.Cases))
		}
	}
}

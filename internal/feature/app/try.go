package app

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pgmpi/internal/command"
	"pgmpi/internal/conf/glfile"
	"pgmpi/internal/experiment"
	"pgmpi/internal/fail"
	"pgmpi/internal/manual"
	"pgmpi/internal/tuning"
	"pgmpi/measure/launch"
)

var assignment = regexp.MustCompile(`^[A-Za-z_]\w*=`)

// settingOf reads what is tried: variables, and options of the launcher that begin with a dash.
func settingOf(words []string) (s Setting, err error) {
	set := map[string]string{}
	for _, word := range words {
		switch name, value, _ := strings.Cut(word, "="); {
		case assignment.MatchString(word) && !strings.HasPrefix(word, "PGMPI_"):
			set[name] = value
		case strings.HasPrefix(word, "-") && word != "--" || len(s.Options) > 0 && !assignment.MatchString(word):
			s.Options = append(s.Options, word)
		default:
			return s, fail.Setupf("--with: %.60q is neither NAME=VALUE nor an option of the launcher: "+
				"--with 'OMPI_MCA_osc=sm --bind-to none'", word)
		}
	}
	if len(set)+len(s.Options) == 0 {
		return s, fail.Setupf("--with is empty: --with 'NAME=VALUE …' says what to try")
	}
	return s.add(set), nil
}

// add takes variables: the launcher reads its own in its environment, and gives all others to the ranks.
func (s Setting) add(set map[string]string) Setting {
	s.Env, s.Ranks = map[string]string{}, map[string]string{}
	for name, value := range set {
		if name == tuning.Preload || name == "PGMPI_APPLY" {
			s.Ranks[name] = value
			continue
		}
		s.Env[name] = value
		launchers := []string{"OMPI_MCA_", "PRTE_MCA_", "I_MPI_HYDRA_"}
		if !slices.ContainsFunc(launchers, func(p string) bool { return strings.HasPrefix(name, p) }) {
			s.Ranks[name] = value
		}
	}
	return s
}

// settingIn reads the env.sh of a folder.
func settingIn(folder, rank string) (Setting, error) {
	f := &glfile.File{}
	f.MPI.Under, f.MPI.Rank = folder, rank
	err := experiment.Under(f)
	if own := f.MPI.Env[tuning.Preload]; strings.HasSuffix(own, launch.PreloadEnding) {
		delete(f.MPI.Env, tuning.Preload) // the ranks have it in each run
	}
	return Setting{}.add(f.MPI.Env), err
}

// written is what a setting adds to a command.
func (s Setting) written() string {
	set := maps.Clone(s.Ranks)
	maps.Copy(set, s.Env)
	return strings.Join(slices.Concat(assigned(set), s.Options), " ")
}

func newTry(h *command.Host) *cobra.Command {
	o := byTurns{Output: command.Output{Host: h}}
	var with []string
	var under string
	c := &cobra.Command{
		Use: "try --with 'A=1 B=2' -- mpirun … ./app",
		Example: "pgmpi try --with OMPI_MCA_osc=sm -- mpirun -np 4 ./app\n" +
			"pgmpi try --with '--bind-to none' --same out.txt -- mpirun -np 4 ./app",
		Short: "whether a program is faster with a setting",
		Long: `Runs a program alternately without and with variables of the environment, or
options of its launcher: which is faster, by how much, with a 95 % interval of
at least six pairs. It needs no check and no profile. --under takes the env.sh
of a folder, such as a remedy's. All runs get the same standard input, must end
with 0, and must call about as many collectives as the first.

A library ignores a variable that it does not know: ` + "`pgmpi env`" + ` names those.

Exit codes: 0 it is faster; 4 it is not shown to be faster; 2 where something
cannot be read or started; 3 where the program fails; 130 interrupted.`,
		Args:        cobra.ArbitraryArgs,
		Annotations: manual.MostNeeded("with under ab before same rank format quiet"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() != 0 || (len(with) > 0) == (under != "") {
				return misused(c, "give --with or --under, and the program after --")
			}
			program, err := newProgram(args, o.rank, nil, os.Stderr)
			if err != nil {
				return err
			}
			r, err := o.try(c.Context(), program, with, under)
			if err != nil {
				return err
			}
			return o.Show(tries.Document(r), "", "")
		},
	}
	fs := c.Flags()
	fs.StringArrayVar(&with, "with", nil, "what to try: `'A=1 B=2'`, variables or options of the launcher; may be given more than once")
	fs.StringVar(&under, "under", "", "the `FOLDER` of a setting, whose env.sh is tried")
	o.flags(fs, defaultPairs)
	o.Formats = h.OneFormat(fs, tries)
	return c
}

func (o *byTurns) try(ctx context.Context, p *Program, with []string, under string) (r *TryResult, err error) {
	var s Setting
	if under != "" {
		s, err = settingIn(under, o.rank)
	} else {
		s, err = settingOf(strings.Fields(strings.Join(with, " ")))
	}
	if err == nil && len(s.Options) > 0 && launch.StartOf(p.Argv[:1]).Words == nil {
		err = fail.Setupf("--with: options go to the launcher, and %.60q is none that is known: give -- mpirun …", p.Argv[0])
	}
	if err != nil {
		return nil, err
	}
	o.Progress = o.NewProgress(o.Quiet)
	defer o.Progress.Clear()
	r = &TryResult{Schema: TrySchema, With: s.written(), Under: under, Command: p.Argv}
	p.Same, p.Before = o.same, strings.Fields(o.before)
	if r.AB, err = p.AB(ctx, o.pairs, s, o.tell); err == nil {
		r.Program, r.Processes = p.Profiled.Program, p.Profiled.Processes
	}
	if r.Program == "" {
		r.Program = filepath.Base(p.Argv[len(p.Argv)-1])
	}
	return r, err
}

const TrySchema = "pgmpi-try/1"

// TryResult says whether a program is faster with a setting.
type TryResult struct {
	Schema    string     `json:"schema"` // TrySchema
	Program   string     `json:"program"`
	Processes int        `json:"processes"`
	Command   []string   `json:"command"`
	With      string     `json:"with"`            // variables, and options of the launcher
	Under     string     `json:"under,omitempty"` // the folder that has them
	AB        *ProgramAB `json:"ab"`
}

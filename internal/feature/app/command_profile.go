package app

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"pgmpi/internal/command"
	"pgmpi/internal/conf"
	"pgmpi/internal/document"
	"pgmpi/internal/fail"
	"pgmpi/internal/feature/app/profile"
	"pgmpi/internal/manual"
)

const usualProfile = "app.prof"

func newProfile(h *command.Host) *cobra.Command {
	o := command.Output{Host: h}
	var path, rank string
	var sync, sites bool
	c := &cobra.Command{
		Use:     "profile [--out FILE] -- mpirun … ./app",
		Example: "pgmpi profile --out app.prof -- mpirun -np 4 ./app\npgmpi profile app.prof --full",
		Short:   "count and time the collectives that a program calls",
		Long: `Runs a program as it is started, with a library preloaded into its ranks that
counts and times each collective by size, processes, datatype and operator,
messages by size, and all other calls of MPI by name, and writes FILE, summed
over ranks. It costs 20 to 40 ns a call. The program needs no change. What is
waiting for late ranks is told apart as far as the same ranks are late; --sync
tells it exactly, by a barrier before each blocking collective. A FILE alone is
shown again.
` + "`pgmpi check --calls FILE` checks these calls, and `pgmpi gain DIR FILE`" + ` says
what the program would gain.

Exit codes: 0; 2 where the program cannot be started, or FILE be read; 3 where
the program failed; 130 interrupted: FILE has what was counted until then.`,
		Args:        cobra.ArbitraryArgs,
		Annotations: manual.MostNeeded("out sync sites rank full format"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.ArgsLenAtDash() < 0 && len(args) == 1 {
				p, err := profile.Read(args[0])
				if err != nil {
					return fail.AsSetup(err)
				}
				return o.Show(profiles.Document(p), "", "")
			}
			if c.ArgsLenAtDash() != 0 {
				return misused(c, "give the program after --, as you start it: pgmpi profile -- mpirun -np 4 ./app")
			}
			program, err := newProgram(args, rank, beside(o.Formats.Printed()), os.Stderr)
			if err == nil {
				path, err = filepath.Abs(path)
			}
			if err != nil {
				return err
			}
			program.Sync, program.Sites = sync, sites
			p, failed := program.Profile(c.Context(), path)
			if p == nil {
				return failed
			}
			p.Path = path
			d := profiles.Document(p)
			d.Exit = failed
			return o.Show(d, "pgmpi profile "+conf.Quote(path), "")
		},
	}
	fs := c.Flags()
	fs.StringVar(&path, "out", usualProfile, "the `FILE` for the profile")
	fs.BoolVar(&sync, "sync", false, "a barrier before each blocking collective: tells waiting from the call, and changes times")
	fs.BoolVar(&sites, "sites", false, "where the program calls from, too: lines of what is compiled with -g; a call takes longer")
	rankFlag(fs, &rank)
	o.Formats = h.OneFormat(fs, profiles)
	command.Full(fs)
	return c
}

// beside returns where a program's standard output goes: not among a document that other programs read.
func beside(f document.Format) *os.File {
	if f.Name == "table" {
		return os.Stdout
	}
	return os.Stderr
}

func rankFlag(fs *pflag.FlagSet, rank *string) {
	fs.StringVar(rank, "rank", "", "the rank program `PATH` beside which the library to preload is (default: one of the launcher's library)")
}

-- The module of one installation, for Lmod: `make install` puts it into
-- PREFIX/share/modulefiles/pgmpi/VERSION.lua, and it finds PREFIX from there.
--
--   module use PREFIX/share/modulefiles
--   module load openmpi pgmpi
--
-- Load the MPI library before or after: pgmpi takes the rank program that fits the mpirun
-- which comes first on the PATH.
help([[pgmpi checks whether an MPI library keeps self-consistent performance guidelines.
Begin with: pgmpi check --dry-run]])
whatis("Name: pgmpi")
whatis("Version: " .. myModuleVersion())
whatis("Description: checks whether an MPI library keeps self-consistent performance guidelines")

local prefix = myFileName():gsub("/share/modulefiles/.*", "")
prepend_path("PATH", pathJoin(prefix, "bin"))
prepend_path("MANPATH", pathJoin(prefix, "share/man") .. ":")

# UNTESTED: written after Spack's documentation (1.0). Copy it to
# packages/pgmpi/package.py of a repository of your own; url and version are yours.
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Pgmpi(MakefilePackage):
    """Checks whether an MPI library keeps self-consistent performance guidelines."""

    homepage = "https://example.org/pgmpi"
    git = "https://example.org/pgmpi.git"

    version("main", branch="main")

    depends_on("c", type="build")
    depends_on("go@1.25:", type="build")
    depends_on("mpi")

    def setup_build_environment(self, env):
        # Spack's stage is the only place that a build may write to. Without a network the
        # source needs its vendor folder: `make dist` makes a tarball with one.
        env.set("GOPATH", join_path(self.stage.path, "go"))
        env.set("GOCACHE", join_path(self.stage.path, "cache"))

    @property
    def build_targets(self):
        return ["build", f"MPICC={self.spec['mpi'].mpicc}"]

    @property
    def install_targets(self):
        return ["install", f"MPICC={self.spec['mpi'].mpicc}", f"PREFIX={self.prefix}"]

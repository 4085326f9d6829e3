# Written after Spack's documentation (1.0); never installed with it. Copy it to
# packages/pgmpi/package.py of a repository of your own; homepage and url are yours.
from spack_repo.builtin.build_systems.makefile import MakefilePackage

from spack.package import *


class Pgmpi(MakefilePackage):
    """Checks whether an MPI library keeps self-consistent performance guidelines."""

    homepage = "https://example.org/pgmpi"
    url = "https://example.org/pgmpi/pgmpi-0.4.0.tar.gz"  # of `make dist`, with all Go modules

    license("BSD-3-Clause")

    version("0.4.0")  # sha256="what sha256sum says of the tarball"; without: spack install --no-checksum

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("go@1.25:", type="build")
    depends_on("mpi")

    sanity_check_is_file = [join_path("bin", "pgmpi"), join_path("share", "man", "man1", "pgmpi.1")]

    def setup_build_environment(self, env):
        # Spack's stage is the only place that a build may write to.
        env.set("GOPATH", join_path(self.stage.path, "go"))
        env.set("GOCACHE", join_path(self.stage.path, "cache"))

    @property
    def build_targets(self):
        return ["build", f"MPICC={self.spec['mpi'].mpicc}"]

    @property
    def install_targets(self):
        return ["install", f"MPICC={self.spec['mpi'].mpicc}", f"PREFIX={self.prefix}"]

    @run_after("install")
    def loads_its_library(self):
        Executable(join_path(self.prefix.bin, "pgmpi"))("version")

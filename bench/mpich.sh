#!/bin/sh
# MPICH from Debian's sources, for `bench builds` and for its tests of collectives.
#   mpich.sh get DIR      fetches, configures and installs it into DIR/installed: 25 MB, some ten minutes; apt must
#                         know of sources ("Types: deb deb-src" in debian.sources, then apt-get update)
#   mpich.sh build DIR    installs it into $PREFIX with one line more, in which MPI_Scan copies its vector once
#                         more: as many percent of it as the file "copied" of this checkout has
#   mpich.sh tests DIR    builds its tests of collectives for Open MPI and MPICH as they are installed, and runs
#                         them on up to 5 processes alone and through the preloaded mock-ups, 6 to 12 minutes;
#                         after `get`, and `make test` for the programs
set -eu
mkdir -p "$2"
dir=$(cd "$2" && pwd)
case $1 in
get)
    cd "$dir"
    apt-get source --download-only mpich
    tar -xJf mpich_*.orig.tar.xz --strip-components=1
    ./configure --prefix="$dir/installed" --with-device=ch3:nemesis --disable-fortran --disable-cxx --disable-romio \
        --disable-static --enable-fast=O2,ndebug >configure.out 2>&1
    make -j "$(nproc)" >make.out 2>&1
    make install >>make.out 2>&1
    cp src/mpi/coll/scan/scan_intra_recursive_doubling.c scan.c
    ;;
build)
    percent=$(cat copied)
    line="    if (sendbuf != MPI_IN_PLACE) MPIR_Localcopy(sendbuf, count * $percent / 100, datatype, partial_scan, count, datatype);"
    cd "$dir"
    if [ ! -d "installed-$percent" ]; then # commits with the same line are built once
        sed "/Since this is an inclusive scan/i\\$line" scan.c >src/mpi/coll/scan/scan_intra_recursive_doubling.c
        make -j "$(nproc)" install
        cp -a installed "installed-$percent"
    fi
    cp -a "installed-$percent/." "$PREFIX/"
    ;;
tests)
    here=$PWD
    cd "$dir/test/mpi"
    for library in openmpi mpich; do
        to=$dir/coll/$library
        cc="mpicc.$library -w -O1 -Iinclude -Idtpools/include"
        mkdir -p "$to"
        for source in util/dtypes.c util/mtest.c util/mtest_common.c util/mtest_single.c dtpools/src/*.c; do # without names that MPI 3 removed
            sed 's/MPI_Type_h\(vector\|indexed\)(/MPI_Type_create_h\1(/' "$source" | $cc -x c -c -o "$to/$(basename "$source" .c).o" -
        done
        awk '$2 > 5 {$2 = 5} !seen[$0]++' coll/testlist >"$to/testlist"
        awk '/^[a-z]/ {print $1}' "$to/testlist" | sort -u | while read -r name; do
            [ ! -e "coll/$name.c" ] || $cc -o "$to/$name" "coll/$name.c" "$to"/*.o -lm -lpthread 2>/dev/null || echo "$name: not for $library"
        done
    done
    cd "$here"
    export PGMPI_TEST_BIN="$here/bin" PGMPI_SUITE="$dir/coll" CGO_ENABLED=0
    go test -timeout 0 -v -run TestProgramsOfATestSuiteAreRightThroughThePreloadedMockups ./cmd/pgmpi
    ;;
esac

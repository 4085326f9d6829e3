#!/bin/sh
# MPICH from Debian's sources, for `bench builds`.
#   mpich.sh get DIR      fetches, configures and installs it into DIR/installed: 25 MB, some ten minutes; apt must
#                         know of sources ("Types: deb deb-src" in debian.sources, then apt-get update)
#   mpich.sh build DIR    installs it into $PREFIX with one line more, in which MPI_Scan copies its vector once
#                         more: as many percent of it as the file "copied" of this checkout has
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
esac

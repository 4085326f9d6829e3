# Targets say what they do behind "##"; `make` alone lists them.
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.ONESHELL:
.DEFAULT_GOAL := help
.PHONY: help demo rank build install dist deb docs test test-all run-tests smoke race lint bench fuzz mutate clean go-check both

# The first of these programs that there is, else the first. Asked anew at every
# use: a target may have installed it. Fedora keeps wrappers off the PATH.
first = $(shell for c in $(1); do if command -v $$c >/dev/null; then echo $$c; exit; fi; done; echo $(firstword $(1)))
FEDORA := /usr/lib64
# The MPI library: the compiler wrapper, and the rank program it builds.
MPICC ?= $(call first,mpicc $(FEDORA)/openmpi/bin/mpicc $(FEDORA)/mpich/bin/mpicc)
RANK ?= bin/pgmpi-rank
# The two libraries of test, lint and bench.
OPENMPI_CC ?= $(call first,mpicc.openmpi $(FEDORA)/openmpi/bin/mpicc)
MPICH_CC ?= $(call first,mpicc.mpich $(FEDORA)/mpich/bin/mpicc)

# Where `make install` puts things; DESTDIR is put before it, for packages.
PREFIX ?= /usr/local
DESTDIR ?=
# The name of the installed rank program behind rank-; one that differs is needed
# where two versions of a library are installed, such as openmpi-5.0.
LIBRARY ?=
# The driver that is installed.
PGMPI ?= bin/pgmpi
# The compiler wrapper for MPI's standard ABI, for `make dist` to make a rank program of any library, too.
ABI_CC ?=
# More flags of Go's linker.
LINK ?=
# C parts have no path in them where they were built; of Go parts `make dist` takes it off.
C_HERE = -ffile-prefix-map=$(CURDIR)=.

DEMO_SIZES := 1,64,1Ki,16Ki,256Ki
# How many busy processes `make test` runs beside: LOAD=4.
LOAD ?= 0
# What `make bench` runs (everything if it is empty); flags of bin/bench may be among it.
BENCHES ?=
# The Debian of `make smoke`.
SUITE ?= trixie
# How long each fuzz target runs.
FUZZ_TIME ?= 1m
# The package whose tests are tried, and which of its files are changed (all if it is empty).
PKG ?= ./analyze/judge
FILES ?=
STATICCHECK := 0.8.2
EXHAUSTIVE := 0.12.0
# Its own go.mod asks for a version of x/tools that newer Go cannot compile.
EXHAUSTIVE_TOOLS := 0.38.0
# Enums of other modules have more values than a switch here needs.
EXHAUSTIVE_FLAGS := -default-signifies-exhaustive=true -ignore-enum-types='^(reflect|github\.com/.*)\.'

MODULE = $(shell awk '$$1 == "module" {print $$2}' go.mod)
NUMBER = $(shell cat internal/version/VERSION)
# `make dist` leaves .commit in its tarball; --exclude: a tag is no commit.
COMMIT = $(shell cat .commit 2>/dev/null || git describe --exclude '*' --always --dirty 2>/dev/null)
VERSION = $(NUMBER)$(addprefix +,$(COMMIT))
# `make lint` vets; the tests need not do it again. -w: nobody debugs them, and they link in two thirds of the time.
# Beside busy processes, real mpiruns take more than twice the time.
GO_TEST := $(CURDIR)/bin/gotest -count=1 -vet=off -ldflags=-w -timeout $(if $(filter 0,$(LOAD)),20,90)m
# Tests with real mpiruns are skipped without this.
WITH_PROGRAMS := PGMPI_TEST_BIN=$(CURDIR)/bin
# Tests of features with real mpiruns; they are left out where all else of their packages is tested.
MPIRUN_FILES := $(addprefix ./,$(wildcard internal/feature/*/*_mpi_test.go))
MPIRUN_TESTS = ^($(shell grep -oh '^func Test[A-Za-z0-9]*' $(MPIRUN_FILES) | cut -c 6- | paste -sd '|'))$$
# Modules of their own, so that no program of pgmpi depends on what they need.
OTHER_MODULES := bench internal/consumers
CGO_PACKAGES := ./mockups/c ./measure/rank/... $(addprefix ./,$(wildcard internal/feature/*/rank)) ./cmd/pgmpi-rank

# Go's build cache sees neither that mpicc means another library now nor a
# change in a header of another folder: both go into the flags.
cgo_cflags = -O2 -g -DMPICC_ID=$$({ $(1) -show 2>&1 || true; cat mockups/c/*.h measure/rank/native/*.h internal/feature/*/rank/*.h; } | sha256sum | cut -c1-12)
# Where a wrapper is, absolute but with its links: wrappers look at their name.
where = $$(realpath -s "$$(command -v $(1))")
# The rank program's note of it: its launchers come first. Bare in a program for other machines.
built_with = $(call where,$(1))
cgo = CGO_ENABLED=1 CC="$(call where,$(1))" CGO_CFLAGS="$(call cgo_cflags,$(1))"

comma := ,

# $(call build_preload,MPICC,OUTPUT): the mock-ups between any program and its library. Their calls
# are renamed, so that none comes back to the names that the program calls. All rank programs of a
# library have the same; the last one of each is kept until what it is made from changes.
define build_preload
mkdir -p bin
kept=bin/.preload-$$(basename $(1))
key=$$({ $(1) -show 2>&1 || true; echo '#include <mpi.h>' | $(1) -E -x c -; cat Makefile measure/preload/*.[ch] mockups/c/*.[ch]; } | sha256sum)
if [ "$$(cat $$kept.key 2>/dev/null)" != "$$key" ] || [ ! -e $$kept.so ]; then
	export work=$$(mktemp -d)
	(
		ls measure/preload/*.c mockups/c/*.c | grep -v /wrong.c | xargs -P $$(nproc) -I {} sh -c \
			'$(1) -std=c11 -O2 -fPIC $(C_HERE) -DPGMPI_APPLIED -c -o $$work/$$(basename $$(dirname {}))-$$(basename {} .c).o {}'
		nm -u $$work/c-*.o | awk '$$2 ~ /^MPI_/ && $$2 !~ /UNWEIGHTED|WEIGHTS_EMPTY/ {print $$2 " P" $$2}' | sort -u >$$work/names
		for object in $$work/c-*.o; do
			objcopy --redefine-syms=$$work/names $$object
		done
		$(1) -shared -Wl,-z,defs,-z,now -o $$kept.so $$work/*.o -ldl
	)
	rm -r $$work
	echo "$$key" >$$kept.key
fi
cp $$kept.so $(2).new
mv $(2).new $(2) # a program may have the old one loaded
endef

# $(call build_rank,MPICC,OUTPUT,go build flags)
define build_rank
if ! command -v $(1) >/dev/null; then
	echo "There is no $(1) on the PATH. \`make demo\` installs it on Debian and Ubuntu, or: apt-get install libopenmpi-dev openmpi-bin; on a cluster: module load the MPI library. Another name goes into MPICC=…" >&2
	exit 1
fi
if ! said=$$(echo '#include <mpi.h>' | $(1) -x c -fsyntax-only - 2>&1); then
	echo "$$said" | tail -n 3 >&2
	echo "$(1) cannot compile a C program that includes mpi.h (above: what it says). On Debian and Ubuntu: apt-get install gcc libc6-dev" >&2
	exit 1
fi
$(call cgo,$(1)) go build -buildvcs=false $(3) \
	-ldflags "$(LINK) -X $(MODULE)/measure/rank.Version=$(VERSION) -X $(MODULE)/measure/rank.MPICC=$(call built_with,$(1))" -o $(2) ./cmd/pgmpi-rank
delay=$$(mktemp -d)
$(1) -std=c11 -O2 -fPIC $(C_HERE) -c -o $$delay/delay.o measure/delay/delay.c
$${CC:-cc} -shared -o $(2)-delay.so $$delay/delay.o
rm -r $$delay
$(call build_preload,$(1),$(2)-preload.so)
built_for=$$($(2) --version | sed -n 's/.*"built_for": "\(.*\)".*/\1/p')
echo "built $(2) for $$built_for ($(call where,$(1)))"
endef

# Without tables for debuggers, which are a quarter of the program; a crash still names its lines.
define build_pgmpi
CGO_ENABLED=0 go build -buildvcs=false -ldflags "$(LINK) -s -w -X $(MODULE)/internal/version.commit=$(COMMIT)" -o bin/pgmpi ./cmd/pgmpi
echo "built bin/pgmpi"
endef

# $(call install_pages,FOLDER): manual pages and completion, as the new pgmpi prints them.
define install_pages
install -d $(1)/man/man1 $(1)/bash-completion/completions $(1)/zsh/site-functions $(1)/fish/vendor_completions.d
$(PGMPI) man --out $(1)/man/man1
$(PGMPI) completion bash >$(1)/bash-completion/completions/pgmpi
$(PGMPI) completion zsh >$(1)/zsh/site-functions/_pgmpi
$(PGMPI) completion fish >$(1)/fish/vendor_completions.d/pgmpi.fish
endef

# The mock-ups against their collectives, and between any program and its library.
# $(call build_data,MPICC,SUFFIX,flags); $$objects has the mock-ups then.
define build_data
export objects=$$(mktemp -d)
ls mockups/c/*.c | xargs -P $$(nproc) -I {} sh -c '$(1) -std=c11 -O2 -fPIC $(3) -c -o $$objects/$$(basename {} .c).o {}'
$(1) -std=c11 -O2 -Imockups/c testdata/exhaustive/exhaustive.c $$objects/*.o -o bin/exhaustive-$(2) -ldl
$(1) -std=c11 -O2 -Imockups/c -fPIC -shared testdata/interpose/interpose.c $$objects/*.o -o bin/interpose-$(2).so -ldl
endef

# Beside these, the test of the synchronisations from inside, and programs for all that comes between them and a library.
# $(call build_programs,MPICC,SUFFIX)
define build_programs
$(call build_data,$(1),$(2),)
$(1) -std=c11 -O2 -Imockups/c testdata/sync/sync.c measure/rank/native/*.c $$objects/*.o -o bin/sync-$(2) -ldl
rm -r $$objects
$(1) -std=c11 -O2 testdata/interpose/calls.c -o bin/calls-$(2)
$(1) -std=c11 -O2 testdata/preload/preload.c -o bin/preload-$(2) -lpthread
$(1) -std=c11 -O2 testdata/preload/preload.c testdata/preload/tool.c -o bin/tool-$(2) -lpthread
$(call build_overlap,$(1),$(2))
endef

# $(call build_overlap,MPICC,SUFFIX): a library whose calls have a known overlap.
define build_overlap
$(1) -std=c11 -O2 -Wall -Wextra -fPIC -shared testdata/overlap/overlap.c -o bin/overlap-$(2).so -lpthread
endef

define build_bench
$(build_pgmpi)
$(call build_rank,$(OPENMPI_CC),bin/pgmpi-rank-openmpi)
$(call build_rank,$(MPICH_CC),bin/pgmpi-rank-mpich)
for program in baseline collectives memory; do
	$(OPENMPI_CC) -std=c11 -O2 -o bin/$$program-openmpi bench/$$program.c
	$(MPICH_CC) -std=c11 -O2 -o bin/$$program-mpich bench/$$program.c
done
$(OPENMPI_CC) -std=c11 -O2 -Imockups/c -o bin/layer-openmpi bench/layer.c mockups/c/*.c -ldl
$(MPICH_CC) -std=c11 -O2 -Imockups/c -o bin/layer-mpich bench/layer.c mockups/c/*.c -ldl
gcc -std=c11 -O2 -Wall -Wextra -fPIC -shared -o bin/yield.so testdata/yield/yield.c -ldl
gcc -std=c11 -O2 -Wall -Wextra -fPIC -shared -o bin/fault.so testdata/fault/fault.c -ldl -lpthread
gcc -std=c11 -O2 -Wall -Wextra -fPIC -shared -o bin/slowclock.so testdata/slowclock/slowclock.c -ldl
$(call build_overlap,$(OPENMPI_CC),openmpi)
$(call build_overlap,$(MPICH_CC),mpich)
(cd bench && CGO_ENABLED=0 go build -buildvcs=false -o ../bin/bench .)
$(allow_root)
endef

# Open MPI's mpirun refuses root; only these targets, never pgmpi, tell it otherwise.
define allow_root
if [ "$$(id -u)" -eq 0 ]; then
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	echo "You are root: OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 are set, else Open MPI's mpirun would refuse."
fi
endef

help:
	@echo "pgmpi checks whether an MPI library keeps the performance guidelines of its collectives."
	sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 18

demo: go-check ## install an MPI library if there is none, build, and check this machine with it (3 minutes)
	@.ci/install $(MPICC)
	$(call build_rank,$(MPICC),$(RANK))
	$(build_pgmpi)
	if $(RANK) --version | grep -q '"library": "openmpi"'; then
		$(allow_root)
	fi
	status=0
	bin/pgmpi check --rank $(RANK) --msizes $(DEMO_SIZES) || status=$$?
	case $$status in
	0) echo "The demo has worked: this library keeps all guidelines at these sizes." ;;
	1) echo "The demo has worked: to find violations is what pgmpi is for (it ended with exit status 1, as it does in a nightly job)." ;;
	*) exit $$status ;;
	esac
	echo "Go on with docs/tutorial.md, after"
	echo "  export PATH=$(CURDIR)/bin:\$$PATH"
	if [ "$${OMPI_ALLOW_RUN_AS_ROOT:-}" ] && [ "$$(id -u)" -eq 0 ]; then
		echo "and, as you are root and Open MPI's mpirun starts nothing else,"
		echo "  export OMPI_ALLOW_RUN_AS_ROOT=1"
		echo "  export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"
	fi

rank: go-check
	@$(call build_rank,$(MPICC),$(RANK))

build: rank ## build bin/pgmpi and bin/pgmpi-rank; for another library: make build MPICC=mpicc.mpich RANK=bin/pgmpi-rank-mpich
	@$(build_pgmpi)

install: build ## install into PREFIX=/usr/local, below DESTDIR; again with MPICC=… for each other library
	@library=$(LIBRARY)
	if [ -z "$$library" ]; then
		library=$$($(RANK) --version | sed -n "s/.*\"library\": \"\(.*\)\".*/\1/p; s/.*\"built_for\": \"MPI's standard ABI.*/abi/p" | tail -n 1)
	fi
	if [ -z "$$library" ]; then
		echo "The library of $(RANK) is not known: name it with LIBRARY=…" >&2
		exit 1
	fi
	root="$(DESTDIR)$(PREFIX)"
	install -d "$$root/bin" "$$root/libexec/pgmpi" "$$root/include/pgmpi"
	install -m 644 mockups/c/mockups.h "$$root/include/pgmpi/mockups.h"
	install $(PGMPI) "$$root/bin/pgmpi"
	install $(RANK) "$$root/libexec/pgmpi/rank-$$library"
	install $(RANK)-delay.so "$$root/libexec/pgmpi/rank-$$library-delay.so"
	install $(RANK)-preload.so "$$root/libexec/pgmpi/rank-$$library-preload.so"
	$(call install_pages,"$$root/share")
	install -d "$$root/share/doc/pgmpi"
	install -D -m 644 contrib/modules/pgmpi.lua "$$root/share/modulefiles/pgmpi/$(NUMBER).lua"
	cp -r README.md CHANGELOG.md CITATION.cff LICENSE docs examples "$$root/share/doc/pgmpi"
	rm -r "$$root/share/doc/pgmpi/docs/dev"
	sed -i '/^Developers: /d' "$$root"/share/doc/pgmpi/README.md "$$root"/share/doc/pgmpi/docs/*.md
	echo "installed $$root/bin/pgmpi and $$root/libexec/pgmpi/rank-$$library"

# Libraries of the MPICH ABI are named libmpi.so.12, and Debian's MPICH libmpich.so.12. A
# library of the first name in $$work/abi has the calls that rank-mpich makes, and no body:
# where it comes before MPICH's, the loader will ask for that name.
define stub_abi
mkdir $$work/abi
nm -D -u $$work/$$programs/libexec/pgmpi/rank-mpich | sed -n 's/.* U \(P\?MPI.*\)/void \1(void) {}/p' >$$work/abi/calls.c
gcc -shared -fPIC -Wl,-soname,libmpi.so.12 -o $$work/abi/libmpi.so $$work/abi/calls.c
ln -s "$$(ldd $$work/$$programs/libexec/pgmpi/rank-mpich | awk '/libmpi(ch)?\.so\.12/ {print $$3}')" $$work/abi/libmpi.so.12
endef

# The licence texts of all modules that are linked into the programs, and of Go itself.
define licenses
texts=$$work/$$programs/share/doc/pgmpi/licenses
install -D -m 644 "$$(go env GOROOT)/LICENSE" $$texts/go/LICENSE
cd $$work/$$name/vendor
for module in $$(go version -m $$work/$$programs/bin/pgmpi $$work/$$programs/libexec/pgmpi/rank-openmpi | awk '$$1 == "dep" {print $$2}' | sort -u); do
	find $$module -type f ! -name '*.go' \( -iname 'LICEN[CS]E*' -o -iname 'COPYING*' -o -iname 'NOTICE*' -o -iname 'PATENTS*' \) -exec install -D -m 644 {} $$texts/{} \;
	if [ ! -d $$texts/$$module ]; then
		echo "$$module has no licence text: look for it at its source" >&2
		exit 1
	fi
done
cd $(CURDIR)
endef

# The tarballs are made beside, then moved: nobody meets half of one.
# $(call tarball,NAME): of $$work/NAME
define tarball
tar -c -C $$work --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$$(git log -1 --format=%ct)" $(1) | gzip -n >bin/.$(1)
mv bin/.$(1) bin/$(1).tar.gz
echo "made bin/$(1).tar.gz"
endef

# The last commit, with the modules that it needs, in $$work/$$name.
define sources
name=pgmpi-$(NUMBER)
work=$$(mktemp -d)
trap 'rm -rf "$$work" bin/.pgmpi-*' EXIT
git archive --prefix=$$name/ HEAD | tar -x -C $$work
git rev-parse --short HEAD >$$work/$$name/.commit
for module in . $(OTHER_MODULES); do
	(cd $$work/$$name/$$module && CGO_ENABLED=0 go mod vendor)
done
mkdir -p bin
endef

dist: go-check both ## make tarballs of the last commit: sources that build without a network, and programs that run without a compiler
	@$(sources)
	programs=$$name-linux-$$(go env GOARCH)
	$(call tarball,$$name)
	# An empty build ID: Go's is also of the path of $$work/abi.
	install="$(MAKE) --no-print-directory -C $$work/$$name install LINK=-buildid= DESTDIR= PREFIX=$$work/$$programs"
	# Calls that an older library lacks do no harm until they are made. Modules are as ready as for any build here.
	export CGO_LDFLAGS=-Wl,-z,lazy GOFLAGS="-mod=mod -trimpath"
	$$install LIBRARY=openmpi MPICC=$(OPENMPI_CC) built_with=mpicc.openmpi
	$$install LIBRARY=mpich MPICC=$(MPICH_CC) built_with=mpicc.mpich
	$(stub_abi)
	CGO_LDFLAGS="$$CGO_LDFLAGS -L$$work/abi -lmpi -Wl,--as-needed" LD_LIBRARY_PATH=$$work/abi $$install LIBRARY=mpich-abi MPICC=$(MPICH_CC) built_with=mpicc.mpich
	if [ "$(ABI_CC)" ]; then
		$$install LIBRARY=abi MPICC="$(call where,$(ABI_CC))" RANK=bin/pgmpi-rank-abi built_with=mpicc_abi
	fi
	$(licenses)
	$(call tarball,$$programs)

deb: go-check ## make a Debian package of the last commit, with a rank program for each library whose compiler is here
	@.ci/install build-essential dh
	$(sources)
	cp -r $$work/$$name/contrib/debian $$work/$$name/debian
	(cd $$work/$$name && GOCACHE="$$(go env GOCACHE)" dpkg-buildpackage -us -uc -b)
	mv $$work/*.deb bin
	echo "made $$(ls -t bin/*.deb | head -n 1)"

# Reasons, and below each the tests that were skipped for it; the slowest tests, and how long each part took.
define list_tests
[ ! -s $$GOTEST_SKIPS ] || echo "Skipped:"
sort -u $$GOTEST_SKIPS | awk -F "\t" "\$$1 != why {why = \$$1; print \"  \" why} {print \"      \" \$$2}"
[ ! -s $$GOTEST_TIMES ] || echo "The slowest tests, in seconds:"
sort -rn $$GOTEST_TIMES | awk "NR <= 10 {print \"  \" \$$0}"
part ""
echo "How long each part took:$$parts_took"
rm $$GOTEST_SKIPS $$GOTEST_TIMES
endef

# part NAME begins a part of the tests, and notes how long the one before it took. `beside COMMAND…` goes on beside
# the parts that follow, until `beside_ends` prints what it said.
define parts
parts_took= part_is= part_from=0
part() {
	[ -z "$$part_is" ] || parts_took+=$$'\n'"  $$((SECONDS - part_from)) s  $$part_is"
	part_is=$$1 part_from=$$SECONDS
	[ -z "$$1" ] || echo "$$1:"
}
declare -A beside_said
beside() {
	local said=$$(mktemp)
	"$$@" >$$said 2>&1 &
	beside_said[$$!]=$$said
}
beside_ends() {
	local status=0 job
	for job in $${!beside_said[@]}; do
		wait $$job || status=$$?
		cat $${beside_said[$$job]}
		rm $${beside_said[$$job]}
	done
	return $$status
}
endef

# LOAD busy processes that end with the tests, or after an hour where these were killed.
define load
load=
for ((i = 0; i < $(LOAD); i++)); do
	timeout 1h sh -c 'while :; do :; done' &
	load+=" $$!"
done
endef

# pgmpi is built first: most packages of the rank programs are compiled with it, once. Then come both base
# programs, a core for each; the others while tests run that need none of them. Packages without MPI are
# tested two at a time, and leave their documents to programs that read them; these, and batch jobs, wait
# most of the time, so that they go on beside the rest. All tests are right whatever time anything takes. Four mpiruns
# at a time on any machine, or four of each of two features: Open MPI binds the ranks of every mpirun to the first cores.
# The test program of cmd/pgmpi is pgmpi; tests of features run bin/pgmpi.
test: TEST_KIND := quick
test: run-tests ## run every test, against Open MPI and MPICH (installs them if missing); LOAD=4: beside four busy processes

test-all: TEST_KIND := all
test-all: run-tests ## make test with more processes and datatypes, for a release

run-tests: go-check both
	@CGO_ENABLED=0 go build -o bin/gotest .ci/gotest.go
	export GOTEST_SKIPS=$$(mktemp) GOTEST_TIMES=$$(mktemp) PGMPI_TESTS=$(TEST_KIND) PGMPI_DOCUMENTS=$$(mktemp -d)
	$(parts)
	$(load)
	trap 'status=$$?; [ $$status -eq 130 ] || beside_ends || status=$$?; { [ -z "$$load" ] || kill $$load || true; }; rm -r $$PGMPI_DOCUMENTS; $(list_tests); exit $$status' EXIT
	part "Builds of the programs"
	$(build_pgmpi)
	{
	$(call build_rank,$(OPENMPI_CC),bin/pgmpi-rank-openmpi)
	} &
	base=$$!
	$(call build_rank,$(MPICH_CC),bin/pgmpi-rank-mpich)
	wait $$base
	gcc -std=c11 -O2 -Wall -Wextra -fPIC -shared -o bin/yield.so testdata/yield/yield.c -ldl
	gcc -std=c11 -O2 -Wall -Wextra -fPIC -shared -o bin/fault.so testdata/fault/fault.c -ldl -lpthread
	$(allow_root)
	export CGO_ENABLED=0
	beside env $(WITH_PROGRAMS) $(GO_TEST) -run '^TestSlurm$$' ./cmd/pgmpi
	{
	$(call build_rank,$(OPENMPI_CC),bin/pgmpi-rank-wrong-openmpi,-tags wrongmockups$(comma)matmul2)
	$(call build_rank,$(OPENMPI_CC),bin/pgmpi-rank-injected-openmpi,-tags injectedclocks$(comma)matmul2)
	$(call build_programs,$(OPENMPI_CC),openmpi)
	$(call build_data,$(OPENMPI_CC),wrong-openmpi,-DPGMPI_WRONG_MOCKUPS)
	rm -r $$objects
	$(call build_rank,$(MPICH_CC),bin/pgmpi-rank-injected-mpich,-tags injectedclocks$(comma)matmul2)
	$(call build_programs,$(MPICH_CC),mpich)
	} &
	others=$$!
	part "Tests without MPI, and builds of other rank programs"
	$(GO_TEST) -skip '$(MPIRUN_TESTS)' $$(go list ./... | grep -v '/cmd/pgmpi$$')
	wait $$others
	for module in $(OTHER_MODULES); do
		beside env -C $$module $(WITH_PROGRAMS) $(GO_TEST) ./...
	done
	part "Tests of the C parts, with $(OPENMPI_CC) and with $(MPICH_CC)"
	{ $(call cgo,$(OPENMPI_CC)) $(GO_TEST) -p 1 $(CGO_PACKAGES); } &
	c_parts=$$!
	$(call cgo,$(MPICH_CC)) $(GO_TEST) -p 1 $(CGO_PACKAGES)
	wait $$c_parts
	part "Real mpiruns; batch jobs, benches, scripts and programs that read what pgmpi writes"
	$(WITH_PROGRAMS) $(GO_TEST) -parallel 4 -skip '^TestSlurm$$' ./cmd/pgmpi
	part "Real mpiruns of features"
	$(WITH_PROGRAMS) $(GO_TEST) -p 2 -parallel 4 -run '$(MPIRUN_TESTS)' $(sort $(dir $(MPIRUN_FILES)))

smoke: go-check ## try the MPI libraries of another Debian in a bare system: make smoke SUITE=trixie (5 minutes; root)
	@.ci/smoke $(SUITE)

# Nothing waits here for mpiruns; what needs them is in packages that are left out.
race: go-check ## run the tests that need no MPI with Go's race detector
	@.ci/install gcc
	CGO_ENABLED=1 CC=gcc go test -race -vet=off -timeout 15m $$(go list ./... | grep -v -e '/cmd/' -e '/mockups/c$$' -e '/measure/rank' -e '/feature/.*/rank$$')

docs: go-check ## write tables, samples of output and pictures of docs/ anew, from this version
	@CGO_ENABLED=0 go test ./cmd/pgmpi -vet=off -count=1 -run 'Tables|Samples' -update

lint: go-check both bin/staticcheck-$(STATICCHECK) bin/exhaustive-$(EXHAUSTIVE) ## gofmt, go vet, staticcheck, exhaustive and C warnings, with and without MPI
	@unformatted=$$(gofmt -l .)
	if [ -n "$$unformatted" ]; then
		echo "not formatted by gofmt:"
		echo "$$unformatted"
		exit 1
	fi
	CGO_ENABLED=0 go vet ./...
	CGO_ENABLED=0 go vet .ci/gotest.go
	CGO_ENABLED=0 go vet .ci/mutate.go
	CGO_ENABLED=0 bin/staticcheck-$(STATICCHECK) ./...
	CGO_ENABLED=0 bin/staticcheck-$(STATICCHECK) .ci/gotest.go
	CGO_ENABLED=0 bin/staticcheck-$(STATICCHECK) .ci/mutate.go
	CGO_ENABLED=0 bin/exhaustive-$(EXHAUSTIVE) $(EXHAUSTIVE_FLAGS) ./...
	(cd bench && CGO_ENABLED=0 ../bin/exhaustive-$(EXHAUSTIVE) $(EXHAUSTIVE_FLAGS) ./...)
	for module in $(OTHER_MODULES); do
		(
			cd $$module
			CGO_ENABLED=0 go vet ./...
			CGO_ENABLED=0 $(CURDIR)/bin/staticcheck-$(STATICCHECK) ./...
		)
	done
	for cc in $(OPENMPI_CC) $(MPICH_CC); do
		$(call cgo,$$cc) go vet $(CGO_PACKAGES)
		$(call cgo,$$cc) bin/staticcheck-$(STATICCHECK) $(CGO_PACKAGES)
		$(call cgo,$$cc) bin/exhaustive-$(EXHAUSTIVE) $(EXHAUSTIVE_FLAGS) $(CGO_PACKAGES)
		for define in PGMPI_RIGHT_MOCKUPS PGMPI_WRONG_MOCKUPS PGMPI_INJECTED_CLOCKS; do
			$$cc -std=c11 -Wall -Wextra -Werror -fsyntax-only -D$$define -Imockups/c -Imeasure/rank/native \
				mockups/c/*.c measure/rank/native/*.c internal/feature/*/rank/*.c bench/*.c bench/applications/*.c measure/delay/*.c measure/preload/*.c testdata/*/*.c examples/plugin/*.c
		done
	done
	echo "lint: nothing to say"

bench: go-check both ## what pgmpi costs and how far to trust it, both libraries; on a machine that does nothing else. BENCHES="loop check" for some, DIR=… for import
	@$(build_bench)
	bin/bench $(BENCHES) $(if $(DIR),--folder "$(DIR)")

fuzz: go-check ## feed every reader damaged input, FUZZ_TIME=1m for each target
	@said=$$(mktemp)
	trap 'rm -f "$$said"' EXIT
	for package in $$(grep -rl --include=*_test.go '^func Fuzz' . | xargs -n 1 dirname | sort -u); do
		for target in $$(CGO_ENABLED=0 go test -list '^Fuzz' $$package | grep '^Fuzz'); do
			echo "$$package $$target:"
			CGO_ENABLED=0 go test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZ_TIME) -fuzzminimizetime 20x $$package 2>&1 | tee "$$said" || {
				# At the end of its time Go's fuzzer may fail by itself, without an input.
				grep -q 'context deadline exceeded' "$$said" && ! grep -q 'Failing input written' "$$said"
			}
		done
	done

mutate: go-check ## which changes of a package its own tests miss: make mutate PKG=./analyze/judge FILES="family.go design.go"
	@CGO_ENABLED=0 FILES="$(FILES)" go run .ci/mutate.go $(PKG)

clean: ## remove what was built
	@rm -rf bin

both:
	@.ci/install gcc $(OPENMPI_CC) mpirun.openmpi $(MPICH_CC) mpirun.mpich

bin/staticcheck-$(STATICCHECK):
	@mkdir -p bin
	CGO_ENABLED=0 GOBIN=$(CURDIR)/bin go install honnef.co/go/tools/cmd/staticcheck@v$(STATICCHECK)
	mv bin/staticcheck $@

bin/exhaustive-$(EXHAUSTIVE):
	@mkdir -p bin
	module=$$(mktemp -d)
	(
		cd $$module
		go mod init tool
		go get github.com/nishanths/exhaustive/cmd/exhaustive@v$(EXHAUSTIVE) golang.org/x/tools@v$(EXHAUSTIVE_TOOLS)
		CGO_ENABLED=0 go build -o $(CURDIR)/$@ github.com/nishanths/exhaustive/cmd/exhaustive
	)
	rm -r $$module

# From 1.21 on, Go fetches the version that go.mod asks for by itself.
go-check:
	@need=$$(awk '$$1 == "go" {print $$2}' go.mod)
	remedy="get it from https://go.dev/dl, unpack it to /usr/local, and put /usr/local/go/bin first on the PATH (Debian 12's golang-go is 1.19)."
	if ! command -v go >/dev/null; then
		echo "pgmpi needs Go $$need or newer, and there is no go on the PATH: $$remedy" >&2
		exit 1
	fi
	own=$$(cd / && GOTOOLCHAIN=local go version 2>/dev/null | awk '{print $$3}' || true)
	if ! printf '%s\n' "$$need" "$${own#go}" | sort -V -C && [ "$$(cd / && go env GOTOOLCHAIN 2>/dev/null)" != local ] && \
		! ls -d "$$(cd / && go env GOMODCACHE)"/golang.org/toolchain@*go"$$need"* >/dev/null 2>&1; then
		echo "fetching Go $$need, as $$(command -v go) is $${own:-older} …"
	fi
	have=$$(go env GOVERSION 2>/dev/null || true)
	if ! printf '%s\n' "$$need" "$${have#go}" | sort -V -C; then
		have=$$own
		! printf '%s\n' 1.21 "$${have#go}" | sort -V -C || remedy="have it fetched (GOTOOLCHAIN=auto, and a network), or $$remedy"
		echo "pgmpi needs Go $$need or newer, and $$(command -v go) is $${have:-of no known version}: $$remedy" >&2
		exit 1
	fi
	for module in . $(OTHER_MODULES); do
		(cd $$module && go mod download) >/dev/null 2>&1 || true # silently here; what is missing shows in the build
	done

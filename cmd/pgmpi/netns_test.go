package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pgmpi/testkit/mpirun"
	"pgmpi/testkit/must"
)

// cluster is several hosts on this machine: network namespaces that a bridge joins, each with a name and a
// CLOCK_MONOTONIC of its own. The TSC and CLOCK_REALTIME are the machine's.
type cluster struct {
	t      *testing.T
	id     string // begins the names of all that the cluster makes
	subnet string // its first three numbers: host i has .i, the machine .254
	size   int
	agent  string // starts a command on a host, as rsh does
	hosts  string // Open MPI's hostfile, one slot each
}

// clockStep separates the CLOCK_MONOTONIC of a host from that on the host before it; the first host is one step
// ahead of the machine.
const clockStep = 1000 * time.Second

// building is locked while a cluster is made; clusters counts the clusters of this process.
var (
	building sync.Mutex
	clusters int
)

// ahead returns how far the CLOCK_MONOTONIC of host i, from 1, is ahead of this process's.
func ahead(i int) time.Duration { return time.Duration(i) * clockStep }

// newCluster makes n hosts and removes them when the test ends, whatever its outcome. rate limits what a host
// sends, as tc writes it ("50mbit"), unless it is "". Where this machine does not let us, the test is skipped with
// the reason.
func newCluster(t *testing.T, n int, rate string) *cluster {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("several hosts in network namespaces need root")
	}
	for _, program := range []string{"ip", "tc", "unshare", "bash"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("several hosts in network namespaces need %s (iproute2, util-linux): %v", program, err)
		}
	}
	building.Lock() // one subnet is taken before the next is looked for
	defer building.Unlock()
	removeOrphans()
	dir := t.TempDir()
	clusters++
	c := &cluster{t: t, id: fmt.Sprintf("pg%dc%d", os.Getpid(), clusters), subnet: freeSubnet(t), size: n,
		agent: filepath.Join(dir, "agent"), hosts: filepath.Join(dir, "hosts")}
	t.Cleanup(c.remove)
	if err := c.build(rate); err != nil {
		t.Skipf("no network namespaces on this machine: %v", err)
	}
	var hosts strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&hosts, "%s slots=1\n", c.address(i))
	}
	// Launchers pass options, a host's address and words for a shell.
	agent := fmt.Sprintf(`#!/bin/bash
while [[ $1 == -* ]]; do shift; done
host=$1; shift; i=${host##*.}
exec ip netns exec %s-$i unshare --uts --time --monotonic $((i * %d)) bash -c 'hostname pgnode'$i'; exec bash -c "$0"' "$*"
`, c.id, clockStep/time.Second)
	must.Do(t, errors.Join(os.WriteFile(c.hosts, []byte(hosts.String()), 0o666), os.WriteFile(c.agent, []byte(agent), 0o777)))
	if out, err := c.command(1, "true").CombinedOutput(); err != nil {
		t.Skipf("no time and host name of its own for a namespace: %v: %s", err, out)
	}
	return c
}

// address returns the address of host i, from 1.
func (c *cluster) address(i int) string { return fmt.Sprintf("%s.%d", c.subnet, i) }

// hostName returns the name that host i gives itself.
func hostName(i int) string { return fmt.Sprintf("pgnode%d", i) }

// command runs a line of shell on host i.
func (c *cluster) command(i int, line string) *exec.Cmd {
	return exec.Command(c.agent, c.address(i), line)
}

// launch writes a --launch with one rank on each of the first {np} hosts, over TCP.
func (c *cluster) launch(l mpirun.Library) string {
	if l.Name == "mpich" {
		var hosts []string
		for i := 1; i <= c.size; i++ {
			hosts = append(hosts, c.address(i))
		}
		return fmt.Sprintf("mpirun.mpich -np {np} -ppn 1 -hosts %s -launcher rsh -launcher-exec %s -localhost %s.254 -genv UCX_TLS tcp,self -genv UCX_NET_DEVICES eth0",
			strings.Join(hosts, ","), c.agent, c.subnet)
	}
	// Open MPI 5 has another launcher, with words of its own, and another transport inside of a host.
	words, transport := "--mca plm rsh --mca plm_rsh_agent %[2]s --mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_if_include %[3]s.0/24", "vader"
	if byPRRTE() {
		words, transport = "--prtemca plm ssh --prtemca plm_ssh_agent %[2]s --prtemca plm_ssh_no_tree_spawn 1 --prtemca prte_if_include %[3]s.0/24", "sm"
	}
	return fmt.Sprintf("mpirun.openmpi --hostfile %[1]s -np {np} --map-by node --bind-to none "+words+
		" --mca btl_tcp_if_include %[3]s.0/24 --mca pml ob1 --mca btl self,%[4]s,tcp --mca mpi_yield_when_idle 1",
		c.hosts, c.agent, c.subnet, transport)
}

// byPRRTE tells whether Open MPI is 5 or later.
var byPRRTE = sync.OnceValue(func() bool {
	said, _ := exec.Command("mpirun.openmpi", "--version").Output()
	old, _ := regexp.Match(`\((Open MPI|OpenRTE)\) [1-4]\.`, said)
	return !old
})

// placing writes a --launch that puts {ppn} ranks on each of the first {nodes} hosts.
func (c *cluster) placing(l mpirun.Library) string {
	return strings.NewReplacer("-ppn 1", "-ppn {ppn}", "--map-by node", "--map-by ppr:{ppn}:node:OVERSUBSCRIBE").Replace(c.launch(l))
}

// preloads writes a line of [mpi] that lets more ranks than cores take turns.
func (b *fixture) preloads() string {
	if !b.Lib.Yield {
		return ""
	}
	return fmt.Sprintf("[mpi]\nenv = { LD_PRELOAD = %q }\n", filepath.Join(b.Bin, "yield.so"))
}

func (c *cluster) build(rate string) error {
	bridge := c.id + "br"
	lines := []string{
		"ip link add " + bridge + " type bridge",
		fmt.Sprintf("ip addr add %s.254/24 dev %s", c.subnet, bridge),
		"ip link set " + bridge + " up",
	}
	for i := 1; i <= c.size; i++ {
		space, veth := fmt.Sprintf("%s-%d", c.id, i), fmt.Sprintf("%sv%d", c.id, i)
		lines = append(lines,
			"ip netns add "+space,
			"ip link add "+veth+" type veth peer name eth0 netns "+space,
			"ip link set "+veth+" master "+bridge+" up",
			"ip -n "+space+" addr add "+c.address(i)+"/24 dev eth0",
			"ip -n "+space+" link set eth0 up",
			"ip -n "+space+" link set lo up")
		if rate != "" {
			lines = append(lines, "tc -n "+space+" qdisc add dev eth0 root tbf rate "+rate+" burst 8kb latency 400ms")
		}
	}
	for _, line := range lines {
		f := strings.Fields(line)
		if out, err := exec.Command(f[0], f[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", line, err, out)
		}
	}
	return nil
}

func (c *cluster) remove() { removeHosts(c.id) }

// removeHosts ends what still runs in the namespaces of a cluster and removes
// them. Links first: a namespace lives on with the last process in it.
func removeHosts(id string) {
	links, _ := filepath.Glob("/sys/class/net/" + id + "[bv]*")
	for _, l := range links {
		_ = exec.Command("ip", "link", "del", filepath.Base(l)).Run()
	}
	spaces, _ := filepath.Glob("/run/netns/" + id + "-*")
	for _, s := range spaces {
		name := filepath.Base(s)
		pids, _ := exec.Command("ip", "netns", "pids", name).Output()
		for _, p := range strings.Fields(string(pids)) {
			if pid, err := strconv.Atoi(p); err == nil {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		_ = exec.Command("ip", "netns", "del", name).Run()
	}
}

var ourNames = regexp.MustCompile(`^(pg([0-9]+)c[0-9]+)(br|v[0-9]+|-[0-9]+)$`)

// removeOrphans clears up after tests that were killed.
func removeOrphans() {
	for _, glob := range []string{"/sys/class/net/pg*", "/run/netns/pg*"} {
		names, _ := filepath.Glob(glob)
		for _, n := range names {
			m := ourNames.FindStringSubmatch(filepath.Base(n))
			if m == nil {
				continue
			}
			if _, err := os.Stat("/proc/" + m[2]); errors.Is(err, fs.ErrNotExist) {
				removeHosts(m[1])
			}
		}
	}
}

// freeSubnet finds a subnet that no device of this machine is in. It looks in 198.18.0.0/15, which is for
// benchmarks (RFC 2544). The search begins at a number from the pid, so that parallel tests do not meet.
func freeSubnet(t *testing.T) string {
	t.Helper()
	taken := must.Get(net.InterfaceAddrs())(t)
	for i := range 512 {
		n := (os.Getpid() + i) % 512
		subnet := fmt.Sprintf("198.%d.%d", 18+n/256, n%256)
		free := true
		for _, a := range taken {
			if in, ok := a.(*net.IPNet); ok && (in.Contains(net.ParseIP(subnet+".1")) || strings.HasPrefix(in.IP.String(), subnet+".")) {
				free = false
			}
		}
		if free {
			return subnet
		}
	}
	t.Skip("every subnet of 198.18.0.0/15 is in use")
	return ""
}

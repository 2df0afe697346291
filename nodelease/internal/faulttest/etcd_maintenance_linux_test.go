package faulttest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/oneclock/ids/nodelease/internal/servers"
	"github.com/oneclock/ids/nodelease/internal/servers/etcdtest"
)

// TestEtcdMaintenance has minters go on while somebody does to the cluster what its operators do.
func TestEtcdMaintenance(t *testing.T) {
	alone(t)
	cluster := etcdtest.Start(t, servers.NewNetwork(t))
	client := cluster.Open(t)
	defer client.Close()
	run := func(name, fault string, inject func(ctx context.Context, f *faults)) {
		t.Run(name, func(t *testing.T) {
			const ttl = 2 * time.Second
			scenario{
				fault: "etcd: " + fault, ttl: ttl, length: duration(15*time.Second, 3*time.Second, time.Second),
				store: same(etcdStore(t, client, "/"+name, 26, ttl)), inject: inject,
			}.run(t)
		})
	}
	run("none", "no fault", nil)
	run("leader", "leader moved by hand", func(ctx context.Context, f *faults) {
		for ; ctx.Err() == nil; sleep(ctx, between(f.rng, 200*time.Millisecond, time.Second)) {
			if moveLeader(ctx, t, cluster, client) {
				f.count("moves")
			}
		}
	})
	run("compaction", "history compacted, up to the present", func(ctx context.Context, f *faults) {
		for ; ctx.Err() == nil; sleep(ctx, between(f.rng, 50*time.Millisecond, 300*time.Millisecond)) {
			if compact(ctx, client) == nil {
				f.count("compactions")
			}
		}
	})
	run("defragmentation", "a member defragmented, which stops it meanwhile", func(ctx context.Context, f *faults) {
		for ; ctx.Err() == nil; sleep(ctx, between(f.rng, 100*time.Millisecond, 400*time.Millisecond)) {
			if _, err := client.Defragment(ctx, cluster.Members[f.rng.IntN(3)].Client); err == nil {
				f.count("defragmentations")
			}
		}
	})
	t.Run("taken", func(t *testing.T) {
		const ttl = 2 * time.Second
		s := etcdStore(t, client, "/taken", 12, ttl)
		scenario{
			fault: "etcd: all numbers taken, 24 minters share 12", ttl: ttl, length: duration(15*time.Second, 3*time.Second, time.Second),
			store: same(s), scarce: true, inject: countRefusedTakes(s),
		}.run(t)
	})
}

// moveLeader has the leader hand over to the next member, and reports whether it did.
func moveLeader(ctx context.Context, t *testing.T, c *etcdtest.Cluster, client *clientv3.Client) bool {
	leader := c.Leader(client)
	next := c.Members[(leader.Index()+1)%3]
	own, err := clientv3.New(etcdtest.Config([]string{leader.Client})) // only the leader does it
	if err != nil {
		t.Error(err)
		return false
	}
	defer own.Close()
	call, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	status, err := client.Status(call, next.Client)
	if err != nil {
		return false
	}
	if _, err := own.MoveLeader(call, status.Header.MemberId); err != nil {
		return false
	}
	status, err = client.Status(call, next.Client)
	return err == nil && status.Leader == status.Header.MemberId
}

// compact drops the history before the present revision.
func compact(ctx context.Context, client *clientv3.Client) error {
	resp, err := client.Get(ctx, "/")
	if err != nil {
		return err
	}
	_, err = client.Compact(ctx, resp.Header.Revision, clientv3.WithCompactPhysical())
	return err
}

// TestEtcdQuota has the database reach its quota: etcd then raises an alarm and refuses all
// writes, until somebody makes room.
func TestEtcdQuota(t *testing.T) {
	alone(t)
	cluster := etcdtest.Start(t, servers.NewNetwork(t))
	for _, m := range cluster.Members {
		change(t, m, func(cmd *exec.Cmd) { cmd.Args = append(cmd.Args, "--quota-backend-bytes", "4194304") })
	}
	client := cluster.Open(t)
	defer client.Close()
	const ttl = 2 * time.Second
	scenario{
		fault: "etcd: disk quota reached, no writes", ttl: ttl, length: duration(30*time.Second, 6*time.Second, time.Second),
		store: same(etcdStore(t, client, "/test", 26, ttl)),
		inject: func(ctx context.Context, f *faults) {
			for ; ctx.Err() == nil; sleep(ctx, between(f.rng, 500*time.Millisecond, 2*time.Second)) {
				fillQuota(t, client)
				f.count("alarms")
				sleep(ctx, between(f.rng, 0, 3*ttl))
				makeRoom(t, cluster, client)
			}
		},
	}.run(t)
}

// change restarts a member with another command.
func change(t *testing.T, m *etcdtest.Member, edit func(*exec.Cmd)) {
	t.Helper()
	m.Stop(syscall.SIGTERM)
	before := m.Command
	m.Command = func() *exec.Cmd {
		cmd := before()
		edit(cmd)
		return cmd
	}
	m.Start(t)
	awaitMember(t, m)
}

// awaitMember waits until a member takes part in the cluster.
func awaitMember(t *testing.T, m *etcdtest.Member) {
	t.Helper()
	own, err := clientv3.New(etcdtest.Config([]string{m.Client}))
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		_, err := own.Get(ctx, "/")
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("member %s does not answer: %v\n%s", m.Name, err, m.Tail())
		}
	}
}

func fillQuota(t *testing.T, client *clientv3.Client) {
	value := string(make([]byte, 200<<10))
	for limit := time.Now().Add(30 * time.Second); time.Now().Before(limit); {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		_, err := client.Put(ctx, "/filler", value)
		cancel()
		if errors.Is(err, rpctypes.ErrNoSpace) {
			return
		}
	}
	t.Error("the quota is not reached")
}

func makeRoom(t *testing.T, c *etcdtest.Cluster, client *clientv3.Client) {
	for limit := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		err := func() error {
			if err := compact(ctx, client); err != nil && !errors.Is(err, rpctypes.ErrCompacted) {
				return err
			}
			for _, m := range c.Members {
				if _, err := client.Defragment(ctx, m.Client); err != nil {
					return err
				}
			}
			if _, err := client.AlarmDisarm(ctx, new(clientv3.AlarmMember)); err != nil {
				return err
			}
			_, err := client.Put(ctx, "/filler", "")
			return err
		}()
		cancel()
		if err == nil {
			return
		}
		if time.Now().After(limit) {
			t.Errorf("the alarm does not end: %v", err)
			return
		}
	}
}

// ownMounts is set in a process that has a mount namespace of its own.
const ownMounts = "NODELEASE_TEST_OWN_MOUNTS"

// inOwnMounts runs the test again, in a process with a mount namespace of its own: what that
// mounts goes when it ends, however it ends. Without root, a user namespace gives the right to
// mount. It reports whether this is that process.
func inOwnMounts(t *testing.T) bool {
	if os.Getenv(ownMounts) != "" {
		return true
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1",
		fmt.Sprintf("-test.short=%v", testing.Short()), fmt.Sprintf("-long=%v", *longFlag), fmt.Sprintf("-seed=%d", *seedFlag))
	cmd.Env = append(os.Environ(), ownMounts+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Unshareflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if len(out) == 0 && err != nil {
		t.Skip("a disk can only be filled where the test may mount one of its own: ", err)
	}
	t.Logf("in a mount namespace of its own:\n%s", out)
	if bytes.Contains(out, []byte("--- SKIP")) {
		t.Skip("see above")
	}
	if err != nil {
		t.Error(err)
	}
	return false
}

// TestEtcdDiskFull has members run out of disk: each has its data on a small file system, which
// the test fills up to the last byte.
func TestEtcdDiskFull(t *testing.T) {
	alone(t)
	if !inOwnMounts(t) {
		return
	}
	mounted := t.TempDir()
	cluster := etcdtest.Start(t, servers.NewNetwork(t))
	for _, m := range cluster.Members {
		dir := filepath.Join(mounted, m.Name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		// etcd sets 64 MB aside for each of two log files.
		if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=192m"); err != nil {
			t.Skip("a disk can only be filled where the test may mount one of its own: ", err)
		}
		t.Cleanup(func() { // before the directory is removed
			m.Stop(syscall.SIGKILL)
			if err := syscall.Unmount(dir, 0); err != nil {
				t.Error(err)
			}
		})
		change(t, m, func(cmd *exec.Cmd) {
			i := slices.Index(cmd.Args, "--data-dir") + 1
			if data := filepath.Join(dir, "data"); !exists(data) {
				if out, err := exec.Command("cp", "-a", cmd.Args[i], data).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			cmd.Args[i] = filepath.Join(dir, "data")
		})
	}
	client := cluster.Open(t)
	defer client.Close()
	const ttl = 2 * time.Second
	for _, full := range []int{1, 2} {
		t.Run([]string{1: "one member", 2: "two members"}[full], func(t *testing.T) {
			scenario{
				fault: []string{1: "etcd: disk full at one member", 2: "etcd: disk full at two members of three"}[full],
				ttl:   ttl, length: duration(25*time.Second, 5*time.Second, time.Second),
				store: same(etcdStore(t, client, "/"+[]string{1: "one", 2: "two"}[full], 26, ttl)),
				inject: func(ctx context.Context, f *faults) {
					for ; ctx.Err() == nil; sleep(ctx, between(f.rng, 500*time.Millisecond, 2*time.Second)) {
						fillDisks(ctx, t, f, mounted, cluster, client, full)
					}
				},
			}.run(t)
		})
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// fillDisks leaves members no room, has them write until they end themselves for it, and after
// a while makes room and starts them again.
func fillDisks(ctx context.Context, t *testing.T, f *faults, mounted string, c *etcdtest.Cluster, client *clientv3.Client, full int) {
	first := f.rng.IntN(3)
	if f.rng.IntN(2) == 0 {
		first = c.Leader(client).Index()
	}
	var chosen []*etcdtest.Member
	for i := range full {
		m := c.Members[(first+i)%3]
		chosen = append(chosen, m)
		if err := fillUp(filepath.Join(mounted, m.Name, "filler")); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("filling the disk of %s: %v", m.Name, err)
		}
		f.count("disks full")
	}
	value := string(make([]byte, 500<<10))
	for _, m := range chosen {
		for limit := time.Now().Add(20 * time.Second); ; {
			call, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
			_, _ = client.Put(call, "/filler", value)
			cancel()
			if !alive(client, m) {
				f.count("members that ended themselves")
				break
			}
			if time.Now().After(limit) {
				t.Errorf("member %s goes on with a full disk", m.Name)
				break
			}
		}
	}
	sleep(ctx, between(f.rng, 0, 4*time.Second))
	for _, m := range chosen {
		if err := os.Remove(filepath.Join(mounted, m.Name, "filler")); err != nil {
			t.Error(err)
		}
		m.Stop(syscall.SIGKILL)
		m.Start(t)
	}
	for _, m := range chosen {
		awaitMember(t, m)
	}
	// The history of what was written to fill the disks would fill them for good.
	if err := compact(context.Background(), client); err != nil {
		t.Error(err)
	}
	for _, m := range c.Members {
		if _, err := client.Defragment(context.Background(), m.Client); err != nil {
			t.Errorf("member %s: %v", m.Name, err)
		}
	}
}

func alive(client *clientv3.Client, m *etcdtest.Member) bool {
	for range 3 {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		_, err := client.Status(ctx, m.Client)
		cancel()
		if err == nil {
			return true
		}
	}
	return false
}

// fillUp writes a file until the disk is full, and returns that error.
func fillUp(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	for block := make([]byte, 1<<20); len(block) > 0; {
		if _, err = f.Write(block); err != nil {
			block = block[:len(block)/2] // the last bytes, too
		}
	}
	return err
}

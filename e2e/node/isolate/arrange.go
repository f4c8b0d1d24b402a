//go:build node && linux

package isolate

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// Hostname is that of the namespaces.
	Hostname = "node"
	// Address is of the namespaces' one network interface, which leads nowhere. It is
	// where pods reach what runs on the node.
	Address = "172.31.255.1"
)

// written are folders that the programs of a node write to, whatever flags say. What
// they write goes into the folder of the run.
var written = [...]string{"/var/lib", "/var/log"}

// sysctls are what a kubelet wants of the machine. It is shown files that say so; the
// machine's own are not changed.
var sysctls = [...]struct{ path, value string }{
	{"vm/overcommit_memory", "1"},
	{"kernel/panic", "10"},
	{"kernel/panic_on_oops", "1"},
}

// arrange makes mounts and a network, as a machine of its own would have them.
func arrange(folder string) error {
	if err := syscall.Sethostname([]byte(Hostname)); err != nil {
		return err
	}
	controllers, err := hierarchies() // as the machine has them, before they are hidden
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return mount("none", "/", "", syscall.MS_REC|syscall.MS_PRIVATE, "") },
		func() error { return mount("proc", "/proc", "proc", 0, "") },
		func() error { return mount("sysfs", "/sys", "sysfs", 0, "") },
		func() error { return mountGroups(controllers) },
		func() error { return mount("tmpfs", "/run", "tmpfs", 0, "mode=755") },
		func() error { return os.MkdirAll("/run/lock", 0o755) },
		fakeSysctls,
		func() error { return shadow(folder) },
		// Pods' mounts are seen by kubelet and runtime alike, in this namespace only.
		func() error { return mount("none", "/", "", syscall.MS_REC|syscall.MS_SHARED, "") },
		connect,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func mount(source, target, kind string, flags uintptr, data string) error {
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		return fmt.Errorf("mount %s: %w", target, err)
	}
	return nil
}

// mountGroups shows the hierarchies again, rooted at the groups of this run.
func mountGroups(all []hierarchy) error {
	const point = "/sys/fs/cgroup"
	if len(all) == 1 && all[0].controllers == "" {
		return mountUnified(point)
	}
	if err := mount("tmpfs", point, "tmpfs", 0, "mode=755"); err != nil {
		return err
	}
	systemd := false
	for _, h := range all {
		name, named := strings.CutPrefix(h.controllers, "name=")
		options := h.controllers
		if named {
			options = "none," + h.controllers
		}
		systemd = systemd || name == "systemd"
		target := filepath.Join(point, name)
		if err := os.Mkdir(target, 0o755); err != nil {
			return err
		}
		if err := mount("cgroup", target, "cgroup", 0, options); err != nil {
			return err
		}
		// cpu,cpuacct is found under both names, too.
		if single := strings.Split(name, ","); len(single) > 1 {
			for _, s := range single {
				if err := os.Symlink(name, filepath.Join(point, s)); err != nil {
					return err
				}
			}
		}
	}
	if systemd {
		return nil
	}
	// A kubelet refuses to start without it.
	target := filepath.Join(point, "systemd")
	if err := os.Mkdir(target, 0o755); err != nil {
		return err
	}
	return mount("cgroup", target, "cgroup", 0, "none,name=systemd")
}

// mountUnified is for control groups of version 2: a group with processes may not have
// groups below that are limited, so this process goes into one beside the pods' groups.
func mountUnified(point string) error {
	if err := mount("cgroup2", point, "cgroup2", 0, ""); err != nil {
		return err
	}
	programs := filepath.Join(point, "programs")
	if err := os.Mkdir(programs, 0o755); err != nil {
		return err
	}
	if err := enter(programs); err != nil {
		return err
	}
	available, err := os.ReadFile(filepath.Join(point, "cgroup.controllers"))
	if err != nil {
		return err
	}
	var enable strings.Builder
	for _, c := range strings.Fields(string(available)) {
		enable.WriteString(" +" + c)
	}
	control := filepath.Join(point, "cgroup.subtree_control")
	deadline := time.After(goneTimeout)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := os.WriteFile(control, []byte(strings.TrimSpace(enable.String())), 0o644)
		if !errors.Is(err, syscall.EBUSY) {
			return err
		}
		select { // The keeper is leaving the group.
		case <-deadline:
			return err
		case <-tick.C:
		}
	}
}

func fakeSysctls() error {
	for _, s := range sysctls {
		shown := filepath.Join("/run/lock", strings.ReplaceAll(s.path, "/", "."))
		if err := os.WriteFile(shown, []byte(s.value+"\n"), 0o644); err != nil {
			return err
		}
		if err := mount(shown, filepath.Join("/proc/sys", s.path), "", syscall.MS_BIND, ""); err != nil {
			return err
		}
	}
	return nil
}

// shadow lays folders of the run over those of the machine.
func shadow(folder string) error {
	for _, path := range written {
		over := filepath.Join(folder, "over", filepath.Base(path))
		upper, work := filepath.Join(over, "upper"), filepath.Join(over, "work")
		for _, dir := range []string{upper, work} {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		options := fmt.Sprintf("lowerdir=%s,upperdir=%s,workdir=%s", path, upper, work)
		if err := mount("overlay", path, "overlay", 0, options); err != nil {
			return err
		}
	}
	return nil
}

// connect makes an interface for the node's address. The other end is beside it, so
// nothing reaches another machine. Addresses of Services need a default route.
func connect() error {
	for _, command := range []string{
		"link set lo up",
		"link add node0 type veth peer name node0p",
		"addr add " + Address + "/24 dev node0",
		"link set node0 up",
		"link set node0p up",
		"route add default dev node0",
	} {
		if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w\n%s", command, err, out)
		}
	}
	// Of this network namespace only.
	return os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644)
}

//go:build node && linux

package isolate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// goneTimeout bounds the end of killed processes.
const goneTimeout = 30 * time.Second

// hierarchy is a tree of control groups, and where this process is in it.
type hierarchy struct {
	controllers string // "memory", "cpu,cpuacct", "name=systemd"; empty for version 2
	own         string // folder of the group that this process is in
}

// hierarchies returns those that containers need: all of version 1, or the one of
// version 2 where there is nothing else.
func hierarchies() ([]hierarchy, error) {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil, err
	}
	return parseHierarchies(string(mounts), string(groups))
}

// parseHierarchies reads what proc(5) describes: mountinfo and cgroup.
func parseHierarchies(mountinfo, groups string) (found []hierarchy, err error) {
	paths := map[string]string{}
	for line := range strings.Lines(groups) {
		if fields := strings.SplitN(strings.TrimSpace(line), ":", 3); len(fields) == 3 {
			paths[fields[1]] = fields[2]
		}
	}
	var unified []hierarchy
	for line := range strings.Lines(mountinfo) {
		mount, kind, _ := strings.Cut(line, " - ")
		fields, super := strings.Fields(mount), strings.Fields(kind)
		if len(fields) < 5 || len(super) < 3 {
			continue
		}
		root, point := fields[3], fields[4]
		for controllers, path := range paths {
			inside, ok := below(root, path)
			switch {
			case !ok:
			case super[0] == "cgroup" && controllers != "" && sameOptions(super[2], controllers):
				found = append(found, hierarchy{controllers, filepath.Join(point, inside)})
				delete(paths, controllers) // A second mount of it would show the same.
			case super[0] == "cgroup2" && controllers == "":
				// Below the group of a session nothing could be limited.
				unified = append(unified, hierarchy{"", point})
			}
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	if len(unified) == 0 {
		return nil, errors.New("no control groups are mounted below /sys/fs/cgroup")
	}
	return unified[:1], nil
}

// below returns the path as seen from a root.
func below(root, path string) (string, bool) {
	inside, err := filepath.Rel(root, path)
	return inside, err == nil && filepath.IsLocal(inside)
}

// sameOptions says whether the options of a mount name all controllers.
func sameOptions(options, controllers string) bool {
	all := strings.Split(options, ",")
	for _, c := range strings.Split(controllers, ",") {
		if !slices.Contains(all, c) {
			return false
		}
	}
	return true
}

// groups are the control groups of one run, one in each hierarchy.
type groups struct {
	name        string
	hierarchies []hierarchy
}

func (g groups) folder(h hierarchy) string { return filepath.Join(h.own, g.name) }

// join makes the groups and puts this process into them, and so all that it starts.
func (g groups) join() error {
	for _, h := range g.hierarchies {
		folder := g.folder(h)
		if err := os.Mkdir(folder, 0o755); err != nil {
			return fmt.Errorf("make a control group: %w", err)
		}
		// Of version 1: without processors and memory no process may come in.
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
			value, err := os.ReadFile(filepath.Join(h.own, file))
			if err != nil || h.controllers == "" {
				continue // It is no hierarchy of cpuset.
			}
			if err := os.WriteFile(filepath.Join(folder, file), value, 0o644); err != nil {
				return err
			}
		}
		if err := enter(folder); err != nil {
			return err
		}
	}
	return nil
}

func enter(folder string) error {
	if err := os.WriteFile(filepath.Join(folder, "cgroup.procs"), []byte("0"), 0o644); err != nil {
		return fmt.Errorf("enter a control group: %w", err)
	}
	return nil
}

// leave takes this process out of the groups of version 2, in which it would keep those
// below from being limited.
func (g groups) leave() error {
	for _, h := range g.hierarchies {
		if h.controllers != "" {
			continue
		}
		if err := enter(h.own); err != nil {
			return err
		}
	}
	return nil
}

// remove kills all other processes of the groups, and removes these.
func (g groups) remove() error {
	var errs []error
	for _, h := range g.hierarchies {
		folder := g.folder(h)
		if _, err := os.Stat(folder); err != nil {
			continue // It was not made, or is gone.
		}
		if g.holds(folder, os.Getpid()) {
			if err := enter(h.own); err != nil {
				errs = append(errs, err)
				continue
			}
		}
		errs = append(errs, g.clear(folder))
	}
	return errors.Join(errs...)
}

// clear tries until the group and those below are gone. Processes that are killed are
// there for a moment.
func (g groups) clear(folder string) error {
	deadline := time.After(goneTimeout)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := removeGroup(folder)
		if err == nil {
			return nil
		}
		select {
		case <-deadline:
			return fmt.Errorf("remove the control group %s: %w", folder, err)
		case <-tick.C:
		}
	}
}

func removeGroup(folder string) error {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.IsDir() {
			if err := removeGroup(filepath.Join(folder, e.Name())); err != nil {
				return err
			}
		}
	}
	for _, pid := range members(folder) {
		_ = syscall.Kill(pid, syscall.SIGKILL) // It may have ended since.
	}
	return os.Remove(folder)
}

func (g groups) holds(folder string, pid int) bool { return slices.Contains(members(folder), pid) }

func members(folder string) (pids []int) {
	text, err := os.ReadFile(filepath.Join(folder, "cgroup.procs"))
	if err != nil {
		return nil
	}
	for _, field := range strings.Fields(string(text)) {
		// Zero is a process that this one cannot see.
		if pid, err := strconv.Atoi(field); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

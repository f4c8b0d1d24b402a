//go:build node && linux

package isolate

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestHierarchies(t *testing.T) {
	const (
		root    = "23 22 0:20 / / rw - ext4 /dev/sda rw\n"
		memory  = "31 23 0:30 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n"
		cpu     = "32 23 0:31 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
		systemd = "33 23 0:32 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n"
		unified = "34 23 0:33 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
	)
	for name, test := range map[string]struct {
		mounts, groups string
		want           []hierarchy
		fails          bool
	}{
		"version 1, one hierarchy for each controller": {
			mounts: root + memory + cpu + systemd,
			groups: "3:memory:/jobs/7\n2:cpu,cpuacct:/\n1:name=systemd:/user.slice\n",
			want: []hierarchy{
				{"cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct"},
				{"memory", "/sys/fs/cgroup/memory/jobs/7"},
				{"name=systemd", "/sys/fs/cgroup/systemd/user.slice"},
			},
		},
		"a hierarchy that is mounted twice counts once": {
			mounts: root + memory + memory, groups: "3:memory:/\n",
			want: []hierarchy{{"memory", "/sys/fs/cgroup/memory"}},
		},
		"a mount that shows another group only is passed over": {
			mounts: root + memory + "35 23 0:34 /other /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n",
			groups: "3:memory:/\n2:pids:/mine\n",
			want:   []hierarchy{{"memory", "/sys/fs/cgroup/memory"}},
		},
		"both versions: pods are in the first": {
			mounts: root + memory + unified, groups: "3:memory:/\n0::/session\n",
			want: []hierarchy{{"memory", "/sys/fs/cgroup/memory"}},
		},
		"version 2, at its root": {
			mounts: root + unified, groups: "0::/user.slice/session-1.scope\n",
			want: []hierarchy{{"", "/sys/fs/cgroup"}},
		},
		"none": {mounts: root, groups: "", fails: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseHierarchies(test.mounts, test.groups)
			if (err != nil) != test.fails {
				t.Fatal(err)
			}
			byName := cmpopts.SortSlices(func(a, b hierarchy) bool { return a.controllers < b.controllers })
			if diff := cmp.Diff(test.want, got, byName, cmp.AllowUnexported(hierarchy{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

package controlplane

import (
	"debug/buildinfo"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"
)

const (
	kubernetesModule = "k8s.io/kubernetes"
	etcdModule       = "go.etcd.io/etcd/server/v3"
	kwokModule       = "sigs.k8s.io/kwok"
)

// program is one of the programs that a control plane is made of.
type program struct {
	name    string // of the file, kube-apiserver
	pkg     string // import path of its main package
	module  string // whose version is the version of the program
	dir     string // of the module that it is built in
	version string // v1.37.2
}

// listPrograms returns the programs in the order in which they are built: the
// quick ones first, so that progress is seen early, then those that share most
// of their packages with the one before, and those of a real node last. Those of
// Kubernetes are built in a module that may be another than the rest's.
func listPrograms(m, kubernetes *module, realNode bool) ([]program, error) {
	programs := []program{
		{name: "etcd", pkg: modulePath + "/cmd/etcd", module: etcdModule},
		{name: "kwok", pkg: kwokModule + "/cmd/kwok", module: kwokModule},
		{name: "kubectl", pkg: kubernetesModule + "/cmd/kubectl", module: kubernetesModule},
		{name: "kube-apiserver", pkg: kubernetesModule + "/cmd/kube-apiserver", module: kubernetesModule},
		{name: "kube-controller-manager", pkg: kubernetesModule + "/cmd/kube-controller-manager", module: kubernetesModule},
		{name: "kube-scheduler", pkg: kubernetesModule + "/cmd/kube-scheduler", module: kubernetesModule},
	}
	if realNode {
		programs = append(programs,
			program{name: "kube-proxy", pkg: kubernetesModule + "/cmd/kube-proxy", module: kubernetesModule},
			program{name: "kubelet", pkg: kubernetesModule + "/cmd/kubelet", module: kubernetesModule})
	}
	for i := range programs {
		p, from := &programs[i], m
		if p.module == kubernetesModule {
			from = kubernetes
		}
		version, err := from.version(p.module)
		if err != nil {
			return nil, err
		}
		p.version, p.dir = version, from.dir
	}
	return programs, nil
}

// builtIn says whether the folder holds the program in the wanted version. Go
// writes the versions of all modules into a program, so nothing else keeps them.
func (p program) builtIn(dir string) bool {
	info, err := buildinfo.ReadFile(filepath.Join(dir, p.name))
	if err != nil {
		return false // Not there, or not whole: either way it is to be built.
	}
	if info.Main.Path == p.module {
		return info.Main.Version == p.version
	}
	for _, dep := range info.Deps {
		if dep.Path == p.module {
			return dep.Version == p.version
		}
	}
	return false
}

// ldflags returns the linker flags. Without these versions Kubernetes calls
// itself v0.0.0-master, and kubectl warns of a skew. The symbol tables that a
// debugger needs are left out: half of the size, and faster to link.
func (p program) ldflags() string {
	flags := []string{"-s", "-w"}
	if p.module != kubernetesModule {
		return strings.Join(flags, " ")
	}
	majorMinor := strings.TrimPrefix(semver.MajorMinor(p.version), "v")
	major, minor, _ := strings.Cut(majorMinor, ".")
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		flags = append(flags,
			fmt.Sprintf("-X %s.gitVersion=%s", pkg, p.version),
			fmt.Sprintf("-X %s.gitMajor=%s", pkg, major),
			fmt.Sprintf("-X %s.gitMinor=%s", pkg, minor))
	}
	return strings.Join(flags, " ")
}

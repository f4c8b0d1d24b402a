package controlplane

import (
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
)

func TestEachOlderKubernetesIsBuiltInItsOwnModule(t *testing.T) {
	m, err := findModule()
	if err != nil {
		t.Fatal(err)
	}
	older := m.olderVersions()
	if len(older) == 0 {
		t.Fatal("no older Kubernetes version is there to be tested with")
	}
	for _, minor := range older {
		t.Run(minor, func(t *testing.T) {
			t.Setenv(versionVariable, minor)
			kubernetes, err := m.kubernetes()
			if err != nil {
				t.Fatal(err)
			}
			programs, err := listPrograms(m, kubernetes, false)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range programs {
				wantDir := m.dir
				if p.module == kubernetesModule {
					wantDir = filepath.Join(m.dir, versionsFolder, minor)
				}
				if p.dir != wantDir {
					t.Errorf("%s is built in %s, want %s", p.name, p.dir, wantDir)
				}
				if got := semver.MajorMinor(p.version); p.module == kubernetesModule && got != minor {
					t.Errorf("%s is of %s, want one of %s", p.name, p.version, minor)
				}
			}
		})
	}
}

func TestARealNodeOfAnOlderKubernetesIsRefusedBeforeAnythingIsBuilt(t *testing.T) {
	m, err := findModule()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // so that nothing is built if it is not refused
	for _, minor := range m.olderVersions() {
		t.Setenv(versionVariable, minor)
		if _, err := BuildWithNode(ctx, io.Discard); err == nil || !strings.Contains(err.Error(), versionVariable+"="+minor+": a real node runs with the newest Kubernetes only") {
			t.Errorf("%s=%s: %v", versionVariable, minor, err)
		}
	}
}

func TestAnUnknownKubernetesVersionIsRefusedWithTheKnownOnes(t *testing.T) {
	m, err := findModule()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"v1.2", "1.34.4", "../kubernetes"} {
		t.Setenv(versionVariable, version)
		if _, err := m.kubernetes(); err == nil || !strings.Contains(err.Error(), "v1.34") {
			t.Errorf("%s=%s: %v; want an error that names the legal versions", versionVariable, version, err)
		}
	}
}

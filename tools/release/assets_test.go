package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func made(t *testing.T, a assets) map[string][]byte {
	t.Helper()
	files, err := a.files(os.DirFS("../../manifests"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestEveryOverlayAndTheChartAreReleased(t *testing.T) {
	want := []string{
		"install-audit-only.yaml", "install-cert-manager.yaml", "install-cluster-wide.yaml", "install-fail-closed.yaml",
		"install.yaml", "monitoring.yaml", "probity-chart-v9.8.7.tgz",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(made(t, assets{version: "v9.8.7"})))); diff != "" {
		t.Error(diff)
	}
}

func TestTheReleasedManifestsRunTheReleasedImage(t *testing.T) {
	for name, c := range map[string]struct {
		assets
		want string
	}{
		"by tag":                  {assets{version: "v9.8.7"}, "probity-dev/probity:v9.8.7"},
		"by tag and digest":       {assets{version: "v9.8.7", digest: digest}, "probity-dev/probity:v9.8.7@" + digest},
		"by another name":         {assets{version: "v9.8.7", image: "mirror.example/probity"}, "mirror.example/probity:v9.8.7"},
		"by another name, digest": {assets{version: "v9.8.7", image: "mirror.example/probity", digest: digest}, "mirror.example/probity:v9.8.7@" + digest},
	} {
		t.Run(name, func(t *testing.T) {
			for file, content := range made(t, c.assets) {
				if !strings.HasPrefix(file, "install") {
					continue
				}
				var images []string
				for _, found := range regexp.MustCompile(`(?m)^ +image: (\S+)$`).FindAllSubmatch(content, -1) {
					images = append(images, string(found[1]))
				}
				if diff := cmp.Diff([]string{c.want}, images); diff != "" {
					t.Errorf("%s:\n%s", file, diff)
				}
			}
		})
	}
}

func TestTheSameManifestsGiveTheSameBytes(t *testing.T) {
	a := assets{version: "v9.8.7", digest: digest, time: time.Unix(1790000000, 0)}
	if diff := cmp.Diff(made(t, a), made(t, a)); diff != "" {
		t.Error(diff)
	}
}

// unpacked are the files of an archive; each must look as if anybody had packed it.
func unpacked(t *testing.T, archive []byte, packed time.Time) map[string]string {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for r := tar.NewReader(zip); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if header.Uid != 0 || header.Uname != "" || header.Mode != 0o644 || !header.ModTime.Equal(packed) {
			t.Errorf("%s tells who packed it, or when: %+v", header.Name, header)
		}
		files[header.Name] = string(text)
	}
}

func TestTheChartIsPackedWithVersionAndImage(t *testing.T) {
	a := assets{version: "v9.8.7", image: "mirror.example/probity", time: time.Unix(1790000000, 0)}
	files := unpacked(t, made(t, a)["probity-chart-v9.8.7.tgz"], a.time)
	for name, lines := range map[string][]string{
		"probity/Chart.yaml":                {"\nversion: 9.8.7\n", "\nappVersion: v9.8.7\n"},
		"probity/values.yaml":               {"\n  repository: mirror.example/probity\n", "\n  tag: \"\"\n"},
		"probity/values.schema.json":        {"\n"},
		"probity/templates/deployment.yaml": {"kind: Deployment\n"},
	} {
		for _, line := range lines {
			if strings.Count(files[name], line) < 1 {
				t.Errorf("%s holds no %q", name, line)
			}
		}
	}
}

func TestWrongInputMakesNoAssets(t *testing.T) {
	for name, a := range map[string]assets{
		"no version":      {},
		"half a digest":   {version: "v9.8.7", digest: "sha256:0123"},
		"another version": {version: "9.8.7"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := a.files(os.DirFS("../../manifests")); err == nil {
				t.Error("no error")
			}
		})
	}
}

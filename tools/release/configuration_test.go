package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// configuration is what the tests read of .goreleaser.yaml. That goreleaser knows
// every field of it is tested beside its pin, in tools/goreleaser.
type configuration struct {
	Builds []struct {
		Main           string
		Env            []string
		Flags, Ldflags []string
		Targets        []string
	}
	Archives []struct {
		NameTemplate    string `json:"name_template"`
		FormatOverrides []struct {
			Goos    string
			Formats []string
		} `json:"format_overrides"`
	}
}

func readConfiguration(t *testing.T) configuration {
	t.Helper()
	var c configuration
	if err := yaml.Unmarshal([]byte(read(t, ".goreleaser.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Builds) != 1 || len(c.Archives) != 1 {
		t.Fatalf("%d builds and %d archives, want one of each", len(c.Builds), len(c.Archives))
	}
	return c
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(tree, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// archives are the names that goreleaser gives the archives of a version.
func (c configuration) archives(version string) []string {
	var names []string
	for _, target := range c.Builds[0].Targets {
		goos, goarch, _ := strings.Cut(target, "_")
		name := strings.NewReplacer("{{ .Version }}", version[1:], "{{ .Os }}", goos, "{{ .Arch }}", goarch).Replace(c.Archives[0].NameTemplate)
		format := "tar.gz"
		for _, o := range c.Archives[0].FormatOverrides {
			if o.Goos == goos {
				format = o.Formats[0]
			}
		}
		names = append(names, name+"."+format)
	}
	slices.Sort(names)
	return names
}

// plugin is what the tests read of a Krew plugin.
type plugin struct {
	Metadata struct{ Name string }
	Spec     struct {
		Version   string
		Platforms []struct {
			Selector    struct{ MatchLabels map[string]string }
			URI, Sha256 string
			Bin         string
		}
	}
}

// TestKrewAndTheArchivesAgree fills in the template as a release does. An archive
// that the template names and the release has not is an error of krew itself.
func TestKrewAndTheArchivesAgree(t *testing.T) {
	const version = "v9.8.7"
	archives := readConfiguration(t).archives(version)
	sums := map[string]string{}
	var checksums strings.Builder
	for i, name := range archives {
		sums[name] = strings.Repeat(string(rune('a'+i)), 64)
		checksums.WriteString(sums[name] + "  " + name + "\n")
	}
	text, err := krew(read(t, ".krew.yaml"), version, checksums.String())
	if err != nil {
		t.Fatal(err)
	}
	var p plugin
	if err := yaml.Unmarshal([]byte(text), &p); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if p.Metadata.Name != "probity" || p.Spec.Version != version {
		t.Errorf("plugin %s, version %s", p.Metadata.Name, p.Spec.Version)
	}
	var named []string
	for _, platform := range p.Spec.Platforms {
		goos, goarch := platform.Selector.MatchLabels["os"], platform.Selector.MatchLabels["arch"]
		want, bin := "probity_"+version+"_"+goos+"_"+goarch+".tar.gz", "probity"
		if goos == "windows" {
			want, bin = strings.TrimSuffix(want, ".tar.gz")+".zip", "probity.exe"
		}
		name := platform.URI[strings.LastIndex(platform.URI, "/")+1:]
		if name != want || platform.Bin != bin || platform.Sha256 != sums[name] {
			t.Errorf("%s/%s has %s with %s of checksum %s, want %s with %s of checksum %s", goos, goarch, name, platform.Bin, platform.Sha256, want, bin, sums[want])
		}
		named = append(named, name)
	}
	slices.Sort(named)
	if diff := cmp.Diff(archives, named); diff != "" {
		t.Errorf("archives of the release, and those that Krew knows:\n%s", diff)
	}
}

func TestAnArchiveThatTheReleaseHasNotIsNamed(t *testing.T) {
	_, err := krew(read(t, ".krew.yaml"), "v9.8.7", "")
	if err == nil || !strings.Contains(err.Error(), "the release has no probity_v9.8.7_linux_amd64.tar.gz") {
		t.Errorf("got %v", err)
	}
}

// goBuild is how a file builds the program.
var goBuild = regexp.MustCompile(`(?:^|\s)go build (.*-ldflags ['"].*) -o \S+ (\S+)\n`)

// TestTheProgramIsBuiltOneWay holds Makefile, Dockerfile and .goreleaser.yaml to
// the same flags, so that the program is the same wherever it comes from.
func TestTheProgramIsBuiltOneWay(t *testing.T) {
	build := readConfiguration(t).Builds[0]
	type way struct {
		Flags, Main string
		Cgo         bool
	}
	want := way{strings.Join(build.Flags, " ") + " -ldflags " + strings.Replace(build.Ldflags[0], "v{{ .Version }}", "VERSION", 1), build.Main, !slices.Contains(build.Env, "CGO_ENABLED=0")}
	for file, version := range map[string]string{"Makefile": "$(VERSION)", "Dockerfile": "${VERSION}"} {
		text := read(t, file)
		found := goBuild.FindStringSubmatch(text)
		if found == nil {
			t.Errorf("%s builds no program", file)
			continue
		}
		flags := strings.NewReplacer(version, "VERSION", `"`, "", "'", "").Replace(found[1])
		got := way{flags, found[2], !strings.Contains(text, "CGO_ENABLED=0 ")}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s and .goreleaser.yaml differ:\n%s", file, diff)
		}
	}
}

package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"time"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// assets are the files that a cluster is installed from: the overlays, rendered,
// and the chart, packaged.
type assets struct {
	version string    // v0.2.0
	image   string    // its name without tag; empty: the one in manifests/base
	digest  string    // sha256:...; empty when it is not known
	time    time.Time // of the files in the chart's archive
}

// digests are what a registry says of an image.
var digests = regexp.MustCompile(`^(sha256:[0-9a-f]{64})?$`)

// files returns all files by their names.
func (a assets) files(manifests fs.FS) (map[string][]byte, error) {
	if !versions.MatchString(a.version) {
		return nil, fmt.Errorf("version %q is not like v0.2.0 or v0.2.0-rc.1", a.version)
	}
	if !digests.MatchString(a.digest) {
		return nil, fmt.Errorf("digest %q is not sha256: and 64 hexadecimal digits", a.digest)
	}
	named, err := imageName(manifests)
	if err != nil {
		return nil, err
	}
	all, err := a.render(manifests, named)
	if err != nil {
		return nil, err
	}
	chart, err := fs.Sub(manifests, "chart")
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("probity-chart-%s.tgz", a.version)
	all[name], err = a.chart(chart, named)
	return all, err
}

// imageName returns the name that manifests/base gives the image.
func imageName(manifests fs.FS) (string, error) {
	const file = "base/kustomization.yaml"
	text, err := fs.ReadFile(manifests, file)
	if err != nil {
		return "", err
	}
	var k struct{ Images []struct{ NewName string } }
	if err := yaml.Unmarshal(text, &k); err != nil {
		return "", fmt.Errorf("manifests/%s: %w", file, err)
	}
	if len(k.Images) != 1 || k.Images[0].NewName == "" {
		return "", fmt.Errorf("manifests/%s: images must have one entry with newName", file)
	}
	return k.Images[0].NewName, nil
}

// render makes one file of each folder that can be applied.
func (a assets) render(manifests fs.FS, named string) (map[string][]byte, error) {
	folders, err := fs.Glob(manifests, "*/kustomization.yaml")
	if err != nil {
		return nil, err
	}
	disk, err := inMemory(manifests)
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for _, f := range folders {
		folder := path.Dir(f)
		rendered, err := a.overlay(disk, folder, named)
		if err != nil {
			return nil, fmt.Errorf("manifests/%s: %w", folder, err)
		}
		name := assetName(folder, rendered)
		head := fmt.Sprintf("# Probity %s, made from manifests/%s:\n#\n#   kubectl apply -f %s\n", a.version, folder, name)
		all[name] = append([]byte(head), rendered...)
	}
	return all, nil
}

// assetName tells what installs Probity from what is added to it.
func assetName(folder string, rendered []byte) string {
	switch {
	case folder == "base":
		return "install.yaml"
	case bytes.Contains(rendered, []byte("\nkind: Deployment\n")):
		return "install-" + folder + ".yaml"
	}
	return folder + ".yaml"
}

// overlay renders a folder with the released image.
func (a assets) overlay(disk filesys.FileSystem, folder, named string) ([]byte, error) {
	image := map[string]string{"name": named, "newTag": a.version}
	if a.image != "" {
		image["newName"] = a.image
	}
	if a.digest != "" {
		image["digest"] = a.digest
	}
	kustomization, err := yaml.Marshal(map[string]any{
		"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization",
		"resources": []string{"../manifests/" + folder}, "images": []any{image},
	})
	if err != nil {
		return nil, err
	}
	if err := disk.WriteFile("/release/kustomization.yaml", kustomization); err != nil {
		return nil, err
	}
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, "/release")
	if err != nil {
		return nil, err
	}
	return objects.AsYaml()
}

// inMemory copies the manifests to where kustomize may read them.
func inMemory(manifests fs.FS) (filesys.FileSystem, error) {
	disk := filesys.MakeFsInMemory()
	err := fs.WalkDir(manifests, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(manifests, name)
		if err != nil {
			return err
		}
		return disk.WriteFile(path.Join("/manifests", name), text)
	})
	return disk, err
}

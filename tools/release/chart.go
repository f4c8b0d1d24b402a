package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// chart packs the chart as helm package does, with the release's version and image.
// Helm itself would write the time of the packing into it.
func (a assets) chart(chart fs.FS, named string) ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	// In the order of their names, so that the same files give the same bytes.
	err := fs.WalkDir(chart, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) == ".tgz" {
			return err
		}
		text, err := fs.ReadFile(chart, name)
		if err != nil {
			return err
		}
		text, err = a.chartFile(name, text, named)
		if err != nil {
			return err
		}
		header := &tar.Header{Name: path.Join("probity", name), Size: int64(len(text)), Mode: 0o644, ModTime: a.time, Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		_, err = archive.Write(text)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	if err := zip.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// chartFile returns a file of the chart as it is released.
func (a assets) chartFile(name string, text []byte, named string) ([]byte, error) {
	changed := string(text)
	for _, p := range places {
		if p.file != "manifests/chart/"+name {
			continue
		}
		var err error
		if changed, err = p.write(changed, a.version); err != nil {
			return nil, err
		}
	}
	if name == "values.yaml" && a.image != "" {
		line := "\n  repository: " + named + "\n"
		if strings.Count(changed, line) != 1 {
			return nil, fmt.Errorf("manifests/chart/values.yaml must hold the line %q once", strings.TrimSpace(line))
		}
		changed = strings.Replace(changed, line, "\n  repository: "+a.image+"\n", 1)
	}
	return []byte(changed), nil
}

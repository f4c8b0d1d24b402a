//go:build node

package image

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Content is what an archive of one image holds.
type Content struct {
	// Config is how a container of the image is run.
	Config Config
	// Folders and Files of all layers; the files with their modes.
	Folders []string
	Files   map[string]os.FileMode
}

// Config is what a runtime takes from an image.
type Config struct {
	User       string
	Entrypoint []string
	Cmd        []string
}

// Open unpacks the image of an archive into a folder, and tells what it holds.
func Open(archive, folder string) (*Content, error) {
	entries, err := readEntries(archive)
	if err != nil {
		return nil, err
	}
	var manifests []struct {
		Config string
		Layers []string
	}
	if err := json.Unmarshal(entries["manifest.json"], &manifests); err != nil {
		return nil, fmt.Errorf("%s: manifest.json: %w", archive, err)
	}
	if len(manifests) != 1 {
		return nil, fmt.Errorf("%s holds %d images, want one", archive, len(manifests))
	}
	c := &Content{Files: map[string]os.FileMode{}}
	image := struct{ Config *Config }{&c.Config}
	if err := json.Unmarshal(entries[manifests[0].Config], &image); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", archive, manifests[0].Config, err)
	}
	for _, layer := range manifests[0].Layers {
		if err := c.unpack(entries[layer], folder); err != nil {
			return nil, fmt.Errorf("%s: layer %s: %w", archive, layer, err)
		}
	}
	return c, nil
}

func readEntries(archive string) (map[string][]byte, error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	entries := map[string][]byte{}
	reader := tar.NewReader(file)
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", archive, err)
		}
		if entries[header.Name], err = io.ReadAll(reader); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", archive, header.Name, err)
		}
	}
}

// unpack adds a layer. Of Probity's image it wants folders and files only: links and
// devices are faults.
func (c *Content) unpack(layer []byte, folder string) error {
	reader := tar.NewReader(bytes.NewReader(layer))
	for {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(header.Name) {
			return fmt.Errorf("%q leads out of the image", header.Name)
		}
		name, mode := filepath.Clean(header.Name), header.FileInfo().Mode()
		path := filepath.Join(folder, name)
		switch {
		case mode.IsDir():
			if err := os.MkdirAll(path, 0o755); err != nil {
				return err
			}
			c.Folders = append(c.Folders, name)
		case mode.IsRegular():
			content, err := io.ReadAll(reader)
			if err != nil {
				return err
			}
			if err := os.WriteFile(path, content, mode.Perm()); err != nil {
				return err
			}
			c.Files[name] = mode
		default:
			return fmt.Errorf("%s is neither a file nor a folder: %s", name, mode)
		}
	}
}

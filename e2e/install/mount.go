package install

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// keep remembers what a ConfigMap holds.
func (p *Probity) keep(object *unstructured.Unstructured) error {
	data, _, err := unstructured.NestedStringMap(object.Object, "data")
	if err != nil {
		return fmt.Errorf("ConfigMap %s: %w", object.GetName(), err)
	}
	if p.configs == nil {
		p.configs = map[string]map[string]string{}
	}
	p.configs[object.GetName()] = data
	return nil
}

// mount does for --config what the kubelet does for a volume: the file is written
// into a folder of this machine, and the flag, given once more, names it there.
func (p *Probity) mount(pod *corev1.PodSpec) error {
	for _, arg := range pod.Containers[0].Args {
		file, ok := strings.CutPrefix(arg, "--config=")
		if !ok {
			continue
		}
		content, err := p.mounted(pod, file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(p.configPath(), []byte(content), 0o600); err != nil {
			return err
		}
		p.args = append(p.args, "--config="+p.configPath())
	}
	return nil
}

// configPath is the configuration file of the program.
func (p *Probity) configPath() string { return filepath.Join(p.cluster.Dir(), "probity-config.yaml") }

// mounted returns what the container would find in the file.
func (p *Probity) mounted(pod *corev1.PodSpec, file string) (string, error) {
	for _, mount := range pod.Containers[0].VolumeMounts {
		if mount.MountPath != path.Dir(file) {
			continue
		}
		for _, volume := range pod.Volumes {
			if volume.Name != mount.Name || volume.ConfigMap == nil {
				continue
			}
			if content, ok := p.configs[volume.ConfigMap.Name][path.Base(file)]; ok {
				return content, nil
			}
		}
	}
	return "", fmt.Errorf("no volume of the Deployment holds %s", file)
}

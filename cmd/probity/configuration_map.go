package main

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// configMapKey is where the manifests' ConfigMap has the configuration.
const configMapKey = "config.yaml"

// inConfigMap returns the configuration that a manifest of a ConfigMap holds, moved
// down to the lines on which it stands there, and false for a file that is none: who
// edits the installation's has it in this form.
func inConfigMap(file []byte) ([]byte, bool) {
	var object struct {
		Kind string               `yaml:"kind"`
		Data map[string]yaml.Node `yaml:"data"`
	}
	if yaml.Unmarshal(file, &object) != nil || object.Kind != "ConfigMap" {
		return nil, false
	}
	node, ok := object.Data[configMapKey]
	if !ok || node.Kind != yaml.ScalarNode {
		return nil, false
	}
	above := node.Line
	if node.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
		above-- // the text begins on the line of its key
	}
	return []byte(strings.Repeat("\n", above) + node.Value), true
}

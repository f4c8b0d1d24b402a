package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/probity-dev/probity/validate/config"
)

// limits are what a default cannot tell of the legal values.
var limits = map[string]map[string]any{
	"scope":                     {"enum": []string{"opt-in", "cluster-wide"}},
	"failurePolicy":             {"enum": []string{"Ignore", "Fail"}},
	"timeoutSeconds":            {"minimum": 1, "maximum": 30},
	"certificates.issuer":       {"enum": []string{"self-managed", "cert-manager"}},
	"certificates.issuerRef":    {"properties": texts("name", "kind", "group"), "additionalProperties": false},
	"clientCertificates.names":  {"items": map[string]any{"type": "string", "minLength": 1}},
	"replicas":                  {"minimum": 1},
	"image.repository":          {"minLength": 1},
	"image.digest":              {"pattern": "^$|^sha256:[0-9a-f]{64}$"},
	"image.pullPolicy":          {"enum": []string{"", "Always", "IfNotPresent", "Never"}},
	"imagePullSecrets":          {"items": map[string]any{"type": "object", "properties": texts("name"), "additionalProperties": false}},
	"extraArgs":                 {"items": text},
	"nodeSelector":              {"additionalProperties": text},
	"podAnnotations":            {"additionalProperties": text},
	"labels":                    {"additionalProperties": text},
	"monitoring.labels":         {"additionalProperties": text},
	"tolerations":               {"items": map[string]any{"type": "object"}},
	"networkPolicy.metricsFrom": {"items": map[string]any{"type": "object"}},
}

var text = map[string]any{"type": "string"}

func texts(names ...string) map[string]any {
	properties := map[string]any{}
	for _, name := range names {
		properties[name] = text
	}
	return properties
}

// schema is that of the values. That of `config` is the configuration file's own.
func schema(all []value) (string, error) {
	properties, err := propertiesOf(all)
	if err != nil {
		return "", err
	}
	properties["global"] = map[string]any{"type": "object", "description": "What a chart that contains this one shares; not read."}
	out, err := json.MarshalIndent(map[string]any{
		"$schema": "http://json-schema.org/draft-07/schema#", "title": "Values of the chart probity",
		"type": "object", "properties": properties, "additionalProperties": false,
	}, "", "  ")
	return string(out) + "\n", err
}

func propertiesOf(all []value) (map[string]any, error) {
	properties := map[string]any{}
	for _, v := range all {
		property, err := v.schema()
		if err != nil {
			return nil, err
		}
		properties[v.name()] = property
	}
	return properties, nil
}

// name is the last part of the path.
func (v value) name() string { return v.path[strings.LastIndex(v.path, ".")+1:] }

func (v value) schema() (map[string]any, error) {
	if v.path == "config" {
		return configSchema(v.doc)
	}
	property := map[string]any{}
	if v.doc != "" {
		property["description"] = v.doc
	}
	if v.below != nil {
		properties, err := propertiesOf(v.below)
		property["type"], property["properties"], property["additionalProperties"] = "object", properties, false
		return property, err
	}
	types := map[string]string{"!!str": "string", "!!int": "integer", "!!bool": "boolean", "!!map": "object", "!!seq": "array"}
	kind, ok := types[v.node.Tag]
	if !ok {
		return nil, fmt.Errorf("manifests/chart/values.yaml: %s has a default of type %s", v.path, v.node.Tag)
	}
	property["type"], property["default"] = kind, defaultOf(v.node)
	maps.Copy(property, limits[v.path])
	return property, nil
}

func defaultOf(node *yaml.Node) any {
	var d any
	if err := node.Decode(&d); err != nil {
		return nil // It was read from the same text before.
	}
	return d
}

// configSchema is that of the file, without what the chart adds to it.
func configSchema(doc string) (map[string]any, error) {
	data, err := config.Schema()
	if err != nil {
		return nil, err
	}
	var file map[string]any
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	properties, ok := file["properties"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the schema of the configuration file has properties of type %T", file["properties"])
	}
	delete(properties, "apiVersion")
	delete(properties, "kind")
	return map[string]any{"description": doc, "type": "object", "default": map[string]any{}, "properties": properties, "additionalProperties": false}, nil
}

package main

import "io/fs"

// dashboard is the file of the chart that its template of a ConfigMap reads: a
// template cannot hold it, as Grafana's own templates look like Helm's.
const dashboard = "dashboard.json"

func dashboardOf(manifests fs.FS) (string, error) {
	text, err := fs.ReadFile(manifests, "monitoring/"+dashboard)
	return string(text), err
}

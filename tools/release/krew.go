package main

import (
	"fmt"
	"path"
	"strings"
	"text/template"
)

// krew fills in the template of the Krew plugin from the release's checksums. Its
// functions are those that the Krew index's release robot gives a template.
func krew(text, version, checksums string) (string, error) {
	sums := map[string]string{}
	for line := range strings.Lines(checksums) {
		sum, name, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !ok {
			return "", fmt.Errorf("checksums: %q is not a checksum, two spaces and a name", line)
		}
		sums[name] = sum
	}
	functions := template.FuncMap{
		"indent": func(spaces int, text string) string {
			return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", spaces))
		},
		"addURIAndSha": func(address, tag string) (string, error) {
			uri, err := execute(address, nil, tag)
			if err != nil {
				return "", err
			}
			sum, ok := sums[path.Base(uri)]
			if !ok {
				return "", fmt.Errorf("the release has no %s", path.Base(uri))
			}
			return "uri: " + uri + "\nsha256: " + sum, nil
		},
	}
	return execute(text, functions, version)
}

func execute(text string, functions template.FuncMap, tag string) (string, error) {
	t, err := template.New(".krew.yaml").Option("missingkey=error").Funcs(functions).Parse(text)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	err = t.Execute(&out, struct{ TagName string }{tag})
	return out.String(), err
}

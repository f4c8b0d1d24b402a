package workload

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxTemplateDepth bounds how deep a pod template is looked for: those of the kinds
// in use stand two to four members deep.
const maxTemplateDepth = 6

// unknownKind says why an object of a kind that is not read may be one that should be:
// it is a built-in kind with a word wrong, or holds a pod template. Empty for all else.
// It is for files, where nothing to judge looks like nothing found.
func (k *Kinds) unknownKind(object []byte, apiVersion, kind string) string {
	if k.Judged(apiVersion, kind) || !bytes.Contains(object, []byte(`"containers"`)) {
		return ""
	}
	path := templatePath(object, nil)
	if path == "" {
		return ""
	}
	const not = "holds a pod template and is not judged: "
	own := group(apiVersion)
	switch {
	case strings.Contains(own, "."): // the groups of Kubernetes' workloads have no dot
		return not + "name the kind in the configuration's kinds (group " + clip(own) + ", kind " + clip(kind) + ", templatePath " + clip(path) + ")"
	case k.groupOf(kind) != "":
		return not + "no " + clip(kind) + " is in apiVersion " + clip(apiVersion) + "; is one of the group " + k.groupOf(kind) + " meant?"
	case k.kindNear(own, kind) != "":
		return not + "no kind has that name; is " + k.kindNear(own, kind) + " meant?"
	default:
		return "" // a PodTemplate, which runs nothing
	}
}

// groupOf returns the group of Kubernetes' own workloads of a kind; empty for none,
// and for the core group.
func (k *Kinds) groupOf(kind string) string {
	for _, g := range [...]string{"apps", "batch"} {
		if _, ok := k.layouts[groupKind{g, kind}]; ok {
			return g
		}
	}
	return ""
}

// kindNear returns the kind of a group that a name was probably meant for.
func (k *Kinds) kindNear(group, kind string) string {
	var kinds []string
	for known := range k.layouts {
		if known.group == group {
			kinds = append(kinds, known.kind)
		}
	}
	slices.Sort(kinds)
	return nearest(kind, kinds)
}

// templatePath returns the path of the first pod template below an object that a
// configuration can name; empty for none. above are the members that lead to it.
func templatePath(object []byte, above []string) string {
	if len(above) > maxTemplateDepth {
		return ""
	}
	found := ""
	eachMember(object, func(name string, value jsontext.Value) {
		switch {
		case found != "" || value.Kind() != '{':
		case name == "spec" && len(above) > 0 && holdsContainers(value):
			found = strings.Join(above, ".")
		case name != "" && !strings.ContainsAny(name, ".[]/~ "):
			found = templatePath(value, append(above[:len(above):len(above)], name))
		}
	})
	return found
}

// holdsContainers reports whether an object is a pod spec: its containers have names, or
// images where the kind names them itself, as Knative's Service does. A schema or a
// policy has containers that are something else.
func holdsContainers(spec []byte) bool {
	containers, err := Items(spec, "/containers")
	if err != nil || len(containers) == 0 {
		return false
	}
	for _, c := range containers {
		if !hasText(c, "/name") && !hasText(c, "/image") {
			return false
		}
	}
	return true
}

// hasText reports whether a member is a string, and no pattern that a policy compares
// strings with.
func hasText(object []byte, member string) bool {
	value, err := Raw(object, member)
	return err == nil && value.Kind() == '"' && len(value) > len(`""`) && !bytes.ContainsAny(value, "*?")
}

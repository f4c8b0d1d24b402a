package workload

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// claims are what a document without kind or apiVersion has all the same of a
// Kubernetes object. Many a file has one of them and is none: a Helm chart has an
// apiVersion, a workflow may have a spec.
type claims struct {
	// apiVersion and kind are the members of that name, or of nearly that name, that
	// hold a string; empty where there is none.
	apiVersion, kind string
	version          string // what apiVersion holds
	body             bool   // metadata or spec holds an object
}

// claimsOf reads the members of a document that readHead could make nothing of.
func claimsOf(document []byte) claims {
	var c claims
	eachMember(document, func(name string, value jsontext.Value) {
		switch kind := value.Kind(); {
		case kind == '{' && (name == "metadata" || name == "spec"):
			c.body = true
		case kind != '"':
		case nearest(name, []string{"apiVersion"}) != "" && c.apiVersion != "apiVersion":
			c.apiVersion = name
			text, _ := jsontext.AppendUnquote(nil, value) // what was read once is legal
			c.version = string(text)
		case nearlyKind(name) && c.kind != "kind":
			c.kind = name
		}
	})
	return c
}

// nearlyKind is nearest for a word so short that two wrong letters make another.
func nearlyKind(name string) bool { return edits(strings.ToLower(name), "kind", 2) < 2 }

// meant reports whether the document was meant as a Kubernetes object, with a key
// misspelt or left out. Of a kustomization neither has to be there: kustomize fills
// them in.
func (c claims) meant(k *Kinds) bool {
	if group(c.version) == "kustomize.config.k8s.io" {
		return false
	}
	if c.apiVersion == "" {
		return c.body && strings.EqualFold(c.kind, "kind") // bind and find are words of their own
	}
	return c.kind != "" || c.body || k.knowsGroup(group(c.version))
}

// knowsGroup reports whether objects of a group may be judged. The core group has no
// name, and nor have the versions of much else.
func (k *Kinds) knowsGroup(name string) bool {
	if name == "" {
		return false
	}
	for known := range k.layouts {
		if known.group == name {
			return true
		}
	}
	return false
}

// missing says what the document lacks, and what may stand in its place.
func (c claims) missing(h head) string {
	const must = "; a Kubernetes object must have apiVersion and kind"
	version, kind := c.apiVersion, c.kind
	if version == "" && !strings.EqualFold(kind, "kind") {
		kind = "" // see meant
	}
	switch {
	case h.kind != "":
		return "is a " + clip(h.kind) + " without apiVersion" + must + misspelt(version, "apiVersion")
	case h.apiVersion != "":
		return "has apiVersion " + clip(h.apiVersion) + " and no kind" + must + misspelt(kind, "kind")
	case version != "" && kind != "":
		return "has no apiVersion and no kind" + must + ": are " + clip(version) + " and " + clip(kind) + " meant for them?"
	case version != "":
		return "has no apiVersion and no kind" + must + misspelt(version, "apiVersion")
	case kind != "":
		return "has no apiVersion and no kind" + must + misspelt(kind, "kind")
	default:
		return "is not a Kubernetes object: it has no apiVersion and no kind"
	}
}

func misspelt(name, meant string) string {
	if name == "" || name == meant {
		return ""
	}
	return ": is " + clip(name) + " meant for " + meant + "?"
}

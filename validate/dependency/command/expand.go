package command

import "strings"

// maxValue is the longest value that is kept, in bytes. It bounds variables that
// are built from one another.
const maxValue = 8 << 10

// word is one item of a command line.
type word struct {
	val string // its value, see symbol.go
	raw string // as the manifest writes it
}

// kubeletArgv expands $(VAR) as the kubelet does for exec probes: literal values
// of env expand, valueFrom becomes empty, unknown names stay as text, $$ is a
// dollar sign, and nothing is expanded twice
// (ExpandContainerCommandOnlyStatic in k8s.io/kubernetes/pkg/kubelet/container/helpers.go).
func (r *run) kubeletArgv(argv []string) []word {
	words := make([]word, len(argv))
	for i, arg := range argv {
		words[i] = word{val: plain(arg), raw: arg}
		if strings.IndexByte(arg, '$') >= 0 {
			words[i].val = r.dollars(words[i].val, r.staticReference)
		}
	}
	return words
}

// staticReference is what the kubelet puts in place of $(name) in a probe.
func (r *run) staticReference(name, text string) string {
	for i := len(r.req.Env) - 1; i >= 0; i-- {
		v := &r.req.Env[i]
		if v.Name != name {
			continue
		}
		if v.From != "" {
			return r.newSymbol(symbol{kind: symEmptied, origin: fromSource, name: name, text: text})
		}
		return plain(v.Value)
	}
	// Of lower-case names some are commands: $(hostname).
	if isVariableName(name) && name == strings.ToUpper(name) {
		return r.newSymbol(symbol{kind: symUnexpanded, name: name, text: text})
	}
	return text
}

// dollars replaces $(NAME) and $$ in a text
// (k8s.io/kubernetes/third_party/forked/golang/expansion).
func (r *run) dollars(text string, reference func(name, text string) string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 >= len(text) {
			b.WriteString(text)
			return truncate(b.String())
		}
		b.WriteString(text[:i])
		text = text[i:]
		switch text[1] {
		case '$':
			b.WriteByte('$')
			text = text[2:]
		case '(':
			end := strings.IndexByte(text, ')')
			if end < 0 {
				b.WriteString(text[:2])
				text = text[2:]
				continue
			}
			b.WriteString(reference(text[2:end], text[:end+1]))
			text = text[end+1:]
		default:
			b.WriteString(text[:2])
			text = text[2:]
		}
	}
}

// truncate keeps a script whole and anything longer than the bound out.
func truncate(value string) string {
	if len(value) > maxScript {
		return value[:maxScript]
	}
	return value
}

// isVariableName tells whether a shell takes the text for a variable's name.
func isVariableName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// maxReferences bounds how deep values of env refer to one another.
const maxReferences = 8

// variable returns the value that a program sees in its environment, and whether
// the manifest or the script sets it.
func (r *run) variable(name string) (string, bool) {
	if v, ok := r.vars[name]; ok {
		return v, true
	}
	return r.containerVariable(name, len(r.req.Env), 0)
}

// containerVariable looks a name up among the first n entries of env.
func (r *run) containerVariable(name string, n, depth int) (string, bool) {
	for i := n - 1; i >= 0; i-- {
		v := &r.req.Env[i]
		if v.Name != name {
			continue
		}
		if v.From != "" {
			return r.sourced(v), true
		}
		if strings.IndexByte(v.Value, '$') < 0 || depth >= maxReferences {
			return bounded(plain(v.Value)), true
		}
		// In env, unlike in a probe, $(NAME) has the real value of an
		// earlier entry.
		return bounded(r.dollars(plain(v.Value), func(ref, text string) string {
			value, ok := r.containerVariable(ref, i, depth+1)
			if !ok {
				return text
			}
			return value
		})), true
	}
	return r.implied(name)
}

func bounded(value string) string {
	if len(value) > maxValue {
		return value[:maxValue]
	}
	return value
}

// sourced is the value of a variable with valueFrom.
func (r *run) sourced(v *EnvVar) string {
	field, isField := strings.CutPrefix(v.From, "fieldRef:")
	switch {
	case !isField && v.From == "resourceFieldRef":
		return r.opaque("$" + v.Name)
	case !isField:
		return r.newSymbol(symbol{kind: symVar, origin: fromSource, name: v.Name, text: "$" + v.Name})
	}
	switch field {
	// A pod knows the node's address as its own only with hostNetwork.
	// Without it the node is no other replica's business either.
	case "status.podIP", "status.podIPs", "status.hostIP", "status.hostIPs", "metadata.name", "spec.nodeName":
		return r.selfValue("$" + v.Name)
	}
	return r.opaque("$" + v.Name)
}

// implied is the value of a variable that is there without the manifest's doing.
func (r *run) implied(name string) (string, bool) {
	switch {
	case name == "HOSTNAME":
		return r.selfValue("$HOSTNAME"), true
	case name == "KUBERNETES_SERVICE_HOST":
		return kubernetesHost, true
	case name == "KUBERNETES_SERVICE_PORT", name == "KUBERNETES_SERVICE_PORT_HTTPS":
		return "443", true
	// https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
	case strings.HasSuffix(name, "_SERVICE_HOST") || strings.HasSuffix(name, "_TCP_ADDR"):
		return r.newSymbol(symbol{kind: symVar, origin: fromLink, name: name, text: "$" + name}), true
	}
	return "", false
}

// unset is the value of a variable that nothing visible sets.
func (r *run) unset(name string) string {
	from := fromNowhere
	if r.mayHoldMore() {
		from = fromBulk
	}
	return r.newSymbol(symbol{kind: symVar, origin: from, name: name, text: "$" + name})
}

// mayHoldMore tells whether variables may be set that the manifest does not list.
func (r *run) mayHoldMore() bool { return r.req.EnvFrom || r.opaqueEnv }

package workload

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/probity-dev/probity/workload/jsonscan"
)

// unknownFields names what was probably meant for a field of a probe, or for a
// probe, and is none: the API server passes over it or refuses it, as the client
// asks, and the probe is not what its author thinks. A name that is like no field
// may be one of a later API and is not named. It is for files; at admission the API
// server has said so itself. The object is judged without them.
func unknownFields(w *Workload, object []byte) []Problem {
	if !suspicious(object) {
		return nil
	}
	var found []Problem
	// Each list is cut into its items once: to look each container up from the start
	// would take time that grows with the square of their number.
	lists := map[bool][]jsontext.Value{}
	for i := range w.Pod.Containers {
		c := &w.Pod.Containers[i]
		path := w.Pod.ContainerPath(c)
		if _, cut := lists[c.Sidecar]; !cut {
			lists[c.Sidecar], _ = Items(object, Pointer(path[:strings.LastIndexByte(path, '[')])) // decoded before, so it is one
		}
		if c.Index >= len(lists[c.Sidecar]) {
			continue
		}
		eachMember(lists[c.Sidecar][c.Index], func(name string, value jsontext.Value) {
			if slices.Contains(probeNames[:], name) {
				found = append(found, unknownOf(value, "a probe", path+"."+name)...)
			} else if near := nearest(name, probeNames[:]); near != "" {
				found = append(found, Problem{Path: memberPath(path, name), Message: "is not a field of a container and has no effect; is " + near + " meant?"})
			}
		})
	}
	return found
}

var probeNames = [...]string{"livenessProbe", "readinessProbe", "startupProbe"}

// fieldsOf returns the fields of a probe, or of one of its handlers; nil for what
// has no fields that are checked.
func fieldsOf(object string) []string {
	switch object {
	case "a probe":
		return probeFields[:]
	case "exec":
		return execFields[:]
	case "grpc":
		return grpcFields[:]
	case "httpGet":
		return httpGetFields[:]
	case "tcpSocket":
		return tcpSocketFields[:]
	default:
		return nil
	}
}

// The fields of v1.Probe and its handlers (k8s.io/api/core/v1).
var (
	probeFields = [...]string{
		"exec", "grpc", "httpGet", "tcpSocket", "initialDelaySeconds", "timeoutSeconds", "periodSeconds",
		"successThreshold", "failureThreshold", "terminationGracePeriodSeconds",
	}
	execFields      = [...]string{"command"}
	grpcFields      = [...]string{"port", "service"}
	httpGetFields   = [...]string{"path", "port", "host", "scheme", "httpHeaders"}
	tcpSocketFields = [...]string{"port", "host"}
)

func unknownOf(object jsontext.Value, of, path string) []Problem {
	var found []Problem
	legal := fieldsOf(of)
	eachMember(object, func(name string, value jsontext.Value) {
		if slices.Contains(legal, name) {
			if fieldsOf(name) != nil {
				found = append(found, unknownOf(value, name, path+"."+name)...)
			}
			return
		}
		if advice := adviceFor(name, legal); advice != "" {
			found = append(found, Problem{Path: memberPath(path, name), Message: "is not a field of " + of + " and has no effect; " + advice})
		}
	})
	return found
}

// adviceFor says what was probably meant; empty for what is like nothing known.
func adviceFor(name string, legal []string) string {
	if near := nearest(name, legal); near != "" {
		return "is " + near + " meant?"
	}
	for _, l := range legal {
		if len(name) >= 5 && len(name) < len(l) && strings.EqualFold(l[:len(name)], name) {
			return "is " + l + " meant?" // timeout, initialDelay
		}
	}
	for _, of := range [...]string{"a probe", "httpGet", "exec", "grpc", "tcpSocket"} {
		if slices.Contains(fieldsOf(of), name) {
			return "it is a field of " + of
		}
	}
	return ""
}

func memberPath(path, name string) string {
	field := fieldPath(jsontext.Pointer("").AppendToken(name))
	if strings.HasPrefix(field, "[") {
		return path + field
	}
	return path + "." + field
}

// eachMember calls each with the members of an object.
func eachMember(object []byte, each func(name string, value jsontext.Value)) {
	dec := jsontext.NewDecoder(bytesReader(object), decodeOptions)
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != '{' {
		return
	}
	for dec.PeekKind() == '"' {
		tok, err := dec.ReadToken()
		if err != nil {
			return
		}
		name := tok.String()
		value, err := dec.ReadValue()
		if err != nil {
			return
		}
		each(name, value)
	}
}

// suspicious reports whether an object may hold what unknownFields finds, wherever
// it stands: it reads the probes alone, which is cheap enough for every object.
func suspicious(object []byte) bool {
	scanner := jsonscan.New(nil)
	for rest := object; ; {
		i := bytes.Index(rest, []byte("rob"))
		if i < 0 {
			return false
		}
		from := bytes.LastIndexByte(rest[:i], '"')
		end := i + bytes.IndexByte(rest[i:], '"')
		if from < 0 || end < i {
			return false
		}
		name := rest[from+1 : end]
		rest = rest[end+1:]
		if !isProbe(name) {
			if len(name) <= 20 && nearest(string(name), probeNames[:]) != "" {
				return true
			}
			continue
		}
		if value, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(":")); ok {
			scanner.Reset(value)
			if oddMembers(scanner, "a probe") || !scanner.OK() {
				return true
			}
		}
	}
}

func isProbe(name []byte) bool {
	switch string(name) {
	case "livenessProbe", "readinessProbe", "startupProbe":
		return true
	default:
		return false
	}
}

// oddMembers reads an object and reports whether it has members beyond its fields.
func oddMembers(s *jsonscan.Scanner, of string) bool {
	if s.Peek() != '{' {
		s.Skip()
		return false
	}
	odd, legal := false, fieldsOf(of)
	s.Object(func(name []byte) {
		i := slices.IndexFunc(legal, func(l string) bool { return l == string(name) })
		if i < 0 {
			odd = true
		} else if fieldsOf(legal[i]) != nil {
			odd = oddMembers(s, legal[i]) || odd
			return
		}
		s.Skip()
	})
	return odd
}

// nearest returns the legal name that a name was probably meant to be: in other
// case, or with at most two letters wrong.
func nearest(name string, legal []string) string {
	best, fewest := "", 3
	for _, l := range legal {
		if n := edits(strings.ToLower(name), strings.ToLower(l), fewest); n < fewest && n < len(l)/2 {
			best, fewest = l, n
		}
	}
	return best
}

// edits counts the letters to insert, delete, replace or swap with the next to get
// from a to b; most when it is that or more.
func edits(a, b string, most int) int {
	if len(a)-len(b) >= most || len(b)-len(a) >= most {
		return most
	}
	var before, last, row []int
	for j := range len(b) + 1 {
		last = append(last, j)
	}
	for i := range len(a) {
		row = []int{i + 1}
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			n := min(last[j]+cost, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				n = min(n, before[j-1]+1)
			}
			row = append(row, n)
		}
		before, last = last, row
	}
	return min(last[len(b)], most)
}

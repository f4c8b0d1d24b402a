package workload

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Selector is a label selector. A ReplicationController's plain map is read as
// MatchLabels.
type Selector struct {
	MatchLabels      map[string]string
	MatchExpressions []Requirement
}

// Requirement is one matchExpressions entry.
type Requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"` // In, NotIn, Exists, DoesNotExist
	Values   []string `json:"values"`
}

// UnmarshalJSONFrom reads both forms in one pass: a member with a string is a
// label of the plain form.
func (s *Selector) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*s = Selector{}
	if dec.PeekKind() != '{' {
		tok, err := dec.ReadToken()
		if err != nil || tok.Kind() == 'n' {
			return err
		}
		return illegal("must be a label selector, or a map of labels", tok)
	}
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if err := s.member(dec, name.String()); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

func (s *Selector) member(dec *jsontext.Decoder, name string) error {
	switch kind := dec.PeekKind(); {
	case kind == '"':
		value, err := dec.ReadToken()
		if err != nil {
			return err
		}
		if s.MatchLabels == nil {
			s.MatchLabels = map[string]string{}
		}
		s.MatchLabels[name] = value.String()
		return nil
	case name == "matchLabels":
		return json.UnmarshalDecode(dec, &s.MatchLabels)
	case name == "matchExpressions":
		return json.UnmarshalDecode(dec, &s.MatchExpressions)
	default:
		return dec.SkipValue()
	}
}

// Empty reports whether the selector has no requirement: it selects everything.
func (s *Selector) Empty() bool { return len(s.MatchLabels) == 0 && len(s.MatchExpressions) == 0 }

// Matches reports whether the labels satisfy the selector. A nil selector
// matches nothing, an empty one everything. An unknown operator matches nothing,
// as the API server refuses it.
func (s *Selector) Matches(labels map[string]string) bool {
	if s == nil {
		return false
	}
	for k, v := range s.MatchLabels {
		if got, ok := labels[k]; !ok || got != v {
			return false
		}
	}
	for _, r := range s.MatchExpressions {
		if !r.matches(labels) {
			return false
		}
	}
	return true
}

// matches follows k8s.io/apimachinery/pkg/labels: NotIn holds for an absent key.
func (r *Requirement) matches(labels map[string]string) bool {
	value, ok := labels[r.Key]
	switch r.Operator {
	case "In":
		return ok && slices.Contains(r.Values, value)
	case "NotIn":
		return !ok || !slices.Contains(r.Values, value)
	case "Exists":
		return ok
	case "DoesNotExist":
		return !ok
	default:
		return false
	}
}

package webhook

import (
	"github.com/probity-dev/probity/workload/jsonscan"
)

// scanReview is json.Unmarshal for a review that is in order, which it reads in a
// fraction of the time (BenchmarkDecode). It reports false for any other, and the
// general decoder then reads it and says what is wrong.
func scanReview(body []byte, r *review) bool {
	s := jsonscan.New(body)
	s.Object(func(name []byte) {
		switch string(name) {
		case "apiVersion":
			r.APIVersion = s.String()
		case "kind":
			r.Kind = s.String()
		case "request":
			s.Object(func(name []byte) { r.Request.scan(s, name) })
		default:
			s.Skip()
		}
	})
	return s.OK() && s.AtEnd()
}

// scan is member, by hand.
func (r *request) scan(s *jsonscan.Scanner, name []byte) {
	switch string(name) {
	case "uid":
		r.UID = s.String()
	case "kind":
		r.Kind.scan(s)
	case "subResource":
		r.SubResource = s.String()
	case "name":
		r.Name = s.String()
	case "namespace":
		r.Namespace = s.String()
	case "operation":
		r.Operation = s.String()
	case "userInfo":
		r.User.scan(s)
	case "dryRun":
		r.DryRun = s.Bool()
	case "object":
		switch {
		case s.Null():
		case r.onePass && r.Kind.Kind != "":
			start := s.Offset()
			r.object = r.ruling.Kinds.Scan(s, r.Kind.apiVersion(), r.Kind.Kind)
			r.rawObject = r.body[start:s.Offset()]
		default:
			r.rawObject = s.Raw()
		}
	case "oldObject":
		if !s.Null() {
			r.rawOld = s.Raw()
		}
	default:
		s.Skip()
	}
}

func (g *groupVersionKind) scan(s *jsonscan.Scanner) {
	s.Object(func(name []byte) {
		switch string(name) {
		case "group":
			g.Group = s.String()
		case "version":
			g.Version = s.String()
		case "kind":
			g.Kind = s.String()
		default:
			s.Skip()
		}
	})
}

// maxUserGroups is how many groups of a user are read: more than anybody has, and as many
// as the general decoder reads of a list.
const maxUserGroups = 10_000

func (u *userInfo) scan(s *jsonscan.Scanner) {
	s.Object(func(name []byte) {
		switch string(name) {
		case "username":
			u.Username = s.String()
		case "groups":
			u.Groups = nil
			s.Array(func() {
				if len(u.Groups) == maxUserGroups {
					s.Skip()
					return
				}
				u.Groups = append(u.Groups, s.String())
			})
		case "uid":
			u.UID = s.String()
		case "extra":
			u.Extra = s.Raw()
		default:
			s.Skip()
		}
	})
}

package workload

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	wantPort         = "must be a port number or the name of a port"
	wantIntOrPercent = `must be a whole number or a percentage such as "25%"`
)

// Port is an int-or-string: a number, or the name of a port that the probed
// container declares. The zero value is an absent port.
type Port struct {
	Number int32
	Name   string
}

// String returns the name, or the number in decimal, or "" when absent.
func (p Port) String() string {
	switch {
	case p.Name != "":
		return p.Name
	case p.Number != 0:
		return strconv.Itoa(int(p.Number))
	default:
		return ""
	}
}

// UnmarshalJSONFrom reads a number or a string. A string of digits stays a name,
// as it does for the kubelet (k8s.io/kubernetes/pkg/probe/util.go).
func (p *Port) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*p = Port{}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	switch tok.Kind() {
	case 'n':
		return nil
	case '"':
		p.Name = tok.String()
		return nil
	case '0':
		n, err := strconv.ParseInt(tok.String(), 10, 32)
		if err != nil {
			return illegal(wantPort, tok)
		}
		p.Number = int32(n)
		return nil
	default:
		return illegal(wantPort, tok)
	}
}

// UnmarshalJSONFrom reads a number, a percentage ("25%") or a number as a string.
func (v *IntOrPercent) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	*v = IntOrPercent{}
	tok, err := dec.ReadToken()
	if err != nil {
		return err
	}
	quoted := false
	switch tok.Kind() {
	case 'n':
		return nil
	case '"':
		quoted = true
	case '0':
	default:
		return illegal(wantIntOrPercent, tok)
	}
	var ok bool
	if *v, ok = parseIntOrPercent(tok.String(), quoted); !ok {
		return illegal(wantIntOrPercent, tok)
	}
	return nil
}

// parseIntOrPercent reads the text of a number, or of a string.
func parseIntOrPercent(text string, quoted bool) (v IntOrPercent, ok bool) {
	digits := text
	if n := len(text); quoted && n > 0 && text[n-1] == '%' {
		v.Percent, digits = true, text[:n-1]
	}
	n, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return IntOrPercent{}, false
	}
	v.Text, v.Value = text, int32(n)
	return v, true
}

// illegalValue is the error of a decoder of this package: what is legal, and
// what stands there.
type illegalValue struct{ want, got string }

func (e *illegalValue) Error() string { return e.want + ", is " + e.got }

func illegal(want string, tok jsontext.Token) error {
	got := clip(tok.String())
	if tok.Kind() == '"' {
		got = fmt.Sprintf("%q", got)
	}
	return &illegalValue{want, got}
}

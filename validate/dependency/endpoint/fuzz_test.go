package endpoint

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/probity-dev/probity/validate/dependency"
)

func FuzzHTTP(f *testing.F) {
	for _, e := range Table() {
		for _, r := range examples(e) {
			f.Add(r.Path, r.Port, r.Image, "", "")
		}
	}
	f.Add("/%25%32%35%zz/../;a=b?x=%&=&&#", "http", "a/b:c@d", "X-Health-Check", "liveness")
	f.Add("http://[::1]:80?deep", "", "--__..", "", "\x00")
	f.Add(strings.Repeat("/health/db", 40)+"?"+strings.Repeat("a=b&", 20), "", "", "", "")
	f.Fuzz(func(t *testing.T, path, port, image, name, value string) {
		r := Request{Path: path, Port: port, Image: image, Headers: []Header{{name, value}}}
		got := HTTP(r)
		checkAnswer(t, got)

		// The same address in other letters, and with a slash at its end,
		// is the same address.
		r.Path = mapCase(path, 'a', 'z', 'A')
		upper := HTTP(r)
		r.Path = mapCase(path, 'A', 'Z', 'a')
		lower := HTTP(r)
		if diff := cmp.Diff(judgementOf(lower), judgementOf(upper)); diff != "" {
			t.Errorf("%q in upper case (-lower +upper):\n%s", path, diff)
		}
		if strings.ContainsAny(path, "?#;%:") {
			return
		}
		r.Path = path + "/"
		if diff := cmp.Diff(judgementOf(got), judgementOf(HTTP(r))); diff != "" {
			t.Errorf("%q with a slash (-without +with):\n%s", path, diff)
		}
	})
}

func FuzzGRPC(f *testing.F) {
	for _, s := range []string{"", "health.Database", "a/b.c-d_e", "...", "redis", "isReady", "0ReAdY", "\xff/\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, service string) {
		checkAnswer(t, GRPC(service))
		lower := GRPC(mapCase(service, 'A', 'Z', 'a'))
		upper := GRPC(mapCase(service, 'a', 'z', 'A'))
		if diff := cmp.Diff(judgementOf(lower), judgementOf(upper)); diff != "" {
			t.Errorf("%q in upper case (-lower +upper):\n%s", service, diff)
		}
	})
}

// mapCase moves the letters from first to last to the range that starts at to.
func mapCase(s string, first, last, to byte) string {
	b := []byte(s)
	for i, c := range b {
		if first <= c && c <= last {
			b[i] = c - first + to
		}
	}
	return string(b)
}

func checkAnswer(t *testing.T, a dependency.Answer) {
	t.Helper()
	if len(a.Evidence) > 120 || !utf8.ValidString(a.Evidence) || strings.ContainsFunc(a.Evidence, unicode.IsControl) {
		t.Errorf("evidence %q must be at most 120 bytes of valid UTF-8 without control characters", a.Evidence)
	}
	if (a.Scope == dependency.Shared || a.Readiness || a.Generic) && a.Asks == "" {
		t.Errorf("answer %+v does not say what is asked", a)
	}
	if a.Scope == dependency.Shared && a.Generic {
		t.Errorf("answer %+v is generic and a dependency", a)
	}
}

func TestEvidenceFitsAMessage(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"as it is written":            {"/health/db", "/health/db"},
		"other scripts are kept":      {"/gesundheit/größe", "/gesundheit/größe"},
		"control characters are not":  {"/health\x1b[31m\u0085", "/health\ufffd[31m\ufffd"},
		"bytes that are no text":      {"/a\xff", "/a\ufffd"},
		"exactly as long as it may":   {strings.Repeat("a", 120), strings.Repeat("a", 120)},
		"one byte too long":           {strings.Repeat("a", 121), strings.Repeat("a", 117) + "..."},
		"no character is cut":         {strings.Repeat("ö", 70), strings.Repeat("ö", 58) + "..."},
		"one that fits in other text": {strings.Repeat("ö", 60), strings.Repeat("ö", 60)},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, evidence(test.in)); diff != "" {
				t.Errorf("evidence (-want +got):\n%s", diff)
			}
		})
	}
}

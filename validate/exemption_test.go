package validate

import "testing"

func TestGlobs(t *testing.T) {
	tests := map[Glob]struct{ fit, differ []string }{
		"app":      {[]string{"app"}, []string{"", "apps", "my-app", "App"}},
		"app-*":    {[]string{"app-", "app-1"}, []string{"app", "my-app-1"}},
		"*-app":    {[]string{"-app", "my-app"}, []string{"app", "my-app-1"}},
		"a*c":      {[]string{"ac", "abc", "abcc"}, []string{"a", "acb"}},
		"aa*aa":    {[]string{"aaaa", "aabaa"}, []string{"aaa", "aa"}},
		"*a*b*":    {[]string{"ab", "xaxbx", "aab"}, []string{"ba", "a", ""}},
		"*":        {[]string{"", "a"}, nil},
		"**":       {[]string{"", "a"}, nil},
		"a.[b]?":   {[]string{"a.[b]?"}, []string{"axb"}},
		"r.io/*:1": {[]string{"r.io/a/b:1"}, []string{"r.io/a/b:1@sha256:0"}},
	}
	for glob, tt := range tests {
		for _, s := range tt.fit {
			if !glob.Match(s) {
				t.Errorf("%q does not match %q", glob, s)
			}
		}
		for _, s := range tt.differ {
			if glob.Match(s) {
				t.Errorf("%q matches %q", glob, s)
			}
		}
	}
}

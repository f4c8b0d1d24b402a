// Package secret leaves out of what is quoted from a manifest what nobody else may
// read: passwords of URLs, and values whose names say that they are secret. What is
// quoted ends up in logs, in reports and in other people's terminals.
package secret

import (
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

// Hidden stands for what is left out.
const Hidden = "***"

// Hide leaves out passwords and named values of a command's item, a URL or a path:
// "http://app:***@db/x", "Authorization: ***", "/health?full=true&token=***",
// "host=db password=***", and within quotes as Code does. A variable tells no secret,
// and stays.
func Hide(text string) string {
	if !strings.ContainsAny(text, "?=:"+quotes) {
		return text // nothing is named; the usual case
	}
	return named(Userinfo(quoted(text, maxDepth)))
}

// Userinfo leaves out the passwords in the URLs of a text. It allocates only when
// there is one, and goes through the text once: a script may be megabytes of URLs.
func Userinfo(text string) string {
	var b strings.Builder
	kept := 0 // how much of the text is in b
	for from := 0; ; {
		scheme := strings.Index(text[from:], "://")
		if scheme < 0 {
			break
		}
		from += scheme + len("://")
		end := len(text)
		if i := strings.IndexAny(text[from:], "/?# \"'"); i >= 0 {
			end = from + i
		}
		at := strings.LastIndexByte(text[from:end], '@')
		if user, password, ok := strings.Cut(text[from:from+max(at, 0)], ":"); ok {
			b.WriteString(text[kept : from+len(user)+1])
			b.WriteString(hidden(password))
			kept = from + at
		}
		from = end
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

func hidden(value string) string {
	if strings.IndexByte(value, '$') >= 0 && variables.MatchString(value) {
		return value
	}
	return Hidden
}

// variables are values of nothing but variables and the output of commands, perhaps
// behind the scheme of a header: "Bearer $TOKEN", "$(USER):${PASSWORD}". A dollar sign
// alone makes no variable: many a password has one.
var variables = regexp.MustCompile(`^(?i:bearer |basic |token )?(\$\([^()]*\)|\$\{\w+\}|\$(?i:env:)?\w+|[^\w$])*$`)

// named leaves out what a header, a query, a flag or a parameter of a path or of a
// connection names as secret.
func named(text string) string {
	if name, value, ok := strings.Cut(text, ": "); ok && !strings.ContainsAny(name, "?&/") && IsName(name[strings.LastIndexByte(name, '=')+1:]) {
		end := ""
		if last := text[len(text)-1]; last == '"' || last == '\'' {
			end = string(last)
		}
		return parameters(name) + ": " + hidden(value) + end
	}
	path, query, asks := strings.Cut(text, "?")
	told := parameters(path)
	if !asks {
		return told
	}
	if rest := pairs(query, "&;?#"); rest != query || told != path {
		return told + "?" + rest
	}
	return text
}

// parameters leaves out values of a path's parameters, or of a connection's.
func parameters(text string) string {
	if strings.IndexByte(text, ';') >= 0 {
		return pairs(text, ";/")
	}
	return pairs(text, " \t\n")
}

// pairs leaves out values of what stands between separators as name=value. It
// allocates only when there is something to leave out.
func pairs(text, separators string) string {
	var b strings.Builder
	kept := 0 // how much of the text is in b
	for from := 0; from < len(text); {
		to := len(text)
		if i := strings.IndexAny(text[from:], separators); i >= 0 {
			to = from + i
		}
		if start := from + valueOf(text[from:to]); start > from && start < to {
			value := text[start:to]
			if last := value[len(value)-1]; last == '"' || last == '\'' {
				value = value[:len(value)-1] // of the shell, or of a string in code
			}
			b.WriteString(text[kept:start])
			b.WriteString(hidden(value))
			kept = start + len(value)
		}
		from = to + 1
	}
	if kept == 0 {
		return text
	}
	b.WriteString(text[kept:])
	return b.String()
}

// valueOf is where the value of name=value begins whose name says that it is secret, or
// 0. The first one may have blanks in its name, and others behind it, since what stands
// between semicolons may be parameters between blanks: "host=db password=***;".
func valueOf(text string) int {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], '=')
		if i < 0 {
			return 0
		}
		name := text[from : from+i]
		if from > 0 {
			name = name[strings.LastIndexAny(name, " \t\n")+1:]
		}
		from += i + 1
		if IsName(decoded(name)) {
			return from
		}
	}
}

// decoded is a name as the server reads it.
func decoded(name string) string {
	if plain, err := url.QueryUnescape(name); err == nil {
		return plain
	}
	return name
}

// parts of a name that make it one of a secret, whatever stands around them.
var parts = [...]string{
	"authorization", "token", "secret", "passw", "passphrase", "apikey", "accesskey", "authkey", "privatekey",
	"cookie", "credential", "signature", "session",
}

// words make a name one of a secret when they stand alone: "key" and "access-key"
// are, "keyspace" and "monkey" are not.
var words = [...]string{"key", "auth", "pass", "pwd", "sig", "jwt", "sas"}

// IsName reports whether a name says that its value is nobody's business.
func IsName(name string) bool {
	name = strings.TrimLeft(name, "\"' -")
	lower := strings.ToLower(name)
	for _, part := range parts {
		if strings.Contains(lower, part) {
			return true
		}
	}
	for _, word := range words {
		if hasWord(name, lower, word) {
			return true
		}
	}
	return false
}

// hasWord reports whether the word stands in a name between characters that are no
// letters, the ends, or a change of case.
func hasWord(name, lower, word string) bool {
	if len(name) != len(lower) {
		return false // letters whose other case has another length; no such name is known
	}
	for from := 0; ; {
		i := strings.Index(lower[from:], word)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(word)
		begins := i == 0 || !letter(name[i-1]) || upper(name[i]) && !upper(name[i-1])
		ends := end == len(name) || !letter(name[end]) || upper(name[end]) && !upper(name[end-1])
		if begins && ends {
			return true
		}
		from = i + 1
	}
}

func letter(b byte) bool { return unicode.IsLetter(rune(b)) }

func upper(b byte) bool { return 'A' <= b && b <= 'Z' }

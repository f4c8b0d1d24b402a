// Package jsonscan reads JSON text that is known to be in order nearly always,
// without looking at types by reflection. It gives up on whatever is not plain:
// then a general decoder reads the same text and says what is wrong with it. So a
// Scanner may refuse what is legal, and never accepts what is not.
//
// It is there for speed alone: decoding is most of what a review costs, and
// BenchmarkDecode of package webhook shows what this saves.
package jsonscan

import (
	"math"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Scanner reads a text from its start. Each method reads one value, or gives up;
// once it has given up, every method returns the zero value at once.
type Scanner struct {
	data   []byte
	pos    int
	failed bool
	// seen holds short strings that have come before: manifests say the same
	// over and over, and each would be an allocation.
	seen [64]string
}

// maxSeen is how long a string may be to be kept.
const maxSeen = 32

// New returns a scanner of data, which must not change while it is used.
func New(data []byte) *Scanner { return &Scanner{data: data} }

// Reset has the scanner read another text.
func (s *Scanner) Reset(data []byte) { s.data, s.pos, s.failed = data, 0, false }

// OK reports whether the scanner has not given up.
func (s *Scanner) OK() bool { return !s.failed }

// Fail gives up.
func (s *Scanner) Fail() { s.failed, s.pos = true, len(s.data) }

// Offset returns how many bytes have been read.
func (s *Scanner) Offset() int { return s.pos }

// AtEnd reports whether nothing but white space is left.
func (s *Scanner) AtEnd() bool { return s.Peek() == 0 && s.pos == len(s.data) }

// Peek returns the first byte of the next value or sign, and 0 at the end.
func (s *Scanner) Peek() byte {
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// accept reads one sign.
func (s *Scanner) accept(sign byte) bool {
	if s.Peek() != sign {
		s.Fail()
		return false
	}
	s.pos++
	return true
}

// Null reads null, if that comes next.
func (s *Scanner) Null() bool {
	return s.Peek() == 'n' && s.literal("null")
}

// literal reads a word.
func (s *Scanner) literal(word string) bool {
	if len(s.data)-s.pos < len(word) || string(s.data[s.pos:s.pos+len(word)]) != word {
		s.Fail()
		return false
	}
	s.pos += len(word)
	return true
}

// Object reads an object and calls member for each member; member must read the
// value. The name is lent until member returns.
func (s *Scanner) Object(member func(name []byte)) {
	if !s.accept('{') {
		return
	}
	if s.Peek() == '}' {
		s.pos++
		return
	}
	for {
		name := s.plain()
		if !s.accept(':') {
			return
		}
		member(name)
		if s.last('}') {
			return
		}
	}
}

// Array reads an array and calls item for each item; item must read the value.
func (s *Scanner) Array(item func()) {
	if !s.accept('[') {
		return
	}
	if s.Peek() == ']' {
		s.pos++
		return
	}
	for {
		item()
		if s.last(']') {
			return
		}
	}
}

// last reads what follows a member or an item, and reports whether that was the
// last one.
func (s *Scanner) last(closing byte) bool {
	switch s.Peek() {
	case ',':
		s.pos++
		return false
	case closing:
		s.pos++
	default:
		s.Fail()
	}
	return true
}

// plain reads a string without escapes and returns what is between the quotes.
func (s *Scanner) plain() []byte {
	if !s.accept('"') {
		return nil
	}
	start := s.pos
	if end := s.stop(); end != '"' {
		s.Fail()
		return nil
	}
	text := s.data[start:s.pos]
	s.pos++
	return text
}

// stop goes on to the next quote, backslash or control character, and returns it;
// 0 at the end.
func (s *Scanner) stop() byte {
	for i := s.pos; i < len(s.data); i++ {
		if c := s.data[i]; c == '"' || c == '\\' || c < ' ' {
			s.pos = i
			return c
		}
	}
	s.pos = len(s.data)
	return 0
}

// String reads a string.
func (s *Scanner) String() string {
	if s.Peek() != '"' {
		s.Fail()
		return ""
	}
	quoted, escaped := s.quoted()
	switch {
	case s.failed:
		return ""
	case escaped:
		text, err := jsontext.AppendUnquote(nil, quoted)
		if err != nil { // half of a surrogate pair, or no UTF-8
			s.Fail()
			return ""
		}
		return string(text)
	default:
		return s.Text(quoted[1 : len(quoted)-1])
	}
}

// Text returns bytes that were lent as a string; it gives up on what is not UTF-8.
func (s *Scanner) Text(lent []byte) string {
	if len(lent) == 0 {
		return ""
	}
	seen := &s.seen[place(lent)]
	if *seen == string(lent) {
		return *seen
	}
	if !utf8.Valid(lent) {
		s.Fail()
		return ""
	}
	text := string(lent)
	if len(text) <= maxSeen {
		*seen = text
	}
	return text
}

// quoted reads a string and returns it with its quotes.
func (s *Scanner) quoted() (text []byte, escaped bool) {
	start := s.pos
	s.pos++
	for {
		switch s.stop() {
		case '"':
			s.pos++
			return s.data[start:s.pos], escaped
		case '\\':
			escaped = true
			if !s.escape() {
				s.Fail()
				return nil, false
			}
		default:
			s.Fail()
			return nil, false
		}
	}
}

// escape reads a backslash and what belongs to it.
func (s *Scanner) escape() bool {
	if s.pos+1 >= len(s.data) {
		return false
	}
	switch s.data[s.pos+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.pos += 2
		return true
	case 'u':
		if s.pos+6 > len(s.data) {
			return false
		}
		for _, c := range s.data[s.pos+2 : s.pos+6] {
			if !isHex(c) {
				return false
			}
		}
		s.pos += 6
		return true
	default:
		return false
	}
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// Bool reads true or false.
func (s *Scanner) Bool() bool {
	if s.Peek() == 't' {
		return s.literal("true")
	}
	s.literal("false")
	return false
}

// Int reads a whole number of at most 18 digits that is written as such: without
// fraction or exponent.
func (s *Scanner) Int() int64 {
	number := s.Number()
	negative := len(number) > 0 && number[0] == '-'
	if negative {
		number = number[1:]
	}
	if len(number) > 18 || negative && string(number) == "0" {
		s.Fail()
		return 0
	}
	var n int64
	for _, c := range number {
		if c < '0' || c > '9' {
			s.Fail()
			return 0
		}
		n = 10*n + int64(c-'0')
	}
	if negative {
		return -n
	}
	return n
}

// Int32 is Int for a number of 32 bits.
func (s *Scanner) Int32() int32 {
	n := s.Int()
	if n < math.MinInt32 || n > math.MaxInt32 {
		s.Fail()
		return 0
	}
	return int32(n)
}

// place is where a text is kept: texts that differ mostly have places of their own.
func place(text []byte) int {
	n := len(text)
	return (7*n + 3*int(text[0]) + int(text[n/2]) + 5*int(text[n-1])) % len(Scanner{}.seen)
}

package jsonscan

// maxDepth is how deeply what is skipped may be nested; Kubernetes' own types
// stay far below it.
const maxDepth = 64

// Skip reads a value of any form.
func (s *Scanner) Skip() {
	// A bit for each level of nesting: 1 for an object.
	var objects uint64
	depth := 0
	for {
		switch c := s.Peek(); c {
		case '{', '[':
			s.pos++
			if s.Peek() == closing(c == '{') {
				s.pos++
				break
			}
			if depth == maxDepth {
				s.Fail()
				return
			}
			depth++
			objects <<= 1
			if c == '{' {
				objects |= 1
				s.name()
			}
			continue
		case '"':
			s.quoted()
		case 't':
			s.literal("true")
		case 'f':
			s.literal("false")
		case 'n':
			s.literal("null")
		default:
			s.Number()
		}
		// A value has ended, and perhaps those that hold it.
		for depth > 0 && s.last(closing(objects&1 == 1)) {
			depth--
			objects >>= 1
		}
		if depth == 0 || s.failed {
			return
		}
		if objects&1 == 1 {
			s.name()
		}
	}
}

func closing(object bool) byte {
	if object {
		return '}'
	}
	return ']'
}

// name reads the name of a member and its colon.
func (s *Scanner) name() {
	if s.Peek() != '"' {
		s.Fail()
		return
	}
	s.quoted()
	s.accept(':')
}

// Raw reads a value of any form and returns its bytes, which are part of the
// text.
func (s *Scanner) Raw() []byte {
	s.Peek()
	start := s.pos
	s.Skip()
	if s.failed {
		return nil
	}
	return s.data[start:s.pos:s.pos]
}

// Number reads a number and returns its bytes, which are part of the text.
func (s *Scanner) Number() []byte {
	s.Peek()
	start := s.pos
	if s.at('-') {
		s.pos++
	}
	if s.at('0') {
		s.pos++
	} else if s.digits() == 0 {
		s.Fail()
		return nil
	}
	if s.at('.') {
		s.pos++
		if s.digits() == 0 {
			s.Fail()
			return nil
		}
	}
	if s.at('e') || s.at('E') {
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		if s.digits() == 0 {
			s.Fail()
			return nil
		}
	}
	return s.data[start:s.pos:s.pos]
}

func (s *Scanner) at(sign byte) bool { return s.pos < len(s.data) && s.data[s.pos] == sign }

// digits reads digits and returns how many those were.
func (s *Scanner) digits() (n int) {
	for ; s.pos < len(s.data) && s.data[s.pos] >= '0' && s.data[s.pos] <= '9'; n++ {
		s.pos++
	}
	return n
}

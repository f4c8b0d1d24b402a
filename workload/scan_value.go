package workload

import "github.com/probity-dev/probity/workload/jsonscan"

// What null, absent members and members that come twice do follows the general
// decoder: null is the zero value, and an object that comes again adds to what is
// there.

func scanStruct[T any](s *jsonscan.Scanner, v *T, member func(name []byte)) {
	if s.Null() {
		var zero T
		*v = zero
		return
	}
	s.Object(member)
}

// scanPath reads an object of which only one member counts.
func scanPath[T any](s *jsonscan.Scanner, v *T, only string, value func()) {
	scanStruct(s, v, func(name []byte) {
		if string(name) == only {
			value()
			return
		}
		s.Skip()
	})
}

func scanPointer[T any](s *jsonscan.Scanner, v **T, value func(*T, *jsonscan.Scanner)) {
	if s.Null() {
		*v = nil
		return
	}
	if *v == nil {
		*v = new(T)
	}
	value(*v, s)
}

func scanList[T any](s *jsonscan.Scanner, v *[]T, item func(*T, *jsonscan.Scanner)) {
	if s.Null() {
		*v = nil
		return
	}
	list := []T{}
	s.Array(func() {
		if len(list) == maxItems {
			s.Skip()
			return
		}
		var zero T
		list = append(list, zero)
		item(&list[len(list)-1], s)
	})
	*v = list
}

func scanMap(s *jsonscan.Scanner, v *map[string]string) {
	if s.Null() {
		*v = nil
		return
	}
	if *v == nil {
		*v = map[string]string{}
	}
	s.Object(func(name []byte) {
		key := s.Text(name)
		var value string
		scanString(s, &value)
		(*v)[key] = value
	})
}

func scanString(s *jsonscan.Scanner, v *string) {
	if s.Null() {
		*v = ""
		return
	}
	*v = s.String()
}

// scanText is scanString as an item of a list.
func scanText(v *string, s *jsonscan.Scanner) { scanString(s, v) }

func scanBool(s *jsonscan.Scanner, v *bool) {
	if s.Null() {
		*v = false
		return
	}
	*v = s.Bool()
}

func scanInt32(v *int32, s *jsonscan.Scanner) {
	if s.Null() {
		*v = 0
		return
	}
	*v = s.Int32()
}

func scanInt64(v *int64, s *jsonscan.Scanner) {
	if s.Null() {
		*v = 0
		return
	}
	*v = s.Int()
}

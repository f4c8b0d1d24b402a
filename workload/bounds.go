package workload

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxItems is how many items of a list are read, of containers and of whatever they
	// list. What follows is passed over: an item of two bytes takes hundreds in memory, so
	// that one request could take all there is.
	maxItems = 10_000
	// maxPortProblems bounds what is said of ports' names in one object.
	maxPortProblems = 1_000
)

// boundLists makes the general decoder read no more of each list than scanList does.
func boundLists() *json.Unmarshalers {
	return json.JoinUnmarshalers(
		bound[Container](), bound[ContainerPort](), bound[EnvVar](), bound[EnvFrom](), bound[HTTPHeader](),
		bound[Owner](), bound[Requirement](), bound[string](),
	)
}

func bound[T any]() *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(dec *jsontext.Decoder, v *[]T) error {
		if dec.PeekKind() != '[' {
			return errors.ErrUnsupported // as if this were not here
		}
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
		list := []T{}
		for dec.PeekKind() != ']' {
			if len(list) == maxItems {
				if err := dec.SkipValue(); err != nil {
					return err
				}
				continue
			}
			var zero T
			list = append(list, zero)
			if err := json.UnmarshalDecode(dec, &list[len(list)-1]); err != nil {
				return err
			}
		}
		*v = list
		_, err := dec.ReadToken()
		return err
	})
}

// boundProblems says where containers were passed over.
func (s *podSpec) boundProblems(path string) (problems []Problem) {
	for _, list := range [...]struct {
		name  string
		items []Container
	}{{"containers", s.Containers}, {"initContainers", s.InitContainers}} {
		if len(list.items) == maxItems {
			problems = append(problems, Problem{
				Path: path + "." + list.name, Message: fmt.Sprintf("lists %d or more; only the first %d are read", maxItems, maxItems),
			})
		}
	}
	return problems
}

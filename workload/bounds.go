package workload

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// How many items of a list are read. What follows is passed over: an item of two bytes
// takes hundreds in memory, and each container brings findings of its own, so that one
// request could take all memory there is.
const (
	// maxContainers is for containers and for init containers. A kubelet starts some
	// hundred pods, and nobody writes a pod of as many containers.
	maxContainers = 1_000
	// maxItems is for all other lists: ports, arguments, variables, headers, owners.
	maxItems = 10_000
	// maxPortProblems bounds what is said of ports' names in one object.
	maxPortProblems = 1_000
)

// most returns how many items of a list are read.
func most[T any]() int {
	var item any = (*T)(nil)
	if _, ok := item.(*Container); ok {
		return maxContainers
	}
	return maxItems
}

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
			if len(list) == most[T]() {
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
		if len(list.items) == maxContainers {
			problems = append(problems, Problem{
				Path: path + "." + list.name, Message: fmt.Sprintf("lists %d or more; only the first %d are read", maxContainers, maxContainers),
			})
		}
	}
	return problems
}

package workload

import "fmt"

// initProblems notes the fields of plain init containers that the API server refuses.
// The model leaves these containers out. Source: validateInitContainers of
// pkg/apis/core/validation, Kubernetes v1.37.
func (s *podSpec) initProblems(podPath string) []Problem {
	var found []Problem
	for i := range s.InitContainers {
		c := &s.InitContainers[i]
		if c.RestartPolicy == "Always" {
			continue
		}
		for _, field := range [...]struct {
			name string
			set  bool
		}{
			{"lifecycle", bool(c.Lifecycle)},
			{Liveness.Field(), c.Liveness != nil},
			{Readiness.Field(), c.Readiness != nil},
			{Startup.Field(), c.Startup != nil},
		} {
			if field.set {
				found = append(found, Problem{
					Path:    fmt.Sprintf("%s.initContainers[%d].%s", podPath, i, field.name),
					Message: "is set; an init container must not have it unless its restartPolicy is Always",
				})
			}
		}
	}
	return found
}

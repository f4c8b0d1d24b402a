package command

import (
	"github.com/probity-dev/probity/validate/dependency"
	"github.com/probity-dev/probity/validate/dependency/endpoint"
)

// builtinEndpoints answers by the built-in table of package endpoint.
type builtinEndpoints struct{}

func (builtinEndpoints) HTTP(r endpoint.Request) dependency.Answer { return endpoint.HTTP(r) }
func (builtinEndpoints) GRPC(service string) dependency.Answer     { return endpoint.GRPC(service) }

package workload

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// later is a value whose decoding is put off. The environment is the longest part
// of most containers, and matters only to probes that run a command: leaving it
// where no probe does saves a quarter of the allocations of a review (BenchmarkDecode).
type later []byte

func (l *later) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	value, err := dec.ReadValue()
	if err != nil || value.Kind() == 'n' {
		return err
	}
	*l = bytes.Clone(value) // the decoder only lends it
	return nil
}

// decode reads the value that stands at path of the object. Its errors name the
// place in the object, as those of a decoding in one go would.
func (l later) decode(path string, into any) error {
	if len(l) == 0 {
		return nil
	}
	err := json.Unmarshal(l, into, decodeOptions)
	var mistyped *json.SemanticError
	if errors.As(err, &mistyped) {
		mistyped.JSONPointer = jsontext.Pointer(Pointer(path)) + mistyped.JSONPointer
	}
	return err
}

// readEnvironment decodes the environment of containers with an exec probe.
func (w *Workload) readEnvironment() error {
	for i := range w.Pod.Containers {
		c := &w.Pod.Containers[i]
		if c.runsCommand() {
			path := w.Pod.ContainerPath(c)
			if err := c.RawEnv.decode(path+".env", &c.Env); err != nil {
				return err
			}
			if err := c.RawEnvFrom.decode(path+".envFrom", &c.EnvFrom); err != nil {
				return err
			}
		}
		c.RawEnv, c.RawEnvFrom = nil, nil
	}
	return nil
}

func (c *Container) runsCommand() bool {
	for _, t := range ProbeTypes {
		if p := c.Probe(t); p != nil && p.Exec != nil {
			return true
		}
	}
	return false
}

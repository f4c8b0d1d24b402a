package install

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// PeakMemory is the most memory, in bytes, that was resident since the program began.
// It needs Linux.
func (p *Probity) PeakMemory() (float64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process == nil {
		return 0, errors.New("probity does not run")
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.process.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		var kib float64
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kib); err == nil {
			return kib * 1024, nil
		}
	}
	return 0, errors.New("the system does not say how much memory probity had")
}

package workload

import "time"

// ProbeType is one of the three probes of a container.
type ProbeType uint8

// The probe types, in the order in which Probity reports them.
const (
	Liveness ProbeType = iota
	Readiness
	Startup
)

// ProbeTypes are all three, in order.
var ProbeTypes = [...]ProbeType{Liveness, Readiness, Startup}

// String returns "liveness", "readiness" or "startup".
func (t ProbeType) String() string { return [...]string{"liveness", "readiness", "startup"}[t] }

// Field returns the API field: "livenessProbe", "readinessProbe", "startupProbe".
func (t ProbeType) Field() string {
	return [...]string{"livenessProbe", "readinessProbe", "startupProbe"}[t]
}

// Probe is one probe with the API's defaults applied. Seconds are the API's
// fields; the methods give durations.
type Probe struct {
	HTTPGet   *HTTPGet   `json:"httpGet"`
	TCPSocket *TCPSocket `json:"tcpSocket"`
	Exec      *Exec      `json:"exec"`
	GRPC      *GRPC      `json:"grpc"`

	InitialDelaySeconds int32 `json:"initialDelaySeconds"`
	TimeoutSeconds      int32 `json:"timeoutSeconds"`
	PeriodSeconds       int32 `json:"periodSeconds"`
	SuccessThreshold    int32 `json:"successThreshold"`
	FailureThreshold    int32 `json:"failureThreshold"`
	// TerminationGracePeriodSeconds replaces the pod's for a kill by this
	// probe; nil: the pod's own.
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds"`

	// Invalid is set when a Problem names this probe: it cannot be judged.
	Invalid bool `json:"-"`
}

// HTTPGet asks for a status from 200 to 399.
type HTTPGet struct {
	Path    string       `json:"path"`
	Port    Port         `json:"port"`
	Host    string       `json:"host"`
	Scheme  string       `json:"scheme"`
	Headers []HTTPHeader `json:"httpHeaders"`
}

// HTTPHeader is one header of an httpGet.
type HTTPHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// TCPSocket asks for an accepted connection.
type TCPSocket struct {
	Port Port   `json:"port"`
	Host string `json:"host"`
}

// Exec asks for exit status 0. Command is an argv; no shell is started.
type Exec struct {
	Command []string `json:"command"`
}

// GRPC asks the standard health service for SERVING.
type GRPC struct {
	Port    Port   `json:"port"`
	Service string `json:"service"`
}

// Handler returns the API field of the probe's handler: "httpGet", "tcpSocket",
// "exec", "grpc", or "" when there is none.
func (p *Probe) Handler() string {
	switch {
	case p.HTTPGet != nil:
		return "httpGet"
	case p.TCPSocket != nil:
		return "tcpSocket"
	case p.Exec != nil:
		return "exec"
	case p.GRPC != nil:
		return "grpc"
	default:
		return ""
	}
}

// Port returns the port that the handler dials, and false for exec.
func (p *Probe) Port() (Port, bool) {
	switch {
	case p.HTTPGet != nil:
		return p.HTTPGet.Port, true
	case p.TCPSocket != nil:
		return p.TCPSocket.Port, true
	case p.GRPC != nil:
		return p.GRPC.Port, true
	default:
		return Port{}, false
	}
}

// Defaults of the API, in seconds and counts: pkg/apis/core/v1/defaults.go,
// SetDefaults_Probe. A zero means the default, also when it is written out.
const (
	DefaultTimeoutSeconds   = 1
	DefaultPeriodSeconds    = 10
	DefaultSuccessThreshold = 1
	DefaultFailureThreshold = 3
	// DefaultGracePeriodSeconds is a pod's terminationGracePeriodSeconds.
	DefaultGracePeriodSeconds = 30
)

// Defaulted returns the probe with the API's defaults in place of zeros.
func (p Probe) Defaulted() Probe {
	if p.TimeoutSeconds == 0 {
		p.TimeoutSeconds = DefaultTimeoutSeconds
	}
	if p.PeriodSeconds == 0 {
		p.PeriodSeconds = DefaultPeriodSeconds
	}
	if p.SuccessThreshold == 0 {
		p.SuccessThreshold = DefaultSuccessThreshold
	}
	if p.FailureThreshold == 0 {
		p.FailureThreshold = DefaultFailureThreshold
	}
	return p
}

// Timeout is how long one check may take.
func (p *Probe) Timeout() time.Duration { return seconds(p.TimeoutSeconds) }

// Period is the time from one check to the next, as written.
func (p *Probe) Period() time.Duration { return seconds(p.PeriodSeconds) }

// InitialDelay is the time from the container's start to the first check.
func (p *Probe) InitialDelay() time.Duration { return seconds(p.InitialDelaySeconds) }

// EffectivePeriod is max(period, timeout): the kubelet runs one goroutine a
// probe, and a tick that comes while a check still hangs fires right after it.
// Source: pkg/kubelet/prober/worker.go, measured on a kubelet v1.37.
func (p *Probe) EffectivePeriod() time.Duration { return max(p.Period(), p.Timeout()) }

// BestWindow is the shortest time from the fault to the action, (F-1)*E: the
// first failing check comes at once and each answers at once.
func (p *Probe) BestWindow() time.Duration {
	return times(p.FailureThreshold-1, p.EffectivePeriod())
}

// WorstWindow is the longest time from the fault to the action, F*E+T: the fault
// comes right after a passed check, and the last check hangs to its timeout.
func (p *Probe) WorstWindow() time.Duration {
	return p.Threshold() + p.Timeout()
}

// Threshold is F*E, the time that failureThreshold checks take when they hang.
func (p *Probe) Threshold() time.Duration {
	return times(p.FailureThreshold, p.EffectivePeriod())
}

// Tolerance is F*P, the time that failureThreshold checks take when they fail at
// once, as they do while nothing listens.
func (p *Probe) Tolerance() time.Duration { return times(p.FailureThreshold, p.Period()) }

// StartupBudget is how long the container may take to start under this probe as
// its startup probe: initialDelay + F*P.
func (p *Probe) StartupBudget() time.Duration { return p.InitialDelay() + p.Tolerance() }

// StartKill is how soon after its start a container that has not come up is killed
// under this probe as its liveness probe, where no startup probe holds it off:
// initialDelay + (F-1)*P. A start that takes no longer is safe. The kubelet makes the
// first check at the first tick after the delay, which may be at once, and the timeout
// is no part of it: while nothing listens a check fails at once, and the next tick
// comes a period later. Checks that hang kill later. Source:
// pkg/kubelet/prober/worker.go, run and doProbe.
func (p *Probe) StartKill() time.Duration {
	return p.InitialDelay() + times(p.FailureThreshold-1, p.Period())
}

const century = 100 * 365 * 24 * time.Hour

// times is n*each, at most a century: the API allows numbers whose product no
// Duration holds, such as a failureThreshold of 2147483647.
func times(n int32, each time.Duration) time.Duration {
	if each > 0 && time.Duration(n) > century/each {
		return century
	}
	return time.Duration(n) * each
}

func seconds(n int32) time.Duration { return time.Duration(n) * time.Second }

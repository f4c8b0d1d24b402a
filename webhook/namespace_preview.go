package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/workload"
)

// Limits of a look at what a namespace holds: a person waits for the answer, the
// API server waits for two seconds, and it is the one that has to make the lists.
const (
	previewTime    = time.Second
	previewObjects = 3000
	// previewsAtOnce are the looks at a time of one replica.
	previewsAtOnce = 2
)

// Existing lists what a namespace already holds.
type Existing interface {
	// Workloads hands over the workloads of a namespace, and none that another one
	// stands for (the ReplicaSet of a Deployment). It returns ErrMore when there are
	// more; what was handed over counts whatever it returns.
	Workloads(ctx context.Context, l Look, each func(*workload.Workload)) error
}

// Look says what to hand over.
type Look struct {
	Kinds     *workload.Kinds
	Namespace string
	// AtMost is how many workloads.
	AtMost int
}

// ErrMore says that there are more workloads than asked for.
var ErrMore = errors.New("there are more workloads")

// Preview tells those who label a namespace what the labels would find in it.
type Preview struct {
	existing Existing
	settings func(labels map[string]string) validate.Settings
	turns    chan struct{}
}

// NewPreview returns a Preview of what is listed, by what labels come to.
func NewPreview(existing Existing, settings func(labels map[string]string) validate.Settings) *Preview {
	return &Preview{existing: existing, settings: settings, turns: make(chan struct{}, previewsAtOnce)}
}

// Settings are what labels come to.
func (p *Preview) Settings(labels map[string]string) validate.Settings { return p.settings(labels) }

// warnings are about what exists in the namespace of the review, under its new
// settings. It fails never: what could not be seen is one more line.
func (p *Preview) warnings(ctx context.Context, req *request, settings validate.Settings, now time.Time) []string {
	if settings.Mode == validate.ModeOff {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, previewTime)
	defer cancel()
	groups := grouping{mode: settings.Mode}
	judge := validate.Judge{Policy: req.ruling.policy(settings), Exemptions: req.ruling.Exemptions, Now: now}
	seen, exempt := 0, ""
	err := p.inTurn(ctx, func() error {
		return p.existing.Workloads(ctx, Look{req.ruling.Kinds, req.object.Ref.Name, previewObjects}, func(w *workload.Workload) {
			seen++
			judged := judge.Workload(w)
			if judged.Exempt.By == "namespace" {
				exempt = judged.Exempt.String()
			}
			groups.add(w.Ref, judged.Findings)
		})
	})
	if exempt != "" {
		return []string{oneLine("the configuration exempts " + exempt + ": workloads here are not judged, whatever the labels say")}
	}
	lines := groups.lines()
	if len(lines) > 0 {
		lines = append(lines, oneLine("all of it, and disruption budgets: "+auditCommand(req.object.Ref.Name, settings)))
	}
	switch {
	case err == nil:
	case errors.Is(err, ErrMore):
		lines = append(lines, fmt.Sprintf("looked at the first %s only: there are more", count(seen)))
	case errors.Is(err, context.DeadlineExceeded):
		lines = append(lines, fmt.Sprintf("looked at %s within %s: there may be more", count(seen), previewTime))
	default:
		lines = append(lines, oneLine(fmt.Sprintf("looked at %s; not all could be read: %s", count(seen), err)))
	}
	return lines
}

// auditCommand is what lists all that the settings find in a namespace, whose labels
// may not hold yet: a dry run.
func auditCommand(namespace string, settings validate.Settings) string {
	command := "probity audit --namespace " + namespace + " --mode " + settings.Mode.String()
	if settings.Profile != validate.Baseline {
		command += " --profile " + settings.Profile.String()
	}
	return command
}

// inTurn calls look when few others are at it.
func (p *Preview) inTurn(ctx context.Context, look func() error) error {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
		return look()
	case <-ctx.Done():
		return ctx.Err()
	}
}

package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// fieldManager owns the fields of reports.
const fieldManager = "probity-audit"

// reportAPI is a kind of report. The zero value is none.
type reportAPI struct {
	Resource
	hasSource bool
}

// reportAPIs are the kinds that readers of reports know, the better one first: work
// on the second has moved to it.
var reportAPIs = [...]reportAPI{
	{Resource{"openreports.io/v1alpha1", "Report", "reports"}, true},
	{Resource{"wgpolicyk8s.io/v1alpha2", "PolicyReport", "policyreports"}, false},
}

// reporter keeps one report for each object with findings.
type reporter struct {
	lister  *Lister
	metrics *Metrics
	log     logr.Logger
	now     func() time.Time
	// api is the kind that is written; zero where the cluster has none.
	api reportAPI
	// others are kinds that the cluster has besides, where older reports may be.
	others []reportAPI
}

// look finds out which kinds of reports the cluster has, and whether that is new.
func (r *reporter) look(ctx context.Context) (changed bool, err error) {
	var found []reportAPI
	for _, api := range reportAPIs {
		var list metav1.APIResourceList
		err := r.lister.get(ctx, "/apis/"+api.APIVersion, &list)
		switch {
		case apierrors.IsNotFound(err):
			continue
		case err != nil:
			return false, fmt.Errorf("look for %s: %w", api, err)
		}
		for _, served := range list.APIResources {
			if served.Kind == api.Kind && served.Name == api.Name {
				found = append(found, api)
			}
		}
	}
	before := r.api
	r.api, r.others = reportAPI{}, nil
	if len(found) > 0 {
		r.api, r.others = found[0], found[1:]
	}
	if r.api == before {
		return false, nil
	}
	if r.api.Kind == "" {
		r.log.Info("the cluster has no reports any more: reports.openreports.io or policyreports.wgpolicyk8s.io")
	} else {
		r.log.Info("writing reports", "kind", r.api.String())
	}
	return true, nil
}

// sync makes the reports of a namespace say what was found there. Reports of kinds
// that could not be listed go, too: nobody knows whether they still hold.
func (r *reporter) sync(ctx context.Context, namespace string, found []*Faulty) (kept int, err error) {
	if r.api.Kind == "" {
		return 0, nil
	}
	wanted := make(map[string]*Faulty, len(found))
	for _, f := range found {
		wanted[reportName(f.Ref)] = f
	}
	var errs []error
	err = r.existing(ctx, r.api, namespace, func(there *report) {
		name := there.Metadata.Name
		f, ok := wanted[name]
		if !ok {
			errs = append(errs, r.remove(ctx, r.api, there))
			return
		}
		delete(wanted, name)
		kept++
		errs = append(errs, r.renew(ctx, newReport(r.api, namespace, f), there))
	})
	if err != nil {
		return kept, errors.Join(append(errs, err)...)
	}
	for _, f := range found { // in their order
		if _, ok := wanted[reportName(f.Ref)]; !ok {
			continue
		}
		one := newReport(r.api, namespace, f)
		one.date(nil, r.now())
		err := r.apply(ctx, one, "create")
		if leaving(err) {
			return kept, errors.Join(errs...)
		}
		if err == nil {
			kept++
		}
		errs = append(errs, err)
	}
	return kept, errors.Join(errs...)
}

// leaving reports whether the namespace is gone or on its way out, with all that is
// in it.
func leaving(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause)
}

// renew writes a report that says something else than the cluster's.
func (r *reporter) renew(ctx context.Context, one, there *report) error {
	if one.same(there) {
		return nil
	}
	one.date(there, r.now())
	return r.apply(ctx, one, "update")
}

// sweep deletes the reports of namespaces that are not judged, and those of a kind
// that is no longer written.
func (r *reporter) sweep(ctx context.Context, judged func(namespace string) bool) error {
	var errs []error
	if r.api.Kind != "" {
		errs = append(errs, r.existing(ctx, r.api, "", func(there *report) {
			if !judged(there.Metadata.Namespace) {
				errs = append(errs, r.remove(ctx, r.api, there))
			}
		}))
	}
	for _, api := range r.others {
		errs = append(errs, r.existing(ctx, api, "", func(there *report) {
			errs = append(errs, r.remove(ctx, api, there))
		}))
	}
	return errors.Join(errs...)
}

// existing goes through Probity's reports of a namespace, "" for all, a chunk at a
// time.
func (r *reporter) existing(ctx context.Context, api reportAPI, namespace string, each func(*report)) error {
	reader := &reader{lister: r.lister, query: Query{Namespace: namespace}, selector: managedBy + "=" + reportSource}
	var bad error
	err := reader.read(ctx, api.Resource, func(raw []byte, id identity) error {
		one := &report{}
		if err := json.Unmarshal(raw, one); err != nil {
			bad = errors.Join(bad, fmt.Errorf("%s %s: %w", api, id.key(), err))
			one = &report{Metadata: reportMetadata{Name: id.name, Namespace: id.namespace, UID: id.uid}}
		}
		each(one)
		return nil
	})
	if err != nil {
		return errors.Join(bad, fmt.Errorf("list %s: %w", api, err))
	}
	return bad
}

// apply writes a report whole, by server-side apply.
func (r *reporter) apply(ctx context.Context, one *report, change string) error {
	body, err := json.Marshal(one)
	if err != nil {
		return err
	}
	err = r.lister.client.Patch(types.ApplyPatchType).
		AbsPath(r.api.path(one.Metadata.Namespace)+"/"+one.Metadata.Name).
		Param("fieldManager", fieldManager).Param("force", strconv.FormatBool(true)).
		Body(body).Do(ctx).Error()
	if err != nil {
		return fmt.Errorf("write report %s/%s: %w", one.Metadata.Namespace, one.Metadata.Name, err)
	}
	r.metrics.writes.WithLabelValues(change).Inc()
	return nil
}

// remove deletes a report, unless it has been replaced since.
func (r *reporter) remove(ctx context.Context, api reportAPI, there *report) error {
	m := &there.Metadata
	body, err := json.Marshal(metav1.DeleteOptions{
		TypeMeta:      metav1.TypeMeta{APIVersion: "v1", Kind: "DeleteOptions"},
		Preconditions: metav1.NewUIDPreconditions(m.UID),
	})
	if err != nil {
		return err
	}
	err = r.lister.client.Delete().AbsPath(api.path(m.Namespace)+"/"+m.Name).
		SetHeader("Content-Type", "application/json").Body(body).Do(ctx).Error()
	switch {
	case err == nil:
		r.metrics.writes.WithLabelValues("delete").Inc()
	case apierrors.IsNotFound(err), apierrors.IsConflict(err): // somebody was faster
	default:
		return fmt.Errorf("delete report %s/%s: %w", m.Namespace, m.Name, err)
	}
	return nil
}

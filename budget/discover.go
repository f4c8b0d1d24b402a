package budget

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/workload"
)

// discoverPeriod is how often it is asked which optional kinds are there.
const discoverPeriod = time.Minute

// watch runs the watches of the resources that every cluster has, and of those
// that come and go with their custom resource definition.
func (s *State) watch(ctx context.Context) {
	tick := time.NewTicker(discoverPeriod)
	defer tick.Stop()
	retry := time.NewTicker(time.Second)
	defer retry.Stop()
	for {
		complete, err := s.discover(ctx)
		if err != nil && ctx.Err() == nil {
			s.log.Error(err, "finding out which kinds are there failed")
		}
		// An answer that is waited for is asked for more often.
		again := retry.C
		if complete {
			again = tick.C
		}
		select {
		case <-again:
		case <-s.again:
		case <-ctx.Done():
			for _, one := range s.watches.running { // nobody else changes them
				<-one.done
			}
			return
		}
	}
}

// discover starts and stops watches so that they are those of the kinds that are
// there. It reports whether they are.
func (s *State) discover(ctx context.Context) (complete bool, err error) {
	kinds := s.kinds.Load()
	found, err := s.optional(ctx, kinds)
	errs := []error{err, s.begin(ctx, always(), false)}
	if err == nil {
		s.end(found)
		errs = append(errs, s.begin(ctx, found, true))
	}
	err = errors.Join(errs...)
	s.settle(func() {
		if err == nil {
			s.watches.complete = s.kinds.Load() == kinds
		}
		complete = s.watches.complete
	})
	return complete, err
}

// begin starts the watches of resources that are not watched yet.
func (s *State) begin(ctx context.Context, resources []resource, optional bool) (err error) {
	s.settle(func() {
		for _, r := range resources {
			if s.watches.running[r.GroupKind()] != nil {
				continue
			}
			if optional {
				s.log.Info("resource found", "resource", r.plural+"."+r.Group, "version", r.Version)
			}
			err = errors.Join(err, s.run(ctx, r, optional))
		}
	})
	return err
}

// end stops the watches of optional resources that are not among those found.
func (s *State) end(found []resource) {
	var gone []*watching
	s.settle(func() {
		for kind, one := range s.watches.running {
			if one.optional && !slices.Contains(found, one.resource) {
				delete(s.watches.running, kind)
				gone = append(gone, one)
			}
		}
		// Objects that are being forgotten are not objects that are gone.
		s.watches.complete = s.watches.complete && len(gone) == 0
	})
	for _, one := range gone {
		s.log.Info("resource is gone", "resource", one.resource.plural+"."+one.resource.Group)
		s.halt(one)
	}
}

// optional returns the resources of custom kinds that the API server has: those
// with pods and a scale subresource, and KEDA's ScaledObjects.
func (s *State) optional(ctx context.Context, kinds *workload.Kinds) ([]resource, error) {
	client, err := s.discoveryClient()
	if err != nil {
		return nil, err
	}
	wanted := map[string][]workload.CustomKind{"keda.sh": {{Group: "keda.sh", Kind: "ScaledObject"}}}
	for _, kind := range kinds.Custom() {
		wanted[kind.Group] = append(wanted[kind.Group], kind)
	}
	var found []resource
	for group, kinds := range wanted {
		list, err := resourcesOf(ctx, client, group)
		if err != nil {
			return nil, fmt.Errorf("group %s: %w", group, err)
		}
		for _, kind := range kinds {
			if r, ok := find(list, kind); ok {
				found = append(found, r)
			}
		}
	}
	return found, nil
}

func (s *State) discoveryClient() (rest.Interface, error) {
	config := rest.CopyConfig(s.options.Config)
	config.APIPath, config.GroupVersion = "/apis", &schema.GroupVersion{}
	config.NegotiatedSerializer = clientgoscheme.Codecs.WithoutConversion()
	config.QPS = -1 // two requests a minute and group
	return rest.RESTClientForConfigAndClient(config, s.options.Client)
}

// resourcesOf returns the resources of a group in the version that it prefers;
// nil when there is no such group.
func resourcesOf(ctx context.Context, client rest.Interface, group string) (*metav1.APIResourceList, error) {
	var g metav1.APIGroup
	if err := get(ctx, client, "/apis/"+group, &g); err != nil || g.PreferredVersion.GroupVersion == "" {
		return nil, err
	}
	list := &metav1.APIResourceList{}
	err := get(ctx, client, "/apis/"+g.PreferredVersion.GroupVersion, list)
	return list, err
}

// get reads a document of discovery. One that does not exist is left empty.
func get(ctx context.Context, client rest.Interface, path string, into any) error {
	data, err := client.Get().AbsPath(path).SetHeader("Accept", "application/json").DoRaw(ctx)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	default:
		return json.Unmarshal(data, into)
	}
}

// find returns the namespaced resource of a kind. One with pods needs a scale
// subresource: without it nobody knows how many there should be.
func find(list *metav1.APIResourceList, kind workload.CustomKind) (resource, bool) {
	if list == nil {
		return resource{}, false
	}
	gv, err := schema.ParseGroupVersion(list.GroupVersion)
	if err != nil {
		return resource{}, false
	}
	scaled := map[string]bool{}
	for _, r := range list.APIResources {
		if plural, ok := strings.CutSuffix(r.Name, "/scale"); ok {
			scaled[plural] = true
		}
	}
	for _, r := range list.APIResources {
		if r.Kind == kind.Kind && r.Namespaced && !strings.Contains(r.Name, "/") && (scaled[r.Name] || kind.TemplatePath == "") {
			return resource{gv.WithKind(r.Kind), r.Name, kind.TemplatePath}, true
		}
	}
	return resource{}, false
}

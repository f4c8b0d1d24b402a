package budget

import (
	"context"
	"encoding/json"
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
	s.watches.mu.Lock()
	s.watches.running = map[schema.GroupKind]*watching{}
	s.watches.mu.Unlock()
	tick := time.NewTicker(discoverPeriod)
	defer tick.Stop()
	retry := time.NewTicker(time.Second)
	defer retry.Stop()
	for complete := false; ; {
		if err := s.discover(ctx); err == nil {
			complete = true
		} else if ctx.Err() == nil {
			s.log.Error(err, "finding out which kinds are there failed")
		}
		// The first answer is waited for, so it is asked for more often.
		again := retry.C
		if complete {
			again = tick.C
		}
		select {
		case <-again:
		case <-s.again:
		case <-ctx.Done():
			s.watches.mu.Lock()
			defer s.watches.mu.Unlock()
			for _, one := range s.watches.running {
				one.stop()
				<-one.done
			}
			return
		}
	}
}

// discover starts and stops watches so that they are those of the kinds that are
// there.
func (s *State) discover(ctx context.Context) error {
	found, err := s.optional(ctx)
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	for _, r := range always() {
		if s.watches.running[r.GroupKind()] == nil {
			if err := s.run(ctx, r, false); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	for kind, one := range s.watches.running {
		if one.optional && !slices.Contains(found, one.resource) {
			s.log.Info("resource is gone", "resource", one.resource.plural+"."+one.resource.Group)
			delete(s.watches.running, kind)
			s.halt(one)
		}
	}
	for _, r := range found {
		if s.watches.running[r.GroupKind()] == nil {
			s.log.Info("resource found", "resource", r.plural+"."+r.Group, "version", r.Version)
			if err := s.run(ctx, r, true); err != nil {
				return err
			}
		}
	}
	s.watches.complete = true
	return nil
}

// optional returns the resources of custom kinds that the API server has: those
// with pods and a scale subresource, and KEDA's ScaledObjects.
func (s *State) optional(ctx context.Context) ([]resource, error) {
	client, err := s.discoveryClient()
	if err != nil {
		return nil, err
	}
	wanted := map[string][]workload.CustomKind{"keda.sh": {{Group: "keda.sh", Kind: "ScaledObject"}}}
	for _, kind := range s.kinds.Load().Custom() {
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

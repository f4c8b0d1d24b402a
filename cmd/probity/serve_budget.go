package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/probity-dev/probity/budget"
	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/webhook"
)

// budgetCluster watches workloads and their disruption budgets on every replica,
// from the moment at which a namespace is not off, and makes the leader keep a budget
// for those that need one. The state is nil when the flags say not to.
func (o *serveOptions) budgetCluster(mgr manager.Manager, log logr.Logger, configuration *following, namespaces *webhook.LabelledNamespaces) (*budget.State, error) {
	if !o.budgets {
		return nil, nil
	}
	log = log.WithName("budgets")
	state, err := budget.NewState(budget.StateOptions{Config: mgr.GetConfig(), Client: mgr.GetHTTPClient(), Kinds: configuration.current.Kinds(), Log: log})
	if err != nil {
		return nil, err
	}
	recorder, err := eventRecorder(mgr)
	if err != nil {
		return nil, err
	}
	controller, err := budget.NewController(budget.Options{
		State: state, Settings: namespaces, Excluded: []string{"kube-system", "kube-node-lease", o.namespace},
		Rules: configuration.budgetRules(), Recorder: recorder, Metrics: budget.NewMetrics(metrics.Registry), Log: log,
	})
	if err != nil {
		return nil, err
	}
	namespaces.OnChange(func(name string, holds validate.Settings) {
		if holds.Mode != validate.ModeOff {
			state.Want()
		}
		controller.NamespaceChanged(name)
	})
	configuration.tell(func() {
		state.Use(configuration.current.Kinds())
		controller.Use(configuration.budgetRules())
	})
	leftovers := manager.RunnableFunc(func(ctx context.Context) error {
		if budgetsLeft(ctx, mgr.GetAPIReader(), log) {
			state.Want()
		}
		return nil
	})
	if err := errors.Join(mgr.Add(state), mgr.Add(leftovers)); err != nil {
		return nil, fmt.Errorf("budgets: %w", err)
	}
	return state, controller.SetupWithManager(mgr)
}

// budgetsLeft reports whether the cluster has budgets of Probity's, or cannot say. When
// the last namespace left while no replica ran, nothing else asks for a look at them.
// Only the leader runs it, as only the leader takes them away.
func budgetsLeft(ctx context.Context, cluster client.Reader, log logr.Logger) bool {
	list := &metav1.PartialObjectMetadataList{TypeMeta: metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudgetList"}}
	err := cluster.List(ctx, list, client.MatchingLabels{budget.Label: budget.LabelValue}, client.Limit(1))
	if err != nil {
		log.Error(err, "could not ask for budgets that were made before")
	}
	return err != nil || len(list.Items) > 0
}

// budgetRules are what the configuration says of budgets.
func (f *following) budgetRules() budget.Rules {
	return budget.Rules{Budget: f.current.Budget, Exemptions: &f.current.Exemptions}
}

// Limits on writing events, of which each change of a budget is one: a cluster that
// turns budgets on makes thousands at once, and they may come later than the budgets.
const (
	eventsPerSecond = 100
	eventsAtOnce    = 200
	// eventsKnown is how many are remembered, to count what comes again.
	eventsKnown = 256
)

// eventRecorder writes events on workloads until the manager stops.
func eventRecorder(mgr manager.Manager) (record.EventRecorder, error) {
	config := rest.CopyConfig(mgr.GetConfig())
	config.QPS, config.Burst = eventsPerSecond, eventsAtOnce
	client, err := kubernetes.NewForConfigAndClient(config, mgr.GetHTTPClient())
	if err != nil {
		return nil, fmt.Errorf("budgets: events: %w", err)
	}
	broadcaster := record.NewBroadcaster(record.WithCorrelatorOptions(record.CorrelatorOptions{LRUCacheSize: eventsKnown}))
	sink := &typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(corev1.NamespaceAll)}
	if err := mgr.Add(recording{broadcaster, sink}); err != nil {
		return nil, fmt.Errorf("budgets: events: %w", err)
	}
	return broadcaster.NewRecorder(clientgoscheme.Scheme, corev1.EventSource{Component: "probity"}), nil
}

// recording sends events until the manager stops. It runs before there is a leader,
// so that none of the leader's first is lost.
type recording struct {
	record.EventBroadcaster
	sink record.EventSink
}

// NeedLeaderElection makes it a manager.LeaderElectionRunnable.
func (recording) NeedLeaderElection() bool { return false }

// Start makes it a manager.Runnable.
func (r recording) Start(ctx context.Context) error {
	r.StartRecordingToSink(r.sink)
	<-ctx.Done()
	r.Shutdown()
	return nil
}

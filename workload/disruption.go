package workload

type budgetObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		MinAvailable               *IntOrPercent `json:"minAvailable"`
		MaxUnavailable             *IntOrPercent `json:"maxUnavailable"`
		Selector                   *Selector     `json:"selector"`
		UnhealthyPodEvictionPolicy string        `json:"unhealthyPodEvictionPolicy"`
	} `json:"spec"`
}

func (o *budgetObject) object(apiVersion, kind string, _ layout) *Object {
	ref := o.Metadata.ref(apiVersion, kind)
	return &Object{Ref: ref, Budget: &Budget{
		Ref: ref, Labels: o.Metadata.Labels, Annotations: o.Metadata.Annotations,
		Controller: o.Metadata.controller(), Deleting: bool(o.Metadata.DeletionTimestamp),
		MinAvailable: o.Spec.MinAvailable, MaxUnavailable: o.Spec.MaxUnavailable,
		Selector: o.Spec.Selector, UnhealthyPodEvictionPolicy: o.Spec.UnhealthyPodEvictionPolicy,
	}}
}

type autoscalerObject struct {
	Metadata metadata `json:"metadata"`
	Spec     struct {
		ScaleTargetRef struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Name       string `json:"name"`
		} `json:"scaleTargetRef"`
		MinReplicas     *int32 `json:"minReplicas"`     // HorizontalPodAutoscaler
		MinReplicaCount *int32 `json:"minReplicaCount"` // ScaledObject
	} `json:"spec"`
}

func (o *autoscalerObject) object(apiVersion, kind string, _ layout) *Object {
	ref := o.Metadata.ref(apiVersion, kind)
	target := Ref{
		APIVersion: o.Spec.ScaleTargetRef.APIVersion, Kind: o.Spec.ScaleTargetRef.Kind,
		Namespace: ref.Namespace, Name: o.Spec.ScaleTargetRef.Name,
	}
	a := &Autoscaler{Ref: ref, Target: target, Controller: o.Metadata.controller(), Deleting: bool(o.Metadata.DeletionTimestamp)}
	switch {
	case kind == "ScaledObject":
		// KEDA's defaults: a Deployment, and none idle (keda.sh, ScaledObject spec).
		if target.Kind == "" {
			a.Target.APIVersion, a.Target.Kind = "apps/v1", "Deployment"
		}
		if o.Spec.MinReplicaCount != nil {
			a.MinReplicas = *o.Spec.MinReplicaCount
		}
	case o.Spec.MinReplicas != nil:
		a.MinReplicas = *o.Spec.MinReplicas
	default:
		a.MinReplicas = 1 // SetDefaults_HorizontalPodAutoscaler
	}
	return &Object{Ref: ref, Autoscaler: a}
}

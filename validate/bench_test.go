package validate

import (
	"testing"

	"github.com/probity-dev/probity/workload"
)

// cleanDeployment breaks no rule of any profile: what most requests are like.
const cleanDeployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"shop"},"spec":{"replicas":3,
"selector":{"matchLabels":{"app":"shop"}},"template":{"metadata":{"labels":{"app":"shop"}},"spec":{"containers":[
{"name":"app","image":"registry.example/shop:1","ports":[{"name":"http","containerPort":8080}],
"env":[{"name":"DB_HOST","value":"db"},{"name":"POD_IP","valueFrom":{"fieldRef":{"fieldPath":"status.podIP"}}}],
"livenessProbe":{"httpGet":{"path":"/livez","port":"http"}},
"readinessProbe":{"httpGet":{"path":"/readyz","port":"http"},"periodSeconds":5},
"startupProbe":{"httpGet":{"path":"/livez","port":"http"},"failureThreshold":30}},
{"name":"proxy","image":"registry.example/proxy:1","ports":[{"name":"admin","containerPort":9901}],
"livenessProbe":{"tcpSocket":{"port":"admin"}},
"readinessProbe":{"httpGet":{"path":"/readyz","port":"admin"}},
"startupProbe":{"tcpSocket":{"port":"admin"},"failureThreshold":30}},
{"name":"worker","image":"registry.example/worker:1",
"livenessProbe":{"exec":{"command":["/usr/bin/test","-f","/tmp/alive"]},"timeoutSeconds":5},
"startupProbe":{"exec":{"command":["/usr/bin/test","-f","/tmp/alive"]},"timeoutSeconds":5,"failureThreshold":30}}]}}}}`

func BenchmarkEvaluateClean(b *testing.B) {
	obj, err := workload.DefaultKinds().Decode([]byte(cleanDeployment))
	if err != nil {
		b.Fatal(err)
	}
	policy := MustPolicy(Strict).WithInjection(Injection{Startup: true, Budget: true})
	if found := Evaluate(obj.Workload, policy); len(found) > 0 {
		b.Fatalf("is not clean: %v", found)
	}
	b.ReportAllocs()
	for b.Loop() {
		Evaluate(obj.Workload, policy)
	}
}

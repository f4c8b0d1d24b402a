package validate

import "testing"

func TestClassifyHostSeesItAsTheDiallingNodeDoes(t *testing.T) {
	for host, want := range map[string]hostKind{
		"localhost":                 hostLoopback,
		"LocalHost.":                hostLoopback,
		"app.localhost":             hostLoopback,
		"ip6-loopback":              hostLoopback,
		"127.0.0.1":                 hostLoopback,
		"127.8.9.10":                hostLoopback,
		"127.1":                     hostLoopback,
		"::1":                       hostLoopback,
		"0:0:0:0:0:0:0:1":           hostLoopback,
		"::ffff:127.0.0.1":          hostLoopback,
		"0.0.0.0":                   hostUnspecified,
		"::":                        hostUnspecified,
		"0":                         hostUnspecified,
		"169.254.20.10":             hostLinkLocal,
		"fe80::1%eth0":              hostLinkLocal,
		"169.254.169.254":           hostMetadata,
		"fd00:ec2::254":             hostMetadata,
		"10.0.0.5":                  hostAddress,
		"FD00::5":                   hostAddress,
		"db":                        hostName,
		"DB.shop.svc.cluster.local": hostName,
		"localhost.example.com":     hostName,
		"127.example.com":           hostName,
		"my_db":                     hostName,
		"$(POD_IP)":                 hostVariable,
		"${HOST}":                   hostVariable,
		"{{ .Values.host }}":        hostVariable,
		"http://localhost":          hostNone,
		"localhost:8080":            hostNone,
		"[::1]":                     hostNone,
		"1.2.3":                     hostNone,
		".":                         hostNone,
		"db..svc":                   hostNone,
	} {
		if got := classifyHost(host); got != want {
			t.Errorf("%q is of kind %d, want %d", host, got, want)
		}
	}
}

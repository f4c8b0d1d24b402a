package sample

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Odd is an object as nobody writes it, but as somebody may send it: much of one
// thing. What it costs to judge must grow as its size does.
type Odd struct {
	Name string
	// Of returns the object as JSON, with n of what there is much of.
	Of func(n int) []byte
}

// OddObjects are Deployments with much of what rules and decoders read.
func OddObjects() []Odd {
	return []Odd{
		{"containers with named ports", containers(`"name":"c%[1]d","ports":[{"name":"p%[1]d","containerPort":%[1]d}],"livenessProbe":{"httpGet":{"path":"/x","port":"p%[1]d"}}`)},
		{"containers with ports that nobody declares", containers(`"name":"c%[1]d","livenessProbe":{"httpGet":{"path":"/x","port":"q%[1]d"}}`)},
		{"containers that probe the next one", containers(`"name":"c%[1]d","ports":[{"containerPort":%[1]d}],"livenessProbe":{"tcpSocket":{"port":%[2]d}}`)},
		{"containers with a command", containers(`"name":"c%[1]d","env":[{"name":"H","value":"db"}],"livenessProbe":{"exec":{"command":["sh","-c","pg_isready -h $H"]}}`)},
		{"containers with equal probes", containers(`"name":"c%[1]d","livenessProbe":{"httpGet":{"path":"/h","port":1}},"readinessProbe":{"httpGet":{"path":"/h","port":1}}`)},
		{"containers with wrong numbers", containers(`"name":"c%[1]d","livenessProbe":{"tcpSocket":{"port":1},"periodSeconds":-1,"timeoutSeconds":-2}`)},
		{"containers with misspelt fields", containers(`"name":"c%[1]d","livenessProbe":{"tcpSocket":{"port":1},"periodSecond":1,"timeoutSecond":1}`)},
		{"containers of one name", containers(`"name":"c","livenessProbe":{"tcpSocket":{"port":1}}`)},
		{"containers that are exempt", func(n int) []byte {
			return deployment(`"annotations":{"probity.dev/exempt":"liveness-dependency-path","probity.dev/exempt-reason":"x"}`,
				each(n, `{"name":"c%[1]d","livenessProbe":{"httpGet":{"path":"/health/db","port":1}}}`), "")
		}},
		{"sidecars", func(n int) []byte {
			return deployment("", `{"name":"a"}`, `,"initContainers":[`+each(n, `{"name":"c%[1]d","restartPolicy":"Always","ports":[{"containerPort":1}],"livenessProbe":{"tcpSocket":{"port":1}}}`)+"]")
		}},
		{"init containers", func(n int) []byte {
			return deployment("", `{"name":"a","livenessProbe":{"tcpSocket":{"port":1}}}`, `,"initContainers":[`+each(n, `{"name":"c%[1]d"}`)+"]")
		}},
		{"ports", oneContainer(`"ports":[%s],"livenessProbe":{"tcpSocket":{"port":"x"}},"readinessProbe":{"tcpSocket":{"port":"x"}}`, `{"name":"p%[1]d","containerPort":%[1]d}`)},
		{"variables of variables", oneContainer(`"env":[%s],`+exec("sh", "-c", "pg_isready -h $E1"), `{"name":"E%[1]d","value":"$(E%[2]d)x"}`)},
		{"variables of an argument", oneContainer(`"env":[%s],`+exec("pg_isready", "-h", "$(E1)"), `{"name":"E%[1]d","value":"$(E0)$(E1)"}`)},
		{"arguments", oneContainer(`"livenessProbe":{"exec":{"command":["curl",%s]}}`, `"http://h%[1]d/"`)},
		{"arguments that are variables", oneContainer(`"env":[{"name":"A","value":"x"}],"livenessProbe":{"exec":{"command":["psql",%s]}}`, `"$(A)$(B%[1]d)"`)},
		{"headers", oneContainer(`"livenessProbe":{"httpGet":{"port":1,"path":"/x","httpHeaders":[%s]}}`, `{"name":"h%[1]d","value":"v"}`)},
		{"exempt rules", func(n int) []byte {
			return deployment(`"annotations":{"probity.dev/exempt":"`+each(n, `rule-%[1]d`)+`","probity.dev/exempt-reason":"x"}`, `{"name":"a","livenessProbe":{"httpGet":{"path":"/health/db","port":1}}}`, "")
		}},
		{"annotations", func(n int) []byte {
			return deployment(`"annotations":{`+each(n, `"probity.dev/exempt-%[1]d":"x"`)+`}`, `{"name":"a"}`, "")
		}},
		{"fields that stand twice", func(n int) []byte {
			return deployment(each(n, `"name":"a"`), `{"name":"a"}`, "")
		}},
		{"nested lists", func(n int) []byte {
			deep := strings.Repeat("[", 60) + strings.Repeat("]", 60)
			return deployment("", `{"name":"a","x":[`+each(n, deep)+`]}`, "")
		}},
		{"conditions of a selector", func(n int) []byte {
			return deployment("", `{"name":"a"}`, `,"affinity":{"x":[`+each(n, `{"key":"k%[1]d","operator":"In","values":["a","b"]}`)+`]}`)
		}},
		{"queries of a path", path("/health?", "a%[1]d=b&", "")},
		{"secrets in a path", path("/health?", "token%[1]d=b&", "")},
		{"secrets in parameters", path("/health;", "token=b;password=c ", "?key=x")},
		{"segments of a path", path("/", "health/db/", "")},
		{"escapes in a path", path("/", "%2F%25%zz", "")},
		{"dots in a path", path("/", "a/../", "")},
		{"quotes in a path", path("/?", `'([{`, "")},
	}
}

// OddScripts are Deployments with one long command.
func OddScripts() []Odd {
	var all []Odd
	for _, s := range []struct{ name, before, repeated, after string }{
		{"assignments", "", "a%[1]d=1 && echo $a%[1]d; ", "pg_isready"},
		{"assignments of one another", "a0=db; ", "a%[1]d=$a%[2]d; ", "pg_isready -h $a1"},
		{"commands", "", "pg_isready -h db%[1]d && ", "true"},
		{"pipes", "", "cat | ", "grep x"},
		{"lines", "", "test -f /tmp/%[1]d || exit 1\n", ""},
		{"comments", "", "# comment %[1]d\n", "true"},
		{"brackets", "", "(true); ", "true"},
		{"nested brackets", "", "( ", "true"},
		{"nested commands", "echo ", "$(echo ", ""},
		{"functions", "f0() { redis-cli -h db; }\n", "f%[1]d() { f%[2]d; f%[2]d; }\n", "f1"},
		{"calls", "f() { pg_isready -h $1; }\n", "f x%[1]d\n", ""},
		{"loops", "", "for a in b c; do pg_isready -h $a; done; ", ""},
		{"a loop over much", "for a in ", "h%[1]d ", "; do pg_isready -h $a; done"},
		{"conditions", "", "if [ -f /tmp/%[1]d ]; then echo; else exit 1; fi; ", ""},
		{"cases", "case $x in ", "a%[1]d) pg_isready;; ", "esac"},
		{"defaults", "", "echo ${x%[1]d:-${y:-db}}; ", ""},
		{"a long string", "echo '", "x y ", "' | grep -q x"},
		{"a long string with variables", `echo "`, "$a %[1]d ", `" | grep -q x`},
		{"strings", "echo ", `'a' "b" `, ""},
		{"quotes that do not end", "echo ", `"'`, ""},
		{"backslashes", "echo ", `\\`, ""},
		{"a document", "cat <<EOF | psql\n", "select %[1]d from x;\n", "EOF\n"},
		{"shells in shells", "", "sh -c 'pg_isready -h a'; ", ""},
		{"addresses", "kafka-topics.sh --bootstrap-server ", "broker%[1]d:9092,", "x:1 --list"},
		{"a query", `psql -h db -c "`, "select a%[1]d, ", `"`},
		{"parameters", `psql "`, "host=a%[1]d password=b ", `"`},
		{"addresses of one variable", "", "curl http://$H:%[1]d/x; ", ""},
		{"secrets", "curl ", "-H 'Authorization: x' -u a:b ", "http://db/"},
		{"switches", "redis-cli ", "-h db -p %[1]d ", "ping"},
		{"background", "", "pg_isready & ", "wait"},
		{"arithmetic", "echo $((1", "+%[1]d", "))"},
		{"substitutions", "a=b; ", "a=${a/b/c}; ", "echo $a"},
	} {
		all = append(all, script(s.name, []string{"sh", "-c"}, s.before, s.repeated, s.after))
	}
	for _, s := range []struct{ name, program, flag, before, repeated, after string }{
		{"Python, connections", "python", "-c", "import redis\n", "redis.Redis(host='db%[1]d')\n", ""},
		{"Python, names", "python", "-c", "import redis\na0='db'\n", "a%[1]d=a%[2]d\n", "redis.Redis(host=a1)"},
		{"Python, brackets", "python", "-c", "x=", "([{", ""},
		{"Python, quotes", "python", "-c", "x=", `"'`, ""},
		{"Python, a long string", "python", "-c", "x='", "http://db%[1]d ", "'"},
		{"Python, secrets", "python", "-c", "import redis\n", "redis.Redis(host='db', password='x')\n", ""},
		{"Node, addresses", "node", "-e", "", "fetch('http://db%[1]d/x');", ""},
		{"Node, templates", "node", "-e", "fetch(`", "${a%[1]d}", "`)"},
		{"Perl, addresses", "perl", "-e", "", "get('http://db%[1]d/x');", ""},
		{"PowerShell, addresses", "powershell", "-Command", "", "Invoke-WebRequest http://db%[1]d/x; ", ""},
		{"cmd, addresses", "cmd", "/c", "", "curl http://db%[1]d/x & ", ""},
	} {
		all = append(all, script(s.name, []string{s.program, s.flag}, s.before, s.repeated, s.after))
	}
	return all
}

// OddBundles are Lists of many objects that meet in one namespace.
func OddBundles() []Odd {
	budget := func(selector string) string {
		return `{"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b%[1]d","namespace":"shop"},"spec":{"maxUnavailable":0,"selector":` + selector + `}}`
	}
	const workload = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"w%[1]d","namespace":"shop"},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"w%[1]d"}},` +
		`"template":{"metadata":{"labels":{"app":"w%[1]d","tier":"web"}},"spec":{"containers":[{"name":"a","livenessProbe":{"tcpSocket":{"port":1}}}]}}}}`
	const scaler = `{"apiVersion":"autoscaling/v2","kind":"HorizontalPodAutoscaler","metadata":{"name":"s%[1]d","namespace":"shop"},"spec":{"minReplicas":1,"scaleTargetRef":{"apiVersion":"apps/v1","kind":"Deployment","name":"w1"}}}`
	list := func(items string) func(int) []byte {
		return func(n int) []byte {
			return []byte(`{"apiVersion":"v1","kind":"List","items":[` + each(n, items) + `]}`)
		}
	}
	one := func(items, last string) func(int) []byte {
		return func(n int) []byte {
			return []byte(`{"apiVersion":"v1","kind":"List","items":[` + each(n, items) + "," + nth(last, 1, 1) + `]}`)
		}
	}
	return []Odd{
		{"a budget for each workload", list(workload + "," + budget(`{"matchLabels":{"app":"w%[1]d"}}`))},
		{"a budget by conditions for each workload", list(workload + "," + budget(`{"matchExpressions":[{"key":"app","operator":"In","values":["w%[1]d"]}]}`))},
		{"one budget for all workloads", one(workload, budget(`{}`))},
		{"a budget with a wrong label for each workload", list(workload + "," + budget(`{"matchLabels":{"app":"x%[1]d"}}`))},
		{"budgets for nobody", list(budget(`{"matchLabels":{"app":"x"}}`))},
		{"budgets for one workload", one(budget(`{"matchLabels":{"app":"w1"}}`), workload)},
		{"scalers of one workload", one(scaler, workload)},
		{"budgets that exclude", list(workload + "," + budget(`{"matchExpressions":[{"key":"app","operator":"NotIn","values":["w%[2]d"]},{"key":"tier","operator":"DoesNotExist"}]}`))},
	}
}

// deployment is a Deployment as JSON, with more in its metadata and its pod's spec.
func deployment(metadata, containers, spec string) []byte {
	if metadata != "" {
		metadata = "," + metadata
	}
	return []byte(`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"shop","name":"web"` + metadata + `},"spec":{"replicas":3,` +
		`"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[` + containers + `]` + spec + `}}}}`)
}

// each formats n items, from 1, each with its number and the next, and puts commas
// between them.
func each(n int, format string) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if i > 1 {
			b.WriteByte(',')
		}
		b.WriteString(nth(format, i, n))
	}
	return b.String()
}

// nth is a text as the i-th of n has it, with its number for %[1]d and that of the
// next one, in turn, for %[2]d.
func nth(text string, i, n int) string {
	return strings.NewReplacer("%[1]d", strconv.Itoa(i), "%[2]d", strconv.Itoa(i%n+1)).Replace(text)
}

func containers(format string) func(int) []byte {
	return func(n int) []byte { return deployment("", each(n, "{"+format+"}"), "") }
}

func oneContainer(container, item string) func(int) []byte {
	return func(n int) []byte {
		before, after, _ := strings.Cut(container, "%s")
		return deployment("", `{"name":"c",`+before+each(n, item)+after+"}", "")
	}
}

// path is a container with a long path.
func path(before, repeated, after string) func(int) []byte {
	return func(n int) []byte {
		return deployment("", `{"name":"c","livenessProbe":{"httpGet":{"port":1,"path":`+quoted(long(n, before, repeated, after))+`}}}`, "")
	}
}

// script is a container that runs a long text by a program.
func script(name string, program []string, before, repeated, after string) Odd {
	return Odd{name, func(n int) []byte {
		command := quoted(append(program[:len(program):len(program)], long(n, before, repeated, after)))
		return deployment("", `{"name":"c","env":[{"name":"H","value":"db"}],"livenessProbe":{"exec":{"command":`+command+`}}}`, "")
	}}
}

func long(n int, before, repeated, after string) string {
	var b strings.Builder
	b.WriteString(before)
	for i := 1; i <= n; i++ {
		b.WriteString(nth(repeated, i, n))
	}
	b.WriteString(after)
	return b.String()
}

func quoted(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // of strings, there is none
	}
	return string(text)
}

func exec(argv ...string) string {
	return fmt.Sprintf(`"livenessProbe":{"exec":{"command":["%s"]}}`, strings.Join(argv, `","`))
}

package command

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWhatStandsAtTheEdges judges what a reader of commands gets wrong by one.
func TestWhatStandsAtTheEdges(t *testing.T) {
	judge(t, []probe{
		{name: "a loop of Node.js with of", argv: js("for (const h of ['orders-db']) require('net').connect(5432, h)"), want: "shared", asks: `host "orders-db"`},
		{name: "a loop with brackets", argv: js("['orders-db'].forEach((h) => require('net').connect(5432, h))"), want: "shared", asks: `host "orders-db"`},
		{name: "a loop that waits", argv: js("['orders-db'].forEach(async h => require('net').connect(5432, h))"), want: "shared", asks: `host "orders-db"`},
		{name: "a program of Node.js that is waited for", argv: js("require('child_process').spawnSync('pg_isready', ['-h', 'orders-db'])"), want: "shared"},
		{name: "a line and how it is opened", argv: py("import os; os.popen('pg_isready -h orders-db', 'r')"), want: "shared"},
		{name: "a call among the items of a list", argv: py("import subprocess; subprocess.run(['pg_isready', '-U', user(a, b), '-h', 'orders-db'])"), want: "shared", asks: `host "orders-db"`},
		{name: "an option without its value", script: "pg_isready -h", want: "instance"},
		{name: "a connection that goes on to the same host", script: "curl --connect-to inventory:80::8080 http://inventory/livez", want: "shared", asks: `host "inventory"`},
		{name: "an exporter is not what it exports", script: "redis-cli -h $REDIS_HOST ping", req: Request{Image: "redis-exporter", Env: []EnvVar{{Name: "REDIS_HOST", From: "secretKeyRef"}}}, want: "shared"},
		{name: "an argument behind the value of an option", argv: []string{"/app", "--host", "localhost", "orders"}, want: "unknown"},
		{name: "the first failure ends the script", script: "set -o errexit; nc -z orders-db 5432; true", want: "shared"},
		{name: "a variable in a script that cannot be read", script: "if test -f /x; nc -z $DB_HOST 5432; end", req: literal("DB_HOST", "orders"), want: "likely shared", asks: `host "orders"`},
		{name: "a list that only its reader judges, in a script that cannot be read", argv: []string{"fish", "-c", "redis-cli cluster info | string match -q '*cluster_state:ok*'"}, want: "likely shared"},
		{name: "what a script sets that cannot be read", argv: []string{"fish", "-c", "export H=orders-db; nc -z $H 5432"}, want: "likely shared", asks: `host "orders-db"`},
		{name: "the shortest end that fits", script: "X=orders-db-0; nc -z ${X%-*} 80", want: "shared", asks: `host "orders-db"`},
		{name: "the longest end that fits", script: "X=orders-db.shop.svc; nc -z ${X%%.*} 80", want: "shared", asks: `host "orders-db"`},
		{name: "all that is replaced", script: "X=shop_orders_db; nc -z ${X//_/-} 80", want: "shared", asks: `host "shop-orders-db"`},
		{name: "a sign that need not be escaped", script: `nc -z orders\-db 80`, want: "shared", asks: `host "orders-db"`},
		{name: "a variable that must be set, and is", script: `nc -z "${DB_HOST:?}" 80`, req: literal("DB_HOST", "orders-db"), want: "shared", asks: `host "orders-db"`},
		{name: "a host that cannot be known, by a redirection", argv: []string{"bash", "-c", "</dev/tcp/$TARGET/80"}, req: from("TARGET", "secretKeyRef"), want: "unknown"},
		{name: "hosts that stand in a file", script: "echo localhost | xargs --arg-file=/etc/targets -n1 pg_isready -h", want: "unknown"},
		{name: "the name that the kernel tells", script: "nc -z $(uname -n) 80", want: "process"},
		{name: "the address that the network tells", script: `nc -z $(ip -4 addr show eth0 | awk '/inet/ {print $2}') 80`, want: "process"},
		{name: "a field by options with blanks", script: "nc -z $(echo web:orders-db | cut -f 2 -d :) 80", want: "shared", asks: `host "orders-db"`},
		{name: "a file that Windows looks into", argv: []string{"cmd", "/c", `findstr ok C:\health.txt`}, want: "process"},
		{name: "a path cut off a variable", script: "X=a/orders-db; nc -z ${X##*/} 80", want: "shared", asks: `host "orders-db"`},
		{name: "an end cut off a variable", script: "X=orders-db:80; nc -z ${X%:*} 80", want: "shared", asks: `host "orders-db"`},
		{name: "nothing cut off a variable", script: "X=orders-db; nc -z ${X%%:*} 80", want: "shared", asks: `host "orders-db"`},
		{name: "a dollar that is escaped", script: `X="\$a"; nc -z "$X" 80`, want: "unknown"},
	})
}

func TestLinesAreCutAtBlanksOutsideOfQuotes(t *testing.T) {
	var got [][]string
	for _, words := range splitLine(`echo 'a b' "c;d" e\ f; g && h | i`, posixQuotes) {
		var command []string
		for _, w := range words {
			command = append(command, w.val)
		}
		got = append(got, command)
	}
	want := [][]string{{"echo", "a b", "c;d", "e f"}, {"g"}, {"h"}, {"i"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPatternsOfTheShell(t *testing.T) {
	for _, tt := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"", "a", false},
		{"a", "", false},
		{"db", "db", true},
		{"db", "ab", false},
		{"*", "", true},
		{"*", "db", true},
		{"*/", "a/b/", true},
		{"*b", "abab", true},
		{"a*b*c", "axxbyyc", true},
		{"a*b*c", "axxbyy", false},
		{"d?", "db", true},
		{"d?", "d", false},
	} {
		if got := globMatch(tt.pattern, tt.text); got != tt.want {
			t.Errorf("%q matches %q: %v", tt.pattern, tt.text, got)
		}
	}
}

func TestVariablesOfAShellAreNamed(t *testing.T) {
	for item, want := range map[string]string{
		"$HOST": "$HOST", "${HOST}": "$HOST", "$HOST/path": "$HOST", "tcp://$DB_HOST:80": "$DB_HOST", "$HOST2": "$HOST2",
		"$1": "", "$9A": "", "$a": "", "$A": "", "$HOSTname": "", "a $HOST": "", "no": "",
	} {
		if got := shellVariable(item); got != want {
			t.Errorf("%s names %q, want %q", item, got, want)
		}
	}
}

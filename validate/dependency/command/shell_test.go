package command

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShellsAreLookedThrough(t *testing.T) {
	const script = "pg_isready -h db"
	for _, argv := range [][]string{
		{"sh", "-c", script},
		{"/bin/bash", "-c", script},
		{"bash", "-lc", script},
		{"bash", "-ec", script},
		{"/bin/sh", "-c", "-e", script},
		{"bash", "-o", "pipefail", "-c", script},
		{"bash", "-euo", "pipefail", "-c", script},
		{"bash", "--noprofile", "--norc", "-c", script},
		{"bash", "--norc", "-c", script},
		{"bash", "--rcfile", "/etc/check.rc", "-c", script},
		{"busybox", "sh", "-c", script},
		{"env", "-i", "PATH=/bin", "sh", "-c", script},
		{"/usr/bin/env", "-S", "pg_isready -h db"},
		{"timeout", "-k", "1", "5", "sh", "-c", script},
		{"timeout", "--signal=KILL", "5s", "pg_isready", "-h", "db"},
		{"nice", "-n", "10", "pg_isready", "-h", "db"},
		{"ionice", "-c2", "-n7", "pg_isready", "-h", "db"},
		{"nohup", "pg_isready", "-h", "db"},
		{"stdbuf", "-oL", "pg_isready", "-h", "db"},
		{"su-exec", "postgres", "pg_isready", "-h", "db"},
		{"gosu", "postgres:postgres", "pg_isready", "-h", "db"},
		{"tini", "-g", "--", "pg_isready", "-h", "db"},
		{"dumb-init", "--", "pg_isready", "-h", "db"},
		{"sudo", "-u", "postgres", "-E", "pg_isready", "-h", "db"},
		{"su", "-", "postgres", "-c", script},
		{"su", "postgres", "-s", "/bin/sh", "-c", script},
		{"runuser", "-u", "postgres", "--", "pg_isready", "-h", "db"},
		{"runuser", "-l", "postgres", "-c", script},
		{"chroot", "/host", "pg_isready", "-h", "db"},
		{"setpriv", "--reuid=1000", "pg_isready", "-h", "db"},
		{"xargs", "-n", "1", "pg_isready", "-h", "db"},
		{"script", "-q", "-c", script, "/dev/null"},
		{"flock", "-n", "/tmp/lock", "pg_isready", "-h", "db"},
		{"/entrypoint.sh", "pg_isready", "-h", "db"},
		{"sh", "-c", "eval 'pg_isready -h db'"},
		{"sh", "-c", "exec pg_isready -h db"},
		{"sh", "-c", "command pg_isready -h db"},
		{"sh", "-c", "time pg_isready -h db"},
		{"sh", "-c", "sh -c 'pg_isready -h db'"},
		{"sh", "-c", `exec "$@"`, "--", "pg_isready", "-h", "db"},
		{"sh", "-c", "pg_isready -h $1", "sh", "db"},
		{"sh", "-c", "bash <<'EOF'\npg_isready -h db\nEOF"},
		{"sh", "-c", "echo 'pg_isready -h db' | sh"},
		{"sh", "-c", `sh -c "H=db; pg_isready -h \$H"`},
		{"sh", "-c", "printf 'localhost\ndb\n' | xargs -rI% pg_isready -h %"},
		{"sh", "-c", `printf 'localhost\ndb\n' | xargs -n1 pg_isready -h`},
		{"sh", "-c", `printf '%s\n' localhost db | xargs -n1 pg_isready -h`},
		{"sh", "-c", `printf 'localhost\0db\0' | xargs -0 -n1 pg_isready -h`},
		{"bash", "-c", `for h in $(echo -e 'localhost\tdb'); do pg_isready -h $h || exit 1; done`},
		{"sh", "-c", "echo db | xargs pg_isready -h"},
		{"sh", "-c", "echo db | xargs -I{} pg_isready -h {}"},
		{"sh", "-c", "echo db | xargs -I {} pg_isready -h {}"},
		{"sh", "-c", "echo db | xargs -i pg_isready -h {}"},
		{"sh", "-c", "echo db | xargs --replace=H pg_isready -h H"},
		{"sh", "-c", "echo db | xargs -rI % sh -c 'pg_isready -h %'"},
		{"sh", "-c", "printf 'localhost\ndb\n' | xargs -n1 pg_isready -h"},
		{"sh", "-c", "echo localhost,db | xargs -d, -I{} pg_isready -h {}"},
		{"sh", "-c", "xargs -I{} -P 4 pg_isready -h {} <<< db"},
		{"sh", "-c", `printf 'localhost\0db\0' | xargs -0I{} pg_isready -h {}`},
		{"sh", "-c", "echo 'localhost;db' | xargs -d ';' -n1 pg_isready -h"},
		{"sh", "-c", "printf '%s\n' localhost db | xargs -L1 pg_isready -h"},
	} {
		t.Run(strings.Join(argv, " "), func(t *testing.T) {
			a := Analyze(Request{Argv: argv})
			if got := verdictOf(a); got != "shared" || a.Answer.Asks != `host "db"` {
				t.Errorf("judged %q, asks %s", got, a.Answer.Asks)
			}
			if len(a.Faults) > 0 {
				t.Errorf("faults %q", a.Faults)
			}
		})
	}
}

func TestEveryCommandOfAScriptIsJudged(t *testing.T) {
	judge(t, []probe{
		{name: "behind &&", script: "test -f /tmp/up && nc -z db 5432", want: "shared"},
		{name: "in front of &&", script: "nc -z db 5432 && test -f /tmp/up", want: "shared"},
		{name: "in a pipe", script: "redis-cli -h queue ping | grep -q PONG", want: "shared"},
		{name: "in a subshell", script: "(cd /tmp; nc -z db 5432)", want: "shared"},
		{name: "in braces", script: "{ nc -z db 5432; }", want: "shared"},
		{name: "in a substitution", script: `test "$(redis-cli -h queue ping)" = PONG`, want: "shared"},
		{name: "in backquotes", script: "test `redis-cli -h queue ping` = PONG", want: "shared"},
		{name: "in [[ ]]", script: `[[ $(redis-cli -h queue ping) == PONG ]]`, want: "shared"},
		{name: "in arithmetic", script: `[ $(( $(redis-cli -h queue llen jobs) + 1 )) -lt 9 ]`, want: "shared"},
		{name: "in an arithmetic test", script: `(( $(redis-cli -h queue llen jobs) < 9 ))`, want: "shared"},
		{name: "in a condition", script: "if nc -z db 5432; then exit 0; else exit 1; fi", want: "shared"},
		{name: "in a branch", script: "if test -f /tmp/x; then nc -z db 5432; fi", want: "shared"},
		{name: "in elif", script: "if false; then :; elif nc -z db 5432; then :; else exit 1; fi", want: "shared"},
		{name: "in a loop", script: "for h in localhost db; do nc -z $h 80 || exit 1; done", want: "shared"},
		{name: "in a loop's condition", script: "until nc -z db 5432; do sleep 1; done; true", want: "shared"},
		{name: "in a loop over the parameters", script: "set -- localhost db; for h; do nc -z $h 80 || exit 1; done", want: "shared"},
		{name: "not in a loop over others", script: "set -- db; for h in localhost; do nc -z $h 80 || exit 1; done", want: "process"},
		{name: "in a case", script: `case "$MODE" in a) nc -z db 5432;; esac`, want: "shared"},
		{name: "in a function that is called", script: "check() { nc -z \"$1\" 5432; }\ncheck db", want: "shared"},
		{name: "not in one that is not called", script: "check() { nc -z db 5432; }\ntest -f /tmp/up", want: "process"},
		{name: "in a process substitution", script: "grep -q ok <(curl -s http://inventory/livez)", want: "shared"},
		{name: "behind !", script: "! nc -z db 5432", want: "shared"},
		{name: "by a redirection", script: "exec 3<>/dev/tcp/db/5432", want: "shared"},
		{name: "by a redirection over UDP", script: "echo x > /dev/udp/db/53", want: "shared"},
		{name: "by a redirection without a command", script: "</dev/tcp/db/5432", want: "shared"},
		{name: "by a redirection in a subshell", script: "(echo > /dev/tcp/db/5432) >/dev/null 2>&1 || exit 1", want: "shared"},
		{name: "by a redirection to loopback", script: "exec 3<>/dev/tcp/127.0.0.1/2368", want: "process"},
		{name: "by find", script: `find /x -name ok -exec nc -z db 5432 \;`, want: "shared"},
		{name: "what a function keeps for later", script: "check() {\n  out=$(curl -s http://inventory/livez)\n  [ \"$out\" = ok ]\n}\ncheck", want: "shared"},
	})
}

func TestTheExitStatusDecides(t *testing.T) {
	judge(t, []probe{
		{name: "a failure that is forgiven", script: "pg_isready -h db || true", want: "process"},
		{name: "or only told", script: "pg_isready -h db || echo down", want: "process"},
		{name: "or told on the standard error", script: "pg_isready -h db || echo down >&2", want: "process"},
		{name: "or written down", script: "pg_isready -h db || echo down >> /tmp/log", want: "process"},
		{name: "or kept in a variable", script: "pg_isready -h db || export DOWN=1", want: "process"},
		{name: "whose status the shell ends with", script: "nc -z db 5432; exit", want: "shared"},
		{name: "that kills the main process before another", script: "nc -z db 5432 || kill 1; true", want: "likely shared"},
		{name: "or turned into success", script: "pg_isready -h db || exit 0; test -f /tmp/up", want: "process"},
		{name: "a success at the end", script: "redis-cli -h queue ping; exit 0", want: "process"},
		{name: "an earlier command in a list", script: "nc -z db 5432; test -f /tmp/up", want: "process"},
		{name: "an earlier command with -e", argv: []string{"sh", "-ec", "nc -z db 5432; test -f /tmp/up"}, want: "shared"},
		{name: "an earlier command after set -e", script: "set -e\nnc -z db 5432\ntest -f /tmp/up", want: "shared"},
		{name: "after set -o errexit", script: "set -euo pipefail\nnc -z db 5432\ntest -f /tmp/up", want: "shared"},
		{name: "no longer after set +e", script: "set -e; set +e; nc -z db 5432; test -f /tmp/up", want: "process"},
		{name: "whose status is read", script: "nc -z db 5432; [ $? -eq 0 ]", want: "shared"},
		{name: "whose status is kept", script: "nc -z db 5432\nrc=$?\nexit $rc", want: "shared"},
		{name: "whose output is kept", script: "out=$(redis-cli -h queue ping)\n[ \"$out\" = PONG ]", want: "shared"},
		{name: "whose output is only printed", script: "out=$(redis-cli -h queue ping); echo $out", want: "process"},
		{name: "that ends the shell", script: "nc -z db 5432 || exit 1; true", want: "shared"},
		{name: "that ends it by a function", script: "die() { echo $1; exit 1; }\nnc -z db 5432 || die down\ntrue", want: "shared"},
		{name: "that leaves a function", script: "check() { nc -z db 5432 || return 1; true; }\ncheck", want: "shared"},
		{name: "that ends only its side of a pipe", script: "redis-cli -h queue ping | { grep -q PONG || exit 1; }; true", want: "process"},
		{name: "that ends only its own subshell", script: "(nc -z db 5432 || exit 1); true", want: "process"},
		{name: "after a shell with -e", script: "sh -c 'set -e; true'; nc -z db 5432; test -f /tmp/up", want: "process"},
		{name: "that kills the main process", script: "nc -z db 5432 || kill 1", want: "likely shared"},
		{name: "in the background", script: "nc -z db 5432 & test -f /tmp/up", want: "process"},
		{name: "that is waited for", script: "nc -z db 5432 & wait $!", want: "shared"},
		{name: "piped into what never fails", script: "redis-cli -h queue ping | true", want: "process"},
		{name: "a condition without an else", script: "if nc -z db 5432; then echo up; fi", want: "process"},
		{name: "a check that the own process can stand in for", script: "nc -z db 5432 || pgrep app", want: "likely shared"},
		{name: "a check that a flag file suspends", script: "[ -e /tmp/init ] || nc -z db 5432", want: "shared"},
		{name: "the last of many", script: "A=1\nexport B=2\necho hello\nnc -z db 5432", want: "shared"},
		{name: "behind the end", script: "exit 0\nnc -z db 5432", want: "process"},
	})
}

func TestAConditionMattersWhenAnOutageEndsDifferently(t *testing.T) {
	judge(t, []probe{
		{name: "no, when the other branch ends well", script: "if pg_isready -h db -t 1; then test -f /tmp/alive; else exit 0; fi", want: "process"},
		{name: "no, when the other branch does nothing", script: "if pg_isready -h db; then test -f /tmp/alive; else true; fi", want: "process"},
		{name: "no, when there is no other branch", script: "if pg_isready -h db; then test -f /tmp/alive; fi", want: "process"},
		{name: "no, when it is asked for a failure and that ends well", script: "if ! nc -z -w1 cache 11211; then exit 0; fi; test -f /tmp/alive", want: "process"},
		{name: "no, when all ends well", script: "if ! nc -z -w1 cache 11211; then exit 0; fi; exit 0", want: "process"},
		{name: "no, when both branches go on", script: "if pg_isready -h db; then echo up; else echo down; fi; test -f /tmp/alive", want: "process"},
		{name: "no, in brackets, when both branches end well", script: `if [ "$(redis-cli -h queue ping)" = PONG ]; then exit 0; else exit 0; fi`, want: "process"},
		{name: "no, with && and || in it", script: "if pg_isready -h db && nc -z cache 6379 || false; then test -f /tmp/alive; else exit 0; fi", want: "process"},
		{name: "no, in an elif whose else ends well", script: "if test -f /tmp/starting; then exit 0; elif pg_isready -h db; then test -f /tmp/alive; else exit 0; fi", want: "process"},
		{name: "no, in a function that returns well", script: "check() { if pg_isready -h db; then test -f /tmp/alive; else return 0; fi; }\ncheck || exit 1", want: "process"},
		{name: "no, behind a ! whose success is enough", script: "! pg_isready -h db || test -f /tmp/alive", want: "process"},
		{name: "no, in front of && when the rest succeeds", script: "pg_isready -h db && exit 0; exit 0", want: "process"},
		{name: "no, in braces and a subshell", script: "if { (pg_isready -h db); }; then test -f /tmp/alive; else exit 0; fi", want: "process"},
		{name: "yes, when only one more condition ends well", script: "if pg_isready -h db; then exit 0; elif test -f /tmp/x; then exit 0; fi; exit 1", want: "shared"},
		{name: "yes, when a variable may tell", argv: []string{"sh", "-ec", "if pg_isready -h db; then ok=0; test -f /tmp/x; else ok=1; fi; exit $ok"}, want: "shared"},
		{name: "yes, when the other branch fails", script: "if pg_isready -h db; then exit 0; else exit 1; fi", want: "shared"},
		{name: "yes, when a failure is asked for and fails", script: "if ! pg_isready -h db; then exit 1; fi; test -f /tmp/alive", want: "shared"},
		{name: "yes, when what comes behind fails", script: "if pg_isready -h db; then exit 0; fi; exit 1", want: "shared"},
		{name: "yes, when what comes behind a block fails", script: "{ if pg_isready -h db; then exit 0; fi; }; exit 1", want: "shared"},
		{name: "yes, when what comes behind a loop fails", script: "for h in a b; do if nc -z db 5432; then exit 0; fi; done; exit 1", want: "shared"},
		{name: "yes, when what a branch writes is read", script: `test "$(if pg_isready -h db; then echo ok; exit 0; else echo bad; exit 0; fi)" = ok`, want: "shared"},
		{name: "yes, when what && leads to is read", script: `test "$(pg_isready -h db && { echo ok; exit 0; }; true)" = ok`, want: "shared"},
		{name: "yes, when the status is read", script: "if pg_isready -h db; then exit 0; fi; exit", want: "shared"},
		{name: "yes, when an answer may lead to a failure", script: "if curl -s http://inventory/status | grep -q DOWN; then exit 1; fi", want: "shared"},
		{name: "yes, in brackets, when one branch fails", script: `if [ "$(redis-cli -h queue ping)" != PONG ]; then exit 1; fi; exit 0`, want: "shared"},
		{name: "yes, when the branch for both a failure and a success fails", script: "if ! pg_isready -h db || ! nc -z cache 6379; then exit 1; else exit 0; fi", want: "shared"},
		{name: "yes, in front of && when the rest fails", script: "pg_isready -h db && exit 0; exit 1", want: "shared"},
		{name: "yes, in front of && with -e", argv: []string{"sh", "-ec", "nc -z db 5432 && exit 0; nc -z db 5432; true"}, want: "shared"},
	})
}

func TestWordsThatOnlyMentionClientsAreNothing(t *testing.T) {
	judge(t, []probe{
		{name: "comments", script: "# was: redis-cli -h queue ping\ntest -f /tmp/alive", want: "process"},
		{name: "texts", script: `echo "redis-cli -h queue ping"; test -f /tmp/alive`, want: "process"},
		{name: "quoted commands", script: `test -f "/tmp/nc -z db 5432"`, want: "process"},
		{name: "single quotes", script: `grep -q 'curl http://db' /tmp/log`, want: "process"},
		{name: "assignments", script: `CMD="redis-cli -h queue ping"; test -f /tmp/alive`, want: "process"},
		{name: "patterns of processes", script: `pgrep -f "celery.*worker"`, want: "process"},
		{name: "patterns in a list of processes", script: "ps aux | grep 'redis-cli -h db' | grep -v grep", want: "process"},
		{name: "a heredoc that is only printed", script: "cat <<EOF\nnc -z db 5432\nEOF\ntest -f /x", want: "process"},
		{name: "a look for a program", script: "command -v redis-cli", want: "process"},
		{name: "file names", script: "cat /var/run/postgres/db.pid", want: "process"},
		{name: "a variable that is run is no mention", script: `CMD="redis-cli -h queue ping"; $CMD`, want: "shared"},
	})
}

func TestExpansionsOfTheShell(t *testing.T) {
	queue := literal("REDIS_HOST", "queue.data")
	judge(t, []probe{
		{name: "env wins over a default", script: `redis-cli -h "${REDIS_HOST:-127.0.0.1}" ping`, req: queue, want: "shared", asks: `host "queue.data"`},
		{name: "a default is used", script: `redis-cli -h "${REDIS_HOST:-127.0.0.1}" ping`, want: "instance"},
		{name: "a default that is another host", script: `redis-cli -h "${REDIS_HOST:-queue}" ping`, want: "shared"},
		{name: "a default that envFrom may override", script: `redis-cli -h "${REDIS_HOST:-127.0.0.1}" ping`, req: Request{EnvFrom: true}, want: "likely shared"},
		{name: "the same in Redis' own image", script: `redis-cli -h "${REDIS_HOST:-127.0.0.1}" ping`, req: Request{EnvFrom: true, Image: "redis:7"}, want: "unknown"},
		{name: "a default that is kept", script: `: "${H:=queue}"; redis-cli -h $H ping`, want: "shared"},
		{name: "a default that is a command", script: `redis-cli -h "${H:-$(hostname -i)}" ping`, want: "instance"},
		{name: "an empty value takes the default", script: `redis-cli -h "${H:-queue}" ping`, req: literal("H", ""), want: "shared"},
		{name: "an empty value stays with -", script: `pg_isready -h "${H-queue}"`, req: literal("H", ""), want: "instance"},
		{name: "an alternative", script: `redis-cli ${REDIS_HOST:+-h $REDIS_HOST} ping`, req: queue, want: "shared"},
		{name: "a suffix is cut", script: `nc -z ${ADDR%:*} ${ADDR#*:}`, req: literal("ADDR", "db:5432"), want: "shared", asks: `host "db"`},
		{name: "a scheme is cut", script: `nc -z ${URL##*/} 80`, req: literal("URL", "http://db"), want: "shared", asks: `host "db"`},
		{name: "a cut of an unknown value keeps its name", script: `nc -z ${DB_URL%%:*} 80`, req: from("DB_URL", "secretKeyRef"), want: "shared"},
		{name: "a replacement", script: `nc -z ${H/primary/replica} 80`, req: literal("H", "db-primary"), want: "shared", asks: `host "db-replica"`},
		{name: "an indirection", script: `X=H; nc -z ${!X} 80`, req: literal("H", "db"), want: "shared"},
		{name: "an assignment", script: "HOST=db\nPORT=5432\nnc -z $HOST $PORT", want: "shared"},
		{name: "an assignment from another", script: `A=inv; B="${A}entory"; curl -f http://$B/livez`, want: "shared", asks: `host "inventory"`},
		{name: "an array", script: `hosts=(localhost db); for h in "${hosts[@]}"; do nc -z $h 80 || exit 1; done`, want: "shared"},
		{name: "positional parameters", script: `set -- db 5432; nc -z $1 $2`, want: "shared"},
		{name: "all of them", script: `set -- nc -z db 5432; "$@"`, want: "shared"},
		{name: "after shift", script: `set -- x db; shift; nc -z $1 80`, want: "shared"},
		{name: "a default behind the last parameter", script: `set -- db; shift; nc -z "${1:-localhost}" 80`, want: "process"},
		{name: "the own ordinal in a name", script: `nc -z "web-${HOSTNAME##*-}.web" 80`, want: "process"},
		{name: "a scheme that is not there", script: "H=orders-db; nc -z ${H#*://} 80", want: "shared", asks: `host "orders-db"`},
		{name: "fields of an unquoted variable", script: `ARGS="-h db"; pg_isready $ARGS`, want: "shared"},
		{name: "a file of variables", script: ". /etc/app.env; pg_isready -h $DB_HOST", want: "shared", asks: "the host in $DB_HOST"},
		{name: "a variable for one command behind another", script: "A=1; PGHOST=orders-db true; pg_isready", want: "instance"},
		{name: "read of fewer words than names", script: `read H P <<< db; nc -z $H 5432`, want: "shared", asks: `host "db"`},
		{name: "read", script: `read H P <<< "db 5432"; nc -z $H $P`, want: "shared"},
		{name: "hostname", script: `redis-cli -h $(hostname) ping`, want: "instance"},
		{name: "hostname with a domain", script: `nc -z $(hostname).web.shop.svc.cluster.local 80`, want: "process"},
		{name: "the first word of hostname", script: `nc -z $(hostname -i | awk '{print $1}') 80`, want: "process"},
		{name: "a file with the name", script: `nc -z $(cat /etc/hostname) 80`, want: "process"},
		{name: "echo", script: `nc -z $(echo db) 80`, want: "shared"},
		{name: "printf", script: `nc -z $(printf '%s' db) 80`, want: "shared"},
		{name: "cut", script: `nc -z $(echo db:5432 | cut -d: -f1) 80`, want: "shared", asks: `host "db"`},
		{name: "cut of a line without the delimiter", script: `nc -z $(echo orders-db | cut -d. -f2) 80`, want: "shared", asks: `host "orders-db"`},
		{name: "tr for a name", script: `nc -z $(echo orders.db | tr . -) 80`, want: "shared", asks: `host "orders-db"`},
		{name: "tr for lines", script: `echo localhost,db | tr , '\n' | while read h; do nc -z $h 80 || exit 1; done`, want: "shared", asks: `host "db"`},
		{name: "tr for a list", script: `for h in $(echo a,b | tr ',' ' '); do nc -z $h 80 || exit 1; done`, want: "shared", asks: `host "a"`},
		{name: "sed of a known address", script: `nc -z $(echo $URL | sed 's/.*@//') 80`, req: literal("URL", "postgres://a:b@db:5432/x"), want: "likely shared", asks: `host "db"`},
		{name: "sed of an unknown one", script: `nc -z $(echo $DATABASE_URL | sed 's/.*@//') 80`, req: from("DATABASE_URL", "secretKeyRef"), want: "shared"},
		{name: "a file", script: `nc -z $(cat /etc/target) 80`, want: "unknown"},
		{name: "a program", script: `nc -z $(find-host) 80`, want: "unknown"},
		{name: "a program in a name", script: `nc -z "$(find-app).shop.svc" 80`, want: "likely shared", asks: `host "$(find-app).shop.svc"`},
		{name: "continued lines", script: "nc \\\n  -z \\\n  db 5432", want: "shared"},
		{name: "escaped dollars are text", script: `nc -z \$DB_HOST 80`, req: literal("DB_HOST", "db"), want: "unknown"},
	})
}

func unexpanded(name string) string {
	return "$(" + name + ") is not expanded in a probe, because the kubelet expands only what env lists; " +
		`run the command in a shell and write "$` + name + `"`
}

func TestFaultsOfTheCommandLine(t *testing.T) {
	tests := []struct {
		name string
		req  Request
		want []string
	}{
		{"a whole command line as the program", Request{Argv: []string{"pg_isready -h db"}}, []string{
			`argv[0] "pg_isready -h db" has blanks: no such program can exist, as no shell splits it; write one item for each argument, or ["sh", "-c", ...]`,
		}},
		{"the same on Windows", Request{Argv: []string{"powershell -command Get-Date"}, Windows: true}, []string{
			`argv[0] "powershell -command Get-Date" has blanks: no such program can exist, as no shell splits it; write one item for each argument, or ["cmd", "/c", ...]`,
		}},
		{"a path with blanks on Windows", Request{Argv: []string{`C:\Program Files\app\check.exe`, "-q"}, Windows: true}, nil},
		{"a path with a blank", Request{Argv: []string{"/opt/my app/check"}}, nil},
		{"an empty program", Request{Argv: []string{""}}, []string{"argv[0] is empty; name the program there"}},
		{"items after the script", Request{Argv: []string{"sh", "-c", "exec", "airflow jobs check"}}, []string{
			`the items after the script of -c are not run, they only become $0, $1, ...: "airflow jobs check"; make them part of the script`,
		}},
		{"a command cut into items", Request{Argv: []string{"sh", "-c", "pgrep", "-f", "app"}}, []string{
			`the items after the script of -c are not run, they only become $0, $1, ...: "-f app"; make them part of the script`,
		}},
		{"items that the script uses", Request{Argv: []string{"sh", "-c", `test -f "$1"`, "sh", "/tmp/up"}}, nil},
		{"a label for $0", Request{Argv: []string{"sh", "-c", "test -f /tmp/up", "probe"}}, nil},
		{"a script without -c", Request{Argv: []string{"sh", "redis-cli ping"}}, []string{
			`"redis-cli ping" is a script, but without -c a shell takes it for the name of a file; add -c`,
		}},
		{"a file for a shell", Request{Argv: []string{"sh", "/scripts/check.sh", "5"}}, nil},
		{"a variable that the kubelet empties", Request{Argv: []string{"pg_isready", "-h", "$(DB_HOST)"}, Env: []EnvVar{{Name: "DB_HOST", From: "secretKeyRef"}}}, []string{
			`$(DB_HOST) is empty in a probe, because the kubelet expands only literal values there; run the command in a shell and write "$DB_HOST"`,
		}},
		{"a command that it does not know", Request{Argv: []string{"sh", "-c", "redis-cli -h $(hostname) ping"}, EnvFrom: true}, nil},
		{"a variable that nothing sets", Request{Argv: []string{"pg_isready", "-h", "$(DB_HOST)"}}, []string{
			`$(DB_HOST) is not expanded in a probe, because the kubelet expands only what env lists; run the command in a shell and write "$DB_HOST"`,
		}},
		{"a variable that it does not know", Request{Argv: []string{"curl", "http://$(DB_HOST)/livez"}, EnvFrom: true}, []string{
			`$(DB_HOST) is not expanded in a probe, because the kubelet expands only what env lists; run the command in a shell and write "$DB_HOST"`,
		}},
		{"a variable without a shell", Request{Argv: []string{"celery", "inspect", "ping", "-d", "worker@$HOSTNAME"}}, []string{
			`no shell reads $HOSTNAME here, so it stays as it is written; run the command in ["sh", "-c", ...]`,
		}},
		{"a variable in a shell", Request{Argv: []string{"sh", "-c", "celery inspect ping -d worker@$HOSTNAME"}}, nil},
		{"a path without a shell", Request{Argv: []string{"cat", "$ALIVE_FILE"}}, []string{
			`no shell reads $ALIVE_FILE here, so it stays as it is written; run the command in ["sh", "-c", ...]`,
		}},
		{"a path in a shell", Request{Argv: []string{"sh", "-c", "cat $ALIVE_FILE"}}, nil},
		{"an emptied host of a Go program", Request{Argv: []string{"grpc_health_probe", "-addr=$(POD_IP):9090"}, Env: []EnvVar{{Name: "POD_IP", From: "fieldRef:status.podIP"}}}, nil},
		{"a host of a Go program that nothing sets", Request{Argv: []string{"grpc_health_probe", "-addr=$(POD_IP):9090"}}, []string{unexpanded("POD_IP")}},
		{"a dollar sign of a query", Request{Argv: []string{"mongosh", "--eval", "db.x.find({a: {$GT: 1}})"}}, nil},
		{"a dollar sign of a pattern", Request{Argv: []string{"grep", "-q", "^$HOME", "/x"}}, nil},
		{"an emptied user is none", Request{Argv: []string{"pg_isready", "-U", "$(PGUSER)"}, Env: []EnvVar{{Name: "PGUSER", From: "secretKeyRef"}}}, nil},
		{"many variables that nothing sets", Request{Argv: []string{"sh", "-c", "nc -z $(A) 1 && nc -z $(B) 1 && nc -z $(C) 1 && nc -z $(D) 1 && nc -z $(E) 1"}}, []string{
			unexpanded("A"), unexpanded("B"), unexpanded("C"), unexpanded("D"),
		}},
		{"a good command", Request{Argv: []string{"pg_isready", "-U", "app"}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Analyze(tt.req).Faults); diff != "" {
				t.Errorf("faults differ (-want +got):\n%s", diff)
			}
		})
	}
}

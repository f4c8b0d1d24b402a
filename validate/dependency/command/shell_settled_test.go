package command

import "testing"

func TestWhatALiteralValueRulesOutIsNotJudged(t *testing.T) {
	web := literal("ROLE", "web")
	judge(t, []probe{
		{name: "a branch", script: `if [ "$ROLE" = worker ]; then nc -z db 5432; else test -f /tmp/alive; fi`, req: web, want: "process"},
		{name: "the branch that is left", script: `if [ "$ROLE" = web ]; then nc -z db 5432; else test -f /tmp/alive; fi`, req: web, want: "shared"},
		{name: "the other branch", script: `if [ "$ROLE" = worker ]; then test -f /tmp/alive; else nc -z db 5432; fi`, req: web, want: "shared"},
		{name: "the else of what holds", script: `if test ${ROLE} = web; then test -f /tmp/alive; else nc -z db 5432; fi`, req: web, want: "process"},
		{name: "an elif", script: `if [ $ROLE = worker ]; then nc -z db 5432; elif [ $ROLE = web ]; then nc -z queue 6379; fi`, req: web, want: "shared", asks: `host "queue"`},
		{name: "a negated condition", script: `if ! [ $ROLE = web ]; then nc -z db 5432; fi`, req: web, want: "process"},
		{name: "two brackets", argv: []string{"bash", "-c", `if [[ $ROLE != web ]]; then nc -z db 5432; fi`}, req: web, want: "process"},
		{name: "a part of a word", script: `if [ "x$ROLE" = 'xworker' ]; then nc -z db 5432; fi`, req: web, want: "process"},
		{name: "behind ||", script: `[ "$ROLE" != worker ] || nc -z db 5432`, req: web, want: "process"},
		{name: "behind || that is needed", script: `[ "$ROLE" != web ] || nc -z db 5432`, req: web, want: "shared"},
		{name: "behind &&", script: `[ "$ROLE" = worker ] && nc -z db 5432`, req: web, want: "process"},
		{name: "behind && that is needed", script: `[ "$ROLE" = web ] && nc -z db 5432`, req: web, want: "shared"},
		{name: "an item of a case", script: `case "$ROLE" in worker|beat) nc -z db 5432;; w*) test -f /tmp/alive;; *) nc -z queue 6379;; esac`, req: web, want: "process"},
		{name: "the item that is left", script: `case "$ROLE" in worker|web) nc -z db 5432;; *) nc -z queue 6379;; esac`, req: web, want: "shared", asks: `host "db"`},
		{name: "a case without its item", script: `case "$ROLE" in worker) nc -z db 5432;; esac`, req: web, want: "process"},
	})
}

func TestWhatNoLiteralValueDecidesIsJudged(t *testing.T) {
	web := literal("ROLE", "web")
	judge(t, []probe{
		{name: "a value from elsewhere", script: `if [ "$ROLE" = worker ]; then nc -z db 5432; fi`, req: from("ROLE", "configMapKeyRef"), want: "shared"},
		{name: "a variable that nothing sets", script: `if [ "$ROLE" = worker ]; then nc -z db 5432; fi`, want: "shared"},
		{name: "a variable that the script sets", script: `ROLE=worker; if [ "$ROLE" = worker ]; then nc -z db 5432; fi`, req: web, want: "shared"},
		{name: "a default of the shell", script: `if [ "${ROLE:-web}" = worker ]; then nc -z db 5432; fi`, req: web, want: "shared"},
		{name: "a pattern", argv: []string{"bash", "-c", `if [[ $ROLE == w* ]]; then nc -z db 5432; fi`}, req: web, want: "shared"},
		{name: "a range in a case", script: `case "$ROLE" in [v-w]eb) nc -z db 5432;; esac`, req: web, want: "shared"},
		{name: "a case that falls through", argv: []string{"bash", "-c", `case "$ROLE" in web) true;& worker) nc -z db 5432;; esac`}, req: web, want: "shared"},
		{name: "another comparison", script: `if [ "$ROLE" \> a ]; then nc -z db 5432; fi`, req: web, want: "shared"},
		{name: "two conditions", script: `if [ "$ROLE" = worker ] || test -f /tmp/x; then nc -z db 5432; fi`, req: web, want: "shared"},
		{name: "an array", argv: []string{"bash", "-c", `if [ "${ROLE[0]}" = worker ]; then nc -z db 5432; fi`}, req: web, want: "shared"},
		{name: "an escaped dollar sign", script: `if [ \$ROLE = worker ]; then nc -z db 5432; fi`, req: web, want: "shared"},
	})
}

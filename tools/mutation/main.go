// Command mutation shows that the tests catch broken rules. It breaks each rule, and
// what rules stand on, in small ways (a comparison turned, a bound moved by one, an
// entry of a table left out), one at a time, and runs the tests that ought to fail.
// The Makefile calls it, from this folder:
//
//	go run . -n 8 liveness-window budget-* validate/host
//
// All breakages of a package are built into one test program, each behind a switch
// that an environment variable sets, so that hundreds of them cost one build. The tree
// itself is never changed: the broken files reach the compiler as an overlay.
//
// What changes nothing that can be seen, such as a shortcut that only saves time,
// stands in survivors.txt with the reason.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
)

// tree is the root of the repository, as seen from this module's folder.
const tree = "../.."

// The exit statuses.
const (
	exitUncaught = 1
	exitUsage    = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	o, err := parseOptions(os.Args[1:])
	if err == nil {
		err = run(ctx, o, os.Stdout)
	}
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return
	case errors.Is(err, errUncaught):
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(exitUncaught)
	default:
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(exitUsage)
	}
}

func parseOptions(args []string) (options, error) {
	o := options{survivors: "tools/mutation/survivors.txt"}
	flags := flag.NewFlagSet("mutation", flag.ContinueOnError)
	flags.IntVar(&o.count, "n", 8, "how many breakages each file gets; 0 for all that there are")
	flags.IntVar(&o.jobs, "j", runtime.GOMAXPROCS(0), "how many are tested at once")
	flags.BoolVar(&o.verbose, "v", false, "print the caught ones too, with the test that fails")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "usage: mutation [flags] [rule or file, such as budget-* or validate/host]...")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if o.jobs < 1 || o.count < 0 {
		return o, errors.New("-j must be 1 or more, -n 0 or more")
	}
	var err error
	o.root, err = filepath.Abs(tree)
	o.patterns = flags.Args()
	return o, err
}

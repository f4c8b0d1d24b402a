package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/probity-dev/probity/validate"
	"github.com/probity-dev/probity/validate/config"
)

// serveOptions are the flags of serve.
type serveOptions struct {
	addr    string
	mode    string
	profile string
	certDir string
	debug   bool
	logs    io.Writer
	program program
	config  configFlag
	// flags are what --mode and --profile say; they go before the file.
	flags config.Defaults

	standalone bool
	budgets    bool

	kubeconfig              string
	healthAddr, metricsAddr string
	namespace, service      string
	certSecret              string
	certReadOnly            bool
	clientCA                string
	clientNames             []string
	extraHosts              []string
	webhookConfiguration    string
	shutdownDelay           time.Duration
	auditInterval           time.Duration
	events                  bool
}

func newServe(p program) *cobra.Command {
	o := serveOptions{program: p, logs: p.stderr}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the admission webhooks",
		Long: `Serve the admission webhooks /validate and /mutate.

In a cluster, the labels of each namespace say its mode and profile, and the
serving certificate is kept in a Secret and made known to the API server. With
--cert-read-only something else does both, such as cert-manager, and with
--cert-dir something else keeps the certificate in a folder.

With --standalone no cluster is needed: every review is judged in one mode, with
a certificate made at start. That is for trying, for load tests and for writing
rules.`,
		Example: `  # As a Deployment runs it
  probity serve --cert-secret probity-serving-cert

  # Without a cluster; writes tls.crt, tls.key and ca.crt for the client
  probity serve --standalone --mode enforce --cert-dir ./certs
  curl --cacert certs/ca.crt -H 'Content-Type: application/json' -d @review.json https://127.0.0.1:9443/validate`,
		Args: atMost(0, "none"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return o.run(ctx)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.standalone, "standalone", false, "serve without a cluster, judging every review in --mode")
	f.StringVar(&o.addr, "addr", "", `address of the webhooks (default ":9443", and "127.0.0.1:9443" with --standalone)`)
	f.StringVar(&o.mode, "mode", "", `mode of namespaces that do not say: enforce, warn, audit or off (default: the configuration's, else "off", and "enforce" with --standalone)`)
	f.StringVar(&o.profile, "profile", "", `profile of namespaces that do not say: baseline or strict (default: the configuration's, else "baseline")`)
	f.StringVar(&o.certDir, "cert-dir", "", "folder with tls.crt and tls.key, read again when they change; with --standalone, where to write them and ca.crt")
	f.BoolVar(&o.debug, "debug", false, "log more")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig of the cluster (default: the Pod's service account, then $KUBECONFIG)")
	f.StringVar(&o.healthAddr, "health-addr", ":8081", "address of /livez and /readyz, in HTTP; with --standalone they are on --addr")
	f.StringVar(&o.metricsAddr, "metrics-addr", ":8080", `address of /metrics, in HTTP; "0" turns it off; with --standalone it is on --addr`)
	f.StringVar(&o.namespace, "namespace", p.getenv("POD_NAMESPACE"), "Probity's own namespace (default $POD_NAMESPACE)")
	f.StringVar(&o.service, "service", "probity", "Service that the API server calls")
	f.StringVar(&o.certSecret, "cert-secret", "probity-serving-cert", "Secret where the serving certificate is kept, when --cert-dir is not set")
	f.BoolVar(&o.certReadOnly, "cert-read-only", false, "only read the Secret and the webhook configurations: something else, such as cert-manager, writes them")
	f.StringVar(&o.clientCA, "client-ca", "", "file with certificate authorities in PEM, read again when it changes: reviews are taken only from clients with a certificate of them (default: from everybody)")
	f.StringSliceVar(&o.clientNames, "client-name", nil, "with --client-ca, common name or DNS name that the client's certificate must have; may be given again (default: any)")
	f.StringSliceVar(&o.extraHosts, "cert-host", nil, "further DNS name or IP address for the serving certificate")
	f.StringVar(&o.webhookConfiguration, "webhook-configuration", "probity", "name of the ValidatingWebhookConfiguration and the MutatingWebhookConfiguration that get the CA")
	f.BoolVar(&o.budgets, "budgets", true, "make disruption budgets where namespaces ask for them; with false, workloads are not watched and budgets not judged at admission")
	o.config.add(cmd)
	f.DurationVar(&o.auditInterval, "audit-interval", time.Hour, "time between audits of what already runs, give or take a tenth; 0 turns them off")
	f.BoolVar(&o.events, "events", true, "write Kubernetes Events about findings")
	f.DurationVar(&o.shutdownDelay, "shutdown-delay", 5*time.Second, "time between not being ready and closing, for the API server to go elsewhere")
	return cmd
}

func (o *serveOptions) run(ctx context.Context) error {
	if o.addr == "" {
		o.addr = ":9443"
		if o.standalone {
			o.addr = "127.0.0.1:9443"
		}
	}
	log, end := o.startLog()
	defer end()
	ctrllog.SetLogger(log)
	if len(o.clientNames) > 0 && o.clientCA == "" {
		return usageError{errors.New("--client-name is set, but not --client-ca: names say something only in certificates of an authority that is trusted")}
	}
	if err := o.parseFlags(); err != nil {
		return usageError{err}
	}
	host, _, err := splitAddr(o.addr)
	if err != nil {
		return usageError{err}
	}
	configuration, err := o.follow(log)
	if err != nil {
		return err
	}
	if o.standalone {
		return o.serveStandalone(ctx, log, host, configuration)
	}
	return o.serveCluster(ctx, log, configuration)
}

// parseFlags reads --mode and --profile, where they are given.
func (o *serveOptions) parseFlags() error {
	if o.mode != "" {
		mode, err := validate.ParseMode(o.mode)
		if err != nil {
			return fmt.Errorf("--mode: %w", err)
		}
		o.flags.Mode = &mode
	}
	if o.profile != "" {
		profile, err := validate.ParseProfile(o.profile)
		if err != nil {
			return fmt.Errorf("--profile: %w", err)
		}
		o.flags.Profile = &profile
	}
	return nil
}

func splitAddr(addr string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, fmt.Errorf("--addr %q: must be HOST:PORT or :PORT: %w", addr, errors.Unwrap(err))
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 1 || port > 65535 {
		return "", 0, fmt.Errorf("--addr %q: the port must be a number from 1 to 65535", addr)
	}
	return host, port, nil
}

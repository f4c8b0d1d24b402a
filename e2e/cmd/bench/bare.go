package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// bareEnv, in the environment of a child, has it serve the bare handlers; its value is
// the patch that they answer with.
const bareEnv = "PROBITY_BENCH_BARE"

// bare is a child that serves what any webhook costs: HTTPS handlers that look at
// nothing in the object. One allows, the other injects the same into whatever it gets.
type bare struct {
	URL string
	CA  []byte // PEM

	process *exec.Cmd
	stdin   io.Closer
}

// startBare starts the child, which ends with this process.
func startBare(ctx context.Context, patch []byte) (*bare, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Env = append(os.Environ(), bareEnv+"="+string(patch))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b := &bare{process: cmd, stdin: stdin}
	if err := json.NewDecoder(stdout).Decode(b); err != nil {
		return nil, errors.Join(fmt.Errorf("start the bare handlers: %w", err), b.stop())
	}
	return b, nil
}

func (b *bare) stop() error {
	return errors.Join(b.stdin.Close(), b.process.Wait())
}

// serveBare serves until standard input closes, and says first where.
func serveBare(patch string) error {
	mux := http.NewServeMux()
	mux.Handle("/validate", bareHandler(""))
	mux.Handle("/mutate", bareHandler(`,"patchType":"JSONPatch","patch":"`+base64.StdEncoding.EncodeToString([]byte(patch))+`"`))
	server := httptest.NewUnstartedServer(mux)
	server.EnableHTTP2 = true
	server.StartTLS() // with a certificate for 127.0.0.1 that it signed itself
	defer server.Close()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := json.NewEncoder(os.Stdout).Encode(bare{URL: server.URL, CA: ca}); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// bareHandler answers every review alike, but refuses what waitUntilRefused sends. It
// takes the review's id from where the API server writes it, without decoding.
func bareHandler(answer string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		review, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, id, _ := bytes.Cut(review, []byte(`"uid":"`))
		id, _, _ = bytes.Cut(id, []byte(`"`))
		w.Header().Set("Content-Type", "application/json")
		allowed := !bytes.Contains(review, []byte(faultyPath))
		fmt.Fprintf(w, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"%s","allowed":%t,"status":{"code":403}%s}}`, id, allowed, answer)
	})
}

// injection is the patch that adds the startup probes of a Deployment to one without.
func injection(whole *appsv1.Deployment) ([]byte, error) {
	type operation struct {
		Op    string        `json:"op"`
		Path  string        `json:"path"`
		Value *corev1.Probe `json:"value"`
	}
	var patch []operation
	for i, container := range whole.Spec.Template.Spec.Containers {
		path := fmt.Sprintf("/spec/template/spec/containers/%d/startupProbe", i)
		patch = append(patch, operation{Op: "add", Path: path, Value: container.StartupProbe})
	}
	return json.Marshal(patch)
}

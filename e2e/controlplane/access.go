package controlplane

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Admin returns the access of a cluster administrator, who may do everything.
func (c *ControlPlane) Admin() *rest.Config { return rest.CopyConfig(c.admin) }

// User returns the access of a user with these groups. It may only what RBAC
// gives to its name or groups, which is at first what any authenticated user
// may: discovery. See AllowEdit.
func (c *ControlPlane) User(name string, groups ...string) (*rest.Config, error) {
	pair, err := c.authority.client(name, groups)
	if err != nil {
		return nil, fmt.Errorf("user %q: %w", name, err)
	}
	return &rest.Config{
		Host: c.url(),
		TLSClientConfig: rest.TLSClientConfig{
			CAData:   c.authority.cert,
			CertData: pair.cert,
			KeyData:  pair.key,
		},
		QPS: -1, // The API server's own limits are enough.
	}, nil
}

// AllowEdit lets a user create, read and change what a developer does in one
// namespace, by a RoleBinding to Kubernetes' ClusterRole "edit". It returns
// when the API server follows it.
func (c *ControlPlane) AllowEdit(ctx context.Context, user, namespace string) error {
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "edit-" + url.PathEscape(user)},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "edit"},
	}
	_, err := c.client.RbacV1().RoleBindings(namespace).Create(ctx, binding, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("allow user %q to edit in namespace %q: %w", user, namespace, err)
	}
	return c.WaitFor(ctx, func(ctx context.Context) error { return c.mayCreate(ctx, user, namespace) })
}

// Editor gives a user with these groups the right to edit in the namespaces, and
// returns the path of its kubeconfig.
func (c *ControlPlane) Editor(ctx context.Context, name string, groups []string, namespaces ...string) (kubeconfig string, err error) {
	access, err := c.User(name, groups...)
	if err != nil {
		return "", err
	}
	for _, namespace := range namespaces {
		if err := c.AllowEdit(ctx, name, namespace); err != nil {
			return "", err
		}
	}
	return c.Kubeconfig(access)
}

// ServiceAccount returns the name and the groups that a service account has as a user.
func ServiceAccount(namespace, name string) (user string, groups []string) {
	return "system:serviceaccount:" + namespace + ":" + name, []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
}

// mayCreate asks the authorizer, which sees a new binding a moment after it was stored.
func (c *ControlPlane) mayCreate(ctx context.Context, user, namespace string) error {
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: namespace, Verb: "create", Group: "apps", Resource: "deployments",
		},
	}}
	review, err := c.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if !review.Status.Allowed {
		return fmt.Errorf("user %q may not create Deployments in namespace %q: %s", user, namespace, review.Status.Reason)
	}
	return nil
}

// Kubeconfig writes the access into a file that kubectl and client-go read, and
// returns its path. The file is named after the user and goes with Stop.
func (c *ControlPlane) Kubeconfig(access *rest.Config) (path string, err error) {
	user, err := userOf(access)
	if err != nil {
		return "", err
	}
	const cluster = "probity"
	config := clientcmdapi.Config{
		Clusters: map[string]*clientcmdapi.Cluster{
			cluster: {Server: access.Host, CertificateAuthorityData: access.CAData},
		},
		AuthInfos: map[string]*clientcmdapi.AuthInfo{
			user: {ClientCertificateData: access.CertData, ClientKeyData: access.KeyData},
		},
		Contexts:       map[string]*clientcmdapi.Context{cluster: {Cluster: cluster, AuthInfo: user}},
		CurrentContext: cluster,
	}
	text, err := clientcmd.Write(config)
	if err != nil {
		return "", fmt.Errorf("write kubeconfig of user %q: %w", user, err)
	}
	// A colon, which service accounts have, would split $KUBECONFIG in two.
	name := strings.ReplaceAll(url.PathEscape(user), ":", "-") + ".kubeconfig"
	if err := c.writeFile(name, text); err != nil {
		return "", fmt.Errorf("write kubeconfig of user %q: %w", user, err)
	}
	return filepath.Join(c.folder.path, name), nil
}

// userOf reads the user out of the certificate, as the API server does.
func userOf(access *rest.Config) (string, error) {
	block, _ := pem.Decode(access.CertData)
	if block == nil {
		return "", errors.New("kubeconfig: the access holds no client certificate; use that of User or Admin")
	}
	cert, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return "", fmt.Errorf("kubeconfig: client certificate: %w", err)
	}
	return cert.Subject.CommonName, nil
}

// KubectlPath returns where the built kubectl is.
func (c *ControlPlane) KubectlPath() string { return c.program("kubectl") }

// Kubectl runs kubectl with a file that Kubeconfig wrote. The error is that of
// the run, an *exec.ExitError when kubectl failed; why is in stderr.
func (c *ControlPlane) Kubectl(ctx context.Context, kubeconfig, stdin string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.CommandContext(ctx, c.KubectlPath(), args...)
	// Neither a person's kubectl settings nor their cache of another cluster count.
	cmd.Env = append(os.Environ(),
		"KUBECONFIG="+kubeconfig,
		"HOME="+c.folder.path,
		"KUBECACHEDIR="+filepath.Join(c.folder.path, "kubectl-cache"),
		"KUBERC=off",
	)
	var out, errOut bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errOut
	cmd.SysProcAttr = childAttributes()

	// See startProcess: the child ends with the thread that started it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err = cmd.Run()
	return out.String(), errOut.String(), err
}

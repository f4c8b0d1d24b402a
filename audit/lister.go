package audit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/probity-dev/probity/workload"
)

const (
	// chunkSize is how many objects are asked for at a time, as kubectl does: some
	// MiB in JSON.
	chunkSize = 500
	// maxChunk bounds a chunk, in bytes. Objects may be of any size up to what etcd takes,
	// and five hundred of those are more memory than there is. What is larger is asked
	// for again in smaller chunks, which then grow again. One object is taken up to
	// maxObject: etcd's limit for a request, 1.5 MiB, with each byte as one of JSON's
	// longest escapes.
	maxChunk  = 8 << 20
	maxObject = 10 << 20
	// maxRestarts bounds how often one kind is begun again because the API server
	// has forgotten the state that a list goes through.
	maxRestarts = 5
)

// ErrBound is why a listing ended that has reached Query.Bound.
var ErrBound = errors.New("as many objects as asked for have been read")

// Lister reads the judged objects of a cluster in chunks. It is safe for
// concurrent use.
type Lister struct {
	client rest.Interface
	chunk  int
	// bytes is maxChunk, but in tests.
	bytes int64
}

// NewLister returns a lister of that cluster. Requests are held to config.QPS,
// which is 50 a second where it is not set.
func NewLister(config *rest.Config) (*Lister, error) {
	c := rest.CopyConfig(config)
	c.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	c.WarningHandler = rest.NoWarnings{} // of deprecated versions: nobody here chose one
	if c.QPS == 0 {
		c.QPS, c.Burst = 50, 100
	}
	client, err := rest.UnversionedRESTClientFor(c)
	if err != nil {
		return nil, fmt.Errorf("reach the cluster: %w", err)
	}
	return &Lister{client: client, chunk: chunkSize, bytes: maxChunk}, nil
}

// Query says what to read.
type Query struct {
	Kinds *workload.Kinds
	// Resources are those of Lister.Resources, or some of them.
	Resources []Resource
	// Namespace is empty for all namespaces.
	Namespace string
	// Bound is how many objects to hand over at most; 0 means all.
	Bound int
}

// Item is an object of the cluster.
type Item struct {
	// Ref names the object, also when it could not be read.
	Ref workload.Ref
	// Resource is the object's kind as kubectl names it: "deployments.apps".
	Resource string
	// Object is nil when it could not be read; Err says why.
	Object *workload.Object
	Err    error
	// UID is the object's metadata.uid.
	UID string
}

// Listing is what came of a query.
type Listing struct {
	// Objects is how many were handed over.
	Objects int
	// Errors are the kinds that could not be read, or not to their end.
	Errors []ResourceError
}

// List hands each object to a function, kind by kind, in the order of the
// resources. Left out is what people need not be told of, as something else stands
// for it: objects whose controller is of a judged kind, mirror pods, and objects on
// their way out.
//
// One kind that cannot be read hides no other: it is in Listing.Errors. The error
// says why the listing as a whole ended early: ErrBound, the context's error, or
// that of the function. The Listing holds in any case.
func (l *Lister) List(ctx context.Context, q Query, each func(Item) error) (Listing, error) {
	var listing Listing
	reader := &reader{lister: l, query: q, each: each, listing: &listing}
	for _, r := range q.Resources {
		err := reader.read(ctx, r, func(raw []byte, id identity) error {
			return reader.hand(raw, id, r)
		})
		var ended *endedError
		switch {
		case err == nil:
		case errors.As(err, &ended):
			return listing, ended.err
		case ctx.Err() != nil:
			return listing, ctx.Err()
		case tooLate(ctx, err):
			return listing, context.DeadlineExceeded
		default:
			listing.Errors = append(listing.Errors, ResourceError{r.String(), err})
		}
	}
	return listing, nil
}

// tooLate reports whether a request was not even sent, as its turn would have come
// after the deadline (rest.Request says so in words only).
func tooLate(ctx context.Context, err error) bool {
	_, limited := ctx.Deadline()
	return limited && strings.Contains(err.Error(), "rate limiter")
}

// endedError ends the whole listing.
type endedError struct{ err error }

func (e *endedError) Error() string { return e.err.Error() }

// reader goes through the kinds of a query. Its buffer serves chunk after chunk.
type reader struct {
	lister *Lister
	query  Query
	// selector is of labels; empty for all.
	selector string
	each     func(Item) error
	listing  *Listing
	buffer   bytes.Buffer
}

// read reads one kind. When the API server no longer has the state that the list
// went through (410), the kind is read on from where it stands: with the token that
// the server sends for that, else from the beginning without what has been handed
// over. That can be told by the name: lists come in the order of etcd's keys.
func (r *reader) read(ctx context.Context, resource Resource, each func(raw []byte, id identity) error) error {
	token, last, restarts, size := "", "", 0, r.lister.chunk
	for {
		chunk, err := r.fetch(ctx, resource, token, size)
		if errors.Is(err, errTooLarge) && size > 1 {
			size = max(1, size/4)
			continue
		}
		if apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
			if restarts++; restarts > maxRestarts {
				return err
			}
			token = ""
			if status := apierrors.APIStatus(nil); errors.As(err, &status) {
				token = status.Status().Continue
			}
			continue
		}
		if err != nil {
			return err
		}
		for _, raw := range chunk.items {
			id := identify(raw)
			if restarts > 0 && id.key() <= last {
				continue
			}
			last = id.key()
			if err := each(raw, id); err != nil {
				return err
			}
		}
		if token = chunk.next; token == "" {
			return nil
		}
		size = min(2*size, r.lister.chunk)
	}
}

// errTooLarge is about a chunk of more bytes than are taken.
var errTooLarge = errors.New("the answer is larger than any object that etcd takes")

// fetch reads the next chunk, of at most that many objects, into the buffer.
func (r *reader) fetch(ctx context.Context, resource Resource, token string, size int) (*chunk, error) {
	request := r.lister.client.Get().AbsPath(resource.path(r.query.Namespace)).
		SetHeader("Accept", "application/json").
		Param("limit", strconv.Itoa(size))
	if token != "" {
		request.Param("continue", token)
	}
	if r.selector != "" {
		request.Param("labelSelector", r.selector)
	}
	body, err := request.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	bound := r.lister.bytes
	if size == 1 {
		bound = maxObject
	}
	r.buffer.Reset()
	switch n, err := r.buffer.ReadFrom(io.LimitReader(body, bound+1)); {
	case err != nil:
		return nil, fmt.Errorf("read the list: %w", err)
	case n > bound:
		return nil, errTooLarge
	}
	return splitChunk(r.buffer.Bytes())
}

// hand decodes an item and hands it over, unless nobody need see it.
func (r *reader) hand(raw []byte, id identity, resource Resource) error {
	item := r.item(raw, id, resource)
	if item.Object != nil && passedOver(item.Object, r.query.Kinds) {
		return nil
	}
	if r.query.Bound > 0 && r.listing.Objects == r.query.Bound {
		return &endedError{ErrBound}
	}
	r.listing.Objects++
	if err := r.each(item); err != nil {
		return &endedError{err}
	}
	return nil
}

// item decodes an item of a list, which has neither apiVersion nor kind. A fault in
// one object, or of ours in reading it, hides no other.
func (r *reader) item(raw []byte, id identity, resource Resource) (item Item) {
	item.UID, item.Resource = id.uid, resource.String()
	item.Ref = workload.Ref{APIVersion: resource.APIVersion, Kind: resource.Kind, Namespace: id.namespace, Name: id.name}
	defer func() {
		if p := recover(); p != nil {
			item.Object, item.Err = nil, fmt.Errorf("could not be read for a fault in Probity, please report it: %v", p)
		}
	}()
	item.Object, item.Err = r.query.Kinds.DecodeAs(raw, resource.APIVersion, resource.Kind)
	return item
}

// passedOver reports whether something else stands for the object: its controller,
// the file of a mirror pod, or nothing, soon.
func passedOver(o *workload.Object, kinds *workload.Kinds) bool {
	w := o.Workload
	if w == nil {
		return o.Budget != nil && o.Budget.Deleting
	}
	return w.Deleting || w.Pod.Annotations["kubernetes.io/config.mirror"] != "" ||
		w.Controller != nil && kinds.Judged(w.Controller.APIVersion, w.Controller.Kind)
}

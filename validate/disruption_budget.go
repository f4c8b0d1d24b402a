package validate

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/probity-dev/probity/workload"
)

// budget is a legal disruption budget with what it selects.
type budget struct {
	*workload.Budget
	index int
	sets  []*podSet
}

// operated reports whether an operator made the budget or one of the workloads:
// it may let pods go in its own way.
func (b *budget) operated() bool {
	return b.Controller != nil || slices.ContainsFunc(b.sets, func(s *podSet) bool { return s.operated })
}

// value returns what the budget asks for and where; nil when it says neither.
func (b *budget) value() (v *workload.IntOrPercent, field string) {
	switch {
	case b.MaxUnavailable != nil:
		return b.MaxUnavailable, "maxUnavailable"
	case b.MinAvailable != nil:
		return b.MinAvailable, "minAvailable"
	default:
		return nil, ""
	}
}

// asked writes the value as a manifest has it: "minAvailable 50%".
func (b *budget) asked() string {
	v, field := b.value()
	if v == nil {
		return "neither minAvailable nor maxUnavailable"
	}
	return field + " " + v.String()
}

// whole reports whether the budget selects every pod of its namespace. In
// policy/v1beta1 an empty selector selected none, and none at all does so anywhere.
func (b *budget) whole() bool {
	return b.Selector != nil && b.Selector.Empty() && b.Ref.APIVersion != "policy/v1beta1"
}

// relative reports whether the controller must know how many pods there should
// be.
func (b *budget) relative() bool {
	return b.MaxUnavailable != nil || b.MinAvailable != nil && b.MinAvailable.Percent
}

// never reports whether no pod may go, however many there are.
func (b *budget) never() bool {
	switch {
	case b.MaxUnavailable != nil:
		return b.MaxUnavailable.Value == 0
	case b.MinAvailable != nil:
		return b.MinAvailable.Percent && b.MinAvailable.Value == 100
	default:
		return true
	}
}

// of returns the sets whose kind counts in that way.
func (b *budget) of(c counting) []*podSet {
	var sets []*podSet
	for _, s := range b.sets {
		if s.counting == c {
			sets = append(sets, s)
		}
	}
	return sets
}

// floor is what the selected workloads have at the least, all together.
type floor struct {
	// expected is what the controllers of the pods ask for: spec.replicas.
	expected int32
	// pods is how many there are.
	pods int32
	// known is set when that can be told from the manifests.
	known bool
	// runs is set when there are pods at least at times.
	runs bool
}

func (b *budget) floor() floor {
	f := floor{known: true}
	for _, s := range b.sets {
		f.known = f.known && s.known
		f.runs = f.runs || s.atTimes || s.pods > 0 || !s.known
		f.pods = plus(f.pods, s.pods)
		if s.counting != unmanaged {
			f.expected = plus(f.expected, s.pods)
		}
	}
	return f
}

// plus adds numbers of pods and stays in range.
func plus(a, b int32) int32 {
	return int32(max(math.MinInt32, min(int64(a)+int64(b), math.MaxInt32)))
}

// evictable returns how many pods the budget lets go while all of them are
// healthy. unhealthyPodEvictionPolicy is about other pods.
func evictable(b *workload.Budget, f floor) int32 {
	expected, healthy := wanted(b, f)
	if expected <= 0 {
		return 0
	}
	return max(0, f.pods-healthy)
}

// wanted returns how many pods there should be by the budget's way of counting, and
// how many of them must be healthy. With evictable it does what getExpectedPodCount
// and updatePdbStatus of pkg/controller/disruption do (Kubernetes v1.37): shares
// round up, and with no pods expected nothing may go.
func wanted(b *workload.Budget, f floor) (expected, healthy int32) {
	switch {
	case b.MaxUnavailable != nil:
		return f.expected, max(0, f.expected-b.MaxUnavailable.Of(f.expected))
	case b.MinAvailable == nil:
		return 0, 0
	case b.MinAvailable.Percent:
		return f.expected, b.MinAvailable.Of(f.expected)
	default:
		return f.pods, b.MinAvailable.Value
	}
}

// name gives "Deployment web".
func (s *podSet) name() string { return s.ref.Kind + " " + s.ref.Name }

// maxNames is how many objects a message names.
const maxNames = 3

// listed gives "Deployment a, Deployment b and StatefulSet c", cut when it is long.
func listed[T any](items []T, name func(T) string) string {
	var names []string
	for i, item := range items {
		if i == maxNames && len(items) > maxNames+1 {
			names = append(names, strconv.Itoa(len(items)-maxNames)+" more")
			break
		}
		names = append(names, name(item))
	}
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

func podSetNames(sets []*podSet) string { return listed(sets, (*podSet).name) }

// runs says how few pods the workloads of the budget run: "Deployment web runs 1
// pod".
func (b *budget) runs(f floor) string {
	if len(b.of(unmanaged)) == len(b.sets) {
		return "it selects no more than " + podSetNames(b.sets)
	}
	verb := " runs "
	if len(b.sets) > 1 {
		verb = " together run "
	}
	text := podSetNames(b.sets) + verb + plural(f.pods, "pod")
	scalers := map[string]bool{}
	var names []string
	for _, s := range b.sets {
		if s.floorBy != "" && !scalers[s.floorBy] {
			scalers[s.floorBy] = true
			names = append(names, s.floorBy)
		}
	}
	if len(names) > 0 {
		text += " at the least (the minimum of " + listed(names, func(n string) string { return n }) + ")"
	}
	return text
}

func plural(n int32, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(int(n)) + " " + thing + "s"
}

package budget

import "time"

// grace is how long a workload is there before a budget is made for it, or anything
// is said of its having none: what is applied with it in one go, a budget above all,
// is there by then.
const grace = 5 * time.Second

// young returns how much of the grace is left to a workload, as long as that matters:
// none when our budget is there already, and when there is nothing to do or to say.
// The API server's clock wrote when it was made. Where that is ahead of this one by
// more than the grace, there is none: a wrong clock must not keep budgets away.
func young(a *surroundings, s *Status, now time.Time) time.Duration {
	switch {
	case a.mine() != nil, s.Standing == Covered, s.Standing == Single, s.Standing == Ignored:
		return 0
	}
	if left := a.created.Add(grace).Sub(now); left <= 2*grace {
		return max(left, 0)
	}
	return 0
}

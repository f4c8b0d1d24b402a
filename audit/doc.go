// Package audit judges the objects that a cluster already has: it reads them a
// chunk at a time, evaluates them as admission does, and keeps metrics and reports
// of what it found. It never changes what it judges.
package audit

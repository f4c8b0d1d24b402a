package main

// label is a label of metrics, and what its values are.
type label struct{ name, values string }

// labelValues are all labels that metrics may have. Each has few values, whatever
// users do: a name, a namespace or a message is not for a label.
func labelValues() []label {
	return []label{
		{"action", "`deny`, `warn`; of the audit `exempt`, too"},
		{"by", "`namespace`, `runtimeClass`, `user`, `group`"},
		{"change", "`create`, `update`, `delete`"},
		{"decision", "`allow`, `warn`, `deny`, `audit`, `patch`, `exempt`, `error`"},
		{"kind", "the kinds of the webhooks' rules and of the configuration, and `other`"},
		{"mode", "of the namespace: `enforce`, `warn`, `audit`, `off`; empty where none was looked up"},
		{"operation", "`CREATE`, `UPDATE`, `DELETE`, `CONNECT`, `other`"},
		{"reason", "of a withdrawal: the standing that the workload has since; of budgets that were not judged: `not_synced`, `not_confirmed`; of rejected reviews: `reviews`, `bytes`, `wait`; of refused requests: `certificate`, `connections`"},
		{"result", "`success`, `failure`; of Events `dropped`, too"},
		{"rule", "the ids of [the rules](rules/README.md)"},
		{"source", "`annotation`, `configuration`"},
		{"stage", "`list`, `judge`, `report`"},
		{"standing", "`made`, `covered` by somebody else's, `single` pod, `missing`, `shared`, `partly-covered`, `name-taken`, `uncounted`, `unclear`, `refused`"},
		{"webhook", "`validate`, `mutate`, and `namespace` for reviews of Namespaces"},
		{"write", "`make`, `keep`, `withdraw`"},
	}
}

// Package analysis holds what can be read off records alone: aggregation of
// curves, selection, halvings, costs to a target, power laws.
package selection

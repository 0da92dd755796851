package registry

// sparseOnline are the budgeted learners, and the optimisers of chapters 1 and 2
// whose support size is bounded when they are stopped early.
var sparseOnline []sparseEntry

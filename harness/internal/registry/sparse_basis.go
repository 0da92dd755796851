package registry

// sparseBasis are the methods that choose a subset of the training points and
// minimise the loss over all of them: SpSVM and RSVM.
var sparseBasis []sparseEntry

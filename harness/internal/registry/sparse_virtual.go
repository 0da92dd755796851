package registry

// sparseVirtual are the methods that construct expansion vectors: reduced sets,
// condensed vectors and cutting-plane subspace pursuit.
var sparseVirtual []sparseEntry

package kernel

const (
	badTrain     = "kernel: number of training points out of range"
	badLength    = "kernel: slice length is not the number of features"
	badRow       = "kernel: row index is not a training point"
	badRange     = "kernel: points out of range, or a slice of another length"
	cacheClosed  = "kernel: the cache is closed"
	readerClosed = "kernel: the reader is closed"
)

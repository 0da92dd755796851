// Kernel rows come from main memory more often than not, and the hardware
// prefetches no further than the page it is in. AHEAD sets P to what is to be
// prefetched while the loop is at row: 8 kB on, or for a row that is not long (n
// is in CX) where the loop is, which costs nothing.
#define AHEAD(row, P) \
	LEAQ    8192(row), P; \
	CMPQ    CX, $4096; \
	CMOVQLT row, P

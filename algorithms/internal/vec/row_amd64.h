// Kernel rows often come from main memory, and the hardware does not prefetch beyond the
// current page. AHEAD sets P to the address to prefetch while the loop is at row: 8 kB
// ahead or, for a short row (n is in CX), the current address, which costs nothing.
#define AHEAD(row, P) \
	LEAQ    8192(row), P; \
	CMPQ    CX, $4096; \
	CMOVQLT row, P

// A search for the best element keeps the best value so far in every lane of F.
// The loop finds out whether any of the next eight elements is better, which is
// rare, and if so stores those that are, with their position AX, in their
// lanes of a search.

#define POSITIVE_INFINITY $0x7ff0000000000000
#define NEGATIVE_INFINITY $0xfff0000000000000

#define LESS 0x11
#define GREATER 0x1e

// BROADCAST fills F with a constant. It uses BX.
#define BROADCAST(constant, F, XF) \
	MOVQ         constant, BX; \
	VMOVQ        BX, XF; \
	VPBROADCASTQ XF, F

// IMPROVE stores the elements V0 and V1 of the masks M0 and M1 in the search at
// address s and updates F, to which they are better, with best = VMAXPD or
// VMINPD. It changes V0 and V1.
#define IMPROVE(s, best, V0, XV0, V1, XV1, M0, M1, F) \
	VMASKMOVPD   V0, M0, 0(s); \
	VMASKMOVPD   V1, M1, 32(s); \
	VBLENDVPD    M0, V0, F, V0; \
	VBLENDVPD    M1, V1, F, V1; \
	best         V1, V0, V0; \
	VMOVQ        AX, XV1; \
	VPBROADCASTQ XV1, V1; \
	VMASKMOVPD   V1, M0, 64(s); \
	VMASKMOVPD   V1, M1, 96(s); \
	VPERM2F128   $1, V0, V0, V1; \
	best         V1, V0, V0; \
	VPERMILPD    $5, V0, V1; \
	best         V1, V0, F

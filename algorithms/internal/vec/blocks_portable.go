//go:build !amd64 || purego

package vec

// A function …Blocks processes the leading elements of a pass with vector instructions. Here it
// processes none, and the loop of the caller processes all.

func addScaledBlocks([]float64, float64, []float32) int { return 0 }

func addScaled2Blocks([]float64, float64, []float64, float64, []float32) int { return 0 }

func addRowsBlocks(*[GroupSize][]float64, []float64, [][]float32) int { return 0 }

func belowBlocks(*lanes, []float64, float64) (done, count int) { return 0, 0 }

func compressBelowBlocks([]float64, []float64, float64) (done, count int) { return 0, 0 }

func argMaxIfBlocks([]float64, []int8) (done, j int, v float64) { return 0, -1, least }

func argMinIfBlocks([]float64, []int8) (done, j int, v float64) { return 0, -1, largest }

func addScaledPairExtremesBlocks([]float64, float64, []float32, float64, []float32, []int8, []int8) (done, imin int, vmin float64, imax int, vmax float64) {
	return 0, -1, largest, -1, least
}

func secondOrderBlocks([]float64, []int8, []float32, []float64, float64, float64) (done, j int, gain float64) {
	return 0, -1, least
}

func argMaxGainBlocks([]float64, float64, []float64, float64, []float64) (done, j int, gain float64) {
	return 0, -1, least
}

func nextAboveBlocks([]float64, float64, []int8, float64) (done int) { return 0 }

func dot32Blocks(*lanes, []float64, []float32) int { return 0 }

func allFiniteBlocks([]float32) (done int, ok bool) { return 0, true }

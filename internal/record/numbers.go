package record

import (
	"cmp"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// Numbers returns a number of each run, which of makes of its curve, several at a time. Of a run
// whose curve a packed folder leaves out it is the one that the folder has under a name, which has to
// say how it is made.
func Numbers(runs []*Run, name string, of func(*Run) (float64, error)) ([]float64, error) {
	out := make([]float64, len(runs))
	one := func(i int) (err error) {
		defer CatchUnreadable(&err)
		r := runs[i]
		if r.LeftOut == nil {
			out[i], err = of(r)
			return err
		}
		var ok bool
		if out[i], ok = r.LeftOut.Numbers[name]; !ok {
			return &UnreadableError{r.Name(), ErrLeftOut}
		}
		return nil
	}
	errs := make([]error, len(runs))
	order := make([]int, len(runs)) // in the order of the database
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(runs[i].row, runs[j].row) })
	blocks := slices.Collect(slices.Chunk(order, 256))
	inParallel(len(blocks), func(b int) {
		readCurves(runs, blocks[b])
		for _, i := range blocks[b] {
			errs[i] = one(i)
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// inParallel calls do with 0 to n-1, on all cores.
func inParallel(n int, do func(i int)) {
	var workers errgroup.Group
	cores := runtime.GOMAXPROCS(0)
	for w := range cores {
		workers.Go(func() error {
			for i := w; i < n; i += cores {
				do(i)
			}
			return nil
		})
	}
	workers.Wait()
}

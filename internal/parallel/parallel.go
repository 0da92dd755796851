// Package parallel uses all cores for a loop.
package parallel

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// Each calls do(i) for 0 <= i < n concurrently. If a call panics, Each panics in the goroutine of its caller, which
// may recover.
func Each(n int, do func(i int)) {
	var workers errgroup.Group
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() (failure error) {
			defer func() {
				if p := recover(); p != nil {
					failure = fmt.Errorf("%v\n%s", p, debug.Stack())
				}
			}()
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				do(int(i))
			}
			return nil
		})
	}
	if failure := workers.Wait(); failure != nil {
		panic(failure)
	}
}

package run

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// panicSite returns " at function (file:line)" of the panic that is being
// recovered from, "" if that cannot be told. It is called by the deferred
// function. Folders are left out, which differ from one build to another.
func panicSite() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs[:])])
	raised := false
	for {
		f, more := frames.Next()
		switch {
		case strings.HasPrefix(f.Function, "runtime."):
			raised = raised || f.Function == "runtime.gopanic"
		case raised:
			return fmt.Sprintf(" at %s (%s:%d)", f.Function, filepath.Base(f.File), f.Line)
		}
		if !more {
			return ""
		}
	}
}

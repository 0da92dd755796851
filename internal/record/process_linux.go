package record

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// started returns when a process started, in the kernel's units, "" if that is not known.
func started(pid int) string {
	_, since := status(pid)
	return since
}

// status returns the state of a process, such as "R", and when it started.
func status(pid int) (state, since string) {
	name := strconv.Itoa(pid)
	text, err := os.ReadFile("/proc/" + name + "/stat")
	if err != nil {
		return "", ""
	}
	// The second field, in brackets, is a name that may hold anything.
	_, rest, _ := strings.Cut(string(text[max(strings.LastIndexByte(string(text), ')'), 0):]), " ")
	fields := strings.Fields(rest)
	const start = 22 - 3 // of proc(5)
	if len(fields) <= start {
		return "", ""
	}
	return fields[0], fields[start]
}

// alive reports whether the process that started then is running.
func alive(pid int, since string) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	state, is := status(pid)
	return state != "Z" && state != "X" && (since == "" || is == "" || is == since)
}

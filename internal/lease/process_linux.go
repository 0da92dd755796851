package lease

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// boot names what process numbers are of: the boot of the machine, and within it the
// container, if there are any.
func boot(host string) string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	space, spaceErr := os.Readlink("/proc/self/ns/pid")
	if err != nil || spaceErr != nil {
		return host
	}
	return strings.TrimSpace(string(id)) + " " + space
}

// started returns when a process began, in the kernel's units, and "" if that cannot be told.
func started(pid int) string {
	_, since := status(pid)
	return since
}

// status returns the state of a process, such as "R", and when it began.
func status(pid int) (state, since string) {
	// That of the first thread. An emulator of another architecture makes up the file of the
	// process itself, but only for the process that it runs.
	name := strconv.Itoa(pid)
	text, err := os.ReadFile("/proc/" + name + "/task/" + name + "/stat")
	if err != nil {
		return "", ""
	}
	// The second field, in brackets, is a name that may hold anything.
	_, rest, _ := strings.Cut(string(text[max(strings.LastIndexByte(string(text), ')'), 0):]), " ")
	fields := strings.Fields(rest)
	const since22 = 22 - 3
	if len(fields) <= since22 {
		return "", ""
	}
	return fields[0], fields[since22]
}

// alive reports whether the process that began then is running.
func alive(pid int, since string) bool {
	if pid <= 0 || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return false
	}
	state, is := status(pid)
	switch {
	case state == "Z" || state == "X":
		return false
	case since == "" || is == "":
		return true
	}
	return is == since
}

//go:build unix

package external

import "syscall"

const noFollow = syscall.O_NOFOLLOW

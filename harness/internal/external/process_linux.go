package external

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// attributes give a program a session, and so a process group, of its own, and have the kernel
// kill it when the thread that started it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
}

// sharedMemory is where Linux has files in memory.
const sharedMemory = "/dev/shm"

// roomy is how much room there has to be.
const roomy = 1 << 30

// roomyFolder returns where folders of programs are made: in memory, if there is room and the
// user says nothing else.
func roomyFolder() string {
	var fs unix.Statfs_t
	if os.Getenv("TMPDIR") == "" && unix.Access(sharedMemory, unix.W_OK|unix.X_OK) == nil &&
		unix.Statfs(sharedMemory, &fs) == nil && fs.Bavail*uint64(fs.Bsize) >= roomy {
		return sharedMemory
	}
	return os.TempDir()
}

// usage is what processes take: of the processors since they began, and of the memory.
type usage struct {
	cpu    time.Duration
	memory int64
}

// ticks is how many the kernel counts in a second, on all architectures that Go knows.
const ticks = 100

// stat is what /proc tells of a process.
type stat struct {
	pid, group, session int
	zombie              bool
	usage
}

// readStat reads that of a process; ok is false if there is none.
func readStat(pid int) (s stat, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	// The name, in brackets, may have anything in it.
	end := bytes.LastIndexByte(text, ')')
	if err != nil || end < 0 {
		return s, false
	}
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < 22 {
		return s, false
	}
	number := func(i int) int64 {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return n
	}
	s = stat{pid: pid, zombie: fields[0] == "Z" || fields[0] == "X", group: int(number(2)), session: int(number(3))}
	// Its own time, and that of its children that have ended.
	s.cpu = time.Duration(number(11)+number(12)+number(13)+number(14)) * (time.Second / ticks)
	s.memory = number(21) * int64(os.Getpagesize())
	return s, true
}

// processes calls visit for each process there is.
func processes(visit func(s stat)) {
	dir, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if s, ok := readStat(pid); ok {
				visit(s)
			}
		}
	}
}

// usageOf returns what the processes of a program take together, those that it has started
// included.
func usageOf(pid int) (sum usage) {
	processes(func(s stat) {
		if s.group == pid || s.session == pid {
			sum.cpu += s.cpu
			sum.memory += s.memory
		}
	})
	return sum
}

// processTime is what a program has had of the processors, in all its threads, 0 if it is not
// known.
func processTime(pid int) time.Duration {
	// The kernel's number for the clock of a process: see clock_getres(2), and
	// clock_getcpuclockid, which makes the same.
	const scheduled = 2
	var t unix.Timespec
	if unix.ClockGettime(int32(^pid<<3|scheduled), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// leftBehind returns the processes that an ended program has left behind: of its session, or
// with the token in their environment, which those have that left the session.
func leftBehind(pid int, token string) (list []int) {
	mark := []byte(tokenName + "=" + token)
	processes(func(s stat) {
		if s.zombie || s.pid == pid || s.pid == os.Getpid() {
			return
		}
		if s.group != pid && s.session != pid {
			env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.pid), "environ"))
			if err != nil || !bytes.Contains(env, mark) {
				return
			}
		}
		list = append(list, s.pid)
	})
	return list
}

// killLeft kills them, and what they start meanwhile.
func killLeft(pid int, token string) {
	for range 100 {
		list := leftBehind(pid, token)
		for _, p := range list {
			_ = syscall.Kill(p, syscall.SIGKILL)
		}
		if len(list) == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

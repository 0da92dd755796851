package external_test

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hostVariable makes a process of this test start a program, print its folder, and wait.
const hostVariable = "STOCHOPT_TEST_HOST"

func TestHost(t *testing.T) {
	if os.Getenv(hostVariable) == "" {
		t.Skip("only for processes that TestProgramsEndWithTheProcess starts")
	}
	p := start(t, "pca", "incremental")
	os.Stdout.WriteString("\nfolder " + p.Folder() + "\n")
	time.Sleep(time.Hour)
}

// When a process is killed, its programs end too. The next process removes their folders.
func TestProgramsEndWithTheProcess(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	cmd := exec.Command(os.Args[0], "-test.run=^TestHost$")
	cmd.Env = append(os.Environ(), hostVariable+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	folder := ""
	for lines := bufio.NewScanner(out); folder == "" && lines.Scan(); {
		folder, _ = strings.CutPrefix(lines.Text(), "folder ")
		if !strings.HasPrefix(folder, temp) {
			folder = ""
		}
	}
	program := workingIn(folder)
	if folder == "" || program == 0 {
		t.Fatalf("no program in %q", folder)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	for range 1000 {
		if workingIn(folder) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if pid := workingIn(folder); pid != 0 {
		syscall.Kill(pid, syscall.SIGKILL)
		t.Error("the program is still running")
	}
	if _, err := os.Stat(folder); err != nil {
		t.Errorf("the folder is gone before the next program: %v", err)
	}
	p := start(t, "pca", "incremental")
	if _, err := os.Stat(folder); !os.IsNotExist(err) {
		t.Errorf("the folder still exists: %v", err)
	}
	if _, err := os.Stat(p.Folder()); err != nil {
		t.Error(err)
	}
}

// workingIn returns the process whose working directory is a folder, or 0.
func workingIn(folder string) int {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if dir, err := os.Readlink("/proc/" + e.Name() + "/cwd"); err == nil && dir == folder {
				return pid
			}
		}
	}
	return 0
}

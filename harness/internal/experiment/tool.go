package experiment

import (
	"bufio"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Tool describes a program that makes records, and its machine.
type Tool struct {
	Version  string `json:"version"`
	Revision string `json:"vcs_revision"`
	Dirty    bool   `json:"vcs_dirty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	CPUs     int    `json:"cpus"`
	CPU      string `json:"cpu"`
	// GOAMD64 is the microarchitecture level of an amd64 build. From v3 on, the compiler fuses multiplications and
	// additions, which changes the last bits.
	GOAMD64 string `json:"goamd64,omitempty"`
}

// String returns the version and revision of the program.
func (t Tool) String() string {
	text := t.Version + " " + t.Revision
	if t.Dirty {
		text += " (modified)"
	}
	return text
}

// sameBuild reports whether two tools are the same build, on any machines.
func (t Tool) sameBuild(o Tool) bool {
	t.CPUs, t.CPU = o.CPUs, o.CPU
	return t == o
}

// Fuses reports whether the build fuses operations, so that the last bits of results differ from the default build.
func (t Tool) Fuses() bool { return t.GOAMD64 == "v3" || t.GOAMD64 == "v4" }

// Arithmetic returns a text that is equal for tools whose results agree in their last bits. It names the architecture
// and says whether the build fuses operations. It is "" if the platform is unknown.
func (t Tool) Arithmetic() string {
	_, arch, _ := strings.Cut(t.Platform, "/")
	if arch != "" && t.Fuses() {
		arch += " with fused operations"
	}
	return arch
}

// unknown is the value of unknown fields of Tool.
const unknown = "unknown"

// ThisTool describes the running binary and machine.
func ThisTool() Tool {
	t := Tool{
		Version: unknown, Revision: unknown,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPUs: runtime.NumCPU(), CPU: cpuModel(),
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return t
	}
	if info.Main.Version != "" {
		t.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "GOAMD64":
			t.GOAMD64 = s.Value
		case "vcs.revision":
			t.Revision = s.Value
		case "vcs.modified":
			t.Dirty = s.Value == "true"
		}
	}
	return t
}

// cpuModel returns the name of the processor on Linux, otherwise unknown.
func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return unknown
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return unknown
}

package draw

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestPDFWithoutTemporaryFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("TMPDIR is of Unix")
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	if _, err := encodePDF(&Sheet{}); err == nil || !strings.Contains(err.Error(), "set TMPDIR to another") {
		t.Errorf("got %v", err)
	}
}

package shell

import (
	"os/exec"
	"strings"
	"testing"
)

var hostile = []string{
	"", "plain", "a b", "it's", `"`, "$HOME", "`id`", "$(id)", "a;id", "a&b", "a|b", "*", "~", "-n", "#SBATCH --wrap=id",
	`\`, `\\`, `'\''`, "!!", "{a,b}", "%j", "ünïcode", "=", "<x", "a\tb", "a\nb", "\n#SBATCH --wrap=id\n",
}

// A shell parses the quoted words as the original ones.
func TestWords(t *testing.T) {
	out, err := exec.Command("bash", "-c", `printf '%s\0' `+Words(hostile)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Join(hostile, "\x00") + "\x00"; string(out) != want {
		t.Errorf("parsed as %q, want %q", out, want)
	}
}

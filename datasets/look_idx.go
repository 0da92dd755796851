package datasets

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// idx finds the file of the labels.
func (l *Look) idx(head []byte, opt LookOptions) error {
	path := l.Ref.Path
	if head[3] == 1 {
		return fmt.Errorf("%s: it has one dimension, as a file of labels: "+
			"name the file of the rows, and this one with --label", path)
	}
	switch {
	case opt.Label == "none" || opt.Label == "" && opt.Unlabelled:
		return nil
	case opt.Label != "":
		l.Ref.With = map[string]any{"labels": opt.Label}
		return nil
	}
	dir, base := filepath.Split(path)
	sibling := dir + strings.NewReplacer("images", "labels", "idx2", "idx1", "idx3", "idx1", "idx4", "idx1").Replace(base)
	for _, name := range []string{sibling, strings.TrimSuffix(sibling, ".gz"), sibling + ".gz"} {
		if name == path {
			continue
		}
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			l.Ref.With = map[string]any{"labels": name}
			l.LabelWhy = "it lies beside the file and has the name for it"
			return nil
		}
	}
	return fmt.Errorf("%s: an IDX file of rows has no labels: name the file of its labels with --label", path)
}

package spec

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// namingCatalog knows the formats of extensions, and rejects a bias.
var namingCatalog = func() Catalog {
	c, task := labelCatalog, svmTask
	c.FormatOf = func(file string) string {
		return map[string]string{".svm": "libsvm", ".csv": "csv"}[filepath.Ext(file)]
	}
	task.Algorithms = slices.Clone(task.Algorithms)
	for i := range task.Algorithms {
		task.Algorithms[i].Check = func(params map[string]any) error {
			if params["bias"] == true {
				return errors.New("no bias here")
			}
			return nil
		}
	}
	c.Tasks = []Task{task}
	return c
}()

func parseNaming(text string) (*Spec, error) {
	return parseSpec(text, LoadOptions{Catalog: &namingCatalog})
}

func TestFormatOfExtension(t *testing.T) {
	t.Parallel()
	text := change(t, labelled, "format: libsvm, ", "")
	s, err := parseNaming(text)
	if err != nil {
		t.Fatal(err)
	}
	if own := s.Datasets[1]; own.Format != "libsvm" {
		t.Errorf("got %+v", own)
	}
	// An explicit format takes precedence.
	if s, err = parseNaming(change(t, labelled, "format: libsvm", "format: csv")); err != nil || s.Datasets[1].Format != "csv" {
		t.Errorf("got %v, %v", s, err)
	}
	_, err = parseNaming(change(t, text, "test: b.svm", "test: b.csv"))
	if err == nil || !strings.Contains(err.Error(), "datasets.own.test: the formats of the test file (csv) and the training file (libsvm) must be equal") {
		t.Errorf("got %v", err)
	}
	// A file of unknown format does not hide a mistake in the parameters.
	bad := change(t, change(t, text, "path: a.svm", "path: a.dat"), "{id: sbp}", "{id: sbp, with: {bias: true}}")
	_, err = parseNaming(bad)
	if err == nil || !strings.Contains(err.Error(), "the format of the file is missing") || !strings.Contains(err.Error(), "no bias here") {
		t.Errorf("got %v", err)
	}
}

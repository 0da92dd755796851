package page

import (
	"cmp"
	"encoding/base64"
	"errors"
	"html/template"
	"path/filepath"
	"strings"

	"stochopt/harness/internal/experiment"
	"stochopt/harness/internal/spec"
	"stochopt/internal/disk"
	"stochopt/plots"
)

// maxFile is the maximum size of a file of a figure or table, in bytes.
const maxFile = 16 << 20

// addFiles adds the verdicts, figures and tables of a folder without records.
func (e *Experiment) addFiles(f *experiment.Folder, s *spec.Spec) error {
	file := func(folder, name string) ([]byte, error) {
		return disk.ReadFile(filepath.Join(f.Dir, folder, name), maxFile)
	}
	for _, figure := range s.Figures {
		image, err1 := file("figures", figure.ID+".png")
		caption, err2 := file("figures", figure.ID+".txt")
		if err := errors.Join(err1, err2); err != nil {
			e.Warnings = append(e.Warnings, err.Error())
			continue
		}
		title, rest, _ := strings.Cut(strings.TrimSpace(string(caption)), ". ")
		e.addFigure(&Figure{
			Chart: &plots.Chart{ID: figure.ID, Title: title, Lead: rest},
			Image: template.HTMLAttr("src='data:image/png;base64," + base64.StdEncoding.EncodeToString(image) + "'"),
		})
	}
	for _, t := range s.Tables {
		markdown, err := file("tables", t.ID+".md")
		if err != nil {
			e.Warnings = append(e.Warnings, err.Error())
			continue
		}
		e.addTable(&Table{Grid: &plots.Grid{ID: t.ID, Title: cmp.Or(t.Title, t.ID)}, Markdown: string(markdown)})
	}
	recorded, err := f.RecordedVerdicts()
	if recorded != nil {
		e.addVerdicts(recorded.Claims)
	}
	return err
}

package verify

import (
	"path/filepath"

	"stochopt/harness/internal/experiment"
)

// packed verifies a packed folder by itself, without data: it makes everything again that the
// folder shows from its records, and compares.
func (v *verification) packed(about *experiment.Packed) error {
	v.compareManifest()
	v.sound()
	if e, err := v.folder.Records(); err == nil && len(e.Runs) != about.Runs {
		v.findf(checkLines, Missing, Finding{File: experiment.PackedFile}, "it has %d runs, but %d were packed", len(e.Runs), about.Runs)
	}
	v.Complete = true
	if v.spec == nil {
		return nil
	}
	files, err := v.derive()
	if err != nil {
		return err
	}
	made := make(map[string]bool)
	for _, f := range files {
		name := filepath.ToSlash(f.name)
		if made[name] = true; !experiment.Packs(name) {
			continue
		}
		if err := v.sameFile(checkProducts, f.name, f.path); err != nil {
			return err
		}
	}
	for _, id := range about.WholeGrid {
		made["figures/"+id+".png"], made["figures/"+id+".txt"] = true, true
		v.remark(checkProducts, remarkUnchecked, "figure %s shows the cost of whole grids, whose curves are left out: it is not drawn again", id)
	}
	v.others(made)
	return nil
}

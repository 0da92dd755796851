package main

import "testing"

func TestChanges(t *testing.T) {
	const log = "# Changelog\n\n## Unreleased\n\n- next\n\n## 1.2.0 (2026-11-01)\n\n- two\n\n### Fixed\n\n- bug\n\n## [v1.1.0]\n\n## 1.0.0-rc.1\n\n- candidate\n"
	for version, want := range map[string]string{
		"v1.2.0":                               "# v1.2.0\n\n- two\n\n### Fixed\n\n- bug",
		"v1.0.0-rc.1":                          "# v1.0.0-rc.1\n\n- candidate",
		"v1.2.1-0.20261122224554-39bd32d0c182": "# v1.2.1-0.20261122224554-39bd32d0c182\n\n- next",
		"v0.0.0-20261122224554-39bd32d0c182":   "# v0.0.0-20261122224554-39bd32d0c182\n\n- next",
	} {
		if got, err := changes(log, version); got != want || err != nil {
			t.Errorf("%s: %q, %v", version, got, err)
		}
	}
	for _, version := range []string{"v1.1.0", "v1.2.1", "v1.2.0-rc.1", "v1.0.0"} {
		if got, err := changes(log, version); err == nil {
			t.Errorf("%s is released with the entry %q", version, got)
		}
	}
}

package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"testing"
	"time"
)

var packed = []file{{"a/stochopt", 0o755, []byte("program")}, {"a/README.md", 0o644, []byte("text")}}

// archives returns both kinds for a time in some zone.
func archives(t *testing.T, zone *time.Location) (tgz, z []byte) {
	t.Helper()
	at := time.Unix(1700000000, 0).In(zone)
	tgz, err := tarball(packed, at)
	if err != nil {
		t.Fatal(err)
	}
	if z, err = zipped(packed, at); err != nil {
		t.Fatal(err)
	}
	return tgz, z
}

func TestArchivesDependOnFilesAndTimeOnly(t *testing.T) {
	tgz, z := archives(t, time.UTC)
	tgz2, z2 := archives(t, time.FixedZone("east", 3600))
	if !bytes.Equal(tgz, tgz2) || !bytes.Equal(z, z2) {
		t.Error("archives of the same files differ")
	}
}

func TestArchivesHoldFiles(t *testing.T) {
	tgz, z := archives(t, time.UTC)
	unzipped, err := gzip.NewReader(bytes.NewReader(tgz))
	if err != nil {
		t.Fatal(err)
	}
	tr := tar.NewReader(unzipped)
	zr, err := zip.NewReader(bytes.NewReader(z), int64(len(z)))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range packed {
		h, err := tr.Next()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(tr)
		if h.Name != want.name || h.Mode != want.mode || !bytes.Equal(data, want.data) || err != nil {
			t.Errorf("tar: %s %o %q %v", h.Name, h.Mode, data, err)
		}
		f, err := zr.File[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err = io.ReadAll(f)
		if zr.File[i].Name != want.name || !bytes.Equal(data, want.data) || err != nil {
			t.Errorf("zip: %s %q %v", zr.File[i].Name, data, err)
		}
	}
}

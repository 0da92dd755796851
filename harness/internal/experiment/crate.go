package experiment

import (
	"archive/zip"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"stochopt/internal/disk"
	"stochopt/internal/record"
)

// CrateFile is the metadata file of an RO-Crate.
const CrateFile = "ro-crate-metadata.json"

// A crate follows RO-Crate 1.1 and the profile Process Run Crate 0.5.
const (
	crateRules   = "https://w3id.org/ro/crate/1.1"
	crateProfile = "https://w3id.org/ro/wfrun/process/0.5"
)

// mediaTypes holds the media types of the files of a results folder by extension.
var mediaTypes = map[string]string{
	".csv": "text/csv", ".db": "application/vnd.sqlite3", ".gz": "application/gzip", ".json": "application/json",
	".jsonl": "application/jsonl", ".md": "text/markdown", ".pdf": "application/pdf", ".png": "image/png",
	".svg": "image/svg+xml", ".txt": "text/plain", ".yaml": "application/yaml",
}

// crateFiles describes the files and folders of a results folder that a crate contains.
var crateFiles = map[string]string{
	SpecFile: "the spec that was run", ManifestFile: "the program, machine and data that made the records",
	record.DatabaseFile: "all runs, with curves and times", record.RunsFile: "all runs, with curves",
	record.RunsFile + ".gz": "all runs, with curves", record.PartsFolder: "runs of a shard",
	SelectionFile: "the selected parameters", CurvesFile: "the curves of the selected parameters",
	ClaimsFile: "verdicts on claims", ObservationsFile: "what the verdicts were judged from",
	figures: "a figure", "tables": "a table",
}

// archived is a file of a crate; its name is relative to the folder, with slashes.
type archived struct {
	name, sha256 string
	size         int64
}

// entity is a node of JSON-LD.
type entity map[string]any

// WriteCrate writes the folder as a zip file that is an RO-Crate: the spec, the manifest, the records and
// the products, described by CrateFile. The licence of the results is an SPDX identifier, an address, or empty.
// The same folder gives the same bytes. It fails while a process writes to the folder.
func (f *Folder) WriteCrate(w io.Writer, licence string) error {
	if writers := record.Writers(f.Dir); len(writers) > 0 {
		return fmt.Errorf("%s is being written by %s: wait for it", f.Dir, writers[0])
	}
	files, err := f.archivedFiles()
	if err != nil {
		return err
	}
	action, ended, err := f.crateAction()
	if err != nil {
		return err
	}
	graph, err := f.crateGraph(files, action, ended, licence)
	if err != nil {
		return err
	}
	// The context of RO-Crate lacks sha256.
	context := []any{crateRules + "/context", entity{"sha256": "http://schema.org/sha256"}}
	metadata, err := json.MarshalIndent(entity{"@context": context, "@graph": graph}, "", "  ")
	z := zip.NewWriter(w)
	add := func(name string, write func(io.Writer) error) {
		if err == nil {
			out, failed := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: ended})
			if err = failed; err == nil {
				err = write(out)
			}
		}
	}
	add(CrateFile, func(w io.Writer) error {
		_, err := w.Write(append(metadata, '\n'))
		return err
	})
	for i := range files {
		add(files[i].name, func(w io.Writer) error { return f.copyTo(w, &files[i]) })
	}
	return cmp.Or(err, z.Close())
}

// archivedFiles lists the files that belong into a crate, in order of name.
func (f *Folder) archivedFiles() (files []archived, err error) {
	return files, fs.WalkDir(os.DirFS(f.Dir), ".", func(name string, d fs.DirEntry, err error) error {
		first, rest, _ := strings.Cut(name, "/")
		known := crateFiles[first] != ""
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir() && (!known || rest != ""):
			return fs.SkipDir
		case d.IsDir() || !known || mediaTypes[path.Ext(name)] == "":
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is a link: put the file itself in its place", filepath.Join(f.Dir, name))
		}
		file := archived{name: name}
		err = f.copyTo(io.Discard, &file)
		files = append(files, file)
		return err
	})
}

// copyTo copies a file. It sets its size and checksum, or fails if the checksum has changed.
func (f *Folder) copyTo(w io.Writer, to *archived) error {
	in, err := disk.Open(filepath.Join(f.Dir, to.name))
	if err != nil {
		return err
	}
	defer in.Close()
	h, before := sha256.New(), to.sha256
	if to.size, err = io.Copy(io.MultiWriter(w, h), in); err != nil {
		return err
	}
	if to.sha256 = hex.EncodeToString(h.Sum(nil)); before != "" && before != to.sha256 {
		return fmt.Errorf("%s has changed while it was read: repeat the command", in.Name())
	}
	return nil
}

// crateAction returns the entity of the run, and the end of the last run or, if that is not recorded, the time of
// the manifest.
func (f *Folder) crateAction() (action entity, ended time.Time, err error) {
	e, err := f.Records()
	if err != nil {
		return nil, ended, err
	}
	action = entity{
		"@id": "#run", "@type": "CreateAction", "name": "Run of " + f.Manifest.Spec, "description": f.Manifest.command(),
		"instrument": entity{"@id": "#stochopt"}, "actionStatus": "http://schema.org/CompletedActionStatus",
	}
	planned, failed := f.Planned(e), Summarise(e).Failed
	if missing := max(planned-len(e.Runs), 0); missing+failed > 0 {
		action["actionStatus"] = "http://schema.org/FailedActionStatus"
		action["error"] = fmt.Sprintf("%d of %d runs are missing, and %d have failed", missing, planned, failed)
	}
	const layout = "2006-01-02T15:04:05-07:00"
	for i := range e.Runs {
		t, _ := e.Runs[i].Timing()
		if end, err := time.Parse(time.RFC3339, t.Finished); err == nil && end.After(ended) { // exports have no times
			ended = end.UTC()
			action["endTime"] = ended.Format(layout)
		}
	}
	if ended.IsZero() {
		info, err := os.Stat(filepath.Join(f.Dir, ManifestFile))
		if err != nil {
			return nil, ended, err
		}
		ended = info.ModTime().UTC()
	}
	return action, ended, e.Err()
}

// crateGraph returns the entities of a crate. It adds the inputs and results to the action.
func (f *Folder) crateGraph(files []archived, action entity, ended time.Time, licence string) ([]entity, error) {
	s, err := f.Spec("claims=[]", "tables=[]") // which need not be valid in this version
	if err != nil {
		return nil, err
	}
	m, rights := &f.Manifest, crateLicence(licence)
	about := "Records of the experiment " + m.Spec + " with stochopt"
	if standIns := m.StandIns(); len(standIns) > 0 {
		about += "; STAND-IN DATA in place of " + strings.Join(standIns, ", ")
	}
	root := entity{
		"@id": "./", "@type": "Dataset", "conformsTo": entity{"@id": crateProfile}, "name": cmp.Or(s.Title, s.Name),
		"description": about, "datePublished": ended.Format(time.DateOnly), "license": entity{"@id": rights["@id"]},
		"mentions": entity{"@id": action["@id"]},
	}
	var builds []string
	for _, t := range m.builds() {
		builds = append(builds, fmt.Sprintf("%s, built with %s for %s", t, t.Go, t.Platform))
	}
	program := entity{
		"@id": "#stochopt", "@type": "SoftwareApplication", "name": "stochopt", "softwareVersion": m.Tool.String(),
		"description": strings.Join(builds, "; "),
	}
	graph := []entity{
		{"@id": CrateFile, "@type": "CreativeWork", "conformsTo": entity{"@id": crateRules}, "about": entity{"@id": "./"}},
		root, {"@id": crateProfile, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
		rights, program, action,
	}
	var parts, read, written []entity
	for _, file := range files {
		first, _, _ := strings.Cut(file.name, "/")
		id := (&url.URL{Path: file.name}).EscapedPath()
		parts = append(parts, entity{"@id": id})
		if file.name == SpecFile {
			read = append(read, entity{"@id": id})
		} else {
			written = append(written, entity{"@id": id})
		}
		graph = append(graph, entity{
			"@id": id, "@type": "File", "name": file.name, "description": crateFiles[first], "sha256": file.sha256,
			"contentSize": strconv.FormatInt(file.size, 10), "encodingFormat": mediaTypes[path.Ext(file.name)],
		})
	}
	for _, d := range m.Datasets {
		id := "#data-" + url.PathEscape(d.ID)
		read = append(read, entity{"@id": id})
		graph = append(graph, entity{
			"@id": id, "@type": "CreativeWork", "name": cmp.Or(d.Title, d.ID), "identifier": d.Hash,
			"description": cmp.Or(d.Reason, d.Rows, "the data as they were read"),
		})
	}
	root["hasPart"], action["object"], action["result"] = parts, read, written
	return graph, nil
}

// crateLicence returns the entity of a licence.
func crateLicence(licence string) entity {
	out := entity{"@id": licence, "@type": "CreativeWork", "name": licence, "description": "The licence of the results."}
	switch {
	case licence == "":
		out["@id"], out["name"] = "#licence", "No licence stated"
		out["description"] = "Nobody has stated a licence: ask the authors of the results before you reuse them."
	case !strings.Contains(licence, "://"):
		out["@id"] = "https://spdx.org/licenses/" + url.PathEscape(licence)
	}
	return out
}

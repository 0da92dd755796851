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

// A crate conforms to RO-Crate 1.1 and to the profile Process Run Crate 0.5.
const (
	crateStandard = "https://w3id.org/ro/crate/1.1"
	crateProfile  = "https://w3id.org/ro/wfrun/process/0.5"
)

// mediaTypes has the media types of the files of a results folder, by extension.
var mediaTypes = map[string]string{
	".csv": "text/csv", ".db": "application/vnd.sqlite3", ".gz": "application/gzip", ".json": "application/json",
	".jsonl": "application/jsonl", ".md": "text/markdown", ".pdf": "application/pdf", ".png": "image/png",
	".svg": "image/svg+xml", ".txt": "text/plain", ".yaml": "application/yaml",
}

// crateDescriptions describes the files that belong to a crate, by the first part of their name.
var crateDescriptions = map[string]string{
	SpecFile: "the spec that was run", ManifestFile: "the program, machine and data that made the records",
	record.DatabaseFile: "all runs, with curves and times", record.RunsFile: "all runs, with curves",
	record.RunsFile + ".gz": "all runs, with curves", record.PartsFolder: "runs of a shard",
	SelectionFile: "the selected parameters", CurvesFile: "the curves of the selected parameters",
	ClaimsFile: "verdicts on claims", ObservationsFile: "what the verdicts were judged from",
	figures: "a figure", tables: "a table",
}

// crateFile is a file of a crate. Its name is its path in the folder, with slashes.
type crateFile struct {
	name, sha256 string
	size         int64
}

// entity is a node of the graph in CrateFile, which is JSON-LD.
type entity map[string]any

// WriteCrate writes the folder as a zip file that is an RO-Crate. It has the spec, the manifest, the records and the
// products, which CrateFile describes. licence is an SPDX identifier, an address, or "". The same folder gives the same
// bytes. WriteCrate returns an error while a process writes to the folder.
func (f *Folder) WriteCrate(w io.Writer, licence string) error {
	if writers := record.Writers(f.Dir); len(writers) > 0 {
		return fmt.Errorf("%s is being written by %s: wait for it", f.Dir, writers[0])
	}
	names, err := f.crateNames()
	if err != nil {
		return err
	}
	action, ended, err := f.crateAction()
	if err != nil {
		return err
	}
	z := zip.NewWriter(w)
	create := func(name string) (io.Writer, error) {
		return z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: ended})
	}
	var files []crateFile
	for _, name := range names {
		out, err := create(name)
		if err != nil {
			return err
		}
		file, err := f.copyFile(out, name)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	graph, err := f.crateGraph(files, action, ended, licence)
	if err != nil {
		return err
	}
	// The context of RO-Crate lacks sha256.
	context := []any{crateStandard + "/context", entity{"sha256": "http://schema.org/sha256"}}
	metadata, err := json.MarshalIndent(entity{"@context": context, "@graph": graph}, "", "  ")
	if err != nil {
		return err
	}
	out, err := create(CrateFile)
	if err != nil {
		return err
	}
	_, err = out.Write(append(metadata, '\n'))
	return cmp.Or(err, z.Close())
}

// crateNames returns the sorted names of the files that belong to a crate.
func (f *Folder) crateNames() (names []string, err error) {
	err = fs.WalkDir(os.DirFS(f.Dir), ".", func(name string, d fs.DirEntry, err error) error {
		first, rest, _ := strings.Cut(name, "/")
		known := crateDescriptions[first] != ""
		switch {
		case err != nil || name == ".":
			return err
		case d.IsDir() && (!known || rest != ""):
			return fs.SkipDir
		case d.IsDir() || !known || mediaTypes[path.Ext(name)] == "":
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is a link: replace it by the file", filepath.Join(f.Dir, name))
		}
		names = append(names, name)
		return nil
	})
	return names, err
}

// copyFile copies a file of the folder to w.
func (f *Folder) copyFile(w io.Writer, name string) (file crateFile, err error) {
	in, err := disk.Open(filepath.Join(f.Dir, name))
	if err != nil {
		return file, err
	}
	defer in.Close()
	sum := sha256.New()
	size, err := io.Copy(io.MultiWriter(w, sum), in)
	return crateFile{name, hex.EncodeToString(sum.Sum(nil)), size}, err
}

// crateAction returns the entity of the experiment's execution, and the time at which its last run ended. If no time is
// recorded, ended is the modification time of the manifest.
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
		if end, err := time.Parse(time.RFC3339, t.Finished); err == nil && end.After(ended) {
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
func (f *Folder) crateGraph(files []crateFile, action entity, ended time.Time, licence string) ([]entity, error) {
	s, err := f.Spec("claims=[]", "tables=[]") // those of another version may be invalid and are not needed
	if err != nil {
		return nil, err
	}
	m, terms := &f.Manifest, crateLicence(licence)
	about := "Records of the experiment " + m.Spec + " with stochopt"
	if standIns := m.StandIns(); len(standIns) > 0 {
		about += "; STAND-IN DATA in place of " + strings.Join(standIns, ", ")
	}
	root := entity{
		"@id": "./", "@type": "Dataset", "conformsTo": entity{"@id": crateProfile}, "name": cmp.Or(s.Title, s.Name),
		"description": about, "datePublished": ended.Format(time.DateOnly), "license": entity{"@id": terms["@id"]},
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
		{"@id": CrateFile, "@type": "CreativeWork", "conformsTo": entity{"@id": crateStandard}, "about": entity{"@id": "./"}},
		root, {"@id": crateProfile, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
		terms, program, action,
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
			"@id": id, "@type": "File", "name": file.name, "description": crateDescriptions[first], "sha256": file.sha256,
			"contentSize": strconv.FormatInt(file.size, 10), "encodingFormat": mediaTypes[path.Ext(file.name)],
		})
	}
	for _, d := range m.Datasets {
		id := "#data-" + url.PathEscape(d.ID)
		read = append(read, entity{"@id": id})
		graph = append(graph, entity{
			"@id": id, "@type": "CreativeWork", "name": cmp.Or(d.Title, d.ID), "identifier": d.Hash,
			"description": cmp.Or(d.Reason, d.Rows, "the data as read"),
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
		out["description"] = "The authors of the results stated no licence: ask them before you reuse the results."
	case !strings.Contains(licence, "://"):
		out["@id"] = "https://spdx.org/licenses/" + url.PathEscape(licence)
	}
	return out
}

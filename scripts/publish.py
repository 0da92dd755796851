#!/usr/bin/env python3
"""Copies results folders for publication, without their records.

  scripts/publish.py FROM TO [NAME...]     such as build/paper results/paper pca-real

Replaces TO/NAME by the spec, manifest, selection, observations, verdicts, tables and figures of
FROM/NAME, and by a list of all runs with their checksums, which `verify` uses. CSV files are
compressed, those of figures with five digits, and figures reduced to 256 colours. Needs Pillow (Debian:
python3-pil) and build/stochopt.
"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys

from PIL import Image

BINARY = os.path.abspath("build/stochopt")
KEPT = ("spec.yaml", "manifest.json", "claims.json", "observations.csv.gz", "tables/*.md", "figures/*.txt")


def compress(content, target):
    """Equal content gives equal bytes: the header has neither a name nor a time."""
    target.write_bytes(gzip.compress(content, mtime=0))


def publish(source, target):
    shutil.rmtree(target, ignore_errors=True)
    (target / "figures").mkdir(parents=True)
    (target / "tables").mkdir()
    for pattern in KEPT:
        for file in sorted(source.glob(pattern)):
            shutil.copyfile(file, target / file.relative_to(source))
    compress((source / "selection.csv").read_bytes(), target / "selection.csv.gz")
    for file in sorted(source.glob("figures/*.csv")):
        text = re.sub(r"(?<=,)-?\d+\.\d+(e[+-]?\d+)?(?=[,\n])", lambda number: f"{float(number[0]):.5g}", file.read_text())
        compress(text.encode(), target / "figures" / (file.name + ".gz"))
    for file in sorted(source.glob("figures/*.png")):
        with Image.open(file) as image:
            few = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
            few.save(target / file.relative_to(source), optimize=True, dpi=image.info.get("dpi"))
    runs = subprocess.run([BINARY, "export", source, "--to", "checksums"], check=True, stdout=subprocess.PIPE).stdout
    compress(runs, target / "runs.csv.gz")
    for folder in ("figures", "tables"):
        if not any((target / folder).iterdir()):
            (target / folder).rmdir()


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    source, target, *names = sys.argv[1:]
    for name in names or sorted(p.parent.name for p in pathlib.Path(source).glob("*/manifest.json")):
        publish(pathlib.Path(source) / name, pathlib.Path(target) / name)


if __name__ == "__main__":
    main()

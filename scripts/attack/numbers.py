"""Extreme values for every number in the schema, every parameter and every flag."""
import copy
import json
import pathlib
import re
import shutil
import subprocess

from common import exported, run, sealed, survived

VALUES = ["0", "-0", "-0.0", "-1", "1e300", "-1e300", "1e100", "5e-324", "2147483648", "9007199254740993",
          "9223372036854775808", ".nan", ".inf", '"1e9999"', "1" + "0" * 400, "0.5"]
FLAG_VALUES = [v.strip('"') for v in VALUES] + ["NaN", "Inf", "9999999999999/9999999999999", "1/0", "100%", ""]
TASKS = {"pca": "msg", "svm": "sbp", "svm-sparse": "sparsify"}
BASE = """{"version": 1, "name": "n", "task": "pca", "budget": {"iterations": 5}, "record": {"points": 2},
 "datasets": [{"id": "d", "source": "simulated-gaussian", "with": {"dim": 6, "gap": 2}, "problem": {"k": 2}}],
 "algorithms": [{"id": "msg", "step": {"c": 1}}]}"""


class Raw:
    """A number with its exact text."""
    def __init__(self, text):
        self.text = text


def write(path, document):
    raw = {}

    def known(v):
        raw[f"@{len(raw)}@"] = v.text
        return f"@{len(raw) - 1}@"

    text = json.dumps(document, default=known)
    for mark, value in raw.items():
        text = text.replace(f'"{mark}"', value)
    path.write_text(text)
    return str(path)


def numbers(schema, root, path=(), within=()):
    """Yields the paths to all numbers in a part of the schema. 0 stands for a list item."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if name in within:
            return
        schema, within = root["$defs"][name], (*within, name)
    if schema.get("type") in ("integer", "number"):
        yield path
    for part in schema.get("anyOf", []):
        yield from numbers(part, root, path, within)
    for key, part in schema.get("properties", {}).items():
        if key != "profiles":
            yield from numbers(part, root, (*path, key), within)
    if "items" in schema:
        yield from numbers(schema["items"], root, (*path, 0), within)
    if isinstance(schema.get("additionalProperties"), dict):
        yield from numbers(schema["additionalProperties"], root, (*path, "k"), within)


def put(document, path, value):
    """Returns the document with a value at a path. Missing parents are created."""
    if not path:
        return value
    key, rest = path[0], path[1:]
    if key == 0:
        items = list(document) if isinstance(document, list) else [{}]
        return [put(items[0], rest, value), *items[1:]]
    own = dict(document) if isinstance(document, dict) else {}
    own[key] = put(own.get(key, {}), rest, value)
    return own


def located(outcome, files):
    """Reports whether a process survived specs, some of which may be valid. It must name an invalid one with line
    and column."""
    named = set(re.findall(r"^(\S+?):\d+:\d+: ", outcome.err, re.MULTILINE)) & set(files)
    return survived(outcome) and (outcome.code == 0 or len(named) > 0) and "-9223372036854775808" not in outcome.text


def spec_cases(stochopt, folder, what, documents):
    files = []
    for i, document in enumerate(documents):
        document["name"] = f"n{i}"
        files.append(write(folder / f"{i}.yaml", document))
    o = run([stochopt, "validate", *files], seconds=60)
    yield f"validate, {len(files)} values of {what}", located(o, files), str(o)
    right = [f for f in files if not re.search("^" + re.escape(f) + ":", o.err, re.MULTILINE)]
    if right and o.code in (0, 2):
        p = run([stochopt, "plan", *right, "--offline", "--out", str(folder / "out"), "--json",
                 "--memory", "300MB"], seconds=60)
        yield f"plan, {len(right)} values of {what}", located(p, right) and '"iterations": -' not in p.out, str(p)


def schema_cases(stochopt, folder):
    schema = json.loads(subprocess.check_output([stochopt, "schema"]))
    seen = {}
    for path in numbers(schema, schema):
        seen.setdefault(path, None)
    for path in seen:
        documents = [put(json.loads(BASE), path, Raw(v)) for v in VALUES]
        yield from spec_cases(stochopt, folder, ".".join(map(str, path)), documents)


def parameter_cases(stochopt, folder):
    listed = json.loads(subprocess.check_output([stochopt, "algorithms", "list", "--json"]))
    for entry in listed:
        base = json.loads(BASE)
        base["task"] = entry["task"]
        own = {"id": entry["id"]}
        base["algorithms"] = [own]
        if entry["task"] in ("svm", "svm-sparse"):
            base["datasets"] = [{"id": "d", "source": "simulated-margin", "with": {"dim": 4, "R": 2, "n": 40, "test": 20}}]
            own["with"] = {"C": 1, "sigma2": 1}
        elif entry["task"] == "pca":
            own["step"] = {"c": 1}
        documents = []
        for p in entry["params"]:
            if p["kind"] not in ("int", "float"):
                continue
            name = p["name"].split(".")
            for v in VALUES:
                d = copy.deepcopy(base)
                if name == ["k"]:
                    d = put(d, ("datasets", 0, "problem", "k"), Raw(v))
                else:
                    d = put(d, ("algorithms", 0, *(name if len(name) > 1 else ["with", *name])), Raw(v))
                documents.append(d)
        if documents:
            yield from spec_cases(stochopt, folder, f"parameters of {entry['id']} ({entry['task']})", documents)


def source_cases(stochopt, folder):
    for source in ("simulated-gaussian", "simulated-orthogonal", "simulated-margin", "interval"):
        info = run([stochopt, "datasets", "info", source])
        documents = []
        for name in re.findall(r"^│ (\w+) +│ (?:int|float)", info.out, re.MULTILINE):
            for v in VALUES + ["65536", "20000"]:
                d = json.loads(BASE)
                d["datasets"][0].update(source=source)
                d["datasets"][0]["with"] = {"R": 2} if source == "simulated-margin" else {} if source == "interval" else {"gap": 2, "decay": 1}
                documents.append(put(d, ("datasets", 0, "with", name), Raw(v)))
        yield from spec_cases(stochopt, folder, f"parameters of {source}", documents)


def flag_cases(stochopt, folder):
    spec = write(folder / "spec.yaml", json.loads(BASE))
    run([stochopt, "run", spec, "--out", str(folder / "out")])
    done = str(folder / "out" / "n")
    verbs = {"run": [spec, "--out", str(folder / "again")], "plan": [spec], "validate": [spec], "verify": [done],
             "compare": [done, done], "report": [done, "-o", str(folder / "r.html")], "status": [done], "claims": [done]}
    for verb, arguments in verbs.items():
        text = run([stochopt, verb, "--help"]).out
        for flag, kind in re.findall(r"--([\w-]+) (int|uint|float|share|numbers|string)\b", text):
            if kind == "string" and flag not in ("memory", "shard"):
                continue
            for v in FLAG_VALUES:
                o = run([stochopt, verb, *arguments, f"--{flag}={v}"], seconds=20)
                yield f"{verb} --{flag}={v[:20]}", survived(o, codes=(0, 1, 2, 3) if verb == "compare" else (0, 1, 2)), str(o)


def compare_cases(stochopt, folder):
    """Extreme flags of compare, with enough repeats that permutations are sampled."""
    base = put(json.loads(BASE), ("repeats",), 20)
    for side, c in (("before", 1), ("after", 0.5)):
        made = run([stochopt, "run", write(folder / "side.yaml", put(base, ("algorithms", 0, "step", "c"), c)), "--out", str(folder / side)])
        yield f"the side {side}", survived(made, codes=(0,)), str(made)
    for flag, values in {"tolerance": ("0", "1e-320", "1e-300", "1", "99999", "1e300", "1e308"),
                         "at": ("1e-320", "1e-300", "1e-100", "1e100", "1e300", "3,1e300"),
                         "target": ("1e-320", "1e-300", "1e-100", "1e100", "1e300"),
                         "seed": ("18446744073709551615",)}.items():
        for v in values:
            o = run([stochopt, "compare", str(folder / "before"), str(folder / "after"), f"--{flag}={v}", "--json"], seconds=20)
            ok = survived(o, codes=(0, 1, 2, 3)) and not re.search(r"\b(NaN|[+-]?Inf)\b", o.text)
            if o.out:
                json.loads(o.out)
            yield f"compare --{flag}={v}", ok, str(o)


def record_cases(stochopt, folder):
    """Records with extreme numbers and correct checksums."""
    base = put(json.loads(BASE), ("figures",), [{"id": "f", "x": "iterations", "y": "suboptimality"},
                                               {"id": "l", "x": "iterations", "y": "suboptimality", "log": ["x", "y"]}])
    base["tables"] = [{"id": "t", "columns": ["k", "final_suboptimality"]}]
    base["select"] = {"by": "oracle", "metric": "suboptimality"}
    made = run([stochopt, "run", write(folder / "records.yaml", base), "--out", str(folder / "records")])
    yield "records to change", survived(made, codes=(0,)), str(made)
    path = folder / "text" / "n" / "runs.jsonl"
    path.parent.mkdir(parents=True)
    for name in "spec.yaml", "manifest.json":
        shutil.copy(folder / "records" / "n" / name, path.parent)
    whole = json.loads(exported(stochopt, folder / "records" / "n").splitlines()[0])
    del whole["crc32c"]

    def curve(values, *names):
        def change(r):
            at = r["curve"]
            for name in names[:-1]:
                at = at[name]
            at[names[-1]] = values
        return change

    most, least = 1.7976931348623157e308, 5e-324
    for what, change in (("values up to the largest", curve([most, most / 2], "metrics", "population", "suboptimality")),
                         ("values of both signs", curve([most, -most], "metrics", "population", "suboptimality")),
                         ("the smallest values", curve([least, least], "metrics", "population", "suboptimality")),
                         ("the largest costs", curve([9223372036854775806, 9223372036854775807], "cost", "iterations")),
                         ("k below 0", lambda r: r["params"].update(k=-5)),
                         ("k of 1e300", lambda r: r["params"].update(k=1e300))):
        r = copy.deepcopy(whole)
        change(r)
        path.write_text(sealed(json.dumps(r, separators=(",", ":"))) + "\n")
        for verb in ("status", "plot", "table", "report -o " + str(folder / "x.html"), "compare " + str(path.parent),
                     "import --out " + str(folder / "imported")):
            verb, *flags = verb.split()
            o = run([stochopt, verb, str(path.parent), *flags], seconds=20)
            yield f"records with {what}, {verb}", survived(o, codes=(0, 1, 2, 3)) and "internal error" not in o.text, str(o)


def single_cases(stochopt, folder):
    base = json.loads(BASE)
    data = folder / "d.csv"
    data.write_text("".join(f"{i},{i * i % 7},{i % 3}\n" for i in range(50)))
    own = put(put(base, ("datasets",), [{"id": "d", "path": str(data), "problem": {"k": 1}}]), ("budget",), {"passes": Raw("1e300")})
    for what, document, says in (
            ("passes: 1e300", own, "1e300 is out of range"),
            ("10^9 passes over a subset of 2^31 rows", put(own, ("budget", "passes"), Raw("1000000000")), ""),
            ("repeats: 10^12", put(base, ("repeats",), Raw("1000000000000")), "must be at most 1000000"),
            ("10^6 repeats of a grid", put(put(base, ("repeats",), 1000000), ("algorithms", 0, "step", "c"), [1, 2]), "fewer repeats"),
            ("a name of 300 characters", put(base, ("name",), "n" * 300), "more than 100"),
            ("10^9 recorded points", put(base, ("record", "points"), 10**9), "must be at most 1000000")):
        o = run([stochopt, "plan", write(folder / "one.yaml", document), "--out", str(folder / "one")])
        yield what, survived(o, codes=(2,) if says else (0, 2), says=[says]), str(o)


def cases(stochopt, folder):
    folder = pathlib.Path(folder)
    yield from single_cases(stochopt, folder)
    yield from schema_cases(stochopt, folder)
    yield from parameter_cases(stochopt, folder)
    yield from source_cases(stochopt, folder)
    yield from flag_cases(stochopt, folder)
    yield from compare_cases(stochopt, folder)
    yield from record_cases(stochopt, folder)

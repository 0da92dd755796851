"""Memory: data and parameters that need more memory than --memory allows."""
import pathlib

from common import MB, run, survived

# Memory of the program itself in addition to --memory (run.ProgramMemory).
OWN = 256 * MB

SPEC = """version: 1
name: {name}
task: {task}
repeats: 2
budget: {{iterations: {iterations}}}
{record}
datasets:
{datasets}
algorithms:
{algorithms}
figures:
  - {{id: fig, x: iterations, y: {metric}}}
"""

EASY = "  - {id: easy, source: simulated-gaussian, with: {dim: 20, gap: 3}, problem: {k: 2}}"
FAR = "  - {id: far, path: %s, problem: {k: 1}}"
MSG = "  - {id: msg, step: {schedule: inverse-sqrt, c: 1}}"
KUZMIN = "  - {id: warmuth-kuzmin, step: {schedule: inverse-sqrt, c: 1}}"
SAA = "  - {id: saa}"


def spec(folder, name, task="pca", iterations=20, record="", datasets=EASY, algorithms=MSG, metric="suboptimality"):
    path = folder / f"{name}.yaml"
    path.write_text(SPEC.format(name=name, task=task, iterations=iterations, record=record, datasets=datasets,
                                algorithms=algorithms, metric=metric))
    return path


def cases(stochopt, folder):
    folder = pathlib.Path(folder)
    yield from wide_pca(stochopt, folder)
    yield from wide_svm(stochopt, folder)
    yield from curves(stochopt, folder)
    yield from container(stochopt, folder)


def do(stochopt, folder, verb, path, memory="256MB", more=(), seconds=60):
    if verb in ("run", "plan"):
        more = ("--out", str(folder / "results"), *more)
    return run([stochopt, verb, str(path), "--memory", memory, *more], seconds=seconds, cwd=folder)


def wide_pca(stochopt, folder):
    peak = 256 * MB + OWN
    far = folder / "far.svm"
    for d in 1_000_000, 40_000, 2_147_483_647:
        far.write_text(f"+1 1:1 {d}:1\n-1 2:1\n+1 3:1\n")
        for name, algorithm in ("msg", MSG), ("kuzmin", KUZMIN), ("saa", SAA):
            path = spec(folder, f"{name}-{d}", datasets=FAR % far + "\n" + EASY, algorithms=algorithm)
            # MSG needs no d x d matrix, neither to run nor to be measured.
            says = () if name == "msg" else ("--memory",)
            for again in "", ", again":
                o = do(stochopt, folder, "run", path)
                figure = folder / "results" / path.stem / "figures" / "fig.svg"
                yield (f"PCA by {name} on three lines with the index {d}, next to other data{again}",
                       survived(o, codes=(0, 1), says=says, peak=peak) and figure.exists()
                       and (o.code == 1) == (" skipped" in o.out), str(o))
            figure.unlink(missing_ok=True)
        o = do(stochopt, folder, "plan", path)
        yield f"its plan at the index {d}", survived(o, codes=(0,), says=(f"{path.name}:", "--memory"), peak=peak), str(o)
    path = spec(folder, "prepared", datasets=(FAR % far).replace("problem", "prepare: [center], problem") + "\n" + EASY)
    o = do(stochopt, folder, "run", path)
    yield "wide data that are centred", survived(o, codes=(0, 1, 2), says=("prepared.yaml:",), peak=peak), str(o)
    path = spec(folder, "generated", datasets=EASY.replace("dim: 20", "dim: 60000"), algorithms=KUZMIN)
    for verb in "validate", "plan", "run":
        o = do(stochopt, folder, verb, path)
        yield f"generated data of 60000 dimensions: {verb}", survived(o, codes=(1,) if verb == "run" else (0,), says=("generated.yaml:", "--memory"), peak=peak), str(o)


def wide_svm(stochopt, folder):
    far = folder / "far-svm.svm"
    far.write_text("+1 2147483647:1\n-1 2:0.5\n+1 3:1\n-1 1:0.25 2:1\n")
    data = f"  - {{id: far, path: {far}, problem: {{%s, C: 1}}}}"
    for name, kernel, algorithms in (
        ("kernel", "sigma2: 1", "  - {id: sbp}\n  - {id: smo}\n  - {id: pegasos}"),
        ("fourier", "sigma2: 1", "  - {id: rff, with: {pairs: 16}}"),
        ("linear", "kernel: linear", "  - {id: linear-sdca}\n  - {id: linear-pegasos}"),
    ):
        path = spec(folder, name, task="svm", datasets=data % kernel, algorithms=algorithms, metric="error")
        o = do(stochopt, folder, "run", path)
        yield f"SVM, {name}, on the index 2147483647", survived(o, codes=(0, 1), peak=256 * MB + OWN), str(o)
    path = spec(folder, "vectors", task="svm-sparse", datasets=data % "sigma2: 1", metric="error",
                algorithms="  - {id: reduced-set}\n  - {id: csvm}\n  - {id: cpsp}")
    o = do(stochopt, folder, "run", path)
    yield "constructed vectors on the index 2147483647", survived(o, codes=(0, 1, 2), peak=256 * MB + OWN), str(o)


def curves(stochopt, folder):
    for points, iterations in (1_000_000_000, 1000), (1_000_000_000, 2_000_000_000), (1_000_000, 1_000_000_000):
        path = spec(folder, f"points-{points}-{iterations}", iterations=iterations, record=f"record: {{points: {points}}}")
        for verb in "validate", "run":
            if verb == "run" and iterations < points:
                continue   # at most one point per iteration is not an attack
            o = do(stochopt, folder, verb, path)
            yield (f"{points} points of {iterations} iterations: {verb}",
                   survived(o, codes=(0, 2) if verb == "validate" else (1, 2), peak=256 * MB + OWN), str(o))


def container(stochopt, folder):
    """The memory of a small container, which a Go program takes from GOMEMLIMIT. The data are stand-ins for MNIST
    of the same size, 439 MB as 64-bit numbers."""
    digits = "  - {id: mnist, source: mnist, %s}"
    path = [
        spec(folder, "images", iterations=100, datasets=digits % "prepare: [center, unit-expected-norm], problem: {k: 2}",
             algorithms="  - {id: incremental}"),
        spec(folder, "digits", task="svm", iterations=100, metric="error", record="record: {reference: false}",
             datasets=digits % "prepare: [unit-max-value], positive: 8, problem: {sigma2: 25, C: 1}",
             algorithms="  - {id: sdca}"),
    ]
    o = run([stochopt, "run", *map(str, path), "--out", str(folder / "results"), "--stand-in", "only", "--offline"],
            seconds=300, cwd=folder, env={"GOMEMLIMIT": "700MiB"})
    yield "all of MNIST, twice, in 700 MB", survived(o, codes=(0,), peak=700 * MB) and "no room" not in o.text, str(o)

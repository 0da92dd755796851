-- The database of an experiment, results.db. JSON columns have the format of `stochopt export`.
-- Checksums are CRC-32C.

PRAGMA user_version = 1;

-- One row for each recorded run, including runs of earlier plans.
CREATE TABLE run (
  id INTEGER PRIMARY KEY,
  -- The record as canonical JSON, with a summary in the place of its curve.
  record TEXT NOT NULL,
  -- Time of the steps and of measuring, from the table times.
  step_seconds REAL NOT NULL,
  eval_seconds REAL NOT NULL,
  -- Checksum of the three columns before.
  crc INTEGER NOT NULL,

  -- What the record says, for queries. A key and an extent identify a run.
  key TEXT AS (record ->> '$.key'),
  extent TEXT AS (record ->> '$.extent'),
  task TEXT AS (record ->> '$.task'),
  dataset TEXT AS (record ->> '$.dataset'),
  panel TEXT AS (record ->> '$.group'),
  stand_in INTEGER AS (coalesce(record ->> '$.stand_in', 0)),
  series TEXT AS (record ->> '$.series'),
  algorithm TEXT AS (record ->> '$.algorithm'),
  version INTEGER AS (record ->> '$.version'),
  params TEXT AS (record -> '$.params'),
  repetition INTEGER AS (record ->> '$.repeat'),
  seed INTEGER AS (record ->> '$.seed'),
  facts TEXT AS (record -> '$.facts'),
  status TEXT AS (record ->> '$.status'),
  reason TEXT AS (record ->> '$.reason'),
  points INTEGER AS (record ->> '$.curve.points')
);

-- The measurements of a run: {"cost": {counter: [...]}, "metrics": {split: {metric: [...]}}}
-- and, if requested, "spectrum", "vectors" and "mistakes".
CREATE TABLE curve (
  run INTEGER PRIMARY KEY REFERENCES run (id),
  data TEXT NOT NULL,
  crc INTEGER NOT NULL
);

-- The timing of a run, which depends on the machine.
CREATE TABLE times (
  run INTEGER PRIMARY KEY REFERENCES run (id),
  data TEXT NOT NULL,
  crc INTEGER NOT NULL
);

-- The runs of the spec, in order, with their labels.
CREATE TABLE plan (
  position INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  extent TEXT NOT NULL,
  dataset TEXT NOT NULL,
  panel TEXT NOT NULL,
  series TEXT NOT NULL
);

-- Certified optima. The id identifies the problem.
CREATE TABLE optimum (
  id TEXT PRIMARY KEY,
  data TEXT NOT NULL,
  crc INTEGER NOT NULL
) WITHOUT ROWID;

-- The number of bytes of each file of parts/ that have been imported.
CREATE TABLE part (
  file TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  crc INTEGER NOT NULL
) WITHOUT ROWID;

-- The spec, the manifest, the program version, and for some tables the number of rows and the sum of
-- their checksums.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  crc INTEGER NOT NULL
) WITHOUT ROWID;

-- The recorded runs of the plan, with the labels of the plan.
CREATE VIEW planned AS
SELECT plan.position, run.id AS run, plan.dataset, plan.panel, run.stand_in, plan.series, run.algorithm,
  run.params, run.repetition, run.facts, run.status, run.reason, run.points, run.step_seconds, run.eval_seconds
FROM plan JOIN run ON run.key = plan.key AND run.extent = plan.extent;

-- All recorded values: one row for each run, point, split and metric, with the counters at that point.
-- A counter that the run does not have is NULL.
CREATE VIEW points AS
SELECT curve.run, value.key AS point,
  curve.data ->> ('$.cost.iterations[' || value.key || ']') AS iterations,
  curve.data ->> ('$.cost.kernel_evals[' || value.key || ']') AS kernel_evals,
  curve.data ->> ('$.cost.sum_kt2[' || value.key || ']') AS sum_kt2,
  split.key AS split, metric.key AS metric, CAST(value.value AS REAL) AS value
FROM curve, json_each(curve.data, '$.metrics') AS split, json_each(split.value) AS metric,
  json_each(metric.value) AS value;

-- The last recorded value of each metric of each run, with the counters at that point.
CREATE VIEW final AS
SELECT curve.run, curve.data ->> '$.cost.iterations[#-1]' AS iterations,
  curve.data ->> '$.cost.kernel_evals[#-1]' AS kernel_evals, curve.data ->> '$.cost.sum_kt2[#-1]' AS sum_kt2,
  split.key AS split, metric.key AS metric, CAST(metric.value ->> '$[#-1]' AS REAL) AS value
FROM curve, json_each(curve.data, '$.metrics') AS split, json_each(split.value) AS metric;

-- The number and total time of the recorded runs of each series and data set.
CREATE VIEW progress AS
SELECT plan.dataset, plan.series, count(*) AS planned, count(run.id) AS recorded,
  count(*) FILTER (WHERE run.status = 'finished') AS finished, count(*) FILTER (WHERE run.status = 'failed') AS failed,
  total(run.step_seconds) AS step_seconds, total(run.eval_seconds) AS eval_seconds
FROM plan LEFT JOIN run ON run.key = plan.key AND run.extent = plan.extent
GROUP BY plan.dataset, plan.series;

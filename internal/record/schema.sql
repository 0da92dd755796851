-- The database of one experiment, results.db. Column names that begin a JSON path are the
-- names of the JSON form that `stochopt export` writes. Checksums are CRC-32C.

PRAGMA user_version = 1;

-- One row for each run on record, those of earlier plans included.
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

-- What was measured along a run: {"cost": {counter: [...]}, "metrics": {split: {metric: [...]}}}
-- and, if asked for, "spectrum", "vectors" and "mistakes". Runs without points have no row.
CREATE TABLE curve (
  run INTEGER PRIMARY KEY REFERENCES run (id),
  data TEXT NOT NULL,
  crc INTEGER NOT NULL
);

-- The times of a run, which differ from machine to machine.
CREATE TABLE times (
  run INTEGER PRIMARY KEY REFERENCES run (id),
  data TEXT NOT NULL,
  crc INTEGER NOT NULL
);

-- The runs that the spec asks for, in order, and what it calls them.
CREATE TABLE plan (
  position INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  extent TEXT NOT NULL,
  dataset TEXT NOT NULL,
  panel TEXT NOT NULL,
  series TEXT NOT NULL
);

-- Certified optima, by what they are optima of.
CREATE TABLE optimum (
  id TEXT PRIMARY KEY,
  data TEXT NOT NULL,
  crc INTEGER NOT NULL
) WITHOUT ROWID;

-- How many bytes of each file of parts/ are in the other tables.
CREATE TABLE part (
  file TEXT PRIMARY KEY,
  bytes INTEGER NOT NULL,
  crc INTEGER NOT NULL
) WITHOUT ROWID;

-- The spec, the manifest, what wrote the database, and by table how many rows there are and
-- the sum of their checksums.
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL,
  crc INTEGER NOT NULL
) WITHOUT ROWID;

-- The runs of the plan that are on record, as the plan calls them.
CREATE VIEW planned AS
SELECT plan.position, run.id AS run, plan.dataset, plan.panel, run.stand_in, plan.series, run.algorithm,
  run.params, run.repetition, run.facts, run.status, run.reason, run.points, run.step_seconds, run.eval_seconds
FROM plan JOIN run ON run.key = plan.key AND run.extent = plan.extent;

-- Every recorded value: one row for each run, point, split and metric, with the counters at that
-- point. A counter that the run does not have is NULL.
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

-- How many runs of each series are on record, for each data set, and how long they took.
CREATE VIEW progress AS
SELECT plan.dataset, plan.series, count(*) AS planned, count(run.id) AS recorded,
  count(*) FILTER (WHERE run.status = 'finished') AS finished, count(*) FILTER (WHERE run.status = 'failed') AS failed,
  total(run.step_seconds) AS step_seconds, total(run.eval_seconds) AS eval_seconds
FROM plan LEFT JOIN run ON run.key = plan.key AND run.extent = plan.extent
GROUP BY plan.dataset, plan.series;

/* Methods in C99 for stochopt, using protocol 1 (docs/external.md). Requires only POSIX.

   A method is a struct and a table of functions, which so_main runs:

     typedef struct { double *U; } mine;
     static int init(so_run *r, void *self) { ... return 0; }
     static int advance(so_run *r, void *self, int64_t t, int64_t n) { ... r->samples ... }
     static int state(so_run *r, void *self) { memcpy(so_part(r, "U", r->d, r->k), ...); return 0; }
     SO_MAIN(mine, .name = "Mine", .version = 1, .tasks = "pca", .serve = "samples")

   Include this header in one file. The output of the program and its children goes to the log. */
#pragma once
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The inputs of a run and its end. Numbers that do not apply are 0, pointers NULL. */
typedef struct so_run {
  uint64_t seed; /* also the state of so_random */
  int64_t repeat, iterations, d, k, n;
  int64_t positive;       /* number of training points of class +1, which come first */
  const double *X;        /* n x d training points, row-major, if "data" are served */
  const double *samples;  /* n x d samples of the current advance */
  const int64_t *order;   /* n indices of training points of the current advance */
  const char *status, *reason; /* set by advance: "converged" or "diverged" after iteration end */
  int64_t end;
  struct so_inner *inner; /* private */
} so_run;

/* A method. Lists are words separated by spaces. Functions return 0, or print a reason and return 1. */
typedef struct {
  const char *name;
  int version;          /* must agree with the spec */
  const char *tasks;    /* pca svm */
  const char *serve;    /* pca: samples; svm: rows order data */
  const char *counters; /* costs reported with so_number: sum_kt2 ... */
  const char *rank;     /* "fixed": each iterate of a PCA method has rank k */
  const char *params;   /* of `with:`, as JSON objects: SO_STEP, "{\"name\": ...}, {...}" */
  bool random;          /* not deterministic for a given seed */
  size_t size;                                                /* of the struct, which is zeroed */
  int (*init)(so_run *, void *self);                          /* prepares for the run */
  int (*advance)(so_run *, void *self, int64_t t, int64_t n); /* performs iterations t+1 .. t+n */
  int (*state)(so_run *, void *self);                         /* returns the iterate by so_part, so_number */
} so_method;

/* The parameters of `step:`, for so_step. */
#define SO_STEP "{\"name\":\"step.schedule\",\"kind\":\"string\",\"default\":\"inverse-sqrt\"}," \
                "{\"name\":\"step.c\",\"kind\":\"float\",\"min\":0}"

/* Defines main for a struct type, with the functions init, advance and state, and fields of so_method. */
#define SO_MAIN(type, ...)                                                                                            \
  int main(void) {                                                                                                    \
    static const so_method m = {__VA_ARGS__, .size = sizeof(type), .init = init, .advance = advance, .state = state}; \
    return so_main(&m);                                                                                               \
  }

typedef struct { char name[64]; void *data; size_t size; } so_map; /* a file of the folder */

struct so_inner {
  FILE *in, *out;
  char *line, *init; /* the current message, and the message init for later queries */
  size_t room; /* allocated size of line */
  so_map maps[32];
  char parts[2048], numbers[2048]; /* of the next reply: JSON with leading commas */
  double c; /* of the step size */
  const char *schedule; /* not terminated */
  int failed;
};

/* Appends text to parts or numbers of the next reply. */
static void so_append(so_run *r, char *to, const char *text) {
  if (strlen(to) + strlen(text) < sizeof r->inner->parts) strcat(to, text);
  else r->inner->failed = puts("too many arrays or numbers") != EOF;
}

/* Sets a number: in state "bias" or "bulk", in each advance the cumulative value of a declared cost. */
static inline void so_number(so_run *r, const char *name, double value) {
  char text[256];
  snprintf(text, sizeof text, ",\"%s\":%.17g", name, value);
  so_append(r, r->inner->numbers, text);
}

/* Maps a file of the folder. If writing is set, resizes it first. */
static void *so_mapped(so_run *r, const char *name, size_t size, bool writing) {
  so_map *m = r->inner->maps, *last = m + 31;
  while (m < last && m->name[0] && strcmp(m->name, name)) m++;
  if (size == 0 || (m->data && m->size >= size)) return m->data;
  if (m->data) munmap(m->data, m->size);
  m->data = NULL;
  snprintf(m->name, sizeof m->name, "%s", name);
  int fd = open(name, writing ? O_RDWR | O_CREAT : O_RDONLY, 0600);
  void *data = MAP_FAILED;
  if (fd >= 0 && (!writing || !ftruncate(fd, (off_t)size)))
    data = mmap(NULL, m->size = size, writing ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, 0);
  if (fd >= 0) close(fd);
  if (data == MAP_FAILED) perror(name), r->inner->failed = 1, data = NULL;
  return m->data = data;
}

/* Returns the memory for a part of the state, rows x cols; a vector has cols = 0. */
static inline double *so_part(so_run *r, const char *name, int64_t rows, int64_t cols) {
  char text[256], shape[64];
  snprintf(shape, sizeof shape, cols ? "%lld,%lld" : "%lld", (long long)rows, (long long)cols);
  snprintf(text, sizeof text, ",\"%s\":{\"file\":\"%s\",\"dtype\":\"<f8\",\"shape\":[%s]}", name, name, shape);
  so_append(r, r->inner->parts, text);
  return (double *)so_mapped(r, name, (size_t)rows * (size_t)(cols ? cols : 1) * sizeof(double), true);
}

/* Returns the text after the JSON value at p. Messages of the harness contain no spaces. */
static const char *so_skip(const char *p) {
  if (*p == '"') {
    for (p++; *p && *p != '"'; p++) p += *p == '\\' && p[1];
    return *p ? p + 1 : p;
  }
  if (*p != '{' && *p != '[') return p + strcspn(p, ",:]}");
  for (p++; *p && *p != '}' && *p != ']'; p += *p == ',' || *p == ':') p = so_skip(p);
  return *p ? p + 1 : p;
}

/* Returns the value of a key of the object at p, or NULL. */
static const char *so_get(const char *p, const char *key) {
  size_t length = strlen(key);
  if (!p || *p++ != '{') return NULL;
  while (*p == '"') {
    const char *name = p + 1, *value = so_skip(p) + 1;
    if ((size_t)(value - name) == length + 2 && !strncmp(name, key, length)) return value;
    p = so_skip(value);
    p += *p == ',';
  }
  return NULL;
}

/* Returns a number or bool of the parameters, or the default value other. */
static inline double so_value(const so_run *r, const char *name, double other) {
  const char *v = so_get(so_get(so_get(r->inner->init, "init"), "params"), name);
  return !v || *v == '"' || *v == 'n' ? other : *v == 't' ? 1 : *v == 'f' ? 0 : strtod(v, NULL);
}

/* Returns the step size of iteration t >= 1, from `step:`. */
static inline double so_step(const so_run *r, int64_t t) {
  const char *schedule = r->inner->schedule;
  return r->inner->c / (schedule[1] == 'c' ? 1 : schedule[8] == '"' ? (double)t : sqrt((double)t));
}

/* Returns a uniform number in [0, 1) from SplitMix64 with the seed of the run. */
static inline double so_random(so_run *r) {
  uint64_t z = r->seed += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Maps the array described at a, or returns NULL if a is NULL. */
static const void *so_load(so_run *r, const char *a, size_t item) {
  char name[64] = "";
  const char *shape = so_get(a, "shape");
  if (!shape || sscanf(so_get(a, "file"), "\"%63[^\"]", name) != 1) return NULL;
  for (char *p = (char *)shape; *p != ']'; item *= (size_t)strtoll(p + 1, &p, 10)) {}
  return so_mapped(r, name, item, false);
}

/* Returns kernel rows of m training points, m x n. Each costs n kernel evaluations. They are valid until
   the next call. If the result is NULL, the caller must return 1. */
static inline const float *so_rows(so_run *r, const int64_t *indices, int64_t m) {
  struct so_inner *in = r->inner;
  for (int64_t i = 0; i < m; i++) fprintf(in->out, "%s%lld", i ? "," : "{\"rows\":[", (long long)indices[i]);
  fputs("]}\n", in->out);
  fflush(in->out);
  if (getline(&in->line, &in->room, in->in) <= 0) return NULL;
  return (const float *)so_load(r, so_get(in->line, "rows"), sizeof(float));
}

/* Prints a list of words as JSON. */
static void so_words(FILE *out, const char *key, const char *words) {
  fprintf(out, words ? ",\"%s\":[\"" : ",\"%s\":[", key);
  for (const char *w = words; w && *w; w++) *w == ' ' ? fputs("\",\"", out) : fputc(*w, out);
  fputs(words ? "\"]" : "]", out);
}

static void so_hello(FILE *out, const so_method *m) {
  fprintf(out, "{\"hello\":{\"protocol\":1,\"name\":\"%s\",\"version\":%d", m->name, m->version);
  fprintf(out, ",\"deterministic\":%s,\"rank\":\"%s\"", m->random ? "false" : "true", m->rank ? m->rank : "");
  so_words(out, "tasks", m->tasks);
  so_words(out, "serve", m->serve);
  so_words(out, "counters", m->counters);
  fprintf(out, ",\"params\":[%s]}}", m->params ? m->params : "");
}

static int64_t so_integer(const char *value) { return value ? strtoll(value, NULL, 10) : 0; }

static int so_init(so_run *r, const so_method *m, void *self) {
  r->inner->init = r->inner->line; /* kept for so_value */
  r->inner->line = NULL;
  const char *body = so_get(r->inner->init, "init"), *schedule = so_get(so_get(body, "params"), "step.schedule");
  const char *keys[] = {"repeat", "iterations", "d", "k", "n", "positive"};
  int64_t *to[] = {&r->repeat, &r->iterations, &r->d, &r->k, &r->n, &r->positive};
  for (int i = 0; i < 6; i++) *to[i] = so_integer(so_get(body, keys[i]));
  r->seed = (uint64_t)so_integer(so_get(body, "seed"));
  r->X = (const double *)so_load(r, so_get(so_get(body, "arrays"), "X"), sizeof(double));
  r->inner->c = so_value(r, "step.c", 0);
  r->inner->schedule = schedule ? schedule : "\"constant\"";
  return r->inner->failed || m->init(r, self);
}

/* Prints the reply to the current message. Returns 0, or 1 on failure. */
static int so_answer(so_run *r, const so_method *m, void *self, int64_t *t) {
  struct so_inner *in = r->inner;
  const char *advance = so_get(in->line, "advance");
  if (so_get(in->line, "hello")) return so_hello(in->out, m), 0;
  if (so_get(in->line, "init")) return so_init(r, m, self) || fputs("{\"ready\":{}}", in->out) < 0;
  in->parts[0] = in->numbers[0] = 0;
  if (!advance) {
    if (m->state(r, self) || in->failed) return 1;
    return fprintf(in->out, "{\"state\":{\"arrays\":{%s}%s}}", in->parts + (in->parts[0] == ','), in->numbers) < 0;
  }
  int64_t to = so_integer(so_get(advance, "to"));
  r->samples = (const double *)so_load(r, so_get(advance, "samples"), sizeof(double));
  r->order = (const int64_t *)so_load(r, so_get(advance, "order"), sizeof(int64_t));
  if (in->failed || m->advance(r, self, *t, to - *t) || in->failed) return 1;
  *t = r->status ? r->end : to;
  fprintf(in->out, "{\"advanced\":{\"to\":%lld,\"cost\":{%s}", (long long)*t, in->numbers + (in->numbers[0] == ','));
  if (r->status) fprintf(in->out, ",\"status\":\"%s\",\"reason\":\"%s\"", r->status, r->reason ? r->reason : "");
  return fputs("}}", in->out) < 0;
}

/* Runs a method until the harness sends stop. Returns the exit code. */
static int so_main(const so_method *m) {
  if (!getenv("STOCHOPT_PROTOCOL")) return puts("try `stochopt external check PROGRAM`"), 2;
  static struct so_inner in;
  so_run r = {.inner = &in};
  void *self = calloc(1, m->size ? m->size : 1);
  in.out = fdopen(dup(1), "w");
  in.in = fdopen(dup(0), "r");
  int null = open("/dev/null", O_RDONLY);
  if (!in.out || !in.in || !self || dup2(2, 1) < 0 || null < 0 || dup2(null, 0) < 0) return 70;
  int64_t t = 0;
  while (getline(&in.line, &in.room, in.in) > 0 && !so_get(in.line, "stop")) {
    if (so_answer(&r, m, self, &t)) return 1;
    fputs("\n", in.out);
    fflush(in.out);
  }
  return 0;
}

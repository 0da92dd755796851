/* Methods in C99 for stochopt, by its protocol 1 (docs/external.md). Needs POSIX only.

   A method is a struct of its own, and a table of functions that so_main serves:

     typedef struct { double *U; } mine;
     static int init(so_run *r, void *self) { ... return 0; }
     static int advance(so_run *r, void *self, int64_t t, int64_t n) { ... r->samples ... }
     static int state(so_run *r, void *self) { memcpy(so_part(r, "U", r->d, r->k), ...); return 0; }
     SO_MAIN(mine, .name = "Mine", .version = 1, .tasks = "pca", .serve = "samples")

   Include it in one file. What the program or its children print goes to the log. */
#ifndef STOCHOPT_H
#define STOCHOPT_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SO_UNUSED __attribute__((unused)) /* of GCC and Clang */

/* What a run is given. Numbers that do not apply are 0, arrays NULL. */
typedef struct so_run {
  uint64_t seed; /* also the state of so_random */
  int64_t repeat, iterations, d, k, n;
  int64_t positive;       /* the training points of class +1, which are the first of the n */
  const double *X;        /* the n training points, row by row, where "data" are served */
  const double *samples;  /* of an advance: its n samples, n x d */
  const int64_t *order;   /* of an advance: its n indices of training points */
  struct so_inner *inner; /* of the functions below */
} so_run;

/* A method. Lists are words separated by spaces. Functions return 0, or 1 after so_fail. */
typedef struct {
  const char *name;
  int version;          /* the one of the spec must be equal */
  const char *tasks;    /* pca svm */
  const char *serve;    /* pca: samples; svm: rows order data */
  const char *counters; /* costs that it declares with so_count, in each advance: sum_kt2 ... */
  const char *rank;     /* "fixed": each iterate of a PCA method has rank k */
  const char *params;   /* of `with:`, as JSON objects: SO_STEP, "{\"name\": ...}, {...}" */
  bool random;          /* not the same numbers for the same seed */
  size_t size;                                                /* of its struct, which is zeroed */
  int (*init)(so_run *, void *self);                          /* makes ready for the run */
  int (*advance)(so_run *, void *self, int64_t t, int64_t n); /* does iterations t+1 .. t+n */
  int (*state)(so_run *, void *self);                         /* gives the iterate: so_part, so_number */
} so_method;

/* The parameters of `step:`; so_step tells the size. */
#define SO_STEP "{\"name\":\"step.schedule\",\"kind\":\"string\",\"default\":\"inverse-sqrt\"}," \
                "{\"name\":\"step.c\",\"kind\":\"float\",\"min\":0}"

/* The program: a type with init, advance and state, and what else the method says. */
#define SO_MAIN(type, ...)                                                                                            \
  int main(void) {                                                                                                    \
    static const so_method m = {__VA_ARGS__, .size = sizeof(type), .init = init, .advance = advance, .state = state}; \
    return so_main(&m);                                                                                               \
  }

typedef struct { char name[64]; void *data; size_t size; } so_map; /* a file of the folder */

struct so_inner {
  FILE *in, *out;
  char *line, *init; /* the current message, and that of init, whose values are asked for later */
  size_t room;
  so_map maps[32];
  char parts[2048], numbers[2048], costs[2048]; /* of the next answer: JSON behind commas */
  const char *status, *reason;
  int64_t end;
  double c;             /* of the step size */
  const char *schedule; /* followed by other text */
  char error[512];
};

/* Says why the run fails. Returns 1. */
SO_UNUSED static int so_fail(so_run *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(r->inner->error, sizeof r->inner->error, format, args);
  va_end(args);
  return 1;
}

/* Ends the run after iteration t: "converged" or "diverged". The texts must stay. */
SO_UNUSED static void so_end(so_run *r, const char *status, int64_t t, const char *reason) {
  r->inner->status = status;
  r->inner->reason = reason;
  r->inner->end = t;
}

/* Appends to a part of the next answer. */
static void so_append(so_run *r, char *to, const char *format, ...) {
  size_t length = strlen(to), room = sizeof r->inner->parts - length;
  va_list args;
  va_start(args, format);
  if ((size_t)vsnprintf(to + length, room, format, args) >= room) so_fail(r, "too many arrays, numbers or costs");
  va_end(args);
}

/* Sets a declared cost, which is cumulative. Call it in each advance. */
SO_UNUSED static void so_count(so_run *r, const char *name, int64_t value) {
  so_append(r, r->inner->costs, ",\"%s\":%lld", name, (long long)value);
}

/* Sets the number "bias" or "bulk" of the state. */
SO_UNUSED static void so_number(so_run *r, const char *name, double value) {
  so_append(r, r->inner->numbers, ",\"%s\":%.17g", name, value);
}

/* Maps a file of the folder, or makes it that long if it is for writing. */
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
  if (data == MAP_FAILED) return so_fail(r, "%s cannot be mapped", name), (void *)NULL;
  return m->data = data;
}

/* Returns where a part of the state is to be written, rows x cols (a vector has cols = 0); NULL if it
   is empty. What was written there the last time may still be there. */
SO_UNUSED static double *so_part(so_run *r, const char *name, int64_t rows, int64_t cols) {
  char *parts = r->inner->parts;
  so_append(r, parts, ",\"%s\":{\"file\":\"%s\",\"dtype\":\"<f8\",\"shape\":[%lld", name, name, (long long)rows);
  so_append(r, parts, cols ? ",%lld]}" : "]}", (long long)cols);
  return (double *)so_mapped(r, name, (size_t)rows * (size_t)(cols ? cols : 1) * sizeof(double), true);
}

/* Returns what follows the JSON value at p. The harness sends no spaces. */
static const char *so_skip(const char *p) {
  if (*p == '"') {
    for (p++; *p && *p != '"'; p++) p += *p == '\\' && p[1];
    return *p ? p + 1 : p;
  }
  if (*p != '{' && *p != '[') return p + strcspn(p, ",:]}");
  for (p++; *p && *p != '}' && *p != ']'; p += *p == ',' || *p == ':') p = so_skip(p);
  return *p ? p + 1 : p;
}

/* Returns the value of a key of the object at p, NULL if there is none. */
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

/* Returns a number or bool of the parameters, or other if it is not given. */
SO_UNUSED static double so_value(const so_run *r, const char *name, double other) {
  const char *v = so_get(so_get(so_get(r->inner->init, "init"), "params"), name);
  return !v || *v == '"' || *v == 'n' ? other : *v == 't' ? 1 : *v == 'f' ? 0 : strtod(v, NULL);
}

/* Returns the step size of iteration t >= 1, from `step:`. */
SO_UNUSED static double so_step(const so_run *r, int64_t t) {
  const char *schedule = r->inner->schedule;
  return r->inner->c / (schedule[1] == 'c' ? 1 : schedule[8] == '"' ? (double)t : sqrt((double)t));
}

/* Returns a number uniform on [0, 1), by SplitMix64 from the seed of the run. */
SO_UNUSED static double so_random(so_run *r) {
  uint64_t z = r->seed += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* Returns a standard normal number. */
SO_UNUSED static double so_normal(so_run *r) {
  double u = 1 - so_random(r);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * so_random(r));
}

/* Maps the array that the harness describes at a, NULL if a is NULL. */
static const void *so_load(so_run *r, const char *a, size_t item) {
  char name[64] = "";
  const char *shape = so_get(a, "shape");
  if (!shape || sscanf(so_get(a, "file"), "\"%63[^\"]", name) != 1) return NULL;
  for (char *p = (char *)shape; *p != ']'; item *= (size_t)strtoll(p + 1, &p, 10)) {}
  return so_mapped(r, name, item, false);
}

/* Returns kernel rows of m training points, m x n, each charged n kernel evaluations. They are valid
   until the next call. NULL: return 1. */
SO_UNUSED static const float *so_rows(so_run *r, const int64_t *indices, int64_t m) {
  struct so_inner *in = r->inner;
  for (int64_t i = 0; i < m; i++) fprintf(in->out, "%s%lld", i ? "," : "{\"rows\":[", (long long)indices[i]);
  fputs("]}\n", in->out);
  fflush(in->out);
  if (getline(&in->line, &in->room, in->in) <= 0) return so_fail(r, "the harness has sent no rows"), (float *)NULL;
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
  r->inner->init = r->inner->line; /* it stays */
  r->inner->line = NULL;
  const char *body = so_get(r->inner->init, "init"), *schedule = so_get(so_get(body, "params"), "step.schedule");
  const char *keys[] = {"repeat", "iterations", "d", "k", "n", "positive"};
  int64_t *to[] = {&r->repeat, &r->iterations, &r->d, &r->k, &r->n, &r->positive};
  for (int i = 0; i < 6; i++) *to[i] = so_integer(so_get(body, keys[i]));
  r->seed = (uint64_t)so_integer(so_get(body, "seed"));
  r->X = (const double *)so_load(r, so_get(so_get(body, "arrays"), "X"), sizeof(double));
  r->inner->c = so_value(r, "step.c", 0);
  r->inner->schedule = schedule ? schedule : "\"constant\"";
  return r->inner->error[0] || m->init(r, self);
}

/* Prints the answer to the message; fails if there is none. */
static int so_answer(so_run *r, const so_method *m, void *self, int64_t *t) {
  struct so_inner *in = r->inner;
  const char *advance = so_get(in->line, "advance");
  if (so_get(in->line, "hello")) return so_hello(in->out, m), 0;
  if (so_get(in->line, "init")) return so_init(r, m, self) || fputs("{\"ready\":{}}", in->out) < 0;
  in->parts[0] = in->numbers[0] = in->costs[0] = 0;
  if (!advance) {
    int failed = m->state(r, self);
    fprintf(in->out, "{\"state\":{\"arrays\":{%s}%s}}", in->parts + (in->parts[0] == ','), in->numbers);
    return failed;
  }
  int64_t to = so_integer(so_get(advance, "to"));
  r->samples = (const double *)so_load(r, so_get(advance, "samples"), sizeof(double));
  r->order = (const int64_t *)so_load(r, so_get(advance, "order"), sizeof(int64_t));
  if (in->error[0] || m->advance(r, self, *t, to - *t)) return 1;
  *t = in->status ? in->end : to;
  fprintf(in->out, "{\"advanced\":{\"to\":%lld,\"cost\":{%s}", (long long)*t, in->costs + (in->costs[0] == ','));
  if (in->status) fprintf(in->out, ",\"status\":\"%s\",\"reason\":\"%s\"", in->status, in->reason);
  return fputs("}}", in->out) < 0;
}

/* Serves a method until the harness says stop. Returns the exit code. */
static int so_main(const so_method *m) {
  if (!getenv("STOCHOPT_PROTOCOL"))
    return fprintf(stderr, "this is started by stochopt: try `stochopt external check PROGRAM`\n"), 2;
  static struct so_inner in;
  so_run r = {.inner = &in};
  void *self = calloc(1, m->size ? m->size : 1);
  in.out = fdopen(dup(1), "w");
  in.in = fdopen(dup(0), "r");
  int null = open("/dev/null", O_RDONLY);
  if (!in.out || !in.in || !self || dup2(2, 1) < 0 || null < 0 || dup2(null, 0) < 0) return 70;
  int64_t t = 0;
  while (getline(&in.line, &in.room, in.in) > 0 && !so_get(in.line, "stop")) {
    if (so_answer(&r, m, self, &t) || in.error[0]) return fprintf(stderr, "%s\n", in.error), 1;
    fputs("\n", in.out);
    fflush(in.out);
  }
  return 0;
}

#endif

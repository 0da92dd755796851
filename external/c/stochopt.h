/* Methods in C99 for stochopt, by its protocol 1 (docs/external.md). Needs POSIX only.

   A method is a struct of its own, and a table of functions that so_main serves:

     typedef struct { double *U; } mine;
     static int init(so_run *r, void *self) { ... return 0; }
     static int advance(so_run *r, void *self, int64_t t, int64_t n) { ... r->samples ... }
     static int state(so_run *r, void *self) { memcpy(so_part(r, "U", r->d, r->k), ...); return 0; }
     SO_MAIN(mine, .name = "Mine", .version = 1, .tasks = "pca", .serve = "samples")

   Include it first, in one file. What the program or its children print goes to the log. */
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

#define SO_PROTOCOL 1
#define SO_UNUSED __attribute__((unused)) /* of GCC and Clang */
/* What a run is given, and where the method leaves what it says. Numbers that do not apply
   are 0, arrays NULL. */
typedef struct so_run {
  uint64_t seed; /* also the state of so_random */
  int64_t repeat, iterations, d, k, n;
  double lambda, C, nu, R;
  bool bias;
  int64_t positive;       /* the training points of class +1, which are the first of the n */
  const double *X;        /* the points, row by row, where dense "data" are served */
  const double *samples;  /* of an advance: its n samples, n x d */
  const int64_t *order;   /* of an advance: its n indices of training rows */
  struct so_inner *inner; /* of the functions below */
} so_run;

/* A parameter of `with:`. kind is int, float, bool or string; min < max bounds a number. */
typedef struct {
  const char *name, *kind, *help;
  double min, max;
  const char *value; /* the default as JSON, NULL if it must be given */
} so_param;

/* A method. Lists are words apart by spaces. Functions return 0, or 1 after so_fail. */
typedef struct {
  const char *name;
  int version;          /* the spec's must be equal */
  const char *tasks;    /* pca svm */
  const char *serve;    /* pca: samples; svm: rows order data */
  const char *counters; /* costs that it declares with so_count: sum_kt2 ... */
  const char *rank;     /* "fixed": each iterate of a PCA method has rank k */
  bool step;            /* takes `step:` */
  bool random;          /* not the same bytes for the same seed */
  bool many;            /* may serve one run after another */
  const so_param *params;
  int n_params;
  size_t size;                         /* of its struct, which is zeroed for each run */
  int (*init)(so_run *, void *self);   /* makes ready for a run */
  int (*advance)(so_run *, void *self, int64_t t, int64_t n); /* does iterations t+1 .. t+n */
  int (*state)(so_run *, void *self);  /* gives the iterate: so_part, so_number */
  void (*done)(so_run *, void *self);  /* frees what init has taken; may be NULL */
} so_method;

/* The program: a type with init, advance and state, and what else the method says. */
#define SO_MAIN(type, ...)                                                                                            \
  int main(void) {                                                                                                    \
    static const so_method m = {__VA_ARGS__, .size = sizeof(type), .init = init, .advance = advance, .state = state}; \
    return so_main(&m);                                                                                               \
  }
/* Serves a method until the harness says stop. Returns the exit code. */
static int so_main(const so_method *m);
/* The value of a number or bool of `with:` or `problem:`, or other if it is not given. */
static double so_value(const so_run *r, const char *name, double other);
/* Copies a string of `with:`, and reports whether it is given and fits. */
static bool so_text(const so_run *r, const char *name, char *to, size_t room);
/* The step size of iteration t >= 1, from `step:`. */
static double so_step(const so_run *r, int64_t t);
/* Uniform on [0, 1), and standard normal, from the run's seed. */
static double so_random(so_run *r);
static double so_normal(so_run *r);
/* Kernel rows of m training points, m x n, each charged n kernel evaluations. Valid until
   the next call. NULL: return 1. */
static const float *so_rows(so_run *r, const int64_t *indices, int64_t m);
/* Where a part of the state is to be written, rows x cols (a vector has cols = 0); NULL if it
   is empty. What was written there the last time may still be there. */
static double *so_part(so_run *r, const char *name, int64_t rows, int64_t cols);
/* The number "bias" or "bulk" of the state. */
static void so_number(so_run *r, const char *name, double value);
/* Sets a declared counter, which is cumulative. */
static void so_count(so_run *r, const char *name, int64_t value);
/* Ends the run after iteration t: "converged" or "diverged". */
static void so_end(so_run *r, const char *status, int64_t t, const char *reason);
/* Says why the run fails. Returns 1. */
static int so_fail(so_run *r, const char *format, ...);

/* ---- What follows is how. ---- */

typedef struct {
  char name[64];
  void *data;
  size_t size;
  ino_t inode;
  bool ours;
} so_map;

typedef struct { /* what a method has said: kind a is an array, n a number, c a counter, whose value is rows */
  char kind, name[64];
  int64_t rows, cols;
  double number;
} so_said;

struct so_inner {
  int out;
  FILE *in;
  char *line, *init; /* the init message stays, whose values are asked for later */
  size_t room, length;
  char body[1 << 20]; /* the message that is being made */
  so_map maps[32];
  int n_maps;
  so_said said[32];
  int n_said;
  char status[16], reason[512];
  int64_t end;
  char schedule[16]; /* what so_step has read */
  double c;
  char error[512];
};


SO_UNUSED static int so_fail(so_run *r, const char *format, ...) {
  va_list args;
  va_start(args, format);
  if (!r->inner->error[0]) vsnprintf(r->inner->error, sizeof r->inner->error, format, args);
  va_end(args);
  return 1;
}

/* Adds to the message that is being made. */
static void so_append(struct so_inner *in, const char *format, ...) {
  va_list args;
  va_start(args, format);
  size_t room = sizeof in->body - in->length, n = (size_t)vsnprintf(in->body + in->length, room, format, args);
  va_end(args);
  if (n >= room) exit((fprintf(stderr, "stochopt.h: a message of more than 1 MiB\n"), 1));
  in->length += n;
}

/* Text, behind a key. */
static void so_append_text(struct so_inner *in, const char *before, const char *text) {
  so_append(in, "%s\"", before);
  for (unsigned char c; (c = (unsigned char)*text); text++)
    so_append(in, c == '"' || c == '\\' ? "\\%c" : c < 32 ? "\\u%04x" : "%c", c);
  so_append(in, "\"");
}

/* A list of words, as JSON. */
static void so_append_words(struct so_inner *in, const char *key, const char *words) {
  so_append(in, ",\"%s\":[", key);
  for (const char *w = words ? words : "", *sep = ""; *w; sep = ",") {
    size_t n = strcspn(w, " ");
    so_append(in, "%s\"%.*s\"", sep, (int)n, w);
    w += n + strspn(w + n, " ");
  }
  so_append(in, "]");
}

static void so_send(struct so_inner *in) {
  so_append(in, "\n");
  for (ssize_t n = 0, at = 0; at < (ssize_t)in->length; at += n)
    if ((n = write(in->out, in->body + at, in->length - (size_t)at)) <= 0) exit(1);
  in->length = 0;
}

/* Behind the JSON value at p; NULL if there is none. */
static const char *so_skip(const char *p) {
  int depth = 0;
  do {
    p += strspn(p, " \t\r\n,:");
    if (*p == '"') {
      for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1]) p++;
      if (!*p++) return NULL;
    } else if (*p && strchr("{[]}", *p)) {
      depth += *p == '{' || *p == '[' ? 1 : -1;
      p++;
    } else {
      size_t n = strcspn(p, ",:]}\" \t\r\n");
      if (!n) return NULL;
      p += n;
    }
  } while (depth > 0);
  return p;
}

/* The value of a key of the object at p, "" for its first; NULL if there is none. */
static const char *so_get(const char *p, const char *key) {
  if (!p || *p++ != '{') return NULL;
  while (p) {
    p += strspn(p, " \t\r\n,");
    const char *name = p + 1;
    if (*p != '"' || !(p = so_skip(p))) return NULL;
    size_t n = (size_t)(p - name) - 1;
    p += strspn(p, " \t\r\n:");
    if (!*key || (n == strlen(key) && !strncmp(name, key, n))) return p;
    p = so_skip(p);
  }
  return NULL;
}

/* Copies the string at p, and reports whether there is one that fits. */
static bool so_string(const char *p, char *to, size_t room) {
  unsigned u;
  if (!p || *p++ != '"') return false;
  for (; *p && *p != '"' && room > 1; room--) {
    if (*p != '\\') { *to++ = *p++; continue; }
    if (p[1] != 'u') { *to++ = p[1] == 'n' ? '\n' : p[1] == 't' ? '\t' : p[1]; p += 2; continue; }
    if (sscanf(p + 2, "%4x", &u) != 1 || u > 127) return false; /* only ASCII is sent so */
    *to++ = (char)u;
    p += 6;
  }
  *to = 0;
  return *p == '"';
}

static int64_t so_integer(const char *p) { return p ? strtoll(p, NULL, 10) : 0; }

/* Reads the next message and copies its verb; false at the end of the input. */
static bool so_receive(so_run *r, char *verb, size_t room) {
  struct so_inner *in = r->inner;
  if (getline(&in->line, &in->room, in->in) <= 0) return false;
  const char *p = in->line + strspn(in->line, "{ \t");
  if (!so_get(in->line, "") || !so_skip(in->line) || !so_string(p, verb, room)) return so_fail(r, "a line that is not a message: %.80s", in->line), false;
  return true;
}

/* Maps a file of the folder; with ours it is made that long. */
static void *so_mapped(so_run *r, const char *name, size_t size, bool ours) {
  struct so_inner *in = r->inner;
  so_map *m = NULL;
  for (int i = 0; i < in->n_maps && !m; i++)
    if (in->maps[i].ours == ours && !strcmp(in->maps[i].name, name)) m = &in->maps[i];
  if (ours && m && m->size == size) return m->data;
  struct stat st;
  if (!ours && m && !stat(name, &st) && st.st_ino == m->inode && (size_t)st.st_size == m->size && size <= m->size)
    return m->data;
  if (!m) {
    if (in->n_maps == 32 || strlen(name) >= sizeof m->name) return so_fail(r, "too many arrays, or a long name: %.80s", name), (void *)NULL;
    m = &in->maps[in->n_maps++];
    strcpy(m->name, name);
    m->ours = ours;
  } else if (m->data) {
    munmap(m->data, m->size);
  }
  m->data = NULL;
  m->size = 0;
  int fd = open(name, ours ? O_RDWR | O_CREAT : O_RDONLY, 0600), access = ours ? PROT_READ | PROT_WRITE : PROT_READ;
  if (fd < 0 || (ours && ftruncate(fd, (off_t)size)) || fstat(fd, &st) || (size_t)st.st_size < size) {
    so_fail(r, "%s: it cannot be opened, or is shorter than the %zu bytes announced", name, size);
  } else if (size) {
    m->data = mmap(NULL, m->size = (size_t)st.st_size, access, MAP_SHARED, fd, 0);
    m->inode = st.st_ino;
    if (m->data == MAP_FAILED) m->data = NULL, so_fail(r, "%s cannot be mapped", name);
  }
  if (fd >= 0) close(fd);
  return m->data;
}

/* The array that the harness has written, if its type is that one. */
static const void *so_load(so_run *r, const char *a, const char *dtype, size_t item) {
  char file[64], type[8];
  const char *shape = so_get(a, "shape");
  if (!so_string(so_get(a, "file"), file, sizeof file) || !so_string(so_get(a, "dtype"), type, sizeof type) || !shape)
    return so_fail(r, "an array without file, dtype or shape"), (void *)NULL;
  if (strcmp(type, dtype)) return so_fail(r, "%s has type %s, not %s", file, type, dtype), (void *)NULL;
  size_t size = item, n = strlen(file);
  for (shape++; *shape && *shape != ']'; shape += strspn(shape, ", ")) size *= (size_t)strtoll(shape, (char **)&shape, 10);
  if (n < 4 || strcmp(file + n - 4, ".npy")) return so_mapped(r, file, size, false);
  const unsigned char *p = (unsigned char *)so_mapped(r, file, 12, false); /* .npy: behind its header */
  size_t header = !p ? 0 : p[6] == 1 ? 10u + p[8] + 256u * p[9] : 12u + p[8] + 256u * p[9] + 65536u * p[10];
  p = p ? (unsigned char *)so_mapped(r, file, header + size, false) : NULL;
  return p ? p + header : NULL;
}

static const char *so_given(const so_run *r, const char *name) {
  const char *body = so_get(r->inner->init, "init"), *v = so_get(so_get(body, "params"), name);
  return v ? v : so_get(body, name);
}

SO_UNUSED static double so_value(const so_run *r, const char *name, double other) {
  const char *v = so_given(r, name);
  return !v || *v == '"' || *v == 'n' ? other : *v == 't' ? 1 : *v == 'f' ? 0 : strtod(v, NULL);
}

SO_UNUSED static bool so_text(const so_run *r, const char *name, char *to, size_t room) { return so_string(so_given(r, name), to, room); }

SO_UNUSED static double so_step(const so_run *r, int64_t t) {
  struct so_inner *in = r->inner;
  if (!in->schedule[0] && so_string(so_given(r, "step.schedule"), in->schedule, sizeof in->schedule)) in->c = so_value(r, "step.c", 0);
  return in->c / (!strcmp(in->schedule, "constant") ? 1 : !strcmp(in->schedule, "inverse") ? (double)t : sqrt((double)t));
}

SO_UNUSED static double so_random(so_run *r) { /* SplitMix64 */
  uint64_t z = r->seed += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

SO_UNUSED static double so_normal(so_run *r) {
  double u = 1 - so_random(r);
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * so_random(r));
}

SO_UNUSED static const float *so_rows(so_run *r, const int64_t *indices, int64_t m) {
  struct so_inner *in = r->inner;
  so_append(in, "{\"rows\":[");
  for (int64_t i = 0; i < m; i++) so_append(in, "%s%lld", i ? "," : "", (long long)indices[i]);
  so_append(in, "]}");
  so_send(in);
  char verb[16];
  if (!so_receive(r, verb, sizeof verb) || strcmp(verb, "rows")) return so_fail(r, "the harness has sent no rows"), (float *)NULL;
  return (const float *)so_load(r, so_get(in->line, "rows"), "<f4", 4);
}

static so_said *so_say(so_run *r, char kind, const char *name) {
  struct so_inner *in = r->inner;
  static so_said nowhere;
  for (so_said *s = in->said; s < in->said + in->n_said; s++)
    if (s->kind == kind && !strcmp(s->name, name)) return s;
  if (in->n_said == 32 || strlen(name) >= sizeof nowhere.name) return so_fail(r, "too many names, or a long one: %.80s", name), &nowhere;
  so_said *s = &in->said[in->n_said++], fresh = {kind, "", 0, 0, 0};
  *s = fresh;
  return strcpy(s->name, name), s;
}

SO_UNUSED static double *so_part(so_run *r, const char *name, int64_t rows, int64_t cols) {
  so_said *p = so_say(r, 'a', name);
  p->rows = rows;
  p->cols = cols;
  return (double *)so_mapped(r, name, (size_t)rows * (size_t)(cols ? cols : 1) * sizeof(double), true);
}

SO_UNUSED static void so_number(so_run *r, const char *name, double value) { so_say(r, 'n', name)->number = value; }
SO_UNUSED static void so_count(so_run *r, const char *name, int64_t value) { so_say(r, 'c', name)->rows = value; }

SO_UNUSED static void so_end(so_run *r, const char *status, int64_t t, const char *reason) {
  snprintf(r->inner->status, sizeof r->inner->status, "%s", status);
  snprintf(r->inner->reason, sizeof r->inner->reason, "%s", reason);
  r->inner->end = t;
}

static void so_hello(so_run *r, const so_method *m) {
  struct so_inner *in = r->inner;
  so_append(in, "{\"hello\":{\"protocol\":%d,\"version\":%d,\"deterministic\":%s,\"many\":%s", SO_PROTOCOL, m->version,
            m->random ? "false" : "true", m->many ? "true" : "false");
  so_append_text(in, ",\"name\":", m->name);
  if (m->rank) so_append_text(in, ",\"rank\":", m->rank);
  so_append_words(in, "tasks", m->tasks);
  so_append_words(in, "serve", m->serve);
  so_append_words(in, "counters", m->counters);
  so_append(in, ",\"params\":[");
  for (int i = 0; i < m->n_params; i++) {
    const so_param *p = &m->params[i];
    so_append_text(in, i ? ",{\"name\":" : "{\"name\":", p->name);
    so_append_text(in, ",\"kind\":", p->kind);
    if (p->help) so_append_text(in, ",\"help\":", p->help);
    if (p->min < p->max) so_append(in, ",\"min\":%.17g,\"max\":%.17g", p->min, p->max);
    if (p->value) so_append(in, ",\"default\":%s", p->value);
    so_append(in, "}");
  }
  if (m->step)
    so_append(in, "%s{\"name\":\"step.schedule\",\"kind\":\"string\",\"values\":[\"inverse-sqrt\",\"inverse\",\"constant\"],\"default\":\"inverse-sqrt\"},"
              "{\"name\":\"step.c\",\"kind\":\"float\",\"min\":0}", m->n_params ? "," : "");
  so_append(in, "]}}");
  so_send(in);
}

/* Ends a run, if there is one. */
static void so_reset(so_run *r, const so_method *m, void *self) {
  struct so_inner *in = r->inner;
  if (in->init && m->done) m->done(r, self);
  for (int i = 0; i < in->n_maps; i++)
    if (in->maps[i].data) munmap(in->maps[i].data, in->maps[i].size);
  free(in->init);
  in->init = NULL;
  in->n_maps = in->n_said = 0;
  in->status[0] = in->schedule[0] = 0;
  memset(self, 0, m->size);
  memset(r, 0, sizeof *r);
  r->inner = in;
}

static int so_init(so_run *r, const so_method *m, void *self) {
  struct so_inner *in = r->inner;
  so_reset(r, m, self);
  in->init = in->line; /* it stays until the run ends */
  in->line = NULL;
  in->room = 0;
  const char *body = so_get(in->init, "init"), *arrays = so_get(body, "arrays"), *X = so_get(arrays, "X");
  r->seed = (uint64_t)so_integer(so_get(body, "seed"));
  const char *whole[] = {"repeat", "iterations", "d", "k", "n", "positive"}, *real[] = {"lambda", "C", "nu", "R"};
  int64_t *to_whole[] = {&r->repeat, &r->iterations, &r->d, &r->k, &r->n, &r->positive};
  double *to_real[] = {&r->lambda, &r->C, &r->nu, &r->R};
  for (int i = 0; i < 6; i++) *to_whole[i] = so_integer(so_get(body, whole[i]));
  for (int i = 0; i < 4; i++) *to_real[i] = so_value(r, real[i], 0);
  r->bias = so_value(r, "bias", 0) != 0;
  if (so_get(X, "file")) r->X = (const double *)so_load(r, X, "<f8", 8);
  return in->error[0] ? 1 : m->init ? m->init(r, self) : 0;
}

static int so_advance(so_run *r, const so_method *m, void *self, int64_t *t) {
  struct so_inner *in = r->inner;
  const char *body = so_get(in->line, "advance"), *a;
  int64_t to = so_integer(so_get(body, "to")), n = to - *t;
  r->samples = (a = so_get(body, "samples")) ? (const double *)so_load(r, a, "<f8", 8) : NULL;
  r->order = (a = so_get(body, "order")) ? (const int64_t *)so_load(r, a, "<i8", 8) : NULL;
  if (in->error[0] || m->advance(r, self, *t, n) || in->error[0]) return 1;
  *t = in->status[0] ? in->end : to;
  so_append(in, "{\"advanced\":{\"to\":%lld,\"status\":\"%s\"", (long long)*t, in->status[0] ? in->status : "running");
  if (in->status[0]) so_append_text(in, ",\"reason\":", in->reason);
  so_append(in, ",\"cost\":{");
  const char *sep = "";
  for (int i = 0; i < in->n_said; i++)
    if (in->said[i].kind == 'c') so_append(in, "%s\"%s\":%lld", sep, in->said[i].name, (long long)in->said[i].rows), sep = ",";
  so_append(in, "}}}");
  so_send(in);
  return 0;
}

static int so_state(so_run *r, const so_method *m, void *self) {
  struct so_inner *in = r->inner;
  int keep = 0; /* counters stay; parts are said anew */
  for (int i = 0; i < in->n_said; i++)
    if (in->said[i].kind == 'c') in->said[keep++] = in->said[i];
  in->n_said = keep;
  if (m->state(r, self) || in->error[0]) return 1;
  const char *sep = "";
  so_append(in, "{\"state\":{\"arrays\":{");
  for (const so_said *p = in->said; p < in->said + in->n_said; p++) {
    if (p->kind != 'a') continue;
    so_append(in, "%s\"%s\":{\"file\":\"%s\",\"dtype\":\"<f8\",\"shape\":[%lld", sep, p->name, p->name, (long long)p->rows);
    so_append(in, p->cols ? ",%lld]}" : "]}", (long long)p->cols);
    sep = ",";
  }
  so_append(in, "}");
  for (const so_said *p = in->said; p < in->said + in->n_said; p++)
    if (p->kind == 'n') so_append(in, ",\"%s\":%.17g", p->name, p->number);
  so_append(in, "}}");
  so_send(in);
  return 0;
}

static int so_main(const so_method *m) {
  if (!getenv("STOCHOPT_PROTOCOL")) return fprintf(stderr, "this is started by stochopt: try `stochopt external check PROGRAM`\n"), 2;
  static struct so_inner inner;
  so_run run;
  memset(&run, 0, sizeof run);
  run.inner = &inner;
  inner.out = dup(1);
  inner.in = fdopen(dup(0), "r");
  void *self = calloc(1, m->size ? m->size : 1);
  int null = open("/dev/null", O_RDONLY);
  if (inner.out < 0 || !inner.in || !self || dup2(2, 1) < 0 || null < 0 || dup2(null, 0) < 0) return 70;
  close(null);
  int64_t t = 0;
  int failed = 0;
  char verb[64];
  while (!failed && so_receive(&run, verb, sizeof verb)) {
    bool begins = !strcmp(verb, "init"), resets = !strcmp(verb, "reset");
    if (!strcmp(verb, "stop")) break;
    if (!strcmp(verb, "hello")) so_hello(&run, m);
    else if (begins) t = 0, failed = so_init(&run, m, self);
    else if (resets) t = 0, so_reset(&run, m, self);
    else if (!strcmp(verb, "advance") && inner.init) failed = so_advance(&run, m, self, &t);
    else if (!strcmp(verb, "state") && inner.init) failed = so_state(&run, m, self);
    else failed = so_fail(&run, "%.60s is not a message that can come now", verb);
    if (!failed && (begins || resets)) so_append(&inner, "{\"ready\":{}}"), so_send(&inner);
  }
  if (failed || inner.error[0]) {
    fprintf(stderr, "%s\n", inner.error);
    inner.length = 0;
    so_append_text(&inner, "{\"error\":", inner.error[0] ? inner.error : "the method has failed");
    so_append(&inner, "}");
    so_send(&inner);
    return 1;
  }
  so_reset(&run, m, self);
  return 0;
}

#endif

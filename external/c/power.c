/* The power method. To build it: cc -O3 -march=native -ffast-math -o power power.c -lm */
#include "stochopt.h"
typedef struct { double U[64][8192]; } power; /* one direction per row */

static double dot(const double *restrict u, const double *restrict v, int64_t d) {
  double p = 0;
  for (int64_t l = 0; l < d; l++) p += u[l] * v[l];
  return p;
}
static void add(double *restrict u, double p, const double *restrict v, int64_t d) {
  for (int64_t l = 0; l < d; l++) u[l] += p * v[l];
}
static int orthonormalise(double (*U)[8192], int64_t d, int64_t k) {
  for (int64_t i = 0; i < k; i++) {
    for (int64_t j = 0; j < i; j++) add(U[i], -dot(U[i], U[j], d), U[j], d);
    for (double p = sqrt(dot(U[i], U[i], d)), *u = U[i]; u < U[i] + d; u++) *u /= p;
  }
  return 0;
}
static int init(so_run *r, void *self) {
  if (r->k > 64 || r->d > 8192) return puts("k must be at most 64 and d at most 8192"), 1;
  for (int64_t i = 0; i < r->k * r->d; i++) ((power *)self)->U[i % r->k][i / r->k] = so_random(r) - 0.5;
  return orthonormalise(((power *)self)->U, r->d, r->k);
}

static int advance(so_run *r, void *self, int64_t t, int64_t n) {
  double(*U)[8192] = ((power *)self)->U;
  for (const double *x = r->samples; n > 0; n--, x += r->d)
    for (int64_t i = 0, s = ++t; i < r->k; i++) add(U[i], so_step(r, s) * dot(U[i], x, r->d), x, r->d);
  return orthonormalise(U, r->d, r->k);
}

static int state(so_run *r, void *self) {
  double *U = so_part(r, "U", r->d, r->k);
  for (int64_t i = 0; U && i < r->k * r->d; i++) U[i] = ((power *)self)->U[i % r->k][i / r->k];
  return 0;
}

SO_MAIN(power, .name = "Power method in C", .version = 1, .tasks = "pca", .serve = "samples",
        .rank = "fixed", .params = SO_STEP)

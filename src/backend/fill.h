/* A kernel matrix as plain data, which a device can fill as well as the tiles of kernel/gram.c:
 *     K_ij = sum over terms of weight map(pair(x_i, z_j)). */
#ifndef SRI_BACKEND_FILL_H
#define SRI_BACKEND_FILL_H

#include "backend/vec.h"

/* The number that a pair of points x, z becomes.  EACH: the kernel is no function of one number. */
typedef enum sri_pair {
    SRI_PAIR_DIST2,  /* |x - z|^2, 2-norm */
    SRI_PAIR_DIST1,  /* |x - z|, 1-norm   */
    SRI_PAIR_DOT,    /* <x, z>            */
    SRI_PAIR_COSINE, /* <x, z> / (|x| |z|), 0 where one of them is 0 */
    SRI_PAIR_LEAST,  /* sum_k min(x_k, z_k)                          */
    SRI_PAIR_CHI2,   /* sum_k (x_k - z_k)^2 / (|x_k| + |z_k|)        */
    SRI_PAIR_DIFFER, /* how many coordinates differ                  */
    SRI_PAIR_EACH
} sri_pair;

/* A function of that number v. */
typedef enum sri_map_kind {
    SRI_MAP_IDENTITY,
    SRI_MAP_EXP,      /* exp(c v)                               */
    SRI_MAP_EXP_ROOT, /* exp(c sqrt v)                          */
    SRI_MAP_MATERN32, /* (1 + u) exp(-u), u = c sqrt v          */
    SRI_MAP_MATERN52, /* (1 + u + u^2/3) exp(-u), u = c sqrt v  */
    SRI_MAP_POWER,    /* (c v + shift)^degree                   */
    SRI_MAP_INVERSE,  /* (1 + c v)^-shift                       */
    SRI_MAP_ROOT,     /* -sqrt(1 + c v)                         */
    SRI_MAP_SPLINE    /* with r = sqrt v, c r^degree, times log r where the degree is even */
} sri_map_kind;

typedef struct sri_map {
    sri_map_kind kind;
    double c, shift;
    int degree;
} sri_map;

/* In place on n values. */
void sri_map_apply(const sri_map *map, const sri_vec *vec, double *v, int64_t n);

typedef struct sri_fill_term {
    double weight;
    sri_pair pair; /* not EACH */
    sri_map map;
} sri_fill_term;

enum { SRI_FILL_TERMS = 8 };

typedef struct sri_fill {
    int n_terms;
    sri_fill_term term[SRI_FILL_TERMS];
    int64_t m, n, p; /* rows x, centres z, coordinates           */
    const double *x; /* m x p, rows ldx apart                    */
    const double *z; /* n x p                                    */
    int64_t ldx;
    bool lower; /* m = n: only K_ij, j <= i, is written             */
} sri_fill;

#endif

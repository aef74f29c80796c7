/* Inner loops on tiles and vectors, in versions for several instruction sets; one is chosen when
 * the program runs. */
#ifndef SRI_BACKEND_VEC_H
#define SRI_BACKEND_VEC_H

#include <stdbool.h>
#include <stdint.h>

/* Centres are packed in panels of SRI_PANEL: panel[k * SRI_PANEL + c] is coordinate k of centre c.
 * The last panel is padded with zeros, so that the loops need no special case at the edge. */
enum { SRI_PANEL = 128, SRI_TILE_ROWS = 16 };

/* A product with few columns takes SRI_THIN of them and SRI_THIN_ROWS rows at a time. */
enum { SRI_THIN = 8, SRI_THIN_ROWS = 8 };
/* Columns that a product with the panels of a thin matrix takes at a time. */
enum { SRI_PANEL_COLUMNS = 5 };
/* The most columns that a product with sparse rows takes at a time. */
enum { SRI_GATHER = 32 };

/* How many panels n rows take, and the rows of one of them. */
static inline int64_t sri_panel_count(int64_t n)
{
    return (n + SRI_PANEL - 1) / SRI_PANEL;
}
static inline int64_t sri_panel_rows(int64_t n, int64_t panel)
{
    const int64_t left = n - panel * SRI_PANEL;
    return left < SRI_PANEL ? left : SRI_PANEL;
}

/* Products with separate vectors take strips of SRI_STRIP or SRI_HALF_STRIP rows, and at most
 * SRI_STRIP_COLUMNS vectors at a time. */
enum { SRI_STRIP = 16, SRI_HALF_STRIP = 8, SRI_STRIP_COLUMNS = 5 };

/* Kernels of vector fields, a I + b w w' with w = (x - z) / sigma and e = exp(-|w|^2 / 2):
 * a = (start - fall |w|^2) e, b = slope e.  Sums over centres have SRI_FIELD_LANES parts. */
enum { SRI_FIELD_LANES = 8 };

typedef struct sri_field_shape {
    double inverse; /* 1 / sigma */
    double start, fall, slope;
} sri_field_shape;

/* out[r * SRI_PANEL + c] = pair(A row r, centre c), for `rows` <= SRI_TILE_ROWS rows of A. */
typedef void sri_pair_fn(const double *A, int64_t lda, int64_t rows, const double *panel, int64_t p,
                         double *out);

typedef struct sri_vec {
    const char *name;
    sri_pair_fn *dist2;  /* sum_k (a_k - z_k)^2 */
    sri_pair_fn *dist1;  /* sum_k |a_k - z_k|   */
    sri_pair_fn *dot;    /* sum_k a_k z_k       */
    sri_pair_fn *least;  /* sum_k min(a_k, z_k) */
    sri_pair_fn *chi2;   /* sum_k (a_k - z_k)^2 / (|a_k| + |z_k|), 0 of zeros */
    sri_pair_fn *differ; /* how many a_k are not z_k */
    /* In place on n values: */
    void (*exp_linear)(double *v, int64_t n, double c); /* exp(c v), c v <= 0               */
    void (*exp_root)(double *v, int64_t n, double c);   /* exp(c sqrt v)                     */
    void (*matern32)(double *v, int64_t n, double c);   /* (1 + u) exp(-u), u = c sqrt v     */
    void (*matern52)(double *v, int64_t n, double c);   /* (1 + u + u^2/3) exp(-u)           */
    void (*power)(double *v, int64_t n, double gamma, double coef0, int degree);
    void (*inverse)(double *v, int64_t n, double c, double a);  /* (1 + c v)^-a               */
    void (*root)(double *v, int64_t n, double c);               /* -sqrt(1 + c v)             */
    void (*spline)(double *v, int64_t n, double c, int degree); /* see SRI_MAP_SPLINE        */
    /* For one row x and a panel of centres, each SRI_PANEL numbers: a, b, w_1 .. w_T. */
    void (*field_values)(const double *x, const double *panel, int64_t T,
                         const sri_field_shape *shape, double *out);
    /* Adds up a C_k + b (w . C_k) w over a panel, from these values: component t of column k
     * goes to sum[(k T + t) SRI_FIELD_LANES ...].  C has T x SRI_PANEL numbers for each of
     * `count` columns. */
    void (*field_add)(const double *values, int64_t T, int64_t count, const double *C, double *sum);
    /* Y (SRI_THIN_ROWS x SRI_THIN) = K X for rows of K ldk apart and X n x SRI_THIN. */
    void (*thin)(const double *K, int64_t ldk, int64_t n, const double *X, double *Y);
    /* With a panel P, rank x SRI_PANEL, and SRI_PANEL_COLUMNS columns x, y of SRI_PANEL numbers:
     * C (rank x SRI_PANEL_COLUMNS) += P x, and y = P'C. */
    void (*panel_down)(const double *panel, int64_t rank, const double *x, double *C);
    void (*panel_along)(const double *panel, int64_t rank, const double *C, double *y);
    /* y (width) = sum of value[k] times row place[k] of X, whose rows have `width` numbers: 8,
     * 16, 24 or SRI_GATHER. */
    void (*gather)(int64_t count, const int32_t *place, const double *value, int width,
                   const double *X, double *y);
    /* y[c] -= K x[c] for `count` vectors; K, `rows` x m, lies column by column. */
    void (*strip)(const double *K, int rows, int64_t m, int count, const double *const *x,
                  double *const *y);
    /* Yi += K Xj and, unless Yj is NULL, Yj += K' Xi.  K is a tile of SRI_PANEL rows and columns,
     * by rows; the tile that follows it in memory is prefetched.  The others are `count` separate
     * columns of SRI_PANEL numbers.  In single precision short sums are added up in double. */
    void (*tile_single)(const float *K, int count, const float *const *Xi, const float *const *Xj,
                        double *const *Yi, double *const *Yj);
    void (*tile_double)(const double *K, int count, const double *const *Xi,
                        const double *const *Xj, double *const *Yi, double *const *Yj);
    /* Rounds SRI_PANEL x SRI_PANEL values to a tile in single precision; returns the sum of the
     * squares of the values. */
    double (*round_tile)(const double *values, float *tile);
    /* w -= V'V w, V `rows` x n with orthonormal rows of floats or doubles. */
    void (*project)(const void *V, bool single, int64_t rows, int64_t n, double *w);
    double (*inner)(int64_t n, const double *x, const double *y);
    /* w -= a x + b y */
    void (*subtract)(int64_t n, double a, const double *x, double b, const double *y, double *w);
    /* A step of a three-term recurrence: a += u (a - before) + w r, before = the old a. */
    void (*recur)(int64_t n, double u, double w, const double *r, double *a, double *before);
    /* v[j] = max(0, qi + q[j] - 2 v[j]): squared distances from inner products. */
    void (*dist_from_dot)(double *v, int64_t n, double qi, const double *q);
    /* Those of the band, of Cholesky, of sums and of slabs, for the same instruction set;
     * cpu/band_vec.h, cpu/factor_vec.h, square.h and slab.h. */
    const struct sri_band_vec *band;
    const struct sri_factor_vec *factor;
    const struct sri_square_vec *square;
    const struct sri_slab_vec *slab;
} sri_vec;

extern const sri_vec sri_vec_plain;
#if defined(__x86_64__)
extern const sri_vec sri_vec_avx2, sri_vec_avx512;
#endif

/* The best that this processor has.  The environment variable SPECREG_CPU (plain, avx2, avx512) can
 * ask for a lesser one; it is read once, at the first call. */
const sri_vec *sri_vec_best(void);
/* Takes those of this name from now on, or the best ones where the processor has no such: for
 * tests. */
void sri_vec_use(const char *name);

#endif

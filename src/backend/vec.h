/* Inner loops that depend on the instruction set, chosen at run time. */
#ifndef SRI_BACKEND_VEC_H
#define SRI_BACKEND_VEC_H

#include <stdbool.h>
#include <stdint.h>

/* Centres are packed in panels of SRI_PANEL columns: panel[k * SRI_PANEL + c] is coordinate k of
 * centre c, zero where there is none, so that the loops below need no edges. */
enum { SRI_PANEL = 128, SRI_TILE_ROWS = 16 };

/* Products with few columns work on SRI_THIN of them at once, SRI_THIN_ROWS rows at a time. */
enum { SRI_THIN = 8, SRI_THIN_ROWS = 8 };
/* Products with the panels of a matrix that has few columns itself. */
enum { SRI_PANEL_COLUMNS = 5 };
/* Products of sparse rows: as many at most, so that an entry is read once for all of them. */
enum { SRI_GATHER = 32 };

/* Products with vectors that lie apart work on strips of SRI_STRIP rows, or half as many, and on
 * SRI_STRIP_COLUMNS vectors at most. */
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
    sri_pair_fn *dist2; /* sum_k (a_k - z_k)^2 */
    sri_pair_fn *dist1; /* sum_k |a_k - z_k|   */
    sri_pair_fn *dot;   /* sum_k a_k z_k       */
    /* In place on n values: */
    void (*exp_linear)(double *v, int64_t n, double c); /* exp(c v)                          */
    void (*exp_root)(double *v, int64_t n, double c);   /* exp(c sqrt v)                     */
    void (*matern32)(double *v, int64_t n, double c);   /* (1 + u) exp(-u), u = c sqrt v     */
    void (*matern52)(double *v, int64_t n, double c);   /* (1 + u + u^2/3) exp(-u)           */
    void (*power)(double *v, int64_t n, double gamma, double coef0, int degree);
    /* For one row x and a panel of centres, each SRI_PANEL numbers: a, b, w_1 .. w_T. */
    void (*field_values)(const double *x, const double *panel, int64_t T,
                         const sri_field_shape *shape, double *out);
    /* sum[(k T + t) SRI_FIELD_LANES ...] += the parts of component t of a C_k + b (w . C_k) w,
     * summed over a panel, from these values; C has, for each of `count` columns, T x SRI_PANEL
     * numbers. */
    void (*field_add)(const double *values, int64_t T, int64_t count, const double *C, double *sum);
    /* Y (SRI_THIN_ROWS x SRI_THIN) = K X for rows of K ldk apart and X n x SRI_THIN. */
    void (*thin)(const double *K, int64_t ldk, int64_t n, const double *X, double *Y);
    /* For a panel with `rank` coordinates: C (rank x SRI_PANEL_COLUMNS) += its products with
     * columns x of SRI_PANEL numbers; columns y = its sums with coefficients C. */
    void (*panel_down)(const double *panel, int64_t rank, const double *x, double *C);
    void (*panel_along)(const double *panel, int64_t rank, const double *C, double *y);
    /* y (width) = sum of value[k] times row place[k] of X, whose rows have `width` numbers: 8,
     * 16, 24 or SRI_GATHER. */
    void (*gather)(int64_t count, const int32_t *place, const double *value, int width,
                   const double *X, double *y);
    /* y[c] -= K x[c] for `count` vectors; K, `rows` x m, lies column by column. */
    void (*strip)(const double *K, int rows, int64_t m, int count, const double *const *x,
                  double *const *y);
    /* Yi += K Xj and, unless Yj is NULL, Yj += K' Xi: K is a tile of SRI_PANEL rows and columns,
     * by rows, after which another may follow (it is looked at ahead); the others have `count`
     * columns of SRI_PANEL numbers, which need not belong together.  In single precision sums
     * are short, then double. */
    void (*tile_single)(const float *K, int count, const float *const *Xi, const float *const *Xj,
                        double *const *Yi, double *const *Yj);
    void (*tile_double)(const double *K, int count, const double *const *Xi,
                        const double *const *Xj, double *const *Yi, double *const *Yj);
    /* A tile in single precision from SRI_PANEL x SRI_PANEL values; the sum of their squares. */
    double (*round_tile)(const double *values, float *tile);
    /* w -= V'V w for `rows` orthonormal rows of n floats or doubles, a few of them at a time. */
    void (*project)(const void *V, bool single, int64_t rows, int64_t n, double *w);
    double (*inner)(int64_t n, const double *x, const double *y);
    /* w -= a x + b y */
    void (*subtract)(int64_t n, double a, const double *x, double b, const double *y, double *w);
    /* a step of a three-term recurrence: a += u (a - before) + w r; before = a as it was */
    void (*recur)(int64_t n, double u, double w, const double *r, double *a, double *before);
    /* v[j] = max(0, qi + q[j] - 2 v[j]): squared distances from products */
    void (*dist_from_dot)(double *v, int64_t n, double qi, const double *q);
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

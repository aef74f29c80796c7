/* Kernels k(x, z) and weighted sums of their products.  Vector-field kernels (field.h) have the
 * same text form.
 *
 * A kernel is a list of terms; a term is an entry of the registry (one file per kernel) with its
 * parameters and the columns it looks at.  A term that is `times` multiplies the one before: terms
 * up to the next that is not are the factors of one product.  Most kernels are a function of one
 * number per pair of points (a squared distance, a 1-norm, an inner product): they name the pair
 * quantity and the function of it (backend/fill.h), which is all that the tiled loops in gram.c
 * need.  Others evaluate one pair at a time. */
#ifndef SRI_KERNEL_KERNEL_H
#define SRI_KERNEL_KERNEL_H

#include "backend/fill.h"
#include "core/param.h"
#include "core/spec.h"
#include "kernel/field.h"
#include "kernel/outputs.h"
#include "kernel/picked.h"
#include "kernel/points.h"
#include "kernel/widths.h"

enum { SRI_KERNEL_PARAMS = 6 };

typedef struct sri_kernel_term sri_kernel_term;

typedef struct sri_kernel_ops {
    const char *name;
    const char *formula; /* for people */
    const sri_param *params;
    int n_params;
    sri_pair pair; /* what the kernel is a function of */
    /* Optional: the same where it depends on the parameters. */
    sri_pair (*pair_of)(const sri_kernel_term *self);
    /* Optional: the function that makes kernel values of pair quantities; NULL: they are these. */
    sri_map (*map)(const sri_kernel_term *self);
    /* Required when pair is EACH: the kernel value of a point of p coordinates and a centre. */
    double (*each)(const sri_kernel_term *self, const sri_point *x, const sri_point *z, int64_t p);
    /* Optional: parameters or data it cannot take. */
    specreg_status (*check)(specreg_context *ctx, const sri_kernel_term *self,
                            const sri_points *points);
    /* Optional: a bound on the rank of its matrix for points with p coordinates; NULL: none. */
    double (*rank)(const sri_kernel_term *self, int64_t p);
    /* Of a kernel that is positive semi-definite only on coefficients orthogonal to polynomials:
     * their degree, which unpenalised terms must have.  NULL: it is so on all. */
    int (*polynomial)(const sri_kernel_term *self);
    const char *other_width; /* another key for its width: sigma = 1/sqrt(2 times it); NULL: none */
    bool linear;             /* it is the product itself                       */
    bool indexed;            /* centres are row numbers (precomputed)          */
    bool field;              /* values are matrices, see sri_kernel_field      */
    /* 1 + the parameter which, above 0, puts constants among its functions; 0: there is none. */
    int constant;
    /* Of a field: the share without divergence, which is its first parameter where NaN, and the
     * radial function that it is made of; its width is the last parameter. */
    double divfree_share;
    sri_radial (*radial)(const sri_kernel_term *self);
    const char *scale;    /* the --scale it wants by default; NULL: standard              */
    int64_t most_columns; /* beyond these --kernel auto does not try it; 0: any number    */
} sri_kernel_ops;

struct sri_kernel_term {
    const sri_kernel_ops *ops;
    double weight; /* of the whole product, in its first factor */
    double param[SRI_KERNEL_PARAMS];
    const sri_registration *user; /* a user's kernel, else NULL */
    const sri_coupling *coupling; /* of outputs, in this product; NULL: none.  Not owned */
    const sri_picked *columns;    /* that it looks at; NULL: all.  Not owned              */
    bool times;                   /* a further factor of the product that it stands in     */
};

static inline sri_pair sri_term_pair(const sri_kernel_term *term)
{
    return term->ops->pair_of ? term->ops->pair_of(term) : term->ops->pair;
}
static inline sri_map sri_term_map(const sri_kernel_term *term)
{
    return term->ops->map ? term->ops->map(term) : (sri_map){.kind = SRI_MAP_IDENTITY};
}

enum { SRI_KERNEL_TERMS = SRI_FILL_TERMS };

typedef struct sri_kernel {
    int n_terms;
    sri_kernel_term term[SRI_KERNEL_TERMS];
} sri_kernel;

/* Whether a product ends with factor t, and where it begins; how many products are summed. */
static inline bool sri_product_ends(const sri_kernel *kernel, int t)
{
    return t + 1 == kernel->n_terms || !kernel->term[t + 1].times;
}
static inline int sri_product_begin(const sri_kernel *kernel, int t)
{
    while (t > 0 && kernel->term[t].times)
        t--;
    return t;
}
static inline int sri_product_count(const sri_kernel *kernel)
{
    int count = 0;
    for (int t = 0; t < kernel->n_terms; t++)
        count += !kernel->term[t].times;
    return count;
}

/* K_ij = k(x_i, z_j) for m rows and n centres. */
typedef struct sri_kernel_matrix {
    const sri_kernel *kernel;
    const sri_rows_view *rows;
    const sri_points *centres;
} sri_kernel_matrix;

/* The kernel as text written by a user, each parameter a list; the product of the lists is the
 * grid of candidates.  `auto` widths are filled in once the data are known.  A list of kernels,
 * {rbf,laplace}, is a chain of grids, its families: candidates of the first come first. */
typedef struct sri_kernel_grid {
    sri_kernel base;
    sri_values list[SRI_KERNEL_TERMS][SRI_KERNEL_PARAMS]; /* count 0: take the base's value */
    bool is_auto[SRI_KERNEL_TERMS][SRI_KERNEL_PARAMS];
    sri_width width[SRI_KERNEL_TERMS][SRI_KERNEL_PARAMS]; /* sigma=median and the like */
    sri_picked *columns[SRI_KERNEL_TERMS];                /* of the base's terms; NULL: all */
    sri_outputs_grid outputs[SRI_KERNEL_TERMS]; /* one for all products, or one for each */
    int n_outputs;                              /* 0: outputs are not coupled                    */
    struct sri_kernel_grid *next;               /* the family after it; NULL: it is the last     */
    bool automatic; /* the list of families is `auto`: those after the first may be left out */
} sri_kernel_grid;

specreg_status sri_kernel_grid_parse(specreg_context *ctx, const char *text, sri_kernel_grid *out);
/* The same for one of a list, which is not `auto`. */
specreg_status sri_kernel_family_parse(specreg_context *ctx, const char *text,
                                       sri_kernel_grid *out);
/* Adds the text of --outputs: one for the whole kernel, or a sum with as many terms as the
 * kernel is a sum of. */
specreg_status sri_kernel_grid_outputs(specreg_context *ctx, const char *text,
                                       sri_kernel_grid *grid);
/* Whether outputs are coupled; whether each term has a coupling of its own. */
bool sri_kernel_grid_couples(const sri_kernel_grid *grid);
bool sri_kernel_grid_mixes(const sri_kernel_grid *grid);
/* The name of outputs that see features of their own; NULL: there are none. */
const char *sri_kernel_grid_shifts(const sri_kernel_grid *grid);
/* Whether the coupling of outputs is learned. */
bool sri_kernel_grid_learns(const sri_kernel_grid *grid);
void sri_kernel_grid_free(sri_kernel_grid *grid);
/* Frees the matrices of the couplings: their names and parameters stay, where they were. */
void sri_kernel_grid_forget(sri_kernel_grid *grid);
/* Whether centres are row numbers; the scaling the kernel wants by default. */
bool sri_kernel_grid_indexed(const sri_kernel_grid *grid);
const char *sri_kernel_grid_scale(const sri_kernel_grid *grid);
/* Whether constants are among the functions of every candidate. */
bool sri_kernel_grid_has_constant(const sri_kernel_grid *grid);
/* The degree of the polynomials that a kernel, or every candidate of a grid, needs among the
 * unpenalised terms; -1: none. */
int sri_kernel_polynomial(const sri_kernel *kernel);
int sri_kernel_grid_polynomial(const sri_kernel_grid *grid);
/* The name of the first kernel that needs them; that of the first one where none does. */
const char *sri_kernel_grid_conditional(const sri_kernel_grid *grid);
/* form.c: fails where a term stands in a sum or product, or has columns, that are not for it. */
specreg_status sri_kernel_form_check(specreg_context *ctx, const sri_kernel *kernel);
/* Fails unless the columns of every term lie within p, and it can take so many. */
specreg_status sri_kernel_columns_check(specreg_context *ctx, const sri_kernel *kernel, int64_t p);
/* Whether every term is a function of products or distances, which sparse rows have too. */
bool sri_kernel_grid_takes_sparse(const sri_kernel_grid *grid);
/* Whether a list of it is automatic. */
bool sri_kernel_grid_is_auto(const sri_kernel_grid *grid);
/* A copy of a grid as it was written, to be resolved: no couplings have been made of it. */
specreg_status sri_kernel_grid_copy(specreg_context *ctx, const sri_kernel_grid *grid,
                                    sri_kernel_grid *out);
/* Whether two terms are the same but for weights and parameters. */
bool sri_kernel_same_kind(const sri_kernel_term *a, const sri_kernel_term *b);
/* Fills the automatic widths and checks that every candidate can take the points. */
specreg_status sri_kernel_grid_resolve(specreg_context *ctx, sri_kernel_grid *grid,
                                       const sri_points *points, uint64_t seed);
/* The check alone, of a grid that is resolved. */
specreg_status sri_kernel_grid_check(specreg_context *ctx, const sri_kernel_grid *grid,
                                     const sri_points *points);
int64_t sri_kernel_grid_count(const sri_kernel_grid *grid);
/* families.c: the family of candidate *index, which becomes its number there; NULL: beyond the
 * last.  The family that a kernel is of. */
const sri_kernel_grid *sri_kernel_family_at(const sri_kernel_grid *grid, int64_t *index);
const sri_kernel_grid *sri_kernel_family_of(const sri_kernel_grid *grid, const sri_kernel *kernel);
bool sri_kernel_same_family(const sri_kernel *a, const sri_kernel *b);
/* The candidates of this family alone; leaves the families after it out. */
int64_t sri_kernel_family_count(const sri_kernel_grid *family);
void sri_kernel_families_leave(sri_kernel_grid *grid);
/* Leaves those after the first out that are not for so many columns. */
void sri_kernel_families_fit(sri_kernel_grid *grid, int64_t p);
/* How many of these differ in the matrices of their outputs alone, and follow each other;
 * whether two have the same scalar kernel. */
int64_t sri_kernel_grid_matrices(const sri_kernel_grid *grid);
bool sri_kernel_same_scalar(const sri_kernel *a, const sri_kernel *b);
/* Candidate 0 .. count-1; wide kernels (smooth models) come first. */
sri_kernel sri_kernel_grid_at(const sri_kernel_grid *grid, int64_t index);

/* The same A for all terms; NULL: there is none, or each has its own. */
const sri_coupling *sri_kernel_coupling(const sri_kernel *kernel);

/* Values of a user's kernel that has a block form. */
void sri_kernel_user_block(const sri_kernel_term *self, const specreg_kernel_block *block);

/* A user's kernel may have matrices for values, T x T for points that are outputs of rows.  Such a
 * term, and the product that it stands in, has no coupling: it says itself how outputs are related.
 * The coupling beside it gives T. */
enum { SRI_MATRIX_OUTPUTS = 64 };
static inline bool sri_term_is_matrix(const sri_kernel_term *term)
{
    return term->user && term->user->is_matrix;
}
static inline int64_t sri_term_outputs(const sri_kernel_term *term)
{
    return term->coupling ? term->coupling->T : 0;
}
bool sri_kernel_is_matrix(const sri_kernel *kernel);
/* Whether such a term is among the factors of the product that term t stands in. */
bool sri_product_is_matrix(const sri_kernel *kernel, int t);
/* Fails unless its matrices can be of T outputs. */
specreg_status sri_kernel_matrix_check(specreg_context *ctx, const sri_kernel *kernel, int64_t T);
/* Gamma(x, z). */
void sri_kernel_user_matrix(const sri_kernel_term *self, const double *x, const double *z,
                            int64_t p, double *values);

/* K, n x n with rows ld apart: the lower triangle, or, when `full`, both. */
specreg_status sri_kernel_gram(specreg_context *ctx, const sri_kernel *kernel,
                               const sri_points *points, bool full, double *K, int64_t ld);
/* K (rows->n x n, rows ld apart) between rows and all centres, which are sparse and labelled where
 * the rows are. */
specreg_status sri_kernel_block(specreg_context *ctx, const sri_kernel *kernel,
                                const sri_rows_view *rows, const sri_points *centres, double *K,
                                int64_t ld);
/* The lower triangle in tiles: tile (i, j), j <= i, has the values of rows i SRI_PANEL and on with
 * columns j SRI_PANEL and on, rows SRI_PANEL apart; what lies beyond the last row or column is not
 * defined.  `put` may change the tile, and is called by several threads, once for each tile. */
typedef void sri_tile_fn(void *payload, int64_t i, int64_t j, double *tile);
specreg_status sri_kernel_tiles(specreg_context *ctx, const sri_kernel *kernel,
                                const sri_points *points, sri_tile_fn *put, void *payload);
/* F (m x t) = K A without storing K, of dense rows, and A n x t: for few columns. */
specreg_status sri_kernel_product(specreg_context *ctx, const sri_kernel_matrix *K, int64_t t,
                                  const double *A, double *F);
/* The same for rows that may be sparse; a linear kernel goes by its factors. */
specreg_status sri_kernel_rows_product(specreg_context *ctx, const sri_kernel_matrix *K, int64_t t,
                                       const double *A, double *F);
/* Y = K X, n x t, of dense points: each value of K is computed once for both triangles. */
specreg_status sri_kernel_square_product(specreg_context *ctx, const sri_kernel *kernel,
                                         const sri_points *points, int64_t t, const double *X,
                                         double *Y);
/* k(x_i, x_i) for all points. */
specreg_status sri_kernel_diagonal(specreg_context *ctx, const sri_kernel *kernel,
                                   const sri_points *points, double *diagonal);

/* Whether the values are matrices: a vector-field kernel is among its terms. */
bool sri_kernel_is_field(const sri_kernel *kernel);
/* Its share without divergence, where that is a parameter: the first one; NULL: it is not. */
const double *sri_kernel_share(const sri_kernel *kernel);
/* That kernel, for points of T coordinates; it may refer to `kernel`. */
sri_field sri_kernel_field(const sri_kernel *kernel, int64_t T);
/* The sum of its terms that are no fields. */
sri_kernel sri_kernel_scalars(const sri_kernel *kernel);

/* The built-in kernels; registry.c lists them. */
extern const sri_kernel_ops sri_kernel_linear, sri_kernel_poly, sri_kernel_rbf, sri_kernel_laplace,
    sri_kernel_matern, sri_kernel_sobolev, sri_kernel_precomputed, sri_kernel_curlfree,
    sri_kernel_divfree, sri_kernel_helmholtz, sri_kernel_curlfree_matern, sri_kernel_divfree_matern,
    sri_kernel_helmholtz_matern, sri_kernel_curlfree_imq, sri_kernel_divfree_imq,
    sri_kernel_helmholtz_imq, sri_kernel_user, sri_kernel_rq, sri_kernel_periodic,
    sri_kernel_cosine, sri_kernel_chi2, sri_kernel_intersection, sri_kernel_hamming,
    sri_kernel_thinplate, sri_kernel_polyharmonic, sri_kernel_multiquadric;
/* The check of kernels of counts: no number may be below 0. */
specreg_status sri_kernel_check_counts(specreg_context *ctx, const sri_kernel_term *self,
                                       const sri_points *points);

#endif

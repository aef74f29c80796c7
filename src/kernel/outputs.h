/* The coupling of outputs or tasks: a symmetric positive semi-definite matrix A beside the scalar
 * kernel,
 *
 *     Gamma(x, z) = k(x, z) A.
 *
 * Where every row has every output, the eigenvectors of A make of them scalar problems with the
 * kernels a_j k (engine/coupled.c).  Where it has not, a point carries the number of its output,
 * and its kernel values are multiplied by entries of A (gram.c). */
#ifndef SRI_KERNEL_OUTPUTS_H
#define SRI_KERNEL_OUTPUTS_H

#include "core/param.h"
#include "core/spec.h"

enum { SRI_OUTPUTS_PARAMS = 6 };

typedef struct sri_outputs_grid sri_outputs_grid;
typedef struct sri_coupling sri_coupling;

typedef enum sri_outputs_file {
    SRI_OUTPUTS_NO_FILE,
    SRI_OUTPUTS_MATRIX, /* T x T numbers              */
    SRI_OUTPUTS_LABELS, /* a label for each output    */
    SRI_OUTPUTS_SHIFTS, /* T x p numbers              */
    SRI_OUTPUTS_MAP,    /* no file: the name of a map that the user registered */
    SRI_OUTPUTS_LEARNED /* no file: the numbers are found in training          */
} sri_outputs_file;

/* A way to make A. */
typedef struct sri_outputs_ops {
    const char *name;
    const sri_param *params;
    int n_params;
    sri_outputs_file file;
    /* A from the parameters in `self` and what the file says; NULL: A is the identity. */
    specreg_status (*fill)(specreg_context *ctx, const sri_outputs_grid *grid, sri_coupling *self);
} sri_outputs_ops;

struct sri_coupling {
    const sri_outputs_ops *ops;
    double param[SRI_OUTPUTS_PARAMS];
    int64_t T;
    double *A;     /* T x T; NULL, as U: the identity                                */
    double *U, *a; /* A = sum_j a_j u_j u_j', row j of U is u_j                      */
    double *shift; /* T x p: what is added to x for an output; NULL: nothing          */
    int64_t p;
    const sri_registration *map; /* what outputs see of x; NULL: x, plus shift where there is one */
    double unseen; /* between any output and one that is not among them; NaN: no answer */
};

/* The parameters of outputs that are learned, in the order of `param`. */
enum {
    SRI_LEARN_OMEGA,      /* the base matrix is omega 11' + (1 - omega) I            */
    SRI_LEARN_PENALTY,    /* how firmly A is held near it                            */
    SRI_LEARN_LAMBDA,     /* of the fits that learn A, in units of max k(x, x)       */
    SRI_LEARN_NORM,       /* which power of the eigenvalues has a fixed sum          */
    SRI_LEARN_ITERATIONS, /* at most                                                 */
    SRI_LEARN_TOLERANCE   /* relative fall of the objective at which learning ends   */
};

/* As a user wrote it, each parameter a list; the product of the lists are the candidates. */
struct sri_outputs_grid {
    const sri_outputs_ops *ops; /* NULL: independent, and nothing was said */
    char *file;
    sri_values list[SRI_OUTPUTS_PARAMS];
    /* From here on filled in once the data are known. */
    int64_t T;
    double *given;    /* T x T or T x p, what a file of numbers says */
    int64_t p;        /* its columns                             */
    int32_t *cluster; /* T, the cluster of each output           */
    int64_t clusters;
    sri_coupling *coupling; /* one for each candidate            */
    int64_t count;
};

/* `independent`, `common:omega=`, `graph:file=`, `clusters:file=,eps1=,eps2=`, `matrix:file=`,
 * `delays:file=`, `transform:map=`, `learn:omega=,penalty=,lambda=,norm=`. */
specreg_status sri_outputs_parse(specreg_context *ctx, const char *text, sri_outputs_grid *out);
/* The matrices, once T and what the file says are there.  One that is not symmetric or not positive
 * semi-definite is an error. */
specreg_status sri_outputs_make(specreg_context *ctx, sri_outputs_grid *grid);
void sri_outputs_free(sri_outputs_grid *grid);
/* Frees matrices: names and parameters stay. */
void sri_outputs_forget(sri_outputs_grid *grid);
/* A copy of what was written: no matrix has been made of it. */
specreg_status sri_outputs_copy(specreg_context *ctx, const sri_outputs_grid *grid,
                                sri_outputs_grid *out);
/* Whether the outputs are coupled. */
bool sri_outputs_couple(const sri_outputs_grid *grid);
/* Whether the null space of the graph's matrix holds the mean of the outputs at 0. */
bool sri_outputs_mean_is_zero(const sri_outputs_grid *grid);

/* Whether numbers or labels are read from a file. */
bool sri_outputs_has_file(const sri_outputs_ops *ops);
/* The way of that name; NULL: there is none. */
const sri_outputs_ops *sri_outputs_named(const char *name);
/* Makes the matrix again of a coupling from a file: ops, param and T are there, and, where the way
 * takes a file, A, shift or map. */
specreg_status sri_coupling_restore(specreg_context *ctx, sri_coupling *c);
specreg_status sri_coupling_copy(specreg_context *ctx, const sri_coupling *from,
                                 sri_coupling **out);
/* The same with the matrix A (T x T) in place of its own. */
specreg_status sri_coupling_with(specreg_context *ctx, const sri_coupling *like, const double *A,
                                 sri_coupling **out);
/* Whether A is learned: until it is, the coupling has the base matrix. */
bool sri_coupling_is_learned(const sri_coupling *c);
void sri_coupling_free(sri_coupling *coupling);
/* The entry of A for outputs s and t, -1 for one that is not known. */
static inline double sri_coupling_at(const sri_coupling *c, int64_t s, int64_t t)
{
    if (s < 0 || t < 0)
        return c->unseen;
    return c->A ? c->A[s * c->T + t] : s == t;
}
/* Whether outputs are not coupled. */
bool sri_coupling_is_identity(const sri_coupling *c);
/* Whether outputs see anything else than x, how many numbers of p, and what output t sees. */
bool sri_coupling_sees(const sri_coupling *c);
int64_t sri_coupling_width(const sri_coupling *c, int64_t p);
void sri_coupling_see(const sri_coupling *c, const double *x, int64_t p, int64_t t, double *z);
/* V = V M, or V M', for `rows` rows of T numbers, in place; M is T x T. */
specreg_status sri_outputs_times(specreg_context *ctx, const double *M, bool transposed,
                                 int64_t rows, int64_t T, double *V);
/* V = V A: coefficients of Gamma as those of k, or what k makes of them as what Gamma does.
 * Nothing for NULL. */
specreg_status sri_coupling_mix(specreg_context *ctx, const sri_coupling *c, int64_t rows,
                                double *V);

#endif

/* Problems with outputs or tasks of every kind, each with its dense matrix and the options that
 * ask the library for the same. */
#ifndef TESTS_NUMERIC_DENSE_PROBLEMS_H
#define TESTS_NUMERIC_DENSE_PROBLEMS_H

#include "numeric/dense.h"

enum {
    COMMON,
    MATRIX,
    GRAPH,
    CLUSTERS,
    GAPS,
    INDEPENDENT_GAPS,
    SUM,
    DELAYS, /* points */
    OWN,
    OWN_GAPS,
    OWN_SUM,
    TASKS,
    GRAPH_TASKS,
    EVEN_TASKS,
    SUM_TASKS,
    KINDS
};
enum { MOST_PATH = 200 };

static const struct {
    const char *name, *kernel, *outputs;
} KIND[KINDS] = {
    [COMMON] = {"common", "rbf:sigma=0.8", "common:omega=0.6"},
    [MATRIX] = {"matrix", "rbf:sigma=0.8", "matrix:file=%s"},
    [GRAPH] = {"graph", "rbf:sigma=0.8", "graph:file=%s"},
    [CLUSTERS] = {"clusters", "rbf:sigma=0.8", "clusters:file=%s,eps1=2,eps2=0.25"},
    [GAPS] = {"missing targets", "rbf:sigma=0.8", "common:omega=0.6"},
    [INDEPENDENT_GAPS] = {"missing targets, independent", "rbf:sigma=0.8", "independent"},
    [SUM] = {"sum", "rbf:sigma=0.8 + 0.5*rbf:sigma=2", "common:omega=1 + independent"},
    [DELAYS] = {"delays", "rbf:sigma=0.8", "delays:file=%s"},
    [OWN] = {"a matrix-valued kernel of one's own", "shifted:sigma=0.8", "independent"},
    [OWN_GAPS] = {"the same with missing targets", "shifted:sigma=0.8", "independent"},
    [OWN_SUM] = {"a sum with it", "shifted:sigma=0.8 + 0.5*rbf:sigma=2", "independent"},
    [TASKS] = {"tasks", "rbf:sigma=0.8", "common:omega=0.6"},
    [GRAPH_TASKS] = {"tasks on a graph", "rbf:sigma=0.8", "graph:file=%s"},
    [EVEN_TASKS] = {"tasks of the same weight", "rbf:sigma=0.8", "common:omega=0.6"},
    [SUM_TASKS] = {"sum for tasks", "rbf:sigma=0.8 + 0.5*rbf:sigma=2",
                   "common:omega=1 + independent"},
};

static inline bool of_tasks(int kind)
{
    return kind >= TASKS;
}

static inline bool has_gaps(int kind)
{
    return kind == GAPS || kind == INDEPENDENT_GAPS || kind == OWN_GAPS;
}

/* What is added to a row for each output: the delays, and of the kernel below. */
static const double SHIFT[OUT * 2] = {0, 0, 0.5, -0.25, -0.5, 0.125};

/* Delays as a matrix-valued kernel of one's own: entry (s, t) is rbf(x + d_s, z + d_t). */
static inline void shifted(const double *x, const double *z, int64_t p, int64_t outputs,
                           const double *params, void *payload, double *values)
{
    const double *shift = payload;
    for (int64_t s = 0; s < outputs; s++)
        for (int64_t t = 0; t < outputs; t++) {
            double square = 0;
            for (int64_t k = 0; k < p; k++) {
                const double u = x[k] + shift[s * p + k] - z[k] - shift[t * p + k];
                square += u * u;
            }
            values[s * outputs + t] = exp(-square / 2 / params[0] / params[0]);
        }
}

static inline void register_shifted(specreg_context *ctx)
{
    static const specreg_param_def width = {"sigma", 1};
    const specreg_matrix_kernel_def def = {sizeof def, "shifted", shifted,      &width,
                                           1,          OUT,       (void *)SHIFT};
    (void)specreg_register_matrix_kernel(ctx, &def); /* fails from the second problem on */
}

/* The inverse of a 3 x 3 matrix by cofactors. */
static inline void inverse(const double *L, double *A)
{
    double det = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, e = (j + 2) % 3;
            A[j * 3 + i] = L[a * 3 + c] * L[b * 3 + e] - L[a * 3 + e] * L[b * 3 + c];
            det += i == 0 ? L[j] * A[j * 3] : 0;
        }
    for (int k = 0; k < 9; k++)
        A[k] /= det;
}

static inline void common_matrix(double omega, double *A)
{
    for (int k = 0; k < OUT * OUT; k++)
        A[k] = k % (OUT + 1) == 0 ? 1 : omega;
}

/* The matrices and, in `text`, the file that says the same. */
static inline void set_matrices(dense *d, int kind, const char **text)
{
    /* of rank 2, with the eigenvalues 4.5, 1, 0: 4.5 uu' + vv', u = (1 2 2)/3, v = (2 1 -2)/3 */
    static const double given[] = {8.5 / 9,  11 / 9.0, 5 / 9.0,  11 / 9.0, 19 / 9.0,
                                   16 / 9.0, 5 / 9.0,  16 / 9.0, 22 / 9.0};
    /* M = [.5 1 0; 1 0 2; 0 2 .25]: D - M with D_ii = sum_j M_ij + M_ii */
    static const double laplacian[] = {1.5, -1, 0, -1, 3, -2, 0, -2, 2.25};
    /* outputs 1 and 3 in a cluster, eps1 = 2, eps2 = 1/4: 2 I - 1.75 M */
    static const double penalty[] = {2 - 0.875, 0, -0.875, 0, 0.25, 0, -0.875, 0, 2 - 0.875};
    static char matrix[400];
    common_matrix(0.6, d->A[0]);
    *text = "";
    if (kind == MATRIX) {
        memcpy(d->A[0], given, sizeof given);
        d->A[0][0] = 4.5 / 9 + 4 / 9.0;
        snprintf(matrix, sizeof matrix, "%.17g,%.17g,%.17g\n%.17g,%.17g,%.17g\n%.17g,%.17g,%.17g\n",
                 d->A[0][0], given[1], given[2], given[3], given[4], given[5], given[6], given[7],
                 given[8]);
        *text = matrix;
    } else if (kind == GRAPH || kind == GRAPH_TASKS) {
        inverse(laplacian, d->A[0]);
        *text = "0.5,1,0\n1,0,2\n0,2,0.25\n";
    } else if (kind == CLUSTERS) {
        inverse(penalty, d->A[0]);
        *text = "red\nblue\nred\n";
    } else if (kind == INDEPENDENT_GAPS) {
        common_matrix(0, d->A[0]);
    } else if (kind == SUM || kind == SUM_TASKS) {
        common_matrix(1, d->A[0]);
        common_matrix(0, d->A[1]);
    } else if (kind == DELAYS || kind == OWN || kind == OWN_GAPS || kind == OWN_SUM) {
        common_matrix(1, d->A[0]);
        common_matrix(0, d->A[1]);
        memcpy(d->shift, SHIFT, sizeof SHIFT);
        *text = "0,0\n0.5,-0.25\n-0.5,0.125\n";
    }
}

/* Largest eigenvalue of a 3 x 3 matrix, by powers. */
static inline double largest(const double *A)
{
    real x[3] = {1, 1.1L, 0.9L}, size = 0;
    for (int step = 0; step < 4000; step++) {
        real y[3] = {0};
        for (int k = 0; k < 9; k++)
            y[k / 3] += A[k] * x[k % 3];
        size = sqrtl(ref_dot(3, y, y));
        for (int k = 0; k < 3; k++)
            x[k] = y[k] / size;
    }
    return (double)size;
}

/* The step is 1 / kappa^2: k_max a_max where rows have several outputs, else the largest value
 * on the diagonal; a sum is bounded by the sum. */
static inline void set_kappa(dense *d, int kind)
{
    d->kappa2 = 0;
    for (int i = 0; i < d->terms; i++) {
        double most = 0;
        for (int t = 0; t < OUT; t++)
            most = fmax(most, d->A[i][t * (OUT + 1)]);
        d->kappa2 += d->c[i] * (of_tasks(kind) ? most : largest(d->A[i]));
    }
    if (kind == OWN_SUM) /* of a user's matrices the outputs times the diagonal: a bound */
        d->kappa2 = OUT * (d->c[0] + d->c[1]);
}

static inline dense problem(specreg_context *ctx, int kind, bool weighted, char *file)
{
    dense d = {.weighted = weighted,
               .terms = kind == SUM || kind == SUM_TASKS || kind == OWN_SUM ? 2 : 1,
               .sigma = {0.8, 2},
               .c = {1, 0.5}};
    double *X = kit_normal(5, ROWS + NEW, 2), *e = kit_normal(6, ROWS, OUT);
    const char *text;
    register_shifted(ctx);
    memcpy(d.X, X, sizeof d.X);
    memcpy(d.new_X, X + 2 * ROWS, sizeof d.new_X);
    for (int i = 0; i < ROWS; i++) {
        d.task[i] = of_tasks(kind) ? (i * i + i / 5) % OUT : -1;
        d.w[i] = weighted ? 0.5 + i % 4 : 1;
        for (int t = 0; t < OUT; t++)
            d.Y[i * OUT + t] =
                sin(2 * X[2 * i]) + 0.5 * (t - 1) * X[2 * i + 1] + 0.2 * e[i * OUT + t];
        if (has_gaps(kind))
            for (int t = 0; t < OUT; t++)
                if ((i + t) % 4 == 0 || (i == 3 && t < 2))
                    d.Y[i * OUT + t] = NAN;
    }
    for (int i = 0; i < NEW; i++)
        d.new_task[i] = i % OUT;
    set_matrices(&d, kind, &text);
    set_kappa(&d, kind);
    dense_tables(ctx, &d);
    snprintf(file, MOST_PATH, "%s", kit_temp_file("outputs.csv", text));
    if (kind == EVEN_TASKS) { /* every task has the same weight in all */
        double mass[OUT] = {0};
        for (int i = 0; i < ROWS; i++)
            mass[d.task[i]] += d.w[i];
        for (int i = 0; i < ROWS; i++)
            d.w[i] *= (double)ROWS / OUT / mass[d.task[i]];
        for (int i = 0; i < d.n; i++)
            d.v[i] = d.w[d.row[i]];
    }
    free(e);
    free(X);
    return d;
}

static inline specreg_options *options_for(specreg_context *ctx, const dense *d, int kind,
                                           const char *file)
{
    char outputs[300];
    snprintf(outputs, sizeof outputs, KIND[kind].outputs, file);
    specreg_options *o = options_of(ctx, "kernel", KIND[kind].kernel, "scale", "none", "target",
                                    of_tasks(kind) ? "y" : "y1,y2,y3", "outputs", outputs, "seed",
                                    "3", "extend", "no", "search", "exhaustive", NULL);
    if (of_tasks(kind))
        CHECK_OK(ctx, specreg_options_set(ctx, o, "task-column", "task"));
    if (kind == EVEN_TASKS)
        CHECK_OK(ctx, specreg_options_set(ctx, o, "task-weight", "tasks"));
    if (has_gaps(kind))
        CHECK_OK(ctx, specreg_options_set(ctx, o, "missing-targets", "allow"));
    if (d->weighted)
        CHECK_OK(ctx, specreg_options_set(ctx, o, "weights", "w"));
    return o;
}

#endif

#include "kernel/field.h"

#include <string.h>

#include "backend/blas.h"
#include "backend/vec.h"
#include "core/arena.h"
#include "core/openmp.h"
#include "kernel/points.h"

enum {
    ROWS = 16,          /* that a panel of centres and of C serves while it lies in the cache */
    COLUMNS = 32,       /* of C at once, for the same reason                                  */
    BETWEEN = 10000000, /* pairs per thread between two polls                                 */
    SERIAL = 30000      /* pairs that one thread computes before others wake up               */
};

typedef struct product {
    int64_t T;
    sri_field_shape shape;
    const double *X;
    const sri_points *centres;
    int64_t columns, width; /* of C and F in all; those of this pass */
    double *C;              /* of this pass: per panel, column and component SRI_PANEL numbers */
    double *F;              /* at the first column of this pass                                */
    double *workspaces; /* workspace_size numbers for each thread                               */
} product;

static sri_field_shape shape_of(const sri_field *field)
{
    const double inverse = 1 / field->sigma, scale = inverse * inverse;
    return (sri_field_shape){.inverse = inverse,
                             .start = sri_field_diagonal(field),
                             .fall = field->div * scale,
                             .slope = (field->div - field->curl) * scale};
}

double sri_field_diagonal(const sri_field *field)
{
    const double inverse = 1 / field->sigma;
    return (field->curl + field->div * (double)(field->T - 1)) * inverse * inverse;
}

/* Values of one row with a panel; with `width` columns also the sums of ROWS rows. */
static int64_t workspace_size(int64_t T, int64_t width)
{
    return (T + 2) * SRI_PANEL + ROWS * width * T * SRI_FIELD_LANES;
}

/* Columns first .. of C (n T rows), and 0 beyond the last point. */
static void pack_columns(const product *w, const double *C, int64_t first)
{
    const int64_t T = w->T, n = w->centres->n, size = SRI_PANEL * T * w->width;
    if (n % SRI_PANEL > 0)
        memset(w->C + n / SRI_PANEL * size, 0, (size_t)size * sizeof *w->C);
    for (int64_t j = 0; j < n; j++) {
        double *panel = w->C + j / SRI_PANEL * size + j % SRI_PANEL;
        for (int64_t k = 0; k < w->width; k++)
            for (int64_t t = 0; t < T; t++)
                panel[(k * T + t) * SRI_PANEL] = C[(j * T + t) * w->columns + first + k];
    }
}

/* The sum of a row over all panels in an order of its own, so that threads do not matter. */
static void block_of_rows(const product *w, const sri_vec *vec, int64_t i0, int64_t rows)
{
    const int64_t T = w->T, panels = sri_panel_count(w->centres->n), sums = w->width * T;
    double *values = w->workspaces + omp_get_thread_num() * workspace_size(T, w->width);
    double *sum = values + (T + 2) * SRI_PANEL;
    memset(sum, 0, (size_t)(rows * sums * SRI_FIELD_LANES) * sizeof *sum);
    for (int64_t q = 0; q < panels; q++)
        for (int64_t r = 0; r < rows; r++) {
            vec->field_values(w->X + (i0 + r) * T, w->centres->panels + q * SRI_PANEL * T, T,
                              &w->shape, values);
            vec->field_add(values, T, w->width, w->C + q * SRI_PANEL * sums,
                           sum + r * sums * SRI_FIELD_LANES);
        }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < w->width; k++)
            for (int64_t t = 0; t < T; t++) {
                const double *part = sum + ((r * w->width + k) * T + t) * SRI_FIELD_LANES;
                double total = 0;
                for (int i = 0; i < SRI_FIELD_LANES; i++)
                    total += part[i];
                w->F[((i0 + r) * T + t) * w->columns + k] = total;
            }
}

static void rows_of(const product *w, int64_t from, int64_t to)
{
    const sri_vec *vec = sri_vec_best();
#pragma omp parallel for schedule(dynamic, 1) if ((to - from) * w->centres->n > SERIAL)
    for (int64_t i0 = from; i0 < to; i0 += ROWS)
        block_of_rows(w, vec, i0, to - i0 < ROWS ? to - i0 : ROWS);
}

specreg_status sri_field_product(specreg_context *ctx, const sri_field_matrix *G, int64_t c,
                                 const double *C, double *F)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int threads = omp_get_max_threads();
    const int64_t T = G->field->T, m = G->m, n = G->n, most = c < COLUMNS ? c : COLUMNS;
    const int64_t share = BETWEEN / (n + 1), step = threads * (share > ROWS ? share : ROWS);
    sri_points *centres = NULL;
    product w = {.T = T, .shape = shape_of(G->field), .X = G->X, .columns = c};
    SRI_TRY(sri_points_new(ctx, G->Z, n, T, false, &centres));
    w.centres = centres;
    SRI_SCRATCH(ctx, &scratch, w.C, sri_panel_count(n) * SRI_PANEL, T * most);
    SRI_SCRATCH(ctx, &scratch, w.workspaces, threads, workspace_size(T, most));
    for (int64_t first = 0; first < c; first += COLUMNS) {
        w.width = c - first < COLUMNS ? c - first : COLUMNS;
        w.F = F + first;
        pack_columns(&w, C, first);
        for (int64_t i = 0; i < m; i += step) {
            rows_of(&w, i, m - i < step ? m : i + step);
            SRI_TRY(sri_poll(ctx));
        }
    }
done:
    sri_arena_free(&scratch);
    sri_points_free(centres);
    return st;
}

/* T rows of the lower triangle: those of point i, from the values with panel q. */
static void store_rows(const double *values, int64_t T, int64_t n, int64_t i, int64_t q, double *G)
{
    const double *a = values, *b = values + SRI_PANEL, *w = values + 2 * SRI_PANEL;
    const int64_t first = q * SRI_PANEL;
    const int64_t cols = i + 1 - first < SRI_PANEL ? i + 1 - first : SRI_PANEL;
    for (int64_t t = 0; t < T; t++) {
        double *row = G + (i * T + t) * n * T + first * T;
        for (int64_t j = 0; j < cols; j++)
            for (int64_t u = 0; u < (first + j == i ? t + 1 : T); u++)
                row[j * T + u] =
                    (t == u ? a[j] : 0) + b[j] * w[t * SRI_PANEL + j] * w[u * SRI_PANEL + j];
    }
}

specreg_status sri_field_fill(specreg_context *ctx, const sri_field *field, const double *X,
                              int64_t n, bool full, double *G)
{
    specreg_status st = SPECREG_OK;
    const sri_vec *vec = sri_vec_best();
    const sri_field_shape shape = shape_of(field);
    const int64_t T = field->T, size = workspace_size(T, 0);
    sri_points *centres = NULL;
    double *workspaces = NULL;
    SRI_TRY(sri_points_new(ctx, X, n, T, false, &centres));
    SRI_ALLOC(ctx, workspaces, omp_get_max_threads(), size);
#pragma omp parallel for schedule(dynamic, 4) if (n * n > SERIAL)
    for (int64_t i = n - 1; i >= 0; i--) { /* long rows first, for balance */
        double *values = workspaces + omp_get_thread_num() * size;
        for (int64_t q = 0; q <= i / SRI_PANEL; q++) {
            vec->field_values(X + i * T, centres->panels + q * SRI_PANEL * T, T, &shape, values);
            store_rows(values, T, n, i, q, G);
        }
    }
    if (full)
        sri_mirror(n * T, G, n * T);
    SRI_TRY(sri_poll(ctx));
done:
    sri_free(workspaces);
    sri_points_free(centres);
    return st;
}

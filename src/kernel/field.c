#include "kernel/field.h"

#include <string.h>

#include "backend/blas.h"
#include "backend/vec.h"
#include "core/arena.h"
#include "core/openmp.h"
#include "kernel/tile.h"

enum {
    ROWS = 16,          /* that a panel of centres and of C serves while it lies in the cache */
    COLUMNS = 32,       /* of C at once, for the same reason                                  */
    BETWEEN = 10000000, /* pairs per thread between two polls                                 */
    SERIAL = 30000      /* pairs that one thread computes before others wake up               */
};

/* What values are made of. */
typedef struct field_form {
    int64_t T;
    int parts;
    sri_radial radial[1 + SRI_FIELD_MORE];
    sri_field_shape shape[1 + SRI_FIELD_MORE];
    bool has_scalars;
    sri_kernel scalars; /* times I */
} field_form;

/* Rows and centres, and where values of a panel are made: a, b, w_1 .. w_T. */
typedef struct field_rows {
    const field_form *form;
    const sri_rows_view *X;
    const sri_points *centres;
} field_rows;

typedef struct product {
    int64_t T;
    field_rows rows;
    const sri_points *centres;
    int64_t columns, width; /* of C and F in all; those of this pass */
    double *C;              /* of this pass: per panel, column and component SRI_PANEL numbers */
    double *F;              /* at the first column of this pass                                */
    double *workspaces; /* workspace_size numbers for each thread                               */
} product;

static sri_field_shape shape_of(const sri_field_part *part, int64_t T)
{
    const double inverse = 1 / part->sigma, scale = inverse * inverse;
    return (sri_field_shape){.inverse = inverse,
                             .start = (part->curl + part->div * (double)(T - 1)) * scale,
                             .fall = part->div * scale,
                             .slope = (part->div - part->curl) * scale};
}

static sri_field_part first_of(const sri_field *field)
{
    return (sri_field_part){field->sigma, field->curl, field->div, field->radial};
}

static field_form form_of(const sri_field *field)
{
    field_form form = {.T = field->T, .parts = 1 + field->n_more, .has_scalars = field->others};
    for (int i = 0; i < form.parts; i++) {
        const sri_field_part part = i ? field->more[i - 1] : first_of(field);
        form.radial[i] = part.radial;
        form.shape[i] = shape_of(&part, field->T);
    }
    if (field->others)
        form.scalars = sri_kernel_scalars(field->others);
    return form;
}

double sri_field_diagonal(const sri_field *field)
{
    const field_form form = form_of(field);
    const double zero = 0;
    double sum = 0, G1, G2;
    for (int i = 0; i < form.parts; i++) {
        sri_radial_values(form.radial[i], &zero, 1, &G1, &G2);
        sum += form.shape[i].start * G1;
    }
    return sum;
}

double sri_field_entry(const sri_field *field, const double *x, const double *z, int64_t s,
                       int64_t t)
{
    const sri_field_part first = first_of(field);
    const sri_field_shape shape = shape_of(&first, field->T);
    double square = 0, G1, G2;
    for (int64_t k = 0; k < field->T; k++) {
        const double w = (x[k] - z[k]) * shape.inverse;
        square += w * w;
    }
    sri_radial_values(field->radial, &square, 1, &G1, &G2);
    const double ww = (x[s] - z[s]) * shape.inverse * ((x[t] - z[t]) * shape.inverse);
    const double own = s == t ? shape.start * G1 - shape.fall * square * G2 : 0;
    return own + shape.slope * G2 * ww;
}

/* The values of vec->field_values, of any radial functions.  Components of w, those of the first
 * width, are clipped where phi is 0 to rounding, so that 0 is never multiplied by infinity. */
static void radial_values(const field_form *form, const double *x, const double *panel, double *out)
{
    static const double CUT = 1e60;
    double *a = out, *b = out + SRI_PANEL, *w = out + 2 * SRI_PANEL;
    double square[SRI_PANEL] = {0}, s[SRI_PANEL], G1[SRI_PANEL], G2[SRI_PANEL];
    for (int64_t t = 0; t < form->T; t++)
        for (int64_t c = 0; c < SRI_PANEL; c++) {
            const double v = (x[t] - panel[t * SRI_PANEL + c]) * form->shape[0].inverse;
            w[t * SRI_PANEL + c] = v < -CUT ? -CUT : v > CUT ? CUT : v;
            square[c] += w[t * SRI_PANEL + c] * w[t * SRI_PANEL + c];
        }
    memset(a, 0, 2 * SRI_PANEL * sizeof *a);
    for (int i = 0; i < form->parts; i++) {
        const sri_field_shape *shape = &form->shape[i];
        const double ratio = shape->inverse / form->shape[0].inverse, ratio2 = ratio * ratio;
        for (int64_t c = 0; c < SRI_PANEL; c++)
            s[c] = square[c] * ratio2;
        sri_radial_values(form->radial[i], s, SRI_PANEL, G1, G2);
        for (int64_t c = 0; c < SRI_PANEL; c++) {
            a[c] += shape->start * G1[c] - shape->fall * s[c] * G2[c];
            b[c] += shape->slope * ratio2 * G2[c];
        }
    }
}

/* Row i with panel q. */
static void panel_values(const sri_vec *vec, const field_rows *rows, int64_t i, int64_t q,
                         double *out)
{
    const field_form *form = rows->form;
    const double *x = sri_view_x(rows->X, i);
    const double *panel = rows->centres->panels + q * SRI_PANEL * form->T;
    if (form->parts == 1 && form->radial[0] == SRI_RADIAL_GAUSS)
        vec->field_values(x, panel, form->T, &form->shape[0], out);
    else
        radial_values(form, x, panel, out);
    if (!form->has_scalars)
        return;
    double tile[SRI_TILE], spare[SRI_TILE];
    const sri_block block = {.of = {&form->scalars, rows->X, rows->centres}};
    sri_kernel_tile(&block, i, 1, q, tile, spare);
    for (int64_t c = 0; c < SRI_PANEL; c++)
        out[c] += tile[c];
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
            panel_values(vec, &w->rows, i0 + r, q, values);
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
    const sri_rows_view X = sri_view_dense(G->X, m, T);
    const field_form form = form_of(G->field);
    product w = {.T = T, .columns = c};
    SRI_TRY(sri_points_new(ctx, G->Z, n, T, false, &centres));
    SRI_TRY(sri_points_pack(ctx, centres));
    w.centres = centres;
    w.rows = (field_rows){&form, &X, centres};
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
    const field_form form = form_of(field);
    const sri_rows_view view = sri_view_dense(X, n, field->T);
    field_rows rows = {&form, &view, NULL};
    const int64_t T = field->T, size = workspace_size(T, 0);
    sri_points *centres = NULL;
    double *workspaces = NULL;
    SRI_TRY(sri_points_new(ctx, X, n, T, false, &centres));
    SRI_TRY(sri_points_pack(ctx, centres));
    rows.centres = centres;
    SRI_ALLOC(ctx, workspaces, omp_get_max_threads(), size);
#pragma omp parallel for schedule(dynamic, 4) if (n * n > SERIAL)
    for (int64_t i = n - 1; i >= 0; i--) { /* long rows first, for balance */
        double *values = workspaces + omp_get_thread_num() * size;
        for (int64_t q = 0; q <= i / SRI_PANEL; q++) {
            panel_values(vec, &rows, i, q, values);
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

#include "backend/panels.h"

#include <string.h>

#include "backend/vec.h"
#include "core/memory.h"

/* L'X is summed up in PARTS parts, so that the result does not depend on the number of threads. */
enum { PARTS = 8 };

specreg_status sri_panels_new(specreg_context *ctx, int64_t n, int64_t rank, const double *Lt,
                              sri_panels *out)
{
    *out = (sri_panels){.n = n, .rank = rank};
    SRI_NEW_ZERO(ctx, out->values, sri_panel_count(n) * SRI_PANEL, rank);
    for (int64_t b = 0; b < sri_panel_count(n); b++) {
        const size_t bytes = (size_t)sri_panel_rows(n, b) * sizeof *Lt;
        for (int64_t k = 0; k < rank; k++)
            memcpy(out->values + (b * rank + k) * SRI_PANEL, Lt + k * n + b * SRI_PANEL, bytes);
    }
    return SPECREG_OK;
}

void sri_panels_free(sri_panels *p)
{
    sri_free(p->values);
    *p = (sri_panels){0};
}

/* `width` columns of a product from column c on, of t. */
typedef struct columns {
    const sri_panels *p;
    int64_t t, c, width;
} columns;

/* C (rank x SRI_PANEL_COLUMNS) = L'X over the panels of a part. */
static void sum_part(const columns *s, int64_t first, int64_t last, const double *X, double *C)
{
    const int64_t n = s->p->n, rank = s->p->rank;
    double x[SRI_PANEL_COLUMNS * SRI_PANEL] = {0};
    memset(C, 0, (size_t)(rank * SRI_PANEL_COLUMNS) * sizeof *C);
    for (int64_t b = first; b < last; b++) {
        for (int64_t i = 0; i < SRI_PANEL; i++)
            for (int64_t c = 0; c < s->width; c++)
                x[c * SRI_PANEL + i] =
                    b * SRI_PANEL + i < n ? X[(b * SRI_PANEL + i) * s->t + s->c + c] : 0;
        sri_vec_best()->panel_down(s->p->values + b * rank * SRI_PANEL, rank, x, C);
    }
}

/* Y += L C in panel b. */
static void add_panel(const columns *s, int64_t b, const double *C, double *Y)
{
    const int64_t n = s->p->n, rank = s->p->rank;
    double y[SRI_PANEL_COLUMNS * SRI_PANEL];
    sri_vec_best()->panel_along(s->p->values + b * rank * SRI_PANEL, rank, C, y);
    for (int64_t i = 0; i < SRI_PANEL && b * SRI_PANEL + i < n; i++)
        for (int64_t c = 0; c < s->width; c++)
            Y[(b * SRI_PANEL + i) * s->t + s->c + c] += y[c * SRI_PANEL + i];
}

specreg_status sri_panels_add_square(specreg_context *ctx, const sri_panels *p, int64_t t,
                                     const double *X, double *Y)
{
    specreg_status st = SPECREG_OK;
    const int64_t panels = sri_panel_count(p->n), size = p->rank * SRI_PANEL_COLUMNS;
    double *C = NULL;
    SRI_ALLOC(ctx, C, PARTS, size);
    for (int64_t c = 0; c < t; c += SRI_PANEL_COLUMNS) {
        const columns s = {p, t, c, t - c < SRI_PANEL_COLUMNS ? t - c : SRI_PANEL_COLUMNS};
#pragma omp parallel
        {
#pragma omp for schedule(static)
            for (int part = 0; part < PARTS; part++)
                sum_part(&s, panels * part / PARTS, panels * (part + 1) / PARTS, X,
                         C + part * size);
#pragma omp single
            for (int64_t k = PARTS * size - 1; k >= size; k--)
                C[k - size] += C[k];
#pragma omp for schedule(static)
            for (int64_t b = 0; b < panels; b++)
                add_panel(&s, b, C, Y);
        }
    }
done:
    sri_free(C);
    return st;
}

#include "select/layout.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"

/* The outputs that a row has. */
static int64_t outputs_of(const sri_layout *layout, const double *Y, int64_t row)
{
    int64_t count = 0;
    for (int64_t t = 0; t < layout->T; t++)
        count += !Y || !isnan(Y[row * layout->T + t]);
    return count;
}

specreg_status sri_layout_flatten(specreg_context *ctx, const sri_layout *layout,
                                  const sri_rows_view *rows, const double *Y, sri_flat *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = layout->T, m = rows->n, p = rows->x.p;
    int64_t n = 0, at = 0;
    *out = (sri_flat){.p = sri_coupling_width(layout->seen, p)};
    for (int64_t i = 0; i < m; i++)
        n += outputs_of(layout, Y, i);
    SRI_ALLOC(ctx, out->row, n, 1);
    SRI_ALLOC(ctx, out->label, n, 1);
    SRI_ALLOC(ctx, out->share, n, 1);
    if (!layout->field)
        SRI_ALLOC(ctx, out->X, n, out->p);
    if (Y)
        SRI_ALLOC(ctx, out->Y, n, 1);
    for (int64_t i = 0; i < m; i++) {
        const int64_t present = outputs_of(layout, Y, i);
        for (int64_t t = 0; t < T; t++) {
            if (Y && isnan(Y[i * T + t]))
                continue;
            if (out->X)
                sri_coupling_see(layout->seen, rows->x.x + i * p, p, t, out->X + at * out->p);
            out->row[at] = i;
            out->label[at] = (int32_t)t;
            out->share[at] = 1 / (double)present;
            if (Y)
                out->Y[at] = Y[i * T + t];
            at++;
        }
    }
    out->n = n;
done:
    if (st != SPECREG_OK)
        sri_flat_free(out);
    return st;
}

specreg_status sri_layout_see(specreg_context *ctx, const sri_layout *layout,
                              const sri_rows_view *rows)
{
    specreg_status st = SPECREG_OK;
    const int64_t p = rows->x.p;
    double *seen = NULL;
    if (layout->kind != SRI_LAYOUT_TASKS || !rows->x.x || !sri_coupling_sees(layout->seen))
        return st;
    SRI_ALLOC(ctx, seen, p, 1);
    for (int64_t i = 0; i < rows->n; i++) {
        const int32_t task = sri_view_label(rows, i);
        double *x = rows->x.x + (rows->first + i) * p;
        if (task < 0)
            continue;
        sri_coupling_see(layout->seen, x, p, task, seen);
        memcpy(x, seen, (size_t)p * sizeof *x);
    }
done:
    sri_free(seen);
    return st;
}

void sri_flat_free(sri_flat *flat)
{
    sri_free(flat->share);
    sri_free(flat->Y);
    sri_free(flat->X);
    sri_free(flat->label);
    sri_free(flat->row);
    *flat = (sri_flat){0};
}

sri_rows_view sri_flat_view(const sri_flat *flat, const sri_matrix *X)
{
    if (!flat->X)
        return sri_view_field(X, flat->row, flat->label, flat->n);
    sri_rows_view view = sri_view_dense(flat->X, flat->n, flat->p);
    view.label = flat->label;
    return view;
}

specreg_status sri_layout_points(specreg_context *ctx, const sri_layout *layout,
                                 sri_rows_view *rows, sri_flat *flat)
{
    if (layout->kind != SRI_LAYOUT_OUTPUTS)
        return SPECREG_OK;
    SRI_CALL(sri_layout_flatten(ctx, layout, rows, NULL, flat));
    *rows = sri_flat_view(flat, &rows->x);
    return SPECREG_OK;
}

specreg_status sri_features_flatten(specreg_context *ctx, const double *P, int64_t l, int64_t T,
                                    const sri_flat *flat, double **out)
{
    SRI_NEW_ZERO(ctx, *out, flat->n, l * T);
    for (int64_t i = 0; i < flat->n; i++)
        for (int64_t j = 0; j < l; j++)
            (*out)[(i * l + j) * T + flat->label[i]] = P[flat->row[i] * l + j];
    return SPECREG_OK;
}

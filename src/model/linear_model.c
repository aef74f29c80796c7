#include "model/linear_model.h"

#include <string.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "kernel/linear_map.h"

static specreg_status dense_slopes(specreg_context *ctx, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    sri_expansion *e = &m->expansion;
    const sri_matrix *z = &e->points->rows.x;
    e->slopes = z->p;
    SRI_ALLOC(ctx, e->slope, e->slopes, m->T);
    sri_gemm(true, false, z->p, m->T, e->n, 1, z->x, z->p, e->alpha, m->T, 0, e->slope, m->T);
done:
    return st;
}

static specreg_status sparse_slopes(specreg_context *ctx, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    const sri_linear_map map = sri_linear_map_make(m->expansion.points, 1, NULL);
    m->expansion.slopes = map.p;
    SRI_ALLOC(ctx, m->expansion.slope, m->expansion.slopes, m->T);
    SRI_ALLOC(ctx, m->expansion.slope_column, m->expansion.slopes, 1);
    memcpy(m->expansion.slope_column, m->expansion.points->columns->column,
           (size_t)map.p * sizeof *m->expansion.slope_column);
    SRI_TRY(sri_linear_back(ctx, &map, m->T, m->expansion.alpha, m->expansion.slope));
done:
    return st;
}

static void drop_centres(specreg_model *m)
{
    sri_points_free(m->expansion.points);
    sri_free(m->expansion.alpha);
    m->expansion.points = NULL;
    m->expansion.alpha = NULL;
}

specreg_status sri_model_make_linear(specreg_context *ctx, const sri_kernel *kernel,
                                     specreg_model *m)
{
    double scale;
    if (!sri_kernel_is_linear(kernel, &scale))
        return SPECREG_OK;
    const specreg_status st = m->expansion.points->stored == SRI_STORED_SPARSE
                                  ? sparse_slopes(ctx, m)
                                  : dense_slopes(ctx, m);
    for (int64_t k = 0; st == SPECREG_OK && k < m->expansion.slopes * m->T; k++)
        m->expansion.slope[k] *= scale;
    if (st == SPECREG_OK && (m->encoding.coding || m->expansion.n > SRI_LINEAR_KEEP))
        drop_centres(m);
    return st;
}

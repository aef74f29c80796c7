#include "model/linear_model.h"

#include <stdlib.h>
#include <string.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "kernel/linear_map.h"

static specreg_status dense_slopes(specreg_context *ctx, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    const sri_matrix *z = &m->points->rows.x;
    m->slopes = z->p;
    SRI_ALLOC(ctx, m->slope, m->slopes, m->T);
    sri_gemm(true, false, z->p, m->T, m->n, 1, z->x, z->p, m->alpha, m->T, 0, m->slope, m->T);
done:
    return st;
}

static specreg_status sparse_slopes(specreg_context *ctx, specreg_model *m)
{
    specreg_status st = SPECREG_OK;
    const sri_linear_map map = sri_linear_map_make(m->points, 1, NULL);
    m->slopes = map.p;
    SRI_ALLOC(ctx, m->slope, m->slopes, m->T);
    SRI_ALLOC(ctx, m->slope_column, m->slopes, 1);
    memcpy(m->slope_column, m->points->columns->column, (size_t)map.p * sizeof *m->slope_column);
    SRI_TRY(sri_linear_back(ctx, &map, m->T, m->alpha, m->slope));
done:
    return st;
}

static void drop_centres(specreg_model *m)
{
    sri_points_free(m->points);
    free(m->alpha);
    m->points = NULL;
    m->alpha = NULL;
}

specreg_status sri_model_make_linear(specreg_context *ctx, const sri_kernel *kernel,
                                     specreg_model *m)
{
    double scale;
    if (!sri_kernel_is_linear(kernel, &scale))
        return SPECREG_OK;
    const specreg_status st =
        m->points->stored == SRI_STORED_SPARSE ? sparse_slopes(ctx, m) : dense_slopes(ctx, m);
    for (int64_t k = 0; st == SPECREG_OK && k < m->slopes * m->T; k++)
        m->slope[k] *= scale;
    if (st == SPECREG_OK && (m->coding || m->n > SRI_LINEAR_KEEP))
        drop_centres(m);
    return st;
}

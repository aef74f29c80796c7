/* Without the rows F the small matrix is A'A - A_F'A_F and the right side A'Y - A_F'Y_F: one small
 * decomposition per fold serves the whole path, whatever the filter, and A_F W is what the machine
 * says of the rows it has not seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"
#include "engine/primal.h"

enum { GROUP_COLUMNS = 64 };

typedef struct part {
    sri_primal own;   /* the machine without the fold; its map is that of all rows */
    int64_t m;        /* the rows that are held are own.row                         */
    sri_matrix X;     /* m x p: their features                                      */
    double *Y;        /* n x T: Y in these rows, else 0                             */
    double *param;    /* count                                                      */
    double *g, *r;    /* a group of points                                          */
    double *G, *W;    /* p x (width T)                                              */
    double *F;        /* m x (width T)                                              */
} part;

static void part_free(part *p)
{
    double *const all[] = {p->F, p->W, p->G, p->r, p->g, p->param, p->Y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
    sri_matrix_free(&p->X);
    p->own.root = NULL; /* of all rows */
    sri_primal_free(&p->own);
}

static specreg_status part_new(specreg_context *ctx, const sri_primal *all, int64_t number,
                               int64_t width, part *p)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = all->job;
    const int64_t n = job->op->n, q = all->map.p, T = job->T;
    const int32_t *fold = sri_job_folds(job, number), held = sri_job_fold(job, number);
    const sri_matrix rows = sri_points_rows(all->map.points, 0, n);
    p->own = (sri_primal){.job = job, .map = all->map, .root = all->root};
    SRI_ALLOC(ctx, p->own.row, n, 1);
    SRI_ALLOC(ctx, p->own.C, q, q);
    SRI_ALLOC(ctx, p->own.V, q, q);
    SRI_ALLOC(ctx, p->own.s, q, 1);
    SRI_ALLOC(ctx, p->own.AY, q, T);
    SRI_ALLOC(ctx, p->own.b, q, T);
    SRI_CALLOC(ctx, p->Y, n, T);
    SRI_ALLOC(ctx, p->param, job->count, 1);
    SRI_ALLOC(ctx, p->g, width, 1);
    SRI_ALLOC(ctx, p->r, width, 1);
    SRI_ALLOC(ctx, p->G, q, width * T);
    SRI_ALLOC(ctx, p->W, q, width * T);
    for (int64_t i = 0; i < n; i++)
        if (fold[i] == held) {
            p->own.row[p->m++] = i;
            memcpy(p->Y + i * T, job->Y + i * T, (size_t)T * sizeof *p->Y);
        }
    SRI_ALLOC(ctx, p->F, p->m, width * T);
    SRI_TRY(sri_matrix_gather(ctx, &rows, p->own.row, p->m, &p->X));
done:
    return st;
}

static specreg_status decompose(specreg_context *ctx, const sri_primal *all, int64_t number, part *p)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = all->job;
    const int64_t q = all->map.p;
    SRI_TRY(sri_linear_gram(ctx, &all->map, p->own.row, p->m, p->own.C));
    SRI_TRY(sri_linear_back(ctx, &all->map, job->T, p->Y, p->own.AY));
    for (int64_t k = 0; k < q * q; k++)
        p->own.V[k] = all->C[k] - p->own.C[k];
    for (int64_t k = 0; k < q * job->T; k++)
        p->own.AY[k] = all->AY[k] - p->own.AY[k];
    SRI_TRY(sri_primal_decompose(ctx, &p->own, sri_job_mass(job, number)));
    SRI_TRY(sri_primal_params(ctx, &p->own, p->param));
done:
    return st;
}

/* Residuals at c points; those of point k go to out + k * stride, in the held rows of n x T. */
static specreg_status run_group(specreg_context *ctx, part *p, int64_t first, int64_t c, double *out,
                                int64_t stride)
{
    const sri_primal *s = &p->own;
    const sri_job *job = s->job;
    const sri_columns *columns = s->map.points->columns;
    const int64_t q = s->map.p, T = job->T, width = c * T;
    const double scale = sqrt(s->map.scale);
    for (int64_t j = 0; j < q; j++) {
        job->filter->ops->eval(job->filter, s->s[j], p->param + first, c, p->g, p->r);
        for (int64_t k = 0; k < width; k++)
            p->G[j * width + k] = scale * p->g[k / T] * s->b[j * T + k % T];
    }
    sri_gemm(true, false, q, width, q, 1, s->V, q, p->G, width, 0, p->W, width);
    const specreg_status st = sri_rows_times(ctx, &p->X, columns ? columns->column : NULL, q, width,
                                             p->W, p->F);
    for (int64_t r = 0; r < p->m && st == SPECREG_OK; r++) {
        const int64_t i = s->row[r];
        const double root = s->root ? s->root[i] : 1;
        for (int64_t k = 0; k < width; k++)
            out[k / T * stride + i * T + k % T] =
                job->Y[i * T + k % T] - root * p->F[r * width + k];
    }
    return st;
}

specreg_status sri_primal_folds(specreg_context *ctx, const sri_primal *all, double *out)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = all->job;
    const int64_t size = job->op->n * job->T, stride = size * job->repeats;
    int64_t width = GROUP_COLUMNS / job->T;
    width = width < 1 ? 1 : width < job->count ? width : job->count;
    part p = {0};
    for (int64_t number = 0; number < sri_job_parts(job); number++) {
        double *to = out + number / job->folds * size;
        SRI_TRY(part_new(ctx, all, number, width, &p));
        if (p.m && p.m < job->op->n)
            SRI_TRY(decompose(ctx, all, number, &p));
        for (int64_t first = 0; p.m && p.m < job->op->n && first < job->count; first += width) {
            const int64_t rest = job->count - first, c = rest < width ? rest : width;
            SRI_TRY(run_group(ctx, &p, first, c, to + first * stride, stride));
        }
        SRI_TRY(sri_poll(ctx));
        part_free(&p);
        p = (part){0};
    }
done:
    part_free(&p);
    return st;
}

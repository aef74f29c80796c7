/* Without the rows F the small matrix is A'A - A_F'A_F and the right side A'Y - A_F'Y_F: one small
 * decomposition per fold serves the whole path, whatever the filter, and A_F W is what the
 * predictor says of the rows it has not seen.
 *
 * With unpenalised terms, B = A'U' and G = U_T U_T': all of that is what they
 * leave of it, having been fitted to the rows T, A_T'A_T - B_T G^-1 B_T' and A_T'Y_T - B_T G^-1
 * U_T Y_T, and in the rows F U_F'G^-1 U_T Y_T and U_F'G^-1 B_T'W are taken away from Y_F and A_F
 * W. */
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "engine/primal.h"

enum { GROUP_COLUMNS = 64 };

typedef struct predictor {
    sri_primal own; /* the predictor without the fold; its map is that of all rows */
    int64_t m;      /* the rows of the fold are own.row                           */
    sri_matrix X;   /* m x p: their inputs                                          */
    double *Y;      /* n x T: Y in these rows, else 0                             */
    double *param;  /* count                                                      */
    double *g, *r;  /* a group of points                                          */
    double *G, *W;  /* p x (width T)                                              */
    double *F;      /* m x (width T)                                              */
    const sri_fold_projection *projection; /* NULL: none                              */
    double *BG; /* p x l: B_T G^-1                                            */
    double *GY; /* l x T: G^-1 U_T Y_T                                        */
    double *U;  /* m x l: U in the rows of the fold                           */
    double *b;  /* l x (width T): their coefficients beside W, G^-1 (U_T Y_T - B_T'W) */
} predictor;

static void predictor_free(predictor *p)
{
    sri_matrix_free(&p->X);
    sri_arena_free(&p->own.scratch);
    *p = (predictor){0};
}

static specreg_status predictor_new(specreg_context *ctx, const sri_primal *all,
                                    const sri_fold_projection *projection, int64_t number,
                                    int64_t width, predictor *p)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = all->job;
    const int64_t n = job->problem.op->n, q = all->map.p, T = job->problem.T;
    const sri_fold fold = sri_job_fold(job, number);
    const sri_matrix *rows = &all->map.points->rows.x;
    p->own = (sri_primal){.job = job, .map = all->map, .root = all->root};
    SRI_SCRATCH(ctx, &p->own.scratch, p->own.row, n, 1);
    SRI_SCRATCH_EACH(ctx, &p->own.scratch, q, q, &p->own.C, &p->own.V);
    SRI_SCRATCH(ctx, &p->own.scratch, p->own.s, q, 1);
    SRI_SCRATCH_EACH(ctx, &p->own.scratch, q, T, &p->own.AY, &p->own.b);
    SRI_SCRATCH_ZERO(ctx, &p->own.scratch, p->Y, n, T);
    SRI_SCRATCH(ctx, &p->own.scratch, p->param, job->path.count, 1);
    SRI_SCRATCH_EACH(ctx, &p->own.scratch, width, 1, &p->g, &p->r);
    SRI_SCRATCH_EACH(ctx, &p->own.scratch, q, width * T, &p->G, &p->W);
    const int64_t l = projection ? projection->p->l : 0;
    p->projection = projection;
    SRI_SCRATCH(ctx, &p->own.scratch, p->BG, q, l);
    SRI_SCRATCH(ctx, &p->own.scratch, p->GY, l, T);
    SRI_SCRATCH(ctx, &p->own.scratch, p->b, l, width * T);
    for (int64_t i = 0; i < n; i++)
        if (sri_fold_holds(fold, i)) {
            p->own.row[p->m++] = i;
            memcpy(p->Y + i * T, job->problem.Y + i * T, (size_t)T * sizeof *p->Y);
        }
    SRI_SCRATCH(ctx, &p->own.scratch, p->F, p->m, width * T);
    SRI_SCRATCH(ctx, &p->own.scratch, p->U, p->m, l);
    for (int64_t r = 0; r < p->m; r++)
        for (int64_t j = 0; j < l; j++)
            p->U[r * l + j] = projection->p->U[j * n + p->own.row[r]];
    SRI_TRY(sri_matrix_gather(ctx, rows, p->own.row, p->m, &p->X));
done:
    return st;
}

/* BG and GY, and what they take away from the small matrix, in own.V, and from own.AY. */
static specreg_status take_terms(specreg_context *ctx, const sri_primal *all, predictor *p)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const sri_job *job = all->job;
    const sri_projection *f = p->projection->p;
    const int64_t n = job->problem.op->n, q = all->map.p, l = f->l, T = job->problem.T;
    double *UF, *B, *x;
    SRI_SCRATCH_ZERO(ctx, &scratch, UF, l, n);
    SRI_SCRATCH(ctx, &scratch, B, q, l);
    SRI_SCRATCH(ctx, &scratch, x, l, 1);
    for (int64_t r = 0; r < p->m; r++)
        for (int64_t j = 0; j < l; j++)
            UF[j * n + p->own.row[r]] = p->U[r * l + j];
    SRI_TRY(sri_linear_back_rows(ctx, &all->map, l, UF, B));
    for (int64_t k = 0; k < q * l; k++)
        p->BG[k] = B[k] = all->UA[k] - B[k];
    for (int64_t k = 0; k < q; k++)
        sri_fold_solve(p->projection, p->BG + k * l);
    /* U Y is 0, so that U_T Y_T = -U_F Y_F */
    sri_gemm(false, false, l, T, n, -1, UF, n, p->Y, T, 0, p->GY, T);
    for (int64_t t = 0; t < T; t++) {
        for (int64_t j = 0; j < l; j++)
            x[j] = p->GY[j * T + t];
        sri_fold_solve(p->projection, x);
        for (int64_t j = 0; j < l; j++)
            p->GY[j * T + t] = x[j];
    }
    sri_gemm(false, true, q, q, l, -1, p->BG, l, B, l, 1, p->own.V, q);
    sri_gemm(false, false, q, T, l, -1, B, l, p->GY, T, 1, p->own.AY, T);
done:
    sri_arena_free(&scratch);
    return st;
}

static specreg_status decompose(specreg_context *ctx, const sri_primal *all, int64_t number,
                                predictor *p)
{
    const sri_job *job = all->job;
    const int64_t q = all->map.p;
    SRI_CALL(sri_linear_gram(ctx, &all->map, p->own.row, p->m, p->own.C));
    SRI_CALL(sri_linear_back(ctx, &all->map, job->problem.T, p->Y, p->own.AY));
    for (int64_t k = 0; k < q * q; k++)
        p->own.V[k] = all->C[k] - p->own.C[k];
    for (int64_t k = 0; k < q * job->problem.T; k++)
        p->own.AY[k] = all->AY[k] - p->own.AY[k];
    if (p->projection)
        SRI_CALL(take_terms(ctx, all, p));
    SRI_CALL(sri_primal_decompose(ctx, &p->own, sri_job_mass(job, number)));
    return sri_primal_params(ctx, &p->own, p->param);
}

/* Residuals at c points; those of point k go to out + k * stride, in the held-out rows of n x T. */
static specreg_status run_group(specreg_context *ctx, predictor *p, int64_t first, int64_t c,
                                double *out, int64_t stride)
{
    const sri_primal *s = &p->own;
    const sri_job *job = s->job;
    const sri_columns *columns = s->map.points->columns;
    const int64_t q = s->map.p, T = job->problem.T, width = c * T;
    const double scale = sqrt(s->map.scale);
    const int64_t l = p->projection ? p->projection->p->l : 0;
    for (int64_t j = 0; j < q; j++) {
        sri_primal_filter(s, s->s[j], p->param + first, c, p->g, p->r);
        for (int64_t k = 0; k < width; k++)
            p->G[j * width + k] = scale * p->g[k / T] * s->b[j * T + k % T];
    }
    sri_gemm(true, false, q, width, q, 1, s->V, q, p->G, width, 0, p->W, width);
    SRI_CALL(sri_rows_times(ctx, &p->X, columns, width, p->W, p->F));
    for (int64_t r = 0; s->root && r < p->m; r++)
        for (int64_t k = 0; k < width; k++)
            p->F[r * width + k] *= s->root[s->row[r]];
    if (l) {
        for (int64_t k = 0; k < l * width; k++)
            p->b[k] = p->GY[k / width * T + k % width % T];
        sri_gemm(true, false, l, width, q, -1 / scale, p->BG, l, p->W, width, 1, p->b, width);
        sri_gemm(false, false, p->m, width, l, 1, p->U, l, p->b, width, 1, p->F, width);
    }
    for (int64_t r = 0; r < p->m; r++) {
        const int64_t i = s->row[r];
        for (int64_t k = 0; k < width; k++)
            out[k / T * stride + i * T + k % T] =
                job->problem.Y[i * T + k % T] - p->F[r * width + k];
    }
    return SPECREG_OK;
}

specreg_status sri_primal_folds(specreg_context *ctx, const sri_primal *all, double *out)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = all->job;
    const int64_t size = job->problem.op->n * job->problem.T,
                  stride = size * job->problem.folds.repeats;
    const int64_t width = sri_job_group(job, GROUP_COLUMNS);
    predictor p = {0};
    sri_fold_projection *projections = NULL;
    SRI_TRY(sri_job_projections_make(ctx, job, &projections));
    for (int64_t number = 0; number < sri_job_folds(job); number++) {
        double *to = out + number / job->problem.folds.per_repeat * size;
        SRI_TRY(predictor_new(ctx, all, sri_job_projection(job, projections, number), number, width,
                              &p));
        if (p.m && p.m < job->problem.op->n)
            SRI_TRY(decompose(ctx, all, number, &p));
        for (int64_t first = 0; p.m && p.m < job->problem.op->n && first < job->path.count;
             first += width) {
            const int64_t c = sri_job_points(job, first, width);
            SRI_TRY(run_group(ctx, &p, first, c, to + first * stride, stride));
        }
        SRI_TRY(sri_poll(ctx));
        predictor_free(&p);
    }
done:
    sri_job_projections_free(job, projections);
    predictor_free(&p);
    return st;
}

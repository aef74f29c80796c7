#include "engine/krylov_space.h"

#include "core/memory.h"

sri_lanczos_source sri_krylov_source(const sri_job *job, const sri_fold_projection *projections,
                                     int64_t t, int64_t fold)
{
    return (sri_lanczos_source){.y = job->problem.Y + t,
                                .n = job->problem.op->n,
                                .stride = job->problem.T,
                                .mass = sri_job_mass(job, fold),
                                .fold = sri_job_fold(job, fold),
                                .projection = sri_job_projection(job, projections, fold)};
}

specreg_status sri_krylov_step(specreg_context *ctx, const sri_job *job, sri_lanczos *z,
                               const bool *done, int64_t columns, double *work)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = job->problem.op->n;
    double *X = work, *KX = work + n * columns;
    int64_t active = 0, *column = NULL;
    SRI_ALLOC(ctx, column, columns, 1);
    for (int64_t c = 0; c < columns; c++)
        if (!z[c].whole && !done[c])
            column[active++] = c;
    for (int64_t k = 0; k < active; k++) {
        const double *v = sri_lanczos_last(&z[column[k]]);
        for (int64_t i = 0; i < n; i++)
            X[i * active + k] = v[i];
    }
    SRI_TRY(sri_job_apply(ctx, job, active, column, X, KX));
    for (int64_t k = 0; k < active; k++) {
        for (int64_t i = 0; i < n; i++)
            X[i] = KX[i * active + k];
        SRI_TRY(sri_lanczos_extend(ctx, &z[column[k]], X));
    }
done:
    sri_free(column);
    return st;
}

void sri_krylov_resolvent(const sri_lanczos *z, double lambda, int q, double *d, double *x)
{
    const int64_t k = z->k;
    for (int64_t j = 0; j < k; j++) {
        d[j] = z->a[j] + lambda - (j ? z->b[j - 1] * z->b[j - 1] / d[j - 1] : 0);
        x[j] = 0;
    }
    for (int pass = 0; pass < q; pass++) {
        for (int64_t j = 0; j < k; j++)
            x[j] = (j == 0) + lambda * x[j] - (j ? z->b[j - 1] / d[j - 1] * x[j - 1] : 0);
        x[k - 1] /= d[k - 1];
        for (int64_t j = k - 2; j >= 0; j--)
            x[j] = (x[j] - z->b[j] * x[j + 1]) / d[j];
    }
}

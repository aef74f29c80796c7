#include "backend/backend.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "backend/eigen.h"
#include "backend/factor.h"
#include "core/memory.h"
#include "core/text.h"

#ifndef SPECREG_LINALG_DEFAULT
#define SPECREG_LINALG_DEFAULT sri_backend_own
#endif

static const sri_backend *const backends[] = {&sri_backend_own, &sri_backend_lapack};
enum { COUNT = sizeof backends / sizeof *backends };

static const sri_backend *find(const char *name)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(backends[i]->name, name) == 0)
            return backends[i];
    return NULL;
}

/* The environment's choice, else the build's; NULL: the environment has a name that is not known.
 * Read once; threads that come first at the same time find the same. */
static const sri_backend *preset(void)
{
    static _Atomic(const sri_backend *) kept;
    const sri_backend *backend = atomic_load_explicit(&kept, memory_order_relaxed);
    if (!backend) {
        const char *asked = getenv("SPECREG_LINALG");
        backend = asked && *asked ? find(asked) : &SPECREG_LINALG_DEFAULT;
        atomic_store_explicit(&kept, backend, memory_order_relaxed);
    }
    return backend;
}

specreg_status sri_backend_choose(specreg_context *ctx, const char *name)
{
    const char *names[COUNT];
    ctx->backend = *name ? find(name) : preset();
    if (ctx->backend)
        return SPECREG_OK;
    for (int i = 0; i < COUNT; i++)
        names[i] = backends[i]->name;
    return *name ? sri_fail_unknown(ctx, "linalg", name, names, COUNT)
                 : sri_fail_unknown(ctx, "SPECREG_LINALG", getenv("SPECREG_LINALG"), names, COUNT);
}

const sri_backend *sri_backend_of(const specreg_context *ctx)
{
    const sri_backend *backend = ctx->backend ? ctx->backend : preset();
    return backend ? backend : &SPECREG_LINALG_DEFAULT;
}

specreg_status sri_product(specreg_context *ctx, sri_dense K, int64_t t, const double *X, double *Y)
{
    return sri_backend_of(ctx)->product(ctx, K, t, X, Y);
}

specreg_status sri_add_square(specreg_context *ctx, int64_t rows, int64_t p, const double *B,
                              double *C)
{
    return sri_backend_of(ctx)->add_square(ctx, rows, p, B, C);
}

specreg_status sri_cholesky(specreg_context *ctx, int64_t n, double *K, int64_t *failed_at)
{
    return sri_backend_of(ctx)->cholesky(ctx, n, K, failed_at);
}

specreg_status sri_cholesky_solve(specreg_context *ctx, int64_t n, int64_t t, const double *L,
                                  double *B)
{
    return sri_backend_of(ctx)->cholesky_solve(ctx, n, t, L, B);
}

specreg_status sri_cholesky_inverse_diagonal(specreg_context *ctx, int64_t n, const double *L,
                                             double *out)
{
    return sri_backend_of(ctx)->cholesky_inverse_diagonal(ctx, n, L, out);
}

specreg_status sri_cholesky_invert(specreg_context *ctx, int64_t n, double *L)
{
    return sri_backend_of(ctx)->cholesky_invert(ctx, n, L);
}

specreg_status sri_orthonormal(specreg_context *ctx, int64_t r, int64_t n, double *A, double *R)
{
    return sri_backend_of(ctx)->orthonormal(ctx, r, n, A, R);
}

specreg_status sri_solve(specreg_context *ctx, int64_t n, double *A, double *B)
{
    return sri_backend_of(ctx)->solve(ctx, n, A, B);
}

specreg_status sri_eigen(specreg_context *ctx, int64_t n, double *K, double *s, bool vectors)
{
    if (n > SRI_EIG_MAX)
        return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                        "a full decomposition takes at most %d rows, there are %lld",
                        (int)SRI_EIG_MAX, (long long)n);
    return sri_backend_of(ctx)->eigen(ctx, n, K, s, vectors);
}

specreg_status sri_tridiagonal(specreg_context *ctx, int64_t k, double *d, double *e, double *Z)
{
    return sri_backend_of(ctx)->tridiagonal(ctx, k, d, e, Z);
}

specreg_status sri_band_reduce(specreg_context *ctx, int64_t n, double *K, sri_band *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t width = n - 1 < SRI_BAND_WIDTH ? n - 1 : SRI_BAND_WIDTH;
    *out = (sri_band){.n = n, .width = width, .V = K};
    SRI_REQUIRE(ctx, n <= INT32_MAX / (2 * SRI_BAND_WIDTH), SPECREG_E_UNAVAILABLE,
                "%lld rows are too many for the reduction to a band", (long long)n);
    SRI_CALLOC(ctx, out->tau, n, 1);
    SRI_CALLOC(ctx, out->B, n, width + 1);
    SRI_TRY(sri_backend_of(ctx)->band_reduce(ctx, out));
    for (int64_t j = 0; j < n; j++)
        memcpy(out->B + j * (width + 1), K + j * (n + 1),
               (size_t)(n - j < width + 1 ? n - j : width + 1) * sizeof *K);
done:
    return st;
}

void sri_band_free(sri_band *band)
{
    sri_free(band->B);
    sri_free(band->tau);
    *band = (sri_band){0};
}

specreg_status sri_band_form(specreg_context *ctx, sri_band *band)
{
    return sri_backend_of(ctx)->band_form(ctx, band);
}

specreg_status sri_band_rotate(specreg_context *ctx, const sri_band *band, bool transposed,
                               int64_t t, double *X)
{
    return sri_backend_of(ctx)->band_rotate(ctx, band, transposed, t, X);
}

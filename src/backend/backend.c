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

/* A call that is a slot of the table: its name, what it hands on, its parameters after ctx. */
#define SLOT(name, arguments, ...)                               \
    specreg_status sri_##name(specreg_context *ctx, __VA_ARGS__) \
    {                                                            \
        return sri_backend_of(ctx)->name arguments;              \
    }

SLOT(product, (ctx, K, t, X, Y), sri_dense K, int64_t t, const double *X, double *Y)
SLOT(add_square, (ctx, rows, p, B, C), int64_t rows, int64_t p, const double *B, double *C)
SLOT(cholesky, (ctx, n, K, failed_at), int64_t n, double *K, int64_t *failed_at)
SLOT(cholesky_solve, (ctx, n, t, L, B), int64_t n, int64_t t, const double *L, double *B)
SLOT(cholesky_inverse_diagonal, (ctx, n, L, out), int64_t n, const double *L, double *out)
SLOT(cholesky_invert, (ctx, n, L), int64_t n, double *L)
SLOT(orthonormal, (ctx, r, n, A, R), int64_t r, int64_t n, double *A, double *R)
SLOT(solve, (ctx, n, A, B), int64_t n, double *A, double *B)
SLOT(tridiagonal, (ctx, k, d, e, Z), int64_t k, double *d, double *e, double *Z)
SLOT(band_form, (ctx, band), sri_band *band)
SLOT(band_rotate, (ctx, band, transposed, t, X), const sri_band *band, bool transposed, int64_t t,
     double *X)

specreg_status sri_eigen(specreg_context *ctx, int64_t n, double *K, double *s, bool vectors)
{
    if (n > SRI_EIG_MAX)
        return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                        "a full decomposition takes at most %d rows, there are %lld",
                        (int)SRI_EIG_MAX, (long long)n);
    return sri_backend_of(ctx)->eigen(ctx, n, K, s, vectors);
}

specreg_status sri_band_reduce(specreg_context *ctx, int64_t n, double *K, sri_band *out)
{
    const int64_t width = n - 1 < SRI_BAND_WIDTH ? n - 1 : SRI_BAND_WIDTH;
    *out = (sri_band){.n = n, .width = width, .V = K};
    SRI_CHECK(ctx, n <= INT32_MAX / (2 * SRI_BAND_WIDTH), SPECREG_E_UNAVAILABLE,
              "%lld rows are too many for the reduction to a band", (long long)n);
    SRI_NEW_ZERO(ctx, out->tau, n, 1);
    SRI_NEW_ZERO(ctx, out->B, n, width + 1);
    SRI_CALL(sri_backend_of(ctx)->band_reduce(ctx, out));
    for (int64_t j = 0; j < n; j++)
        memcpy(out->B + j * (width + 1), K + j * (n + 1),
               (size_t)(n - j < width + 1 ? n - j : width + 1) * sizeof *K);
    return SPECREG_OK;
}

void sri_band_free(sri_band *band)
{
    sri_free(band->B);
    sri_free(band->tau);
    *band = (sri_band){0};
}

/* Slow, obvious answers in long double for the conformance tests: Jacobi's eigenvalues, Gaussian
 * elimination, the iterations as they are written in docs/MATH.md.  No code of the library. */
#ifndef TESTS_CONFORMANCE_REFERENCE_H
#define TESTS_CONFORMANCE_REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef long double real;

static inline real *real_new(int64_t count)
{
    return calloc((size_t)(count + 1), sizeof(real));
}

/* Cyclic Jacobi on A = K/n: s (n) descending, column j of Q (row-major) its eigenvector. */
static inline void ref_jacobi(int64_t n, const double *K, real *s, real *Q)
{
    real *A = real_new(n * n);
    for (int64_t i = 0; i < n * n; i++) {
        A[i] = (real)K[i] / (real)n;
        Q[i] = i / n == i % n;
    }
    for (int sweep = 0; sweep < 60; sweep++) {
        real off = 0, all = 0;
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                all += A[i * n + j] * A[i * n + j];
                off += i == j ? 0 : A[i * n + j] * A[i * n + j];
            }
        if (off <= 1e-40L * all)
            break;
        for (int64_t p = 0; p < n; p++)
            for (int64_t q = p + 1; q < n; q++) {
                const real a = A[p * n + q];
                if (fabsl(a) <= 1e-24L * sqrtl(fabsl(A[p * n + p] * A[q * n + q])))
                    continue;
                const real theta = (A[q * n + q] - A[p * n + p]) / (2 * a);
                const real t = (theta >= 0 ? 1 : -1) / (fabsl(theta) + sqrtl(theta * theta + 1));
                const real c = 1 / sqrtl(t * t + 1), sn = t * c;
                for (int64_t k = 0; k < n; k++) {
                    const real x = A[k * n + p], y = A[k * n + q];
                    A[k * n + p] = c * x - sn * y;
                    A[k * n + q] = sn * x + c * y;
                }
                for (int64_t k = 0; k < n; k++) {
                    const real x = A[p * n + k], y = A[q * n + k];
                    A[p * n + k] = c * x - sn * y;
                    A[q * n + k] = sn * x + c * y;
                }
                for (int64_t k = 0; k < n; k++) {
                    const real x = Q[k * n + p], y = Q[k * n + q];
                    Q[k * n + p] = c * x - sn * y;
                    Q[k * n + q] = sn * x + c * y;
                }
            }
    }
    for (int64_t i = 0; i < n; i++)
        s[i] = A[i * n + i];
    for (int64_t i = 0; i < n; i++) /* selection sort, descending */
        for (int64_t j = i + 1; j < n; j++)
            if (s[j] > s[i]) {
                const real t = s[i];
                s[i] = s[j];
                s[j] = t;
                for (int64_t k = 0; k < n; k++) {
                    const real v = Q[k * n + i];
                    Q[k * n + i] = Q[k * n + j];
                    Q[k * n + j] = v;
                }
            }
    free(A);
}

/* Solves (K + mu I) X = B in place, B n x T: elimination with row exchanges. */
static inline void ref_solve(int64_t n, int64_t T, const double *K, real mu, real *B)
{
    real *A = real_new(n * n);
    for (int64_t i = 0; i < n * n; i++)
        A[i] = (real)K[i] + (i / n == i % n ? mu : 0);
    for (int64_t k = 0; k < n; k++) {
        int64_t best = k;
        for (int64_t i = k + 1; i < n; i++)
            if (fabsl(A[i * n + k]) > fabsl(A[best * n + k]))
                best = i;
        for (int64_t j = 0; j < n; j++) {
            const real t = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = t;
        }
        for (int64_t j = 0; j < T; j++) {
            const real t = B[k * T + j];
            B[k * T + j] = B[best * T + j];
            B[best * T + j] = t;
        }
        for (int64_t i = k + 1; i < n; i++) {
            const real f = A[i * n + k] / A[k * n + k];
            for (int64_t j = k; j < n; j++)
                A[i * n + j] -= f * A[k * n + j];
            for (int64_t j = 0; j < T; j++)
                B[i * T + j] -= f * B[k * T + j];
        }
    }
    for (int64_t k = n - 1; k >= 0; k--)
        for (int64_t j = 0; j < T; j++) {
            for (int64_t i = k + 1; i < n; i++)
                B[k * T + j] -= A[k * n + i] * B[i * T + j];
            B[k * T + j] /= A[k * n + k];
        }
    free(A);
}

/* Y - K alpha */
static inline void ref_residual(int64_t n, int64_t T, const double *K, const double *Y,
                                const real *alpha, real *out)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t t = 0; t < T; t++) {
            real sum = Y[i * T + t];
            for (int64_t j = 0; j < n; j++)
                sum -= (real)K[i * n + j] * alpha[j * T + t];
            out[i * T + t] = sum;
        }
}

/* (K + n lambda I) alpha_i = y + n lambda alpha_{i-1}, order times from 0. */
static inline void ref_iterated(int64_t n, int64_t T, const double *K, const double *Y, real lambda,
                                int order, real *alpha)
{
    memset(alpha, 0, (size_t)(n * T) * sizeof *alpha);
    for (int q = 0; q < order; q++) {
        for (int64_t i = 0; i < n * T; i++)
            alpha[i] = (real)Y[i] + (real)n * lambda * alpha[i];
        ref_solve(n, T, K, (real)n * lambda, alpha);
    }
}

/* u_i and omega_i of docs/MATH.md; nu <= 0 stands for Landweber. */
static inline void ref_coefficients(real nu, int64_t step, real *u, real *w)
{
    const real i = step;
    *u = 0;
    *w = 1;
    if (nu <= 0)
        return;
    if (step > 1)
        *u = (i - 1) * (2 * i - 3) * (2 * i + 2 * nu - 1) /
             ((i + 2 * nu - 1) * (2 * i + 4 * nu - 1) * (2 * i + 2 * nu - 3));
    *w = 4 * (2 * i + 2 * nu - 1) * (i + nu - 1) / ((i + 2 * nu - 1) * (2 * i + 4 * nu - 1));
}

/* An iteration of docs/MATH.md, and its parameter. */
typedef enum ref_kind {
    REF_LANDWEBER, /* theta    */
    REF_NU,        /* nu       */
    REF_NESTEROV,  /* beta     */
    REF_HEAVYBALL, /* momentum */
    REF_CHEBYSHEV  /* lower    */
} ref_kind;
typedef struct ref_scheme {
    ref_kind kind;
    real p;
} ref_scheme;

static inline ref_scheme ref_nu(real nu)
{
    return (ref_scheme){nu > 0 ? REF_NU : REF_LANDWEBER, nu};
}

/* u, w and v of step i, with tau = 1.  Chebyshev's T_i(m) at m = (1+l)/(1-l) is cosh(i acosh m). */
static inline void ref_step(ref_scheme scheme, int64_t i, real *u, real *w, real *v)
{
    const real p = scheme.p, m = (1 + p) / (1 - p), angle = p > 0 && p < 1 ? acoshl(m) : 1;
    *v = *u = 0;
    *w = 1;
    switch (scheme.kind) {
    case REF_LANDWEBER:
        *w = powl((real)i, -p);
        break;
    case REF_NU:
        ref_coefficients(p, i, u, w);
        break;
    case REF_NESTEROV:
        *v = *u = i > 1 ? (real)(i - 2) / ((real)(i - 1) + p) : 0;
        break;
    case REF_HEAVYBALL:
        *u = i > 1 ? p : 0;
        break;
    case REF_CHEBYSHEV: {
        const real last = coshl((real)(i - 1) * angle), now = coshl((real)i * angle);
        *u = i > 1 ? coshl((real)(i - 2) * angle) / now : 0;
        *w = (i > 1 ? 4 : 2) * last / now / (1 - p);
        break;
    }
    }
}

/* Called after each step with the iterate. */
typedef void ref_visit(void *payload, int64_t step, const real *alpha, const real *residual);

static inline void ref_iterate(int64_t n, int64_t T, const double *K, const double *Y, real tau,
                               ref_scheme scheme, int64_t steps, ref_visit *visit, void *payload)
{
    real *a = real_new(n * T), *before = real_new(n * T), *r = real_new(n * T);
    real *r_before = real_new(n * T);
    for (int64_t k = 0; k < n * T; k++)
        r[k] = Y[k];
    for (int64_t i = 1; i <= steps; i++) {
        real u, w, v;
        ref_step(scheme, i, &u, &w, &v);
        for (int64_t k = 0; k < n * T; k++) {
            const real old = a[k];
            a[k] =
                old + u * (old - before[k]) + tau * w / (real)n * (r[k] + v * (r[k] - r_before[k]));
            before[k] = old;
            r_before[k] = r[k];
        }
        ref_residual(n, T, K, Y, a, r);
        visit(payload, i, a, r);
    }
    free(r_before);
    free(r);
    free(before);
    free(a);
}

/* to = K from, plus a random error of size `noise` |K| |from|. */
static inline void ref_product(int64_t n, const double *K, const real *from, real noise,
                               uint64_t *seed, real *to)
{
    real size = 0, top = 0;
    for (int64_t j = 0; j < n; j++) {
        to[j] = 0;
        size += from[j] * from[j];
        top += K[j * n + j];
        for (int64_t k = 0; k < n; k++)
            to[j] += (real)K[j * n + k] * from[k];
    }
    for (int64_t j = 0; j < n && noise > 0; j++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        to[j] += noise * ((real)(*seed >> 33) / 0x1p30L - 1) * top * sqrtl(size / (real)n);
    }
}

static inline real ref_dot(int64_t n, const real *a, const real *b)
{
    real sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += a[j] * b[j];
    return sum;
}

/* Textbook conjugate gradients (Hestenes and Stiefel) or conjugate residuals (Stiefel) for one
 * right-hand side, from 0.  alphas: steps x n.  `noise` > 0 shows how a machine of that precision
 * would go wrong, which measures the conditioning. */
static inline void ref_cg(int64_t n, const double *K, const real *y, int64_t steps, int residual,
                          real noise, uint64_t seed, real *alphas)
{
    real *x = real_new(n), *r = real_new(n), *d = real_new(n), *q = real_new(n), *Kr = real_new(n);
    memcpy(r, y, (size_t)n * sizeof *r);
    real rho = 1;
    for (int64_t i = 0; i < steps; i++) {
        if (residual)
            ref_product(n, K, r, noise, &seed, Kr);
        const real now = ref_dot(n, r, residual ? Kr : r), turn = i ? now / rho : 0;
        rho = now;
        for (int64_t j = 0; j < n; j++) {
            d[j] = r[j] + turn * d[j];
            q[j] = Kr[j] + turn * q[j];
        }
        if (!residual)
            ref_product(n, K, d, noise, &seed, q);
        const real step = rho / ref_dot(n, residual ? q : d, q);
        for (int64_t j = 0; j < n; j++) {
            x[j] += step * d[j];
            r[j] -= step * q[j];
        }
        memcpy(alphas + i * n, x, (size_t)n * sizeof *x);
    }
    free(Kr);
    free(q);
    free(d);
    free(r);
    free(x);
}

#endif

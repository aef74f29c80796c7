/* Decomposition of a symmetric matrix.
 *
 * Large matrices go through the steps of LAPACK's dsyevd: reduction to tridiagonal form, divide
 * and conquer there, and the way back of the vectors.  LAPACK's divide and conquer leaves a
 * second thread idle most of the time: it calls BLAS, but finds the roots of the secular
 * equation and their vectors one after the other.  Here two threads solve the two halves, and
 * all of them share the roots.
 *
 * The merge of the halves takes inner routines of LAPACK.  Where the library does not offer them
 * (SPECREG_HAVE_DLAED), dsyevd does everything. */
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "backend/cpu/lapack.h"
#include "backend/cpu/own.h"
#include "backend/cpu/reflectors.h"
#include "backend/threads.h"
#include "core/arena.h"
#include "core/openmp.h"

#if SPECREG_HAVE_DLAED

enum { COL = LAPACK_COL_MAJOR, LARGE = 500 };
/* dsyevd scales matrices whose largest entry lies outside of this range. */
static const double SMALLEST = 1e-140, GREATEST = 1e140;

/* LAPACK's own steps of a merge: which eigenvalues and vectors stay as they are, a root of the
 * secular equation, and the order of two sorted lists.  Indices are Fortran's, from 1 on. */
void dlaed2_(lapack_int *k, const lapack_int *n, const lapack_int *n1, double *d, double *q,
             const lapack_int *ldq, lapack_int *indxq, double *rho, double *z, double *lambda,
             double *w, double *q2, lapack_int *indx, lapack_int *indxc, lapack_int *indxp,
             lapack_int *coltyp, lapack_int *info);
void dlaed4_(const lapack_int *n, const lapack_int *i, const double *d, const double *z,
             double *delta, const double *rho, double *root, lapack_int *info);
void dlamrg_(const lapack_int *n1, const lapack_int *n2, const double *a, const lapack_int *step1,
             const lapack_int *step2, lapack_int *index);

/* LAPACK's own steps of dsytrd: the first nb columns of a matrix, with W for the update of the
 * rest, A - V W' - W V'; and a small matrix as a whole. */
void dlatrd_(const char *uplo, const lapack_int *n, const lapack_int *nb, double *A,
             const lapack_int *lda, double *e, double *tau, double *W, const lapack_int *ldw,
             size_t uplo_length);
void dsytd2_(const char *uplo, const lapack_int *n, double *A, const lapack_int *lda, double *d,
             double *e, double *tau, lapack_int *info, size_t uplo_length);

typedef struct merge {
    lapack_int n, half; /* rows, and those of the first half                          */
    lapack_int k;       /* eigenvalues that the merge changes                         */
    double rho;
    double *d, *Q;          /* n and n x n: of the halves, then of the whole, not sorted   */
    lapack_int *order;      /* n: the place of the smallest value, of the next one, ...    */
    double *z, *lambda, *w; /* n: the update, the poles, and z as dlaed2 left it       */
    double *Q2;             /* (n + 1) n: vectors that change, without zeros, then S       */
    lapack_int *index;      /* 4 n: dlaed2's indx, indxc, indxp, coltyp                    */
} merge;

/* Entries first .. last - 1 of the update vector for which the computed roots are exact (Loewner's
 * formula): eigenvectors that are computed from it are orthogonal. */
static void exact_update(const merge *m, lapack_int first, lapack_int last, double *exact)
{
    const int64_t n = m->n, k = m->k;
    for (int64_t i = first; i < last; i++)
        exact[i] = m->Q[i * n + i];
    for (int64_t j = 0; j < k; j++) {
        const double *delta = m->Q + j * n, pole = m->lambda[j];
        for (int64_t i = first; i < last && i < j; i++)
            exact[i] *= delta[i] / (m->lambda[i] - pole);
        for (int64_t i = first > j ? first : j + 1; i < last; i++)
            exact[i] *= delta[i] / (m->lambda[i] - pole);
    }
    for (int64_t i = first; i < last; i++)
        exact[i] = copysign(sqrt(-exact[i]), m->w[i]);
}

/* The vector of root j from its distances to the poles, with rows in the order of Q2. */
static void make_vector(const merge *m, const double *exact, int64_t j, double *s)
{
    const lapack_int k = m->k, *place = m->index + m->n;
    double *v = m->Q + j * (int64_t)m->n;
    for (lapack_int i = 0; i < k; i++)
        s[i] = exact[i] / v[i];
    const double size = cblas_dnrm2(k, s, 1);
    for (lapack_int i = 0; i < k; i++)
        v[i] = s[place[i] - 1] / size;
}

/* Roots into d, their vectors into the first k rows and columns of Q.  `exact` has k numbers,
 * `vector` k for every thread. */
static lapack_int solve_secular(merge *m, int threads, double *exact, double *vector)
{
    lapack_int bad = 0;
    const sri_region region = sri_region_enter();
#pragma omp parallel num_threads(threads)
    {
        const int thread = omp_get_thread_num(), of = omp_get_num_threads();
#pragma omp for schedule(dynamic, 16)
        for (lapack_int j = 1; j <= m->k; j++) {
            lapack_int info;
            dlaed4_(&m->k, &j, m->lambda, m->w, m->Q + (j - 1) * (int64_t)m->n, &m->rho,
                    &m->d[j - 1], &info);
            if (info)
#pragma omp atomic write
                bad = info;
        }
        if (m->k > 2) { /* up to two, dlaed4 gives the vectors themselves */
            exact_update(m, (lapack_int)((int64_t)m->k * thread / of),
                         (lapack_int)((int64_t)m->k * (thread + 1) / of), exact);
#pragma omp barrier
#pragma omp for schedule(static)
            for (lapack_int j = 0; j < m->k; j++)
                make_vector(m, exact, j, vector + (int64_t)thread * m->k);
        }
    }
    sri_region_leave(region);
    for (int64_t j = 0; j < m->k && m->k == 2; j++) {
        double *v = m->Q + j * m->n;
        const double both[2] = {v[0], v[1]};
        v[0] = both[m->index[m->n] - 1];
        v[1] = both[m->index[m->n + 1] - 1];
    }
    return bad;
}

/* `rows` rows of Q = Q2 S, where S is rows from .. from + inner - 1 of the k vectors in Q. */
static specreg_status multiply_half(specreg_context *ctx, const merge *m, lapack_int from,
                                    lapack_int inner, const double *Q2, lapack_int rows, double *S,
                                    double *out)
{
    enum { COLUMNS = 1024 }; /* between looks at whether to go on */
    const int64_t n = m->n;
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < m->k; j++)
        memcpy(S + j * inner, m->Q + j * n + from, (size_t)inner * sizeof *S);
    for (int64_t j = 0; j < m->k && inner; j += COLUMNS) {
        const lapack_int columns = m->k - j < COLUMNS ? (lapack_int)(m->k - j) : COLUMNS;
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1, Q2, rows,
                    S + j * inner, inner, 0, out + j * n, m->n);
        SRI_CALL(sri_poll(ctx));
    }
    for (int64_t j = 0; j < m->k && !inner; j++)
        memset(out + j * n, 0, (size_t)rows * sizeof *out);
    return SPECREG_OK;
}

static specreg_status merge_changed(specreg_context *ctx, merge *m)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const lapack_int *type =
        m->index + 3 * (int64_t)m->n; /* how many vectors are in the first half, ... */
    const lapack_int upper = type[0] + type[1], lower = type[1] + type[2];
    const int threads = sri_region_threads();
    double *exact, *vector;
    SRI_SCRATCH(ctx, &scratch, exact, m->k, 1);
    SRI_SCRATCH(ctx, &scratch, vector, threads, m->k);
    SRI_TRY(sri_lapack_status(ctx, "dlaed4", solve_secular(m, threads, exact, vector)));
    /* The lower half first: the rows of Q that it overwrites are not needed for the upper half. */
    double *second = m->Q2 + (int64_t)m->half * upper,
           *S = second + (int64_t)(m->n - m->half) * lower;
    SRI_TRY(multiply_half(ctx, m, type[0], lower, second, m->n - m->half, S, m->Q + m->half));
    SRI_TRY(multiply_half(ctx, m, 0, upper, m->Q2, m->half, S, m->Q));
    const lapack_int stay = m->n - m->k, up = 1, down = -1;
    dlamrg_(&m->k, &stay, m->d, &up, &down, m->order);
done:
    sri_arena_free(&scratch);
    return st;
}

/* From d and Q of the two halves, which stand on the diagonal, to those of the whole matrix, the
 * halves plus rho u u'.  z = Q'u is the last row of the first Q and the first row of the second. */
static specreg_status merge_halves(specreg_context *ctx, merge *m)
{
    const int64_t n = m->n, half = m->half;
    lapack_int info;
    cblas_dcopy(m->half, m->Q + half - 1, m->n, m->z, 1);
    cblas_dcopy(m->n - m->half, m->Q + half * n + half, m->n, m->z + half, 1);
    dlaed2_(&m->k, &m->n, &m->half, m->d, m->Q, &m->n, m->order, &m->rho, m->z, m->lambda, m->w,
            m->Q2, m->index, m->index + n, m->index + 2 * n, m->index + 3 * n, &info);
    SRI_CALL(sri_lapack_status(ctx, "dlaed2", info));
    if (m->k)
        return merge_changed(ctx, m);
    for (int64_t i = 0; i < n; i++)
        m->order[i] = (lapack_int)i + 1;
    return SPECREG_OK;
}

/* Half number `which` of T, by LAPACK, into its own block of Z. */
static lapack_int solve_half(lapack_int n, lapack_int half, int which, double *d, double *e,
                             double *Z)
{
    const int64_t from = which ? half : 0;
    return LAPACKE_dstedc(COL, 'I', which ? n - half : half, d + from, e + from, Z + from * (n + 1),
                          n);
}

/* Eigenvalues of a tridiagonal T into d and eigenvectors into the columns of Z, neither sorted:
 * `order` lists their places, from the smallest value on.  e is destroyed. */
static specreg_status divide(specreg_context *ctx, lapack_int n, double *d, double *e, double *Z,
                             lapack_int *order)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const lapack_int half = n / 2;
    const int64_t rows = n;
    merge m = {.n = n, .half = half, .rho = e[half - 1], .d = d, .Q = Z, .order = order};
    lapack_int info[2] = {0, 0};
    SRI_SCRATCH(ctx, &scratch, m.z, 3, rows);
    m.lambda = m.z + rows;
    m.w = m.lambda + rows;
    SRI_SCRATCH(ctx, &scratch, m.index, 4, rows);
    d[half - 1] -= fabs(m.rho);
    d[half] -= fabs(m.rho);
#pragma omp parallel for schedule(static)
    for (int64_t j = 0; j < rows; j++)
        memset(Z + j * rows, 0, (size_t)rows * sizeof *Z);
    const sri_region region = sri_region_enter();
#pragma omp parallel for num_threads(2) if (region.threads > 1)
    for (int which = 0; which < 2; which++)
        info[which] = solve_half(n, half, which, d, e, Z);
    sri_region_leave(region);
    for (int which = 0; which < 2; which++)
        SRI_TRY(sri_lapack_status(ctx, "dstedc", info[which]));
    for (lapack_int i = 0; i < n; i++)
        order[i] = i < half ? i + 1 : i - half + 1;
    SRI_SCRATCH(ctx, &scratch, m.Q2, rows + 1, rows); /* as in dlaed1 */
    SRI_TRY(sri_poll(ctx));
    SRI_TRY(merge_halves(ctx, &m));
done:
    sri_arena_free(&scratch);
    return st;
}

/* Values that differ by rounding alone may be out of order. */
static void sort(lapack_int n, const double *d, lapack_int *order)
{
    for (lapack_int i = 1; i < n; i++) {
        const lapack_int here = order[i];
        lapack_int j = i;
        for (; j > 0 && d[order[j - 1] - 1] > d[here - 1]; j--)
            order[j] = order[j - 1];
        order[j] = here;
    }
}

/* Z = Q Z, Q = H_0 ... H_n-2 of dsytrd; LAPACK's dormtr takes only 32 reflectors at a time. */
static specreg_status back_transform(specreg_context *ctx, int64_t n, const double *K,
                                     const double *tau, double *Z)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t all = n - 1;
    sri_reflectors r;
    SRI_TRY(sri_reflectors_new(ctx, &scratch, all, n, &r));
    for (int64_t first = (all - 1) / r.k * r.k; first >= 0; first -= SRI_REFLECTORS) {
        sri_reflectors_take(&r, all - first, K + first * (n + 1) + 1, n, tau + first);
        sri_reflectors_apply(&r, n, Z + first + 1, n);
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* dsytrd of the lower triangle, in its own blocks of columns, with looks at whether to go on: it
 * takes half of the time of all. */
static specreg_status tridiagonal(specreg_context *ctx, lapack_int n, double *K, double *d,
                                  double *e, double *tau)
{
    enum { BLOCK = 32 }; /* as LAPACK has it */
    specreg_status st = SPECREG_OK;
    const int64_t ld = n;
    const lapack_int block = BLOCK;
    lapack_int first = 0, info;
    double *W = NULL;
    SRI_ALLOC(ctx, W, n, BLOCK);
    for (; first < n - BLOCK; first += BLOCK) {
        const lapack_int left = n - first, rest = left - BLOCK;
        double *A = K + first * (ld + 1);
        dlatrd_("L", &left, &block, A, &n, e + first, tau + first, W, &n, 1);
        cblas_dsyr2k(CblasColMajor, CblasLower, CblasNoTrans, rest, BLOCK, -1, A + BLOCK, n,
                     W + BLOCK, n, 1, A + BLOCK * (ld + 1), n);
        for (int64_t j = 0; j < BLOCK; j++) {
            A[j * (ld + 1) + 1] = e[first + j];
            d[first + j] = A[j * (ld + 1)];
        }
        SRI_TRY(sri_poll(ctx));
    }
    const lapack_int left = n - first;
    dsytd2_("L", &left, K + first * (ld + 1), &n, d + first, e + first, tau + first, &info, 1);
    st = sri_lapack_status(ctx, "dsytd2", info);
done:
    sri_free(W);
    return st;
}

static double greatest(int64_t count, const double *v)
{
    double most = 0;
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

/* Eigenvalues ascending in s, vectors in the columns of K (column-major). */
static specreg_status decompose_large(specreg_context *ctx, lapack_int n, double *K, double *s)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t rows = n;
    double *d, *e, *tau, *Z;
    lapack_int *order;
    SRI_SCRATCH(ctx, &scratch, d, rows, 1);
    SRI_SCRATCH_ZERO(ctx, &scratch, e, rows, 1);
    SRI_SCRATCH(ctx, &scratch, tau, rows, 1);
    SRI_SCRATCH(ctx, &scratch, order, rows, 1);
    sri_mirror(rows, K,
               rows); /* dsytrd is faster where it reads what is the lower triangle to it */
    SRI_TRY(tridiagonal(ctx, n, K, d, e, tau));
    const double size = fmax(greatest(rows, d), greatest(rows - 1, e)); /* K is not 0 */
    cblas_dscal(n, 1 / size, d, 1);
    cblas_dscal(n - 1, 1 / size, e, 1);
    SRI_SCRATCH(ctx, &scratch, Z, rows, rows);
    SRI_TRY(divide(ctx, n, d, e, Z, order));
    sort(n, d, order);
    SRI_TRY(back_transform(ctx, n, K, tau, Z));
#pragma omp parallel for
    for (int64_t j = 0; j < rows; j++) {
        s[j] = size * d[order[j] - 1];
        memcpy(K + j * rows, Z + (order[j] - 1) * rows, (size_t)rows * sizeof *K);
    }
done:
    sri_arena_free(&scratch);
    return st;
}

specreg_status sri_own_eigen(specreg_context *ctx, int64_t n, double *K, double *s, bool vectors)
{
    const lapack_int order = (lapack_int)n;
    if (vectors && n >= LARGE) {
        const double most = LAPACKE_dlansy(COL, 'M', 'U', order, K, order);
        if (most > SMALLEST && most < GREATEST)
            return decompose_large(ctx, order, K, s);
    }
    return sri_lapack_eigen(ctx, n, K, s, vectors);
}

#else

specreg_status sri_own_eigen(specreg_context *ctx, int64_t n, double *K, double *s, bool vectors)
{
    return sri_lapack_eigen(ctx, n, K, s, vectors);
}

#endif

#include "sums/products.h"

#include <string.h>

#include "backend/blas.h"
#include "backend/factor.h"
#include "backend/slab.h"
#include "backend/vec.h"
#include "kernel/tile.h"
#include "sums/crew.h"
#include "sums/spectrum.h"

/* Kernel values are used a slice of rows at a time, while they lie in the cache.  Where they come
 * from matrix products, every slice has to prepare the centres: then it is longer. */
enum { SLICE_VALUES = 1 << 18, LEAST_SLICE = 64, WIDE_SLICE = 512 };

static int64_t slice_rows(const sri_whitening *w)
{
    const int64_t least = sri_kernel_goes_wide(w->kernel, w->centres) ? WIDE_SLICE : LEAST_SLICE;
    int64_t rows = SRI_BLOCK_ROWS;
    while (rows > least && rows * sri_whitening_rank(w) > SLICE_VALUES)
        rows /= 2;
    return rows;
}

/* What is computed at each place where a block is worked on. */
typedef struct workspace {
    double *K;      /* a slice of kernel values, rows x r        */
    double *F;      /* a slice of rows x columns, padded         */
    double *sum;    /* columns x r, of the block                 */
    double *moment; /* parts x q x q, of the block               */
    int64_t *rows;  /* parts                                     */
} workspace;

typedef struct product_pass {
    sri_products *p;
    int64_t count; /* columns */
    const int64_t *set;
    const double *C; /* coefficients of the centres, in panels; NULL: the first pass */
    int64_t ldf;     /* columns, padded                                              */
    double *part_moment;
    workspace *at_place;
    double *total; /* columns x r */
} product_pass;

/* Kernel values of a slice: kept ones, those to keep, or ones in the workspace. */
static specreg_status kernel_values(specreg_context *ctx, const product_pass *pass,
                                    const sri_row_block *block, int64_t first, sri_dense *K)
{
    const sri_whitening *w = pass->p->source->whitening;
    const int64_t number = block->first / SRI_BLOCK_ROWS;
    double *kept = number < pass->p->may_keep ? pass->p->kept[number] : NULL;
    double *at = kept ? kept + first * K->ld : (double *)K->x;
    const sri_rows_view rows = sri_view_slice(&block->rows.rows, first, K->rows);
    if (!kept || !pass->C)
        SRI_CALL(sri_kernel_block(ctx, w->kernel, &rows, w->centres, at, K->ld));
    K->x = at;
    return SPECREG_OK;
}

/* F of the first pass: targets and unpenalised terms, for every set. */
static void fill_targets(const product_pass *pass, const sri_sample *rows, int64_t first, int64_t n,
                         double *F)
{
    const int64_t l = pass->p->source->at.l, T = pass->p->source->at.T, q = T + l;
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < pass->p->sets; s++) {
            double *f = F + i * pass->ldf + s * q;
            memcpy(f, rows->Y + (first + i) * T, (size_t)T * sizeof *f);
            if (l)
                memcpy(f + T, rows->P + (first + i) * l, (size_t)l * sizeof *f);
        }
}

/* Rows get their weights, and do not count for the set that is without their part. */
static void weigh_and_mask(const product_pass *pass, const sri_row_block *block, int64_t first,
                           int64_t n, double *F)
{
    for (int64_t i = 0; i < n; i++) {
        double *f = F + i * pass->ldf;
        const double weight = block->rows.weight ? block->rows.weight[first + i] : 1;
        int64_t part = 0;
        while (block->start[part + 1] <= first + i)
            part++;
        for (int64_t c = 0; c < pass->count; c++)
            f[c] = pass->set[c] == part + 1 ? 0 : f[c] * weight;
    }
}

/* Adds u u' of the rows, u = (phi, y, 1), to the moments of their parts. */
static void add_moments(const sri_products *p, const sri_row_block *block, const workspace *work)
{
    const int64_t l = p->source->at.l, T = p->source->at.T, q = sri_products_order(p);
    const sri_sample *rows = &block->rows;
    int64_t part = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        while (block->start[part + 1] <= i)
            part++;
        double *M = work->moment + part * q * q;
        const double weight = rows->weight ? rows->weight[i] : 1;
        for (int64_t a = 0; a < q; a++) {
            const double u = a < l ? rows->P[i * l + a] : a < l + T ? rows->Y[i * T + a - l] : 1;
            for (int64_t b = 0; b < q; b++)
                M[a * q + b] += weight * u *
                                (b < l       ? rows->P[i * l + b]
                                 : b < l + T ? rows->Y[i * T + b - l]
                                             : 1);
        }
        work->rows[part]++;
    }
}

/* Room to keep the kernel values of a block, where it is one of the first. */
static specreg_status keep_room(specreg_context *ctx, const product_pass *pass,
                                const sri_row_block *block)
{
    const int64_t number = block->first / SRI_BLOCK_ROWS;
    if (pass->C || number >= pass->p->may_keep)
        return SPECREG_OK;
    SRI_NEW(ctx, pass->p->kept[number], block->rows.n, pass->p->source->at.r);
    return SPECREG_OK;
}

static specreg_status work_on_block(specreg_context *ctx, void *payload, const sri_row_block *block,
                                    int place)
{
    const product_pass *pass = payload;
    const workspace *work = &pass->at_place[place];
    const sri_slab_vec *vec = sri_vec_best()->slab;
    const int64_t r = pass->p->source->at.r, slice = slice_rows(pass->p->source->whitening);
    const int64_t q = sri_products_order(pass->p);
    const int64_t parts = sri_parting_parts(&pass->p->source->reader->parting);
    memset(work->moment, 0, (size_t)(parts * q * q) * sizeof *work->moment);
    memset(work->rows, 0, (size_t)parts * sizeof *work->rows);
    memset(work->sum, 0, (size_t)(pass->count * r) * sizeof *work->sum);
    SRI_CALL(keep_room(ctx, pass, block));
    for (int64_t first = 0; first < block->rows.n; first += slice) {
        const int64_t n = block->rows.n - first < slice ? block->rows.n - first : slice;
        sri_dense K = {n, r, work->K, r};
        SRI_CALL(kernel_values(ctx, pass, block, first, &K));
        const sri_slab slab = {n, r, K.x, r};
        if (pass->C)
            vec->times(&slab, pass->C, work->F, pass->ldf);
        else
            fill_targets(pass, &block->rows, first, n, work->F);
        weigh_and_mask(pass, block, first, n, work->F);
        vec->add_transposed(&slab, pass->count, work->F, pass->ldf, work->sum);
    }
    if (!pass->C)
        add_moments(pass->p, block, work);
    return SPECREG_OK;
}

/* Blocks are added in the order of rows. */
static specreg_status add_blocks(specreg_context *ctx, void *payload, int places)
{
    (void)ctx;
    const product_pass *pass = payload;
    const int64_t all = pass->count * pass->p->source->at.r, q = sri_products_order(pass->p);
    const int64_t parts = sri_parting_parts(&pass->p->source->reader->parting);
    for (int k = 0; k < places; k++) {
        const workspace *work = &pass->at_place[k];
        for (int64_t j = 0; j < all; j++)
            pass->total[j] += work->sum[j];
        for (int64_t j = 0; !pass->C && j < parts * q * q; j++)
            pass->part_moment[j] += work->moment[j];
        for (int64_t f = 0; !pass->C && f < parts; f++)
            pass->p->rows[f] += work->rows[f];
    }
    return SPECREG_OK;
}

static specreg_status make_workspaces(specreg_context *ctx, sri_arena *memory, product_pass *pass)
{
    const int places = sri_crew_size();
    const int64_t r = pass->p->source->at.r, slice = slice_rows(pass->p->source->whitening);
    const int64_t q = sri_products_order(pass->p);
    const int64_t parts = sri_parting_parts(&pass->p->source->reader->parting);
    SRI_ARENA_NEW(ctx, memory, pass->at_place, places, 1);
    for (int k = 0; k < places; k++) {
        workspace *work = &pass->at_place[k];
        SRI_ARENA_NEW(ctx, memory, work->K, slice, r);
        SRI_ARENA_NEW(ctx, memory, work->F, slice, pass->ldf);
        SRI_ARENA_NEW(ctx, memory, work->sum, pass->count, r);
        SRI_ARENA_NEW(ctx, memory, work->moment, parts * q, q);
        SRI_ARENA_NEW(ctx, memory, work->rows, parts, 1);
    }
    return SPECREG_OK;
}

static specreg_status run(specreg_context *ctx, product_pass *own)
{
    specreg_status st = SPECREG_OK;
    sri_arena memory = {0};
    int64_t rows;
    const sri_sums_source *source = own->p->source;
    const sri_pass pass = {work_on_block, add_blocks, own,
                           own->C ? own->p->stage : "first pass over the rows"};
    own->ldf = sri_slab_padded(own->count);
    memset(own->total, 0, (size_t)(own->count * source->at.r) * sizeof *own->total);
    const int64_t all = own->p->expected > 1 ? own->p->expected : 1, at = own->p->passes;
    SRI_TRY(make_workspaces(ctx, &memory, own));
    const sri_stage_round before = sri_stage_inner(ctx, at < all ? at : all - 1, all);
    st = sri_pass_run(ctx, &pass, source->reader, source->blocks, &rows);
    sri_stage_outer(ctx, before);
    own->p->passes++;
done:
    sri_arena_free(&memory);
    return st;
}

/* Substitution with L, a few columns at a time. */
typedef struct substitution {
    const sri_whitening *whitening;
    bool transposed;
    int64_t count;
    double *X;
} substitution;

static specreg_status solve_some(specreg_context *ctx, void *payload, int64_t job)
{
    (void)ctx;
    const substitution *s = payload;
    const int64_t r = sri_whitening_rank(s->whitening), first = job * SRI_COLUMNS_TOGETHER;
    const int64_t left = s->count - first;
    sri_lower_solve_rows(r, left < SRI_COLUMNS_TOGETHER ? left : SRI_COLUMNS_TOGETHER,
                         s->whitening->L, s->transposed, s->X + first * r, r);
    return SPECREG_OK;
}

specreg_status sri_products_solve(specreg_context *ctx, const sri_whitening *w, bool transposed,
                                  int64_t count, double *X)
{
    substitution s = {w, transposed, count, X};
    const int64_t jobs = (count + SRI_COLUMNS_TOGETHER - 1) / SRI_COLUMNS_TOGETHER;
    return sri_crew_run(ctx, jobs, sri_crew_size(), solve_some, &s);
}

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* y -= BE'(BE x), for one column of a set. */
static void take_out_terms(const sri_products *p, int64_t set, const double *x, double *y)
{
    const int64_t r = p->source->at.r, l = p->source->at.l;
    for (int64_t j = 0; j < l; j++) {
        const double *be = p->BE + (set * l + j) * r;
        const double by = dot(be, x, r);
        for (int64_t i = 0; i < r; i++)
            y[i] -= by * be[i];
    }
}

specreg_status sri_products_apply(specreg_context *ctx, sri_products *p, sri_set_columns columns,
                                  double *Y)
{
    specreg_status st = SPECREG_OK;
    const int64_t r = p->source->at.r, count = columns.count;
    double *Ct = NULL, *C = NULL;
    SRI_ALLOC(ctx, Ct, count, r);
    SRI_ALLOC(ctx, C, sri_slab_padded(count), r);
    memcpy(Ct, columns.X, (size_t)(count * r) * sizeof *Ct);
    SRI_TRY(sri_products_solve(ctx, p->source->whitening, true, count, Ct));
    sri_slab_pack(r, count, Ct, 1, r, C);
    product_pass pass = {.p = p, .count = count, .set = columns.set, .C = C, .total = Y};
    SRI_TRY(run(ctx, &pass));
    SRI_TRY(sri_products_solve(ctx, p->source->whitening, false, count, Y));
    for (int64_t c = 0; c < count; c++)
        take_out_terms(p, columns.set[c], columns.X + c * r, Y + c * r);
done:
    sri_free(C);
    sri_free(Ct);
    return st;
}

/* Moments of sets from those of parts. */
static void join_moments(const sri_products *p, int64_t parts, const double *part_moment)
{
    const int64_t qq = sri_products_order(p) * sri_products_order(p);
    for (int64_t s = 0; s < p->sets; s++)
        for (int64_t f = 0; f < parts; f++)
            for (int64_t j = 0; f != s - 1 && j < qq; j++)
                p->moment[s * qq + j] += part_moment[f * qq + j];
}

static specreg_status orthonormal_terms(specreg_context *ctx, const sri_products *p, int64_t set)
{
    const int64_t l = p->source->at.l, q = sri_products_order(p);
    double *E = p->E + set * l * l;
    for (int64_t i = 0; i < l; i++)
        memcpy(E + i * l, p->moment + set * q * q + i * q, (size_t)l * sizeof *E);
    return l ? sri_terms_orthonormal(ctx, l, E) : SPECREG_OK;
}

double sri_products_term_target(const sri_products *p, int64_t set, int64_t j, int64_t t)
{
    const int64_t l = p->source->at.l, q = sri_products_order(p);
    const double *E = p->E + set * l * l, *M = p->moment + set * q * q;
    double sum = 0;
    for (int64_t i = 0; i < l; i++)
        sum += E[i * l + j] * M[i * q + l + t];
    return sum;
}

/* BE and h of a set, from B (T + l) x r: its sums of y b' and phi b'. */
static void split_columns(const sri_products *p, int64_t set, const double *B)
{
    const int64_t r = p->source->at.r, l = p->source->at.l, T = p->source->at.T;
    double *BE = p->BE + set * l * r, *h = p->h + set * T * r;
    sri_gemm(true, false, l, r, l, 1, p->E + set * l * l, l, B + T * r, r, 0, BE, r);
    memcpy(h, B, (size_t)(T * r) * sizeof *h);
    for (int64_t t = 0; t < T; t++)
        for (int64_t j = 0; j < l; j++) {
            const double by = sri_products_term_target(p, set, j, t);
            for (int64_t i = 0; i < r; i++)
                h[t * r + i] -= by * BE[j * r + i];
        }
}

static specreg_status make_arrays(specreg_context *ctx, sri_products *p)
{
    const int64_t r = p->source->at.r, l = p->source->at.l, T = p->source->at.T;
    const int64_t q = sri_products_order(p);
    SRI_ARENA_NEW_ZERO(ctx, &p->memory, p->rows, sri_parting_parts(&p->source->reader->parting), 1);
    SRI_ARENA_NEW_ZERO(ctx, &p->memory, p->moment, p->sets * q, q);
    SRI_ARENA_NEW(ctx, &p->memory, p->h, p->sets * T, r);
    SRI_ARENA_NEW(ctx, &p->memory, p->E, p->sets * l, l);
    SRI_ARENA_NEW(ctx, &p->memory, p->BE, p->sets * l, r);
    SRI_ARENA_NEW_ZERO(ctx, &p->memory, p->kept, p->may_keep, 1);
    return SPECREG_OK;
}

/* How many blocks of kernel values fit into some bytes. */
static int64_t blocks_to_keep(const sri_sums_source *source, double bytes)
{
    enum { MOST = 1 << 16 };
    const double blocks = bytes / (8.0 * SRI_BLOCK_ROWS * (double)source->at.r);
    return blocks < 1 ? 0 : blocks < MOST ? (int64_t)blocks : MOST;
}

specreg_status sri_products_make(specreg_context *ctx, const sri_sums_source *source,
                                 int64_t judged, double keep, sri_products *out)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t r = source->at.r, width = source->at.T + source->at.l;
    const int64_t parts = sri_parting_parts(&source->reader->parting);
    int64_t *set;
    *out = (sri_products){.source = source,
                          .sets = judged + 1,
                          .may_keep = blocks_to_keep(source, keep)};
    const int64_t q = sri_products_order(out);
    product_pass pass = {.p = out, .count = out->sets * width};
    SRI_TRY(make_arrays(ctx, out));
    SRI_SCRATCH(ctx, &scratch, set, pass.count, 1);
    SRI_SCRATCH(ctx, &scratch, pass.total, pass.count, r);
    SRI_SCRATCH_ZERO(ctx, &scratch, pass.part_moment, parts * q, q);
    for (int64_t c = 0; c < pass.count; c++)
        set[c] = c / width;
    pass.set = set;
    SRI_TRY(run(ctx, &pass));
    join_moments(out, parts, pass.part_moment);
    SRI_TRY(sri_products_solve(ctx, source->whitening, false, pass.count, pass.total));
    for (int64_t s = 0; s < out->sets; s++) {
        SRI_TRY(orthonormal_terms(ctx, out, s));
        split_columns(out, s, pass.total + s * width * r);
    }
done:
    sri_arena_free(&scratch);
    if (st != SPECREG_OK)
        sri_products_free(out);
    return st;
}

specreg_status sri_products_apart(specreg_context *ctx, const sri_coupling *coupling,
                                  sri_products *p)
{
    specreg_status st = SPECREG_OK;
    const int64_t r = p->source->at.r, l = p->source->at.l, T = p->source->at.T;
    const int64_t q = sri_products_order(p);
    double *h = NULL;
    if (!coupling)
        return st;
    SRI_ALLOC(ctx, h, T, r);
    for (int64_t s = 0; s < p->sets; s++) {
        double *own = p->h + s * T * r;
        memcpy(h, own, (size_t)(T * r) * sizeof *h);
        sri_gemm(false, false, T, r, T, 1, coupling->U, T, h, r, 0, own, r);
        SRI_TRY(sri_sums_apart(ctx, coupling, q, l, p->moment + s * q * q));
    }
done:
    sri_free(h);
    return st;
}

void sri_products_free(sri_products *p)
{
    for (int64_t k = 0; p->kept && k < p->may_keep; k++)
        sri_free(p->kept[k]);
    sri_arena_free(&p->memory);
    *p = (sri_products){0};
}

void sri_products_terms(const sri_products *p, int64_t set, int64_t t, const double *x,
                        double *beta)
{
    const int64_t r = p->source->at.r, l = p->source->at.l;
    const double *E = p->E + set * l * l;
    memset(beta, 0, (size_t)l * sizeof *beta);
    for (int64_t j = 0; j < l; j++) {
        const double left =
            sri_products_term_target(p, set, j, t) - dot(p->BE + (set * l + j) * r, x, r);
        for (int64_t i = 0; i < l; i++)
            beta[i] += E[i * l + j] * left;
    }
}

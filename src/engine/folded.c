/* The masked recurrence of iterate.c for matrices that stay in the cache, where a step costs its
 * arithmetic.  With the rows sorted by fold and a column a vector of its own, K is made of blocks
 * K_ab (rows of fold a, columns of fold b), and
 *     r_a = y_a - sum_b K_ab alpha_b
 * leaves out what the masks make zero: the predictor without fold f has alpha_f = 0, and its r_f is
 * asked for at the points of the path only.  Of k + 1 predictors a block serves k - 1 (k where
 * a = b), and no lane of a register is idle, whatever k is.
 * K is packed in strips of rows, the last one of a fold filled up with rows of zeros. */
#include "engine/folded.h"

#include <math.h>
#include <string.h>

#include "backend/vec.h"
#include "core/arena.h"

enum {
    MOST_ROWS = 1500, /* beyond, passing over K costs more than the arithmetic */
    FEW_STEPS = 20,   /* packing K costs about as much as five of them         */
    SERIAL = 100000   /* entries of K below which one thread is faster         */
};

typedef struct strip { /* rows of one fold */
    int64_t place;
    int rows; /* SRI_STRIP, or half of it at the end of a fold */
    int64_t fold;
} strip;

typedef struct folded {
    sri_arena scratch;
    const sri_job *job;
    sri_sink *sink;
    int64_t next;   /* first point of the path not handed on yet            */
    int64_t C;      /* columns: T for every fold and T for all rows         */
    int64_t N;      /* places: the rows, each fold filled up                */
    int64_t *begin; /* folds + 1: the first place of each fold              */
    int64_t *size;  /* folds: its rows                                      */
    int64_t *row;   /* N: the row in a place, -1 where there is none        */
    strip *strip;   /* all of them, by place                                */
    int64_t strips;
    double *K;                         /* N x n: strip after strip, each column by column      */
    double *Y;                         /* T x N                                                */
    double *share;                     /* C: 1 / the mass of the rows that train a column      */
    double *alpha, *before, *residual; /* C x N                              */
    double *r_before;                  /* C x N, of iterations that look ahead; NULL */
    double *a1, *r1, *held_out;        /* n x T, as the sink takes them      */
} folded;

static int64_t filled_up(int64_t rows)
{
    return (rows + SRI_HALF_STRIP - 1) / SRI_HALF_STRIP * SRI_HALF_STRIP;
}

static int64_t places(const sri_job *job)
{
    int64_t N = 0;
    for (int64_t f = 0; f < job->problem.folds.per_repeat; f++)
        N += filled_up(sri_job_held_out(job, f));
    return N;
}

/* The strips run at the speed of a matrix product; while K is sorted there are two of it. */
sri_cost sri_folded_cost(const sri_job *job)
{
    const double n = (double)job->shape.n, N = (double)places(job);
    const double columns = (double)sri_job_columns(job), T = (double)job->problem.T;
    const double steps = sri_job_last(job);
    const double busy = columns - 2 * T + T / (double)job->problem.folds.per_repeat;
    return (sri_cost){.flops = steps * 2 * n * N * busy + 10 * n * n,
                      .values = n * n / 2,
                      .scalar = steps * 0.2 * N * columns,
                      .regions = n * n > SERIAL ? steps : 0,
                      .bytes = 8 * (n * n + n * N + 3 * N * columns + 4 * N * T)};
}

bool sri_folded_suits(const sri_job *job)
{
    const sri_folds *folds = &job->problem.folds;
    if (sri_job_differs(job) || job->problem.op->projection ||
        !sri_job_needs(job, SRI_NEED_FOLDS) || folds->repeats > 1 || folds->per_repeat < 2 ||
        job->shape.n > MOST_ROWS || sri_job_last(job) < FEW_STEPS)
        return false;
    const int64_t columns = sri_job_columns(job), lanes = (columns + 7) / 8 * 8;
    return places(job) * (columns - job->problem.T) <=
               job->shape.n * lanes && /* else many tiny folds */
           sri_folded_cost(job).bytes <= (double)job->request.memory / 2;
}

static void sort_rows(folded *s)
{
    const sri_job *job = s->job;
    for (int64_t i = 0; i < s->N; i++)
        s->row[i] = -1;
    for (int64_t f = 0; f < job->problem.folds.per_repeat; f++)
        s->begin[f + 1] = s->begin[f] + filled_up(sri_job_held_out(job, f));
    for (int64_t i = 0; i < job->problem.op->n; i++) {
        const int32_t f = job->problem.folds.of_row[i];
        s->row[s->begin[f] + s->size[f]++] = i;
    }
}

static void cut_strips(folded *s)
{
    for (int64_t f = 0; f < s->job->problem.folds.per_repeat; f++)
        for (int64_t i = s->begin[f]; i < s->begin[f + 1]; i += SRI_STRIP) {
            const int rows = s->begin[f + 1] - i < SRI_STRIP ? SRI_HALF_STRIP : SRI_STRIP;
            s->strip[s->strips++] = (strip){i, rows, f};
        }
}

static void sort_targets(folded *s)
{
    const int64_t T = s->job->problem.T;
    for (int64_t t = 0; t < T; t++)
        for (int64_t i = 0; i < s->N; i++)
            s->Y[t * s->N + i] = s->row[i] < 0 ? 0 : s->job->problem.Y[s->row[i] * T + t];
}

static void pack_strip(folded *s, const double *whole, const strip *p)
{
    const int64_t n = s->job->problem.op->n, *row = s->row + p->place;
    double *out = s->K + p->place * n;
    for (int64_t j = 0; j < s->N; j++) {
        if (s->row[j] < 0)
            continue;
        for (int k = 0; k < p->rows; k++)
            out[k] = row[k] < 0 ? 0 : whole[row[k] * n + s->row[j]];
        out += p->rows;
    }
}

static specreg_status pack(specreg_context *ctx, folded *s)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = s->job->problem.op->n;
    double *whole = NULL;
    SRI_ALLOC(ctx, whole, n, n);
    SRI_TRY(sri_op_fill(ctx, s->job->problem.op, true, whole));
#pragma omp parallel for schedule(static) if (n * n > SERIAL)
    for (int64_t i = 0; i < s->strips; i++)
        pack_strip(s, whole, &s->strip[i]);
done:
    sri_free(whole);
    return st;
}

static specreg_status start(specreg_context *ctx, folded *s)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const int64_t n = job->problem.op->n;
    SRI_SCRATCH_ZERO(ctx, &s->scratch, s->begin, job->problem.folds.per_repeat + 1, 1);
    SRI_SCRATCH_ZERO(ctx, &s->scratch, s->size, job->problem.folds.per_repeat, 1);
    SRI_SCRATCH(ctx, &s->scratch, s->row, s->N, 1);
    SRI_SCRATCH(ctx, &s->scratch, s->strip, s->N / SRI_HALF_STRIP, 1);
    SRI_SCRATCH(ctx, &s->scratch, s->K, s->N, n);
    SRI_SCRATCH(ctx, &s->scratch, s->Y, job->problem.T, s->N);
    SRI_SCRATCH(ctx, &s->scratch, s->share, s->C, 1);
    SRI_SCRATCH_ZERO(ctx, &s->scratch, s->alpha, s->C, s->N);
    SRI_SCRATCH_ZERO(ctx, &s->scratch, s->before, s->C, s->N);
    SRI_SCRATCH(ctx, &s->scratch, s->residual, s->C, s->N);
    if (job->path.filter->ops->iteration->looks_ahead)
        SRI_SCRATCH_ZERO(ctx, &s->scratch, s->r_before, s->C, s->N);
    SRI_SCRATCH_EACH(ctx, &s->scratch, n, job->problem.T, &s->a1, &s->r1, &s->held_out);
    for (int64_t c = 0; c < s->C; c++)
        s->share[c] = 1 / sri_job_mass(job, sri_job_column_fold(job, c));
    sort_rows(s);
    cut_strips(s);
    sort_targets(s);
    SRI_TRY(pack(ctx, s));
done:
    return st;
}

/* The residual before the product: y, and 0 in held-out rows that nobody asks for. */
static void start_residual(folded *s, bool held_out)
{
    const size_t bytes = (size_t)s->N * sizeof *s->Y;
    for (int64_t c = 0; c < s->C; c++) {
        const int64_t f = sri_job_column_fold(s->job, c);
        double *r = s->residual + c * s->N;
        memcpy(r, s->Y + c % s->job->problem.T * s->N, bytes);
        if (f >= 0 && !held_out)
            memset(r + s->begin[f], 0, (size_t)(s->begin[f + 1] - s->begin[f]) * sizeof *r);
    }
}

/* r -= K_ab alpha_b in a strip of fold a, for the columns that need it. */
static void apply_block(folded *s, const sri_vec *vec, const double *K, const strip *p, int64_t b,
                        bool held_out)
{
    const int64_t T = s->job->problem.T;
    const double *x[SRI_STRIP_COLUMNS];
    double *y[SRI_STRIP_COLUMNS];
    int count = 0;
    for (int64_t f = 0; f <= s->job->problem.folds.per_repeat; f++) {
        if (f == b || (f == p->fold && !held_out))
            continue;
        for (int64_t c = f * T; c < (f + 1) * T; c++) {
            x[count] = s->alpha + c * s->N + s->begin[b];
            y[count++] = s->residual + c * s->N + p->place;
            if (count == SRI_STRIP_COLUMNS) {
                vec->strip(K, p->rows, s->size[b], count, x, y);
                count = 0;
            }
        }
    }
    vec->strip(K, p->rows, s->size[b], count, x, y);
}

static void subtract_product(folded *s, const sri_vec *vec, bool held_out)
{
    const int64_t n = s->job->problem.op->n;
#pragma omp parallel for schedule(static) if (n * n > SERIAL)
    for (int64_t i = 0; i < s->strips; i++) {
        const strip *p = &s->strip[i];
        const double *K = s->K + p->place * n;
        for (int64_t b = 0; b < s->job->problem.folds.per_repeat; K += s->size[b++] * p->rows)
            apply_block(s, vec, K, p, b, held_out);
    }
}

static void update(folded *s, const sri_vec *vec, sri_step by)
{
    if (s->r_before)
        sri_look_ahead(s->C * s->N, by.v, s->residual, s->r_before);
    for (int64_t c = 0; c < s->C; c++) {
        const int64_t at = c * s->N;
        vec->recur(s->N, by.u, by.w * s->share[c], s->residual + at, s->alpha + at, s->before + at);
    }
}

/* Back to the order of the rows; the held-out residuals move out and leave 0. */
static void unsort(folded *s)
{
    const int64_t T = s->job->problem.T, N = s->N, all = s->C - T;
    for (int64_t i = 0; i < N; i++) {
        const int64_t row = s->row[i];
        for (int64_t t = 0; row >= 0 && t < T; t++) {
            double *own = s->residual + (s->job->problem.folds.of_row[row] * T + t) * N + i;
            s->a1[row * T + t] = s->alpha[(all + t) * N + i];
            s->r1[row * T + t] = s->residual[(all + t) * N + i];
            s->held_out[row * T + t] = *own;
            *own = 0;
        }
    }
}

static specreg_status put_points(specreg_context *ctx, folded *s, double step)
{
    const sri_job *job = s->job;
    unsort(s);
    for (; s->next < job->path.count && job->path.param[s->next] <= step; s->next++) {
        sri_path_point point = sri_job_point(job, s->next);
        point.alpha = s->a1;
        point.residual = s->r1;
        point.fold_residual = s->held_out;
        SRI_CALL(s->sink->put(ctx, s->sink, &point));
    }
    return SPECREG_OK;
}

specreg_status sri_folded_run(specreg_context *ctx, const sri_job *job, sri_sink *sink)
{
    specreg_status st = SPECREG_OK;
    folded s = {.job = job, .sink = sink, .C = sri_job_columns(job), .N = places(job)};
    const sri_vec *vec = sri_vec_best();
    SRI_TRY(start(ctx, &s));
    start_residual(&s, false);
    for (int64_t i = 1; s.next < job->path.count; i++) {
        const bool point = job->path.param[s.next] <= (double)i;
        update(&s, vec, job->path.filter->ops->iteration->recurrence(job->path.filter, i));
        start_residual(&s, point);
        subtract_product(&s, vec, point);
        if (point)
            SRI_TRY(put_points(ctx, &s, (double)i));
        SRI_TRY(sri_poll(ctx));
    }
done:
    sri_arena_free(&s.scratch);
    return st;
}

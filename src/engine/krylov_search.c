/* Masked Lanczos for a search: a Krylov space for every fold and output.
 *
 * A point of the path is done when what the predictor says of its held-out rows F is as exact as
 * the tolerance asks for.  With T the rows that train, mu = n_T lambda and r the residual of the
 * linear system, the error there is K_FT (K_TT + mu I)^{-1} r: what the predictor would say of the
 * held-out rows if it had been trained on r.  On the rows that train that is no longer than r;
 * held-out rows are rows like the others, but for what overfits: that does to r what it does to y,
 * and more, since r lies in the rough directions.  So the error is estimated by |r|, times twice
 * the ratio of the excess of y's held-out residuals over their least to its residuals on the rows
 * that train, as root mean squares, where that is above 1 (observed: the truth is 0.5 to 2 times
 * that).  A point is done when the estimate is within the tolerance, as a share of the least root
 * mean square of held-out residuals so far.
 *
 * What is certain: K is positive semi-definite, so that
 *     |K_FT (K_TT + mu I)^{-1} r|^2 <= |K_FF| min(|r|^2 / mu, r'K_TT r / mu^2).
 * r is a multiple of v_{k+1}, so r'K_TT r is known from the next entry of T: the space is used
 * without its last step.  |K_FF| is taken as n times the largest value of T_k.  This bound is
 * reported for the best point, from the space as it is at the end of the path.
 *
 * For filters other than Tikhonov's, 1 / g(0) stands for lambda and |r| is an indicator.
 *
 * Kernel values in single precision are enough while lambda is far above their rounding; the points
 * beyond begin again with double ones.  What rounding adds to r has a random direction: the
 * predictor takes a share df/n of it for signal, where n/(n - df) is about the ratio of held-out to
 * trained residuals, and what comes of it hardly changes the mean square of the held-out residuals,
 * being as good as orthogonal to them: ALLOWED times as much is tolerable.
 *
 * A linear kernel that is multiplied by its factors has exact products; there only the bases are in
 * single precision, and what that adds to T is all that rounding adds.
 *
 * The path goes from smooth to rough, and rough points take more steps: once the sink has seen
 * enough of them, the search ends; and points that would take too many steps are left to the
 * fallback. */
#include "engine/krylov_search.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "core/arena.h"
#include "engine/krylov_basis.h"
#include "engine/krylov_space.h"

enum { FIRST_CHECK = 16, BATCH = 8 };
static const double LEAST_SHARE = 0.01, ALLOWED = 4;

/* Of each column at each point of a batch, columns x BATCH. */
typedef struct estimates {
    double *defect;   /* |r|, 0 for what is exact                                      */
    double *noise;    /* what rounding to single precision adds to r, about            */
    double *trained;  /* the square of the residual on the rows that train             */
    double *share;    /* of a random vector, what the predictor takes for signal       */
    double *inflated; /* how much larger errors are on held-out rows, 1 or more        */
} estimates;

typedef struct state {
    sri_arena scratch;
    const sri_job *job;
    sri_sink *sink;
    sri_report *report;
    int64_t columns; /* folds x T */
    sri_basis *z;
    sri_fold_projection *projections; /* without each fold                              */
    int64_t next;     /* first point not handed on                                      */
    bool enough;      /* the sink wants no more                                         */
    double least;     /* mean square of the held-out residuals, the least so far        */
    int64_t best;     /* the point that has it, -1: none                                */
    double *least_of; /* columns: the same of each                                      */
    estimates e;
    int64_t length;   /* space for the coefficients of a point ...                      */
    double *x, *d;    /* ... columns x BATCH x length; length                           */
    double *F;        /* n x BATCH                                                      */
    double *held_out; /* BATCH x (repeats x n x T)                                      */
    double *X, *KX;   /* n x columns                                                    */
    bool single;      /* kernel values and bases in single precision                    */
    bool too_rough;   /* the next point is not for that                                 */
    int64_t taken;    /* steps, the last time                                           */
} state;

static bool is_polynomial(const sri_filter *f)
{
    return f->ops->iteration != NULL;
}

/* g(0), 1 / lambda for Tikhonov. */
static double gain_at_zero(const state *s, double param)
{
    double g, r;
    s->job->path.filter->ops->eval(s->job->path.filter, 0, &param, 1, &g, &r);
    return g;
}

/* The space of column c as it is used: without its last step, unless that made it whole. */
static sri_lanczos used_space(const state *s, int64_t c)
{
    sri_lanczos t = s->z[c].t;
    t.k -= !t.whole && t.k > 1;
    return t;
}

/* |r| for coefficients x at a point. */
static double defect_of(const state *s, const sri_lanczos *t, double param, const double *x)
{
    if (t->k == 0 || t->whole || (is_polynomial(s->job->path.filter) && (double)t->k >= param))
        return 0;
    const double b = t->b[t->k - 1], defect = b * fabs(x[t->k - 1]);
    /* as good as rounding lets it be? */
    return defect <= 4 * DBL_EPSILON * b * gain_at_zero(s, param) ? 0 : defect * t->norm;
}

/* | |y| e_1 - T_k x |y| |^2: what the predictor leaves of its own rows, in the space. */
static double trained_square(const sri_lanczos *t, const double *x)
{
    double sum = 0;
    for (int64_t j = 0; j < t->k; j++) {
        const double v = (j == 0) - t->a[j] * x[j] - (j ? t->b[j - 1] * x[j - 1] : 0) -
                         (j + 1 < t->k ? t->b[j] * x[j + 1] : 0);
        sum += v * v;
    }
    return t->norm * t->norm * sum;
}

/* In single precision K/n is off by the operator's rounding, and T by that of the basis (see
 * krylov_basis.h). */
static double noise_of(const state *s, const sri_lanczos *t, int64_t c, const double *x)
{
    const sri_job *job = s->job;
    const double scale = job->problem.scale ? job->problem.scale[c % job->problem.T] : 1;
    double square = 0, tail = 0;
    for (int64_t j = 0; s->single && j < t->k; j++) {
        square += x[j] * x[j];
        if (j >= SRI_BASIS_HEAD)
            tail = fmax(tail, t->a[j] + 2 * t->b[j]);
    }
    tail *= 0.2 * FLT_EPSILON / sqrt((double)t->n);
    return t->norm * (scale * job->problem.op->rounding + tail) * sqrt(square);
}

/* g(T_k) e_1 of column c for `count` points from s->next, and what they leave. */
static specreg_status solve(specreg_context *ctx, state *s, int64_t c, int64_t count)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const sri_filter *f = job->path.filter;
    const sri_lanczos t = used_space(s, c);
    const int64_t k = t.k;
    sri_arena scratch = {0};
    double *values, *Z = NULL;
    if (k && !f->ops->resolvents)
        SRI_TRY(sri_lanczos_spectrum(ctx, &t, &scratch, &values, &Z));
    for (int64_t m = 0; m < count; m++) {
        const double param = job->path.param[s->next + m];
        double *x = s->x + (c * BATCH + m) * s->length, g, r;
        if (k && f->ops->resolvents) {
            const sri_systems of = f->ops->resolvents(f, param);
            sri_krylov_resolvent(&t, of.lambda, of.order, s->d, x);
        }
        for (int64_t j = 0; Z && j < k; j++) {
            f->ops->eval(f, values[j], &param, 1, &g, &r);
            s->d[j] = g * Z[j * k];
        }
        if (Z)
            sri_gemm(true, false, k, 1, k, 1, Z, k, s->d, 1, 0, x, 1);
        s->e.defect[c * BATCH + m] = defect_of(s, &t, param, x);
        s->e.noise[c * BATCH + m] = noise_of(s, &t, c, x);
        s->e.trained[c * BATCH + m] = trained_square(&t, x);
        s->e.inflated[c * BATCH + m] = 1; /* until the held-out residuals are known */
        s->e.share[c * BATCH + m] = LEAST_SHARE;
    }
done:
    sri_arena_free(&scratch);
    return st;
}

/* Whether an error of that size in the residual of column c is within the tolerance at point m
 * of the batch. */
static bool is_small(const state *s, int64_t c, int64_t m, double error)
{
    const sri_lanczos *t = &s->z[c].t;
    return s->e.inflated[c * BATCH + m] * error <=
           s->job->request.tolerance * sqrt(s->least * (double)(t->n - t->n_held));
}

static bool is_done(state *s, int64_t c, int64_t m)
{
    if (!is_small(s, c, m, s->e.noise[c * BATCH + m] * sqrt(s->e.share[c * BATCH + m]) / ALLOWED)) {
        s->too_rough = true; /* if it comes to this point */
        return false;
    }
    return is_small(s, c, m, s->e.defect[c * BATCH + m]);
}

static bool all_done(state *s, int64_t m)
{
    s->too_rough = false;
    for (int64_t c = 0; c < s->columns; c++)
        if (!is_done(s, c, m))
            return false;
    return true;
}

/* How many points from s->next on are done, as far as is known without the held-out residuals; all
 * where these are the last steps. */
static specreg_status solve_batch(specreg_context *ctx, state *s, bool last, int64_t *count)
{
    int64_t m = sri_job_points(s->job, s->next, BATCH);
    for (int64_t c = 0; c < s->columns && m > 0; c++) {
        SRI_CALL(solve(ctx, s, c, m));
        int64_t done = 0;
        s->too_rough = false;
        while (done < m && is_done(s, c, done))
            done++;
        m = last && !s->too_rough ? m : done;
        if (m > 0)
            s->too_rough = false;
        if (m == 0)
            break;
    }
    *count = m;
    return SPECREG_OK;
}

/* Residuals of the rows that column c holds out, at the `count` points of the batch. */
static void hold_out(state *s, int64_t c, int64_t count)
{
    const sri_job *job = s->job;
    const sri_lanczos t = used_space(s, c);
    const int64_t n = job->problem.op->n, T = job->problem.T,
                  size = job->problem.folds.repeats * n * T;
    double *out = s->held_out + c / T / job->problem.folds.per_repeat * n * T + c % T;
    if (t.k) /* F (n_held x count) */
        sri_gemm(true, true, t.n_held, count, t.k, t.norm / t.mass, t.H, t.n_held,
                 s->x + c * BATCH * s->length, s->length, 0, s->F, count);
    else
        memset(s->F, 0, (size_t)(t.n_held * count) * sizeof *s->F);
    double sum[BATCH] = {0};
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!sri_fold_holds(t.fold, i))
            continue;
        for (int64_t m = 0; m < count; m++) {
            const double v = t.held_y[at] - s->F[at * count + m];
            out[m * size + i * T] = v;
            sum[m] += v * v;
        }
        at++;
    }
    for (int64_t m = 0; m < count; m++) {
        const double square = sum[m] / (double)t.n_held;
        const double trained = fmax(DBL_MIN, s->e.trained[c * BATCH + m] / (double)(n - t.n_held));
        s->least_of[c] = fmin(s->least_of[c], square);
        s->e.inflated[c * BATCH + m] = fmax(1, 2 * sqrt((square - s->least_of[c]) / trained));
        s->e.share[c * BATCH + m] =
            fmax(LEAST_SHARE, trained < square ? 1 - sqrt(trained / square) : 0);
    }
}

static double mean_square(const double *v, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++)
        sum += v[k] * v[k];
    return sum / (double)n;
}

/* Space for coefficients of k steps. */
static specreg_status reserve(specreg_context *ctx, state *s, int64_t k)
{
    if (k <= s->length)
        return SPECREG_OK;
    sri_free(s->d);
    sri_free(s->x);
    s->d = s->x = NULL;
    s->length = 2 * k;
    SRI_NEW(ctx, s->x, s->columns * BATCH, s->length);
    SRI_NEW(ctx, s->d, s->length, 1);
    return SPECREG_OK;
}

/* A point that is not certain enough comes as it is: its largest defect is reported. */
static void note_defect(state *s, int64_t m)
{
    for (int64_t c = 0; c < s->columns; c++)
        s->report->bound =
            fmax(s->report->bound, s->e.defect[c * BATCH + m] / fmax(s->z[c].t.norm, DBL_MIN));
}

/* Hands on the points that are done, in order; all where these are the last steps. */
static specreg_status put_done(specreg_context *ctx, state *s, bool last)
{
    const sri_job *job = s->job;
    const int64_t size = job->problem.folds.repeats * job->problem.op->n * job->problem.T;
    int64_t count, m;
    do {
        SRI_CALL(solve_batch(ctx, s, last, &count));
        for (int64_t c = 0; c < s->columns && count; c++)
            hold_out(s, c, count);
        for (m = 0; m < count && !s->enough; m++) {
            const double square = mean_square(s->held_out + m * size, size);
            if (square < s->least) {
                s->least = square;
                s->best = s->next;
            }
            if (!all_done(s, m)) { /* the held-out residuals say so, or the least is less now */
                if (!last || s->too_rough)
                    break;
                note_defect(s, m);
            }
            sri_path_point point = sri_job_point(job, s->next);
            point.fold_residual = s->held_out + m * size;
            SRI_CALL(s->sink->put(ctx, s->sink, &point));
            s->enough = s->sink->enough && s->sink->enough(s->sink);
            s->next++;
        }
    } while (count == BATCH && m == count && !s->enough);
    return SPECREG_OK;
}

/* The largest eigenvalue of T_k, from above. */
static double top(const sri_lanczos *t)
{
    double most = 0;
    for (int64_t j = 0; j < t->k; j++)
        most = fmax(most, t->a[j] + (j ? t->b[j - 1] : 0) + (j + 1 < t->k ? t->b[j] : 0));
    return most;
}

/* The bound on the error of the best point, as a share of the root mean square of its held
 * residuals, from the spaces as they are. */
static specreg_status certify(specreg_context *ctx, state *s)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const int64_t next = s->next;
    const double g0 = gain_at_zero(s, job->path.param[s->best]);
    double sum = 0, rows = 0;
    s->next = s->best;
    for (int64_t c = 0; c < s->columns; c++) {
        const sri_lanczos t = used_space(s, c);
        SRI_TRY(solve(ctx, s, c, 1));
        const double along = s->z[c].t.k > t.k ? fmax(0, t.a[t.k]) : INFINITY;
        const double gain = g0 * fmin(1, along * g0) * top(&t) * job->problem.op->mass / t.mass;
        const double defect = s->e.defect[c * BATCH] + s->e.noise[c * BATCH];
        sum += defect > 0 ? gain * defect * defect : 0;
        rows += (double)t.n_held;
    }
    s->report->certain = sqrt(sum / (rows * s->least));
done:
    s->next = next;
    return st;
}

static bool all_whole(const state *s)
{
    for (int64_t c = 0; c < s->columns; c++)
        if (!s->z[c].t.whole)
            return false;
    return true;
}

static specreg_status start(specreg_context *ctx, state *s)
{
    const sri_job *job = s->job;
    for (int64_t c = 0; c < s->columns; c++) {
        const sri_lanczos_source source =
            sri_krylov_source(job, s->projections, c % job->problem.T, c / job->problem.T);
        SRI_CALL(sri_basis_start(ctx, &s->z[c], &source, s->single));
    }
    return SPECREG_OK;
}

static void free_spaces(state *s)
{
    for (int64_t c = 0; s->z && c < s->columns; c++)
        sri_basis_free(&s->z[c]);
}

/* Step after step until all points are handed on, the sink has enough, or the rest is not for
 * single precision. */
static specreg_status follow_path(specreg_context *ctx, state *s, int64_t limit, bool gives_up)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const int64_t first = s->next;
    int64_t k = 0, next_check = FIRST_CHECK;
    SRI_TRY(start(ctx, s));
    for (;;) {
        const bool whole = all_whole(s), last = k == limit || whole;
        if (k == next_check || last) {
            SRI_TRY(reserve(ctx, s, k));
            SRI_TRY(put_done(ctx, s, whole || (last && !gives_up)));
            next_check = k + (k / 16 > 4 ? k / 16 : 4);
        }
        if (s->next == job->path.count || s->enough || s->too_rough || last)
            break;
        SRI_TRY(sri_basis_step(ctx, job, s->z, s->columns, s->X, s->KX));
        k++;
    }
    if (s->best >= first)
        SRI_TRY(certify(ctx, s));
    s->taken = k;
    s->report->steps = k > s->report->steps ? k : s->report->steps;
done:
    free_spaces(s);
    return st;
}

/* The rows by fold, so that the zeros of those held out lie together; NULL where folds are too
 * small for that, or too few. */
static specreg_status rows_by_fold(specreg_context *ctx, const sri_job *job, int64_t **order)
{
    const int64_t n = job->problem.op->n;
    int64_t count = 0;
    *order = NULL;
    if (job->problem.folds.per_repeat < 2 || n / job->problem.folds.per_repeat < 2 * SRI_PANEL)
        return SPECREG_OK;
    SRI_NEW(ctx, *order, n, 1);
    for (int64_t f = -1; f < job->problem.folds.per_repeat; f++)
        for (int64_t i = 0; i < n; i++)
            if (job->problem.folds.of_row[i] == f)
                (*order)[count++] = i;
    return SPECREG_OK;
}

/* In double precision it takes as many steps as in single to come as far, and more to go on. */
static bool worth_beginning_again(int64_t taken, int64_t again)
{
    return taken + taken / 8 < again;
}

/* The number of steps in single precision with the same cost.  Cost grows with the square of the
 * steps; a step in double precision costs two. */
static int64_t equivalent_single_steps(int64_t single, int64_t in_double)
{
    return (int64_t)sqrt((double)single * (double)single +
                         2 * (double)in_double * (double)in_double);
}

static specreg_status state_new(specreg_context *ctx, state *s)
{
    specreg_status st = SPECREG_OK;
    const sri_job *job = s->job;
    const int64_t n = job->problem.op->n, T = job->problem.T;
    SRI_SCRATCH_EACH(ctx, &s->scratch, n, s->columns, &s->X, &s->KX);
    SRI_SCRATCH_ZERO(ctx, &s->scratch, s->z, s->columns, 1);
    SRI_SCRATCH_ZERO(ctx, &s->scratch, s->held_out, BATCH * job->problem.folds.repeats * n, T);
    estimates *e = &s->e;
    SRI_SCRATCH_EACH(ctx, &s->scratch, s->columns, BATCH, &e->defect, &e->noise, &e->trained,
                     &e->share, &e->inflated);
    SRI_SCRATCH(ctx, &s->scratch, s->least_of, s->columns, 1);
    for (int64_t c = 0; c < s->columns; c++)
        s->least_of[c] = INFINITY;
    SRI_SCRATCH(ctx, &s->scratch, s->F, n, BATCH);
    s->least = mean_square(job->problem.Y, n * T);
    SRI_TRY(sri_job_projections_make(ctx, job, &s->projections));
done:
    return st;
}

static void state_free(state *s)
{
    free_spaces(s);
    sri_job_projections_free(s->job, s->projections);
    sri_free(s->d);
    sri_free(s->x);
    sri_arena_free(&s->scratch);
}

/* Whether points are left that single precision does not serve, or that it was not there for, and
 * that double precision is to try. */
static bool goes_on_in_double(const state *s, sri_krylov_patience patience)
{
    if (s->next == s->job->path.count || s->enough)
        return false;
    return !s->single || (s->too_rough &&
                          (!patience.gives_up || worth_beginning_again(s->taken, patience.again)));
}

specreg_status sri_krylov_search(specreg_context *ctx, const sri_job *job,
                                 sri_krylov_patience patience, sri_sink *sink, sri_report *report)
{
    specreg_status st = SPECREG_OK;
    sri_op *op = job->problem.op;
    state s = {.job = job,
               .sink = sink,
               .report = report,
               .columns = sri_job_folds(job) * job->problem.T,
               .best = -1};
    int64_t *order = NULL;
    SRI_TRY(state_new(ctx, &s));
    SRI_TRY(rows_by_fold(ctx, job, &order));
    SRI_TRY(sri_op_prepare_single(ctx, op, job->request.memory / 2, order, &s.single));
    if (!s.single && sri_shape_by_factors(&job->shape)) { /* of the bases alone */
        SRI_TRY(sri_op_prepare(ctx, op, job->request.memory / 2));
        s.single = true;
        patience.again /= 2; /* what memory has space for */
    }
    if (s.single)
        SRI_TRY(follow_path(ctx, &s, patience.limit, patience.gives_up));
    const int64_t single = s.taken;
    report->effort = single;
    if (goes_on_in_double(&s, patience)) {
        const bool anew = !s.single;
        s.single = s.too_rough = false;
        SRI_TRY(sri_op_prepare(ctx, op, job->request.memory / 2));
        SRI_TRY(follow_path(ctx, &s, anew ? patience.limit : patience.again, patience.gives_up));
        report->effort = anew ? s.taken : equivalent_single_steps(single, s.taken);
    }
    if (s.next < job->path.count && !s.enough) {
        report->effort = INT64_MAX;
        SRI_TRY(sri_op_prepare(ctx, op, 0)); /* frees what it can */
        SRI_TRY(
            sink->put(ctx, sink,
                      &(sri_path_point){.index = s.next, .to_fallback = job->path.count - s.next}));
    }
done:
    state_free(&s);
    sri_free(order);
    return st;
}

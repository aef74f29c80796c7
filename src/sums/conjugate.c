#include "sums/cg_columns.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "engine/engine.h"
#include "sums/crew.h"

/* Steps before the residual is computed anew, and how often that begins again at most. */
enum { MOST_ITERATIONS = 400, MOST_RESTARTS = 12 };

bool sri_goes_by_steps(const sri_filter *filter)
{
    return filter->ops->iteration || sri_filter_nonlinear(filter) != SRI_LINEAR;
}

const char *sri_conjugate_refuses(const sri_sums_spec *spec)
{
    const sri_filter *f = spec->search->filter;
    const sri_by_sums how = spec->search->rule->ops->by_sums;
    const sri_values *path = spec->search->path;
    if (how == SRI_SUMS_LEFT_OUT || how == SRI_SUMS_TRAINING)
        return "scores need effective dimensions or leverages: take kfold or holdout";
    if (sri_has_own_rows(spec->problem))
        return "outputs train on some classes only: take solver=sums, or another coding";
    if (!f->ops->resolvents && !sri_goes_by_steps(f))
        return "the filter is not made of solves or of steps: take tikhonov, iterated, landweber, "
               "nu or cg";
    if (f->ops->iteration && f->step_rule != SRI_STEP_AUTO)
        return "a step that is not step=auto has to be checked against the largest eigenvalue";
    if (sri_goes_by_steps(f) && (!path || path->v[path->count - 1] > SRI_MOST_STEPS))
        return "every step is a pass over the rows: give --param t= with at most 1000 steps";
    if (spec->search->checkpoint && sri_goes_by_steps(f))
        return "a checkpoint keeps sums, or the columns of solves, and the filter takes steps";
    return spec->given ? "sums are given" : NULL;
}

static void add(int64_t n, double a, const double *x, double *y)
{
    for (int64_t i = 0; i < n; i++)
        y[i] += a * x[i];
}

/* A new right side, for the next of several solves: (G + mu I) x = h + mu x_before, mu = mass
 * lambda. */
static void next_solve(const sri_cg_columns *g, sri_cg_column *c)
{
    const double mu = c->mass * c->lambda;
    c->at.solves--;
    c->at.restarts = 0;
    for (int64_t i = 0; i < g->r; i++) {
        const double change = mu * (c->x[i] - c->before[i]);
        c->b[i] += change;
        c->r[i] += change;
        c->before[i] = c->x[i];
    }
    c->at.residual = INFINITY;
    c->at.steps = 0;
    c->at.state = SRI_CG_STEPPING;
}

/* The residual from a product with the solution; one that is too large begins again, while that
 * helps. */
static void check(const sri_cg_columns *g, sri_cg_column *c, const double *Gx)
{
    const double mu = c->mass * c->lambda, before = c->at.residual;
    for (int64_t i = 0; i < g->r; i++)
        c->r[i] = c->b[i] - Gx[i] - mu * c->x[i];
    c->at.residual = c->size > 0 ? sri_norm(g->r, c->r) / c->size : 0;
    const bool reached = c->at.residual <= g->q->residual;
    const bool hopeless = !(c->at.residual <= before / 2) || c->at.restarts++ >= MOST_RESTARTS;
    const bool worse = !(c->at.residual <= before);
    c->at.state = reached || hopeless ? SRI_CG_DONE : SRI_CG_STEPPING;
    c->at.steps = 0;
    memcpy(worse ? c->x : c->kept, worse ? c->kept : c->x, (size_t)g->r * sizeof *c->x);
    c->at.residual = worse ? before : c->at.residual;
    if (c->at.state != SRI_CG_DONE)
        return;
    c->at.worst = fmax(c->at.worst, c->at.residual);
    if (c->at.solves > 1)
        next_solve(g, c);
}

/* One step of conjugate gradients. */
static void step(const sri_cg_columns *g, sri_cg_column *c, double *Gp)
{
    const int64_t r = g->r;
    add(r, c->mass * c->lambda, c->p, Gp);
    const double curvature = sri_dot(r, c->p, Gp);
    if (!(curvature > 0)) { /* rounding: begin again */
        c->at.state = SRI_CG_CHECKING;
        return;
    }
    const double a = c->at.rz / curvature;
    add(r, a, c->p, c->x);
    add(r, -a, Gp, c->r);
    if (sri_norm(r, c->r) <= 0.7 * g->q->residual * c->size || ++c->at.steps >= MOST_ITERATIONS)
        c->at.state = SRI_CG_CHECKING;
}

static specreg_status advance(specreg_context *ctx, void *payload, int64_t job)
{
    (void)ctx;
    const sri_cg_columns *g = payload;
    sri_cg_column *c = &g->column[g->active[job]];
    double *Y = g->Y + job * g->r;
    if (c->at.state == SRI_CG_STEPPING)
        step(g, c, Y);
    else
        check(g, c, Y);
    return SPECREG_OK;
}

/* p = z + (r'z / r'z of the step before) p */
static specreg_status turn(specreg_context *ctx, void *payload, int64_t job)
{
    (void)ctx;
    const sri_cg_columns *g = payload;
    sri_cg_column *c = &g->column[g->active[job]];
    const double *z = g->Y + job * g->r;
    if (c->at.state != SRI_CG_STEPPING)
        return SPECREG_OK;
    const double rz = sri_dot(g->r, c->r, z);
    for (int64_t i = 0; i < g->r; i++)
        c->p[i] = c->at.steps ? z[i] + rz / c->at.rz * c->p[i] : z[i];
    c->at.rz = rz;
    return SPECREG_OK;
}

/* Directions of the columns that step.  Those that wait for a check go along, for nothing. */
static specreg_status choose_directions(specreg_context *ctx, sri_cg_columns *g)
{
    for (int64_t k = 0; k < g->n_active; k++) {
        const sri_cg_column *c = &g->column[g->active[k]];
        memcpy(g->X + k * g->r, c->r, (size_t)g->r * sizeof *g->X);
        g->lambda[k] = c->lambda;
        g->mass[k] = c->mass;
    }
    const sri_shifted_columns columns = {g->n_active, g->lambda, g->mass, g->X};
    SRI_CALL(sri_sums_preconditioner_apply(ctx, g->preconditioner, columns, g->Y));
    return sri_crew_run(ctx, g->n_active, sri_crew_size(), turn, g);
}

/* Columns that are done leave. */
static void leave(sri_cg_columns *g)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < g->n_active; k++)
        if (g->column[g->active[k]].at.state != SRI_CG_DONE)
            g->active[kept++] = g->active[k];
    g->n_active = kept;
}

/* The work of conjugate gradients: columns, and where they are kept. */
typedef struct solving {
    sri_cg_columns g;
    sri_sums_path **path;
    sri_conjugate_facts *facts;
    sri_cg_checkpoint file; /* no path: there is none */
} solving;

/* Writes the columns: those of g, which begin with number `first`, now and then; or that all are
 * done. */
static specreg_status keep(specreg_context *ctx, solving *s, int64_t first, bool at_work)
{
    if (!s->file.file.path || (at_work && !sri_checkpoint_due(&s->file.file)))
        return SPECREG_OK;
    s->file.progress = (sri_cg_progress){.first = first,
                                         .count = at_work ? s->g.count : 0,
                                         .passes = s->g.products->passes,
                                         .sample = s->facts->sample,
                                         .unreached = s->facts->unreached,
                                         .residual = s->facts->residual};
    return sri_cg_keep(ctx, &s->file, at_work ? &s->g : NULL, s->g.products->sets, s->path);
}

/* All passes of the columns from `first` on, or those that are left. */
static specreg_status iterate(specreg_context *ctx, solving *s, int64_t first)
{
    sri_cg_columns *g = &s->g;
    const bool goes_on = s->file.goes_on;
    if (goes_on)
        SRI_CALL(sri_cg_restore(ctx, &s->file, g, g->products->sets, s->path));
    leave(g);
    if (!goes_on)
        SRI_CALL(choose_directions(ctx, g));
    while (g->n_active) {
        for (int64_t k = 0; k < g->n_active; k++) {
            const sri_cg_column *c = &g->column[g->active[k]];
            memcpy(g->X + k * g->r, c->at.state == SRI_CG_STEPPING ? c->p : c->x,
                   (size_t)g->r * sizeof *g->X);
            g->set[k] = c->set;
        }
        SRI_CALL(sri_products_apply(ctx, g->products, (sri_set_columns){g->n_active, g->set, g->X},
                                    g->Y));
        SRI_CALL(sri_crew_run(ctx, g->n_active, sri_crew_size(), advance, g));
        leave(g);
        SRI_CALL(choose_directions(ctx, g));
        SRI_CALL(keep(ctx, s, first, true));
    }
    return SPECREG_OK;
}

/* The column with number c among those of all sets, points and outputs. */
static void column_start(const sri_cg_columns *g, int64_t number, sri_cg_column *c)
{
    const sri_sums_question *q = g->q->sums;
    const int64_t T = g->products->source->at.T, count = q->path.count;
    c->set = number / (count * T);
    c->point = number / T % count;
    c->output = number % T;
    const sri_systems of = q->filter.ops->resolvents(&q->filter, q->path.v[c->point]);
    const double a = q->coupling ? q->coupling->a[c->output] : 1;
    c->lambda = of.lambda / a; /* a (a G + mu I)^-1 = (G + (mu / a) I)^-1 */
    c->mass = sri_products_mass(g->products, c->set);
    memcpy(c->b, g->products->h + (c->set * T + c->output) * g->r, (size_t)g->r * sizeof *c->b);
    memcpy(c->r, c->b, (size_t)g->r * sizeof *c->b);
    c->size = sri_norm(g->r, c->b);
    c->at.residual = INFINITY;
    c->at.solves = of.order;
    c->at.state = c->size > 0 && a > 0 ? SRI_CG_STEPPING : SRI_CG_DONE;
}

static specreg_status columns_make(specreg_context *ctx, int64_t first, sri_cg_columns *g)
{
    SRI_ARENA_NEW_ZERO(ctx, &g->memory, g->column, g->count, 1);
    SRI_ARENA_NEW(ctx, &g->memory, g->active, g->count, 1);
    SRI_ARENA_NEW(ctx, &g->memory, g->set, g->count, 1);
    SRI_ARENA_NEW(ctx, &g->memory, g->lambda, g->count, 1);
    SRI_ARENA_NEW(ctx, &g->memory, g->mass, g->count, 1);
    SRI_ARENA_NEW(ctx, &g->memory, g->solution, g->count, 1);
    SRI_ARENA_NEW(ctx, &g->memory, g->X, g->count, g->r);
    SRI_ARENA_NEW(ctx, &g->memory, g->Y, g->count, g->r);
    for (int64_t k = 0; k < g->count; k++) {
        sri_cg_column *c = &g->column[k];
        SRI_ARENA_NEW(ctx, &g->memory, c->b, g->r, 1);
        SRI_ARENA_NEW(ctx, &g->memory, c->r, g->r, 1);
        SRI_ARENA_NEW(ctx, &g->memory, c->p, g->r, 1);
        SRI_ARENA_NEW_ZERO(ctx, &g->memory, c->x, g->r, 1);
        SRI_ARENA_NEW_ZERO(ctx, &g->memory, c->before, g->r, 1);
        SRI_ARENA_NEW_ZERO(ctx, &g->memory, c->kept, g->r, 1);
        column_start(g, first + k, c);
        g->active[k] = k;
    }
    g->n_active = g->count;
    return SPECREG_OK;
}

static specreg_status take_solutions(specreg_context *ctx, const solving *s)
{
    const sri_cg_columns *g = &s->g;
    for (int64_t k = 0; k < g->count; k++) {
        const sri_cg_column *c = &g->column[k];
        memcpy(g->X + k * g->r, c->x, (size_t)g->r * sizeof *g->X);
        g->solution[k] = (sri_solution){c->set, c->point, c->output};
        s->facts->residual = fmax(s->facts->residual, c->at.worst);
        s->facts->unreached += c->at.worst > g->q->residual;
    }
    return sri_solutions_take(ctx, g->products, g->solution, g->count, g->X, s->path);
}

/* How many columns fit: nine vectors each, and the sums of some blocks that are worked on.  Threads
 * do not change it. */
static int64_t columns_together(const sri_conjugate_question *q, int64_t r)
{
    const double each = 8.0 * (double)r * 12;
    const double fit = (double)q->sums->resources.memory / 4 / each;
    return fit < SRI_COLUMNS_TOGETHER ? SRI_COLUMNS_TOGETHER : fit < 1e6 ? (int64_t)fit : 1000000;
}

/* Where a file says that the work goes on: behind the columns that are done. */
static specreg_status go_on(specreg_context *ctx, solving *s, int64_t all)
{
    const sri_cg_progress *p = &s->file.progress;
    SRI_CALL(sri_cg_checkpoint_open(ctx, s->g.q, s->g.products, &s->file));
    if (!s->file.goes_on)
        return SPECREG_OK;
    SRI_CHECK(ctx,
              p->first >= 0 && p->first <= all && p->count >= (p->first < all) &&
                  p->count <= all - p->first && p->sample >= 1 &&
                  p->sample <= s->g.q->sample.problem->n,
              SPECREG_E_FORMAT, "%s: is damaged: it says impossible things", s->file.file.path);
    s->g.products->passes = p->passes;
    s->facts->sample = p->sample;
    s->facts->unreached = p->unreached;
    s->facts->residual = p->residual;
    return p->first < all ? SPECREG_OK
                          : sri_cg_restore(ctx, &s->file, NULL, s->g.products->sets, s->path);
}

/* Solves for columns `first` to `all` - 1, `most` of them together.  Columns from a checkpoint are
 * as many together, with a preconditioner from as many rows, as when it was written. */
static specreg_status solve_from(specreg_context *ctx, solving *s, int64_t first, int64_t all,
                                 int64_t most)
{
    specreg_status st = SPECREG_OK;
    sri_sums_preconditioner preconditioner = {.rows = 0};
    sri_cg_columns *g = &s->g;
    const sri_cg_columns empty = *g;
    const int64_t sample = s->file.goes_on ? s->facts->sample : g->q->sample_rows;
    SRI_TRY(sri_sums_preconditioner_make(ctx, &g->q->sample, sample, &preconditioner));
    s->facts->sample = preconditioner.rows;
    for (; first < all; first += g->count) {
        *g = empty;
        g->preconditioner = &preconditioner;
        g->count = all - first < most ? all - first : most;
        if (s->file.goes_on)
            g->count = s->file.progress.count;
        SRI_TRY(columns_make(ctx, first, g));
        SRI_TRY(iterate(ctx, s, first));
        SRI_TRY(take_solutions(ctx, s));
        sri_arena_free(&g->memory);
    }
    SRI_TRY(keep(ctx, s, all, false));
done:
    sri_arena_free(&g->memory);
    sri_sums_preconditioner_free(&preconditioner);
    return st;
}

static specreg_status solve_columns(specreg_context *ctx, const sri_conjugate_question *q,
                                    sri_products *products, sri_sums_path **path,
                                    sri_conjugate_facts *facts)
{
    specreg_status st = SPECREG_OK;
    const int64_t r = products->source->at.r;
    const int64_t all = products->sets * q->sums->path.count * products->source->at.T;
    const int64_t most = columns_together(q, r);
    solving s = {.g = {.q = q, .products = products, .r = r}, .path = path, .facts = facts};
    if (q->checkpoint)
        SRI_TRY(go_on(ctx, &s, all));
    if (s.file.progress.first < all)
        SRI_TRY(solve_from(ctx, &s, s.file.progress.first, all, most));
done:
    sri_cg_checkpoint_free(&s.file);
    return st;
}

/* Coefficients of the centres and of the unpenalised terms, from coordinates. */
specreg_status sri_solutions_take(specreg_context *ctx, const sri_products *products,
                                  const sri_solution *of, int64_t count, const double *X,
                                  sri_sums_path **path)
{
    specreg_status st = SPECREG_OK;
    sri_arena scratch = {0};
    const int64_t r = products->source->at.r, l = products->source->at.l;
    double *C, *beta;
    SRI_SCRATCH(ctx, &scratch, C, count, r);
    SRI_SCRATCH(ctx, &scratch, beta, l, 1);
    memcpy(C, X, (size_t)(count * r) * sizeof *C);
    SRI_TRY(sri_products_solve(ctx, products->source->whitening, true, count, C));
    for (int64_t k = 0; k < count; k++) {
        const sri_sums_path *to = path[of[k].set];
        const int64_t ld = to->count * to->T;
        double *W = to->W + of[k].point * to->T + of[k].output;
        for (int64_t j = 0; j < r; j++)
            W[j * ld] = C[k * r + j];
        sri_products_terms(products, of[k].set, of[k].output, X + k * r, beta);
        for (int64_t j = 0; j < l; j++)
            W[(r + j) * ld] = beta[j];
    }
done:
    sri_arena_free(&scratch);
    return st;
}

static specreg_status path_make(specreg_context *ctx, const sri_sums_question *q,
                                const sri_sums_layout *at, sri_sums_path *out)
{
    *out = (sri_sums_path){.count = q->path.count,
                           .width = at->r + at->l,
                           .T = at->T,
                           .of_centres = true,
                           .filter = q->filter,
                           .engine = &sri_engine_iterate,
                           .rank = at->r};
    if (q->filter.ops->iteration)
        out->filter.step = 1 / q->kappa2;
    SRI_NEW_ZERO(ctx, out->W, out->width, out->count * at->T);
    SRI_NEW(ctx, out->df, out->count, 1);
    for (int64_t k = 0; k < out->count; k++)
        out->df[k] = NAN;
    return SPECREG_OK;
}

specreg_status sri_conjugate_solve(specreg_context *ctx, const sri_conjugate_question *q,
                                   sri_products *products, sri_sums_path **path,
                                   sri_conjugate_facts *facts)
{
    const bool by_steps = sri_goes_by_steps(&q->sums->filter);
    products->stage = by_steps ? "steps over the rows" : "conjugate gradients";
    for (int64_t s = 0; s < products->sets; s++)
        SRI_CALL(path_make(ctx, q->sums, &products->source->at, path[s]));
    SRI_CALL(by_steps ? sri_steps_solve(ctx, q->sums, products, path)
                      : solve_columns(ctx, q, products, path, facts));
    for (int64_t s = 0; s < products->sets; s++)
        SRI_CALL(sri_outputs_together(ctx, q->sums->coupling, path[s]->width * path[s]->count,
                                      path[s]->W));
    facts->passes += products->passes;
    return SPECREG_OK;
}

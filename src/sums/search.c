#include "sums/search.h"

#include <math.h>
#include <string.h>

#include "backend/blas.h"
#include "core/memory.h"
#include "op/lanczos.h"
#include "sums/crew.h"

/* A kernel at work. */
typedef struct candidate {
    sri_kernel kernel;
    sri_whitening whitening;
    sri_sums_source source;
    sri_sums sums;
    sri_sums_question question;
    double *M;              /* the sums of all rows, order x order    */
    sri_sums_path path;     /* trained on all rows                    */
    sri_sums_path *without; /* judged parts: trained without each    */
    sri_leverages leverages;
    sri_score *score;  /* of each point                          */
    int64_t first_row; /* of its points in the table of all      */
} candidate;

typedef struct search {
    const sri_sums_spec *spec;
    sri_parting parting;
    int64_t judged; /* parts that are held out; 0: none */
    sri_search_result *out;
    candidate best;
    sri_sums_facts *facts;
} search;

static void candidate_free(const search *s, candidate *c)
{
    sri_leverages_free(&c->leverages);
    for (int64_t f = 0; c->without && f < s->judged; f++)
        sri_sums_path_free(&c->without[f]);
    sri_free(c->without);
    sri_sums_path_free(&c->path);
    sri_values_free(&c->question.path);
    sri_free(c->score);
    sri_free(c->M);
    sri_sums_free(&c->sums);
    sri_whitening_free(&c->whitening);
    *c = (candidate){0};
}

/* Sums that are given have no rows to look at again, and folds of their own. */
static specreg_status check_given(specreg_context *ctx, const sri_sums_spec *spec)
{
    const sri_rule *rule = spec->search->rule;
    const sri_measure *measure = sri_criterion_of(spec->problem);
    const bool held_out = rule->ops->by_sums == SRI_SUMS_HELD_OUT;
    const int64_t parts = spec->given[0].parts;
    const int64_t wanted = rule->ops->folds ? rule->ops->folds(rule, spec->problem) : 2;
    SRI_CHECK(ctx, spec->n_given == sri_kernel_grid_count(spec->search->grid), SPECREG_E_ARG,
              "the sums are of %lld kernels, %lld are asked for", (long long)spec->n_given,
              (long long)sri_kernel_grid_count(spec->search->grid));
    SRI_CHECK(ctx, rule->ops->by_sums != SRI_SUMS_LEFT_OUT, SPECREG_E_ARG,
              "select: %s looks at the rows a second time, and sums have none: take kfold or gcv",
              rule->ops->name);
    SRI_CHECK(ctx, !held_out || wanted == parts, SPECREG_E_ARG,
              "select: %s wants %lld parts of the rows, the sums have %lld", rule->ops->name,
              (long long)wanted, (long long)parts);
    SRI_CHECK(ctx, !held_out || measure->mean_square, SPECREG_E_ARG,
              "criterion: %s looks at the rows a second time, and sums have none: take mse",
              measure->info.name);
    return SPECREG_OK;
}

specreg_status sri_sums_check(specreg_context *ctx, const sri_sums_spec *spec)
{
    const sri_problem *problem = spec->problem;
    const sri_rule_ops *rule = spec->search->rule->ops;
    const sri_measure *measure = sri_criterion_of(problem);
    const char *kind = sri_approx_names[spec->approx->kind];
    SRI_CHECK(ctx, spec->approx->kind == SRI_APPROX_RECTANGLE, SPECREG_E_ARG,
              "approx: sums are for rectangle, not for %s", kind);
    SRI_CHECK(
        ctx, rule->by_sums, SPECREG_E_ARG,
        "select: %s needs all rows at once; with --approx %s take kfold, holdout, gcv, loo or "
        "none",
        rule->name, kind);
    SRI_CHECK(
        ctx, !sri_rule_by_criterion(spec->search->rule) || !rule->score || measure->losses,
        SPECREG_E_ARG,
        "criterion: %s needs all rows at once; with --approx %s take a measure that is a mean "
        "over rows, such as error_rate or mse",
        measure->info.name, kind);
    SRI_CALL(sri_approx_check(ctx, spec));
    SRI_CHECK(ctx, !problem->rows.group, SPECREG_E_ARG, "group: does not go with --approx %s yet",
              kind);
    return spec->given ? check_given(ctx, spec) : SPECREG_OK;
}

specreg_status sri_approx_check(specreg_context *ctx, const sri_sums_spec *spec)
{
    const sri_problem *problem = spec->problem;
    const char *kind = sri_approx_names[spec->approx->kind];
    SRI_CHECK(ctx, !problem->unpenalised.pivots, SPECREG_E_ARG,
              "features: variant=paper does not go with --approx %s", kind);
    SRI_CHECK(ctx, problem->reader.layout.kind != SRI_LAYOUT_OUTPUTS, SPECREG_E_ARG,
              "approx: %s is for outputs that every row has, kernels that are no fields, and, with "
              "coupled outputs, filters other than cg and tsvd by components",
              kind);
    SRI_CHECK(ctx, !sri_kernel_grid_indexed(spec->search->grid), SPECREG_E_ARG,
              "kernel: precomputed does not go with --approx %s", kind);
    return SPECREG_OK;
}

/* The parts that a rule divides rows into. */
static void choose_parts(search *s)
{
    const sri_rule *rule = s->spec->search->rule;
    s->parting = (sri_parting){.parts = 1, .seed = s->spec->problem->resources.seed};
    if (s->spec->given)
        s->parting.parts = s->spec->given[0].parts;
    if (rule->ops->by_sums != SRI_SUMS_HELD_OUT)
        return;
    if (rule->ops->folds) {
        s->parting.parts = s->judged = rule->ops->folds(rule, s->spec->problem);
    } else {
        s->parting.parts = 2;
        s->parting.held_out = rule->param[0];
        s->judged = 1;
    }
}

static int exponent_of(double most)
{
    int e = 0;
    if (most > 0 && isfinite(most))
        frexp(most, &e);
    return e;
}

/* The largest magnitude in column j of n x width numbers. */
static double largest(const double *x, int64_t n, int64_t width, int64_t j)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i * width + j]));
    return most;
}

/* How large coordinates are, as far as the rows looked at tell: |b|^2 is at most k(x, x). */
static specreg_status make_sums(specreg_context *ctx, const search *s, candidate *c)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = s->spec->problem;
    const sri_sums_layout *at = &c->source.at;
    const int64_t order = sri_sums_order(at);
    int *exponent = NULL;
    const double heaviest =
        problem->rows.weight ? largest(problem->rows.weight, problem->n, 1, 0) : 1;
    const int weight = exponent_of(sqrt(heaviest));
    SRI_ALLOC(ctx, exponent, order, 1);
    for (int64_t j = 0; j < at->r; j++)
        exponent[j] = weight + exponent_of(sqrt(c->question.kappa2));
    for (int64_t j = 0; j < at->l; j++)
        exponent[at->r + j] =
            weight + exponent_of(largest(problem->unpenalised.P, problem->n, at->l, j));
    for (int64_t j = 0; j < at->T; j++)
        exponent[at->r + at->l + j] =
            weight + exponent_of(largest(problem->Y, problem->n, at->T, j));
    exponent[order - 1] = weight;
    SRI_TRY(sri_sums_new(ctx, at, s->parting.parts, exponent, &c->sums));
done:
    sri_free(exponent);
    return st;
}

static specreg_status find_kappa2(specreg_context *ctx, const sri_kernel *kernel,
                                  const sri_points *points, double *out)
{
    specreg_status st = SPECREG_OK;
    double *d = NULL;
    SRI_ALLOC(ctx, d, points->n, 1);
    SRI_TRY(sri_kernel_diagonal(ctx, kernel, points, d));
    *out = largest(d, points->n, 1, 0);
done:
    sri_free(d);
    return st;
}

static specreg_status make_path(specreg_context *ctx, const search *s, int64_t rows, candidate *c)
{
    const sri_search_spec *spec = s->spec->search;
    const sri_rule *rule = spec->rule;
    sri_filter filter = *spec->filter;
    if (rule->ops->fixed) {
        SRI_CALL(sri_search_check_fixed(ctx, spec));
        filter.step = 1 / c->question.kappa2;
        SRI_NEW(ctx, c->question.path.v, 1, 1);
        c->question.path.count = 1;
        c->question.path.v[0] = rule->ops->fixed(rule, &filter, rows, c->question.kappa2);
        return SPECREG_OK;
    }
    return spec->path ? sri_values_copy(ctx, spec->path, &c->question.path)
                      : sri_path_auto(ctx, &filter, rows, c->question.kappa2, &c->question.path);
}

static specreg_status choose_centres(specreg_context *ctx, const search *s, candidate *c)
{
    specreg_status st = SPECREG_OK;
    const sri_approx *approx = s->spec->approx;
    const sri_problem *problem = s->spec->problem;
    const sri_centre_pool pool = {&c->kernel, problem->points, s->spec->number,
                                  problem->resources.seed, approx->file};
    int64_t *row = NULL, count;
    const double start = sri_clock();
    SRI_TRY(sri_centres_choose(ctx, approx, &pool, &row, &count));
    SRI_TRY(sri_whitening_make(ctx, &c->kernel, problem->points, row, count, &c->whitening));
    s->facts->seconds_centres += sri_clock() - start;
done:
    sri_free(row);
    return st;
}

static specreg_status prepare(specreg_context *ctx, const search *s, candidate *c)
{
    const sri_problem *problem = s->spec->problem;
    SRI_CALL(choose_centres(ctx, s, c));
    c->source = (sri_sums_source){.blocks = s->spec->blocks,
                                  .reader = &s->spec->reader,
                                  .whitening = &c->whitening,
                                  .at = {.r = sri_whitening_rank(&c->whitening),
                                         .l = problem->unpenalised.l,
                                         .T = problem->T}};
    c->question = (sri_sums_question){.filter = *s->spec->search->filter,
                                      .coupling = sri_problem_coupling(problem, &c->kernel),
                                      .term_name = problem->unpenalised.name,
                                      .resources = problem->resources};
    SRI_CALL(find_kappa2(ctx, &c->kernel, problem->points, &c->question.kappa2));
    const sri_coupling *coupling = c->question.coupling;
    c->question.kappa2 *= coupling ? coupling->a[coupling->T - 1] : 1; /* its norm */
    return make_sums(ctx, s, c);
}

static int64_t rows_of(const sri_sums *sums, int64_t without)
{
    int64_t rows = 0;
    for (int64_t f = 0; f < sums->parts; f++)
        rows += f == without ? 0 : sums->rows[f];
    return rows;
}

/* The rows of the smallest training set. */
static int64_t smallest(const search *s, const sri_sums *sums)
{
    int64_t least = rows_of(sums, -1);
    for (int64_t f = 0; f < s->judged; f++)
        least = rows_of(sums, f) < least ? rows_of(sums, f) : least;
    return least;
}

static double mass_of(const double *M, int64_t order)
{
    return M[order * order - 1];
}

/* The losses of one part's rows by squared error, from its sums. */
static specreg_status squared_losses(specreg_context *ctx, const candidate *c,
                                     const sri_sums_path *by, const double *M, sri_losses *losses)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = by->T;
    const double mass = mass_of(M, c->sums.order);
    double *error = NULL;
    SRI_ALLOC(ctx, error, by->count, T);
    SRI_TRY(sri_sums_errors(ctx, by, &c->source.at, M, error));
    for (int64_t k = 0; k < by->count; k++) {
        struct sri_loss loss = {.v = mass, .vv = mass * mass};
        for (int64_t t = 0; t < T; t++)
            loss.vx += error[k * T + t] / (double)T;
        losses[k] = (sri_losses){.squared = loss, .own = loss};
    }
done:
    sri_free(error);
    return st;
}

/* Training without a part, or on all rows, as jobs of a crew. */
typedef struct training {
    const search *s;
    candidate *c;
    bool by_squares;
    sri_losses *losses; /* judged x count */
} training;

/* Job 0 trains on all rows, job f + 1 without part f, whose losses it finds where sums tell
 * them. */
static specreg_status train_one(specreg_context *ctx, void *payload, int64_t job)
{
    specreg_status st = SPECREG_OK;
    const training *t = payload;
    candidate *c = t->c;
    const int64_t f = job - 1, order = c->sums.order;
    double *M = c->M;
    if (job > 0)
        SRI_ALLOC(ctx, M, order, order);
    SRI_TRY(sri_sums_without(ctx, &c->sums, f, M));
    SRI_TRY(sri_sums_solve(ctx, &c->question, &c->source.at, M, job ? &c->without[f] : &c->path));
    if (job == 0 || !t->by_squares)
        goto done;
    sri_sums_part(&c->sums, f, M);
    SRI_TRY(squared_losses(ctx, c, &c->without[f], M, t->losses + f * c->question.path.count));
done:
    if (job > 0)
        sri_free(M);
    return st;
}

/* How many decompositions fit the memory at the same time. */
static int workers(const search *s, int64_t order)
{
    const double each = 8 * 5 * (double)order * (double)order;
    const double fit = (double)s->spec->problem->resources.memory / each;
    const int size = sri_crew_size();
    return fit < 1 ? 1 : fit < size ? (int)fit : size;
}

/* Trains on all rows and without each judged part. */
static specreg_status train(specreg_context *ctx, const search *s, candidate *c, bool by_squares,
                            sri_losses *losses)
{
    training t = {s, c, by_squares, losses};
    for (int64_t f = 0; f < s->judged; f++)
        SRI_CHECK(ctx, c->sums.rows[f] > 0 && rows_of(&c->sums, f) > 0, SPECREG_E_NUMERIC,
                  "fold %lld of %lld has no rows, or all of them: take fewer folds",
                  (long long)f + 1, (long long)s->parting.parts);
    SRI_NEW(ctx, c->M, c->sums.order, c->sums.order);
    SRI_NEW_ZERO(ctx, c->without, s->judged, 1);
    SRI_CALL(sri_crew_run(ctx, s->judged + 1, workers(s, c->sums.order), train_one, &t));
    return sri_poll(ctx);
}

static specreg_status look_again(specreg_context *ctx, const search *s, candidate *c,
                                 const sri_second_look *look, sri_losses *losses)
{
    const double start = sri_clock();
    SRI_CALL(sri_look_again(ctx, &c->source, look, losses));
    s->facts->seconds_second_pass += sri_clock() - start;
    return SPECREG_OK;
}

/* Scores by rows that were held out, part by part: their losses, or a second look at them. */
static specreg_status score_held_out(specreg_context *ctx, const search *s, candidate *c,
                                     bool by_squares, sri_losses *losses)
{
    const sri_measure *measure = sri_criterion_of(s->spec->problem);
    const int64_t count = c->path.count;
    const sri_second_look look = {.problem = s->spec->problem,
                                  .path = c->without,
                                  .judged = s->judged};
    if (!by_squares)
        SRI_CALL(look_again(ctx, s, c, &look, losses));
    for (int64_t k = 0; k < count; k++) {
        c->score[k] = sri_measure_pool(measure, losses + k, count, s->judged);
        c->score[k].df = c->path.df[k];
    }
    return SPECREG_OK;
}

/* Scores by rows that are left out one by one. */
static specreg_status score_left_out(specreg_context *ctx, const search *s, candidate *c)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = s->spec->problem;
    sri_losses *losses = NULL;
    sri_second_look look = {.problem = problem, .path = &c->path, .judged = 1};
    SRI_CALLOC(ctx, losses, c->path.count, 1);
    SRI_REQUIRE(
        ctx, !c->question.coupling && !sri_filter_nonlinear(&c->path.filter), SPECREG_E_ARG,
        "select: loo with fewer centres than rows is for filters that are linear and outputs "
        "that are not coupled: take kfold");
    SRI_TRY(
        sri_leverages_make(ctx, &c->question, &c->path.filter, &c->source.at, c->M, &c->leverages));
    look.leverages = &c->leverages;
    SRI_TRY(look_again(ctx, s, c, &look, losses));
    for (int64_t k = 0; k < c->path.count; k++) {
        c->score[k] = sri_measure_score(sri_criterion_of(problem), &losses[k]);
        c->score[k].df = c->path.df[k];
    }
done:
    sri_free(losses);
    return st;
}

/* Generalized cross-validation: the training error over (1 - df/n)^2. */
static specreg_status score_training(specreg_context *ctx, candidate *c)
{
    specreg_status st = SPECREG_OK;
    const double n = (double)rows_of(&c->sums, -1);
    sri_losses *losses = NULL;
    SRI_ALLOC(ctx, losses, c->path.count, 1);
    SRI_TRY(squared_losses(ctx, c, &c->path, c->M, losses));
    for (int64_t k = 0; k < c->path.count; k++) {
        const double left = 1 - c->path.df[k] / n;
        c->score[k].value = left > 0 ? sri_loss_mean(&losses[k].own) / (left * left) : NAN;
        c->score[k].tie = c->score[k].value;
    }
done:
    sri_free(losses);
    return st;
}

/* Scores of a candidate whose sums are there. */
static specreg_status judge(specreg_context *ctx, const search *s, candidate *c)
{
    specreg_status st = SPECREG_OK;
    const sri_problem *problem = s->spec->problem;
    const bool by_squares = sri_criterion_of(problem)->mean_square && !problem->judging.class_cost;
    sri_losses *losses = NULL;
    SRI_TRY(make_path(ctx, s, smallest(s, &c->sums), c));
    const int64_t count = c->question.path.count;
    SRI_CALLOC(ctx, losses, s->judged, count);
    SRI_TRY(train(ctx, s, c, by_squares, losses));
    SRI_ALLOC(ctx, c->score, count, 1);
    for (int64_t k = 0; k < count; k++)
        c->score[k] = (sri_score){NAN, NAN, NAN, c->path.df[k]};
    const sri_by_sums how = s->spec->search->rule->ops->by_sums;
    if (how == SRI_SUMS_HELD_OUT)
        SRI_TRY(score_held_out(ctx, s, c, by_squares, losses));
    else if (how == SRI_SUMS_LEFT_OUT)
        SRI_TRY(score_left_out(ctx, s, c));
    else if (how == SRI_SUMS_TRAINING)
        SRI_TRY(score_training(ctx, c));
done:
    sri_free(losses);
    return st;
}

/* Takes the sums that are given, if they are those of these coordinates. */
static specreg_status take_given(specreg_context *ctx, const search *s, int64_t number,
                                 candidate *c)
{
    sri_sums *given = &s->spec->given[number];
    if (given->order != c->sums.order || given->at.r != c->sums.at.r ||
        memcmp(given->exponent, c->sums.exponent, (size_t)given->order * sizeof(int)) != 0)
        return sri_fail(ctx, SPECREG_E_NUMERIC,
                        "the sums do not fit their basis: they come from another kind of computer");
    sri_sums_free(&c->sums);
    c->sums = *given;
    *given = (sri_sums){0};
    return SPECREG_OK;
}

static specreg_status evaluate(specreg_context *ctx, const search *s, int64_t number, candidate *c)
{
    SRI_CALL(prepare(ctx, s, c));
    const double start = sri_clock();
    SRI_CALL(s->spec->given ? take_given(ctx, s, number, c)
                            : sri_accumulate(ctx, &c->source, &c->sums, NULL));
    const double added = sri_clock(), second = s->facts->seconds_second_pass;
    s->facts->seconds_sums += added - start;
    SRI_CALL(judge(ctx, s, c));
    s->facts->seconds_solve += sri_clock() - added - (s->facts->seconds_second_pass - second);
    return SPECREG_OK;
}

/* The best point of a path, the smoother one of equals. */
static int64_t best_of(const candidate *c)
{
    int64_t best = 0;
    for (int64_t k = 1; k < c->path.count; k++)
        if (sri_score_better(&c->score[k], &c->score[best]))
            best = k;
    return best;
}

/* The smoothest point within a standard error of the best. */
static int64_t smoothest(const candidate *c, int64_t best)
{
    const double most = c->score[best].value + c->score[best].stderr_;
    for (int64_t k = 0; k < best; k++)
        if (c->score[k].value <= most)
            return k;
    return best;
}

static specreg_status book(specreg_context *ctx, search *s, int64_t number, candidate *c)
{
    sri_search_result *out = s->out;
    const int64_t first = out->rows, k = best_of(c);
    SRI_CALL(
        sri_regrow(ctx, (void **)&out->row, first, first + c->path.count, 1, sizeof *out->row));
    for (int64_t j = 0; j < c->path.count; j++)
        out->row[out->rows++] = (sri_search_row){.candidate = number,
                                                 .evaluation = number,
                                                 .param = c->question.path.v[j],
                                                 .score = c->score[j],
                                                 .order = first + j};
    if (out->winner >= 0 && !sri_score_better(&c->score[k], &out->row[out->winner].score)) {
        candidate_free(s, c);
        return SPECREG_OK;
    }
    candidate_free(s, &s->best);
    c->first_row = first;
    s->best = *c;
    s->best.whitening.kernel = &s->best.kernel;
    s->best.source.whitening = &s->best.whitening;
    *c = (candidate){0};
    out->winner = first + k;
    return SPECREG_OK;
}

specreg_status sri_residuals_of_model(specreg_context *ctx, const sri_problem *problem,
                                      const sri_kernel *kernel, const sri_points *centres,
                                      sri_fitted *fitted)
{
    specreg_status st = SPECREG_OK;
    const int64_t T = problem->T, n = problem->n;
    double *F = NULL, *mixed = NULL;
    SRI_ALLOC(ctx, F, n, T);
    SRI_ALLOC(ctx, mixed, fitted->n_centres, T);
    if (!fitted->residual)
        SRI_ALLOC(ctx, fitted->residual, n, T);
    memcpy(mixed, fitted->alpha, (size_t)(fitted->n_centres * T) * sizeof *mixed);
    SRI_TRY(sri_coupling_mix(ctx, sri_problem_coupling(problem, kernel), fitted->n_centres, mixed));
    SRI_TRY(sri_kernel_rows_product(ctx,
                                    &(sri_kernel_matrix){kernel, &problem->points->rows, centres},
                                    T, mixed, F));
    sri_features_add(problem->unpenalised.P, n, problem->unpenalised.l, fitted->beta, T, F);
    for (int64_t i = 0; i < n * T; i++)
        fitted->residual[i] = problem->Y[i] - F[i];
done:
    sri_free(mixed);
    sri_free(F);
    return st;
}

/* Column block k of W: its first r rows become coefficients of the centres, the others those of
 * unpenalised terms. */
static specreg_status take_coefficients(specreg_context *ctx, const candidate *c, int64_t k,
                                        sri_fitted *out)
{
    const int64_t r = c->source.at.r, l = c->source.at.l, T = c->path.T, ld = c->path.count * T;
    const double *W = c->path.W + k * T;
    *out = (sri_fitted){.n_centres = r, .df = c->path.df[k]};
    SRI_NEW(ctx, out->alpha, r, T);
    for (int64_t j = 0; j < r; j++)
        memcpy(out->alpha + j * T, W + j * ld, (size_t)T * sizeof *W);
    sri_whitening_coefficients(&c->whitening, T, out->alpha);
    if (!l)
        return SPECREG_OK;
    SRI_NEW(ctx, out->beta, l, T);
    for (int64_t j = 0; j < l; j++)
        memcpy(out->beta + j * T, W + (r + j) * ld, (size_t)T * sizeof *W);
    return SPECREG_OK;
}

static specreg_status finish(specreg_context *ctx, search *s, sri_points **centres)
{
    sri_search_result *out = s->out;
    candidate *c = &s->best;
    const int64_t best = best_of(c);
    const int64_t k =
        s->spec->search->one_se && isfinite(c->score[best].stderr_) ? smoothest(c, best) : best;
    out->winner = c->first_row + k;
    out->kernel = c->kernel;
    out->filter = c->path.filter;
    out->param = c->question.path.v[k];
    out->score = c->score[k];
    out->engine = out->search_engine = c->path.engine;
    out->report.rank = c->path.rank;
    out->smallest = smallest(s, &c->sums);
    out->seconds = (sri_seconds){.gram = s->facts->seconds_centres + s->facts->seconds_sums,
                                 .solve = s->facts->seconds_solve,
                                 .select = s->facts->seconds_second_pass};
    s->facts->rows = rows_of(&c->sums, -1);
    s->facts->looked = s->spec->problem->n;
    s->facts->m = c->whitening.asked;
    s->facts->rank = c->source.at.r;
    SRI_CALL(
        sri_whitening_captured(ctx, &c->whitening, s->spec->problem->points, &s->facts->captured));
    SRI_CALL(take_coefficients(ctx, c, k, &out->fitted));
    SRI_CALL(sri_residuals_of_model(ctx, s->spec->problem, &c->kernel, c->whitening.centres,
                                    &out->fitted));
    SRI_MOVE(*centres, c->whitening.centres);
    return SPECREG_OK;
}

/* Kernels that do not come into question: the table says that they were left. */
static specreg_status book_left(specreg_context *ctx, search *s, int64_t number)
{
    sri_search_result *out = s->out;
    SRI_CALL(sri_regrow(ctx, (void **)&out->row, out->rows, out->rows + 1, 1, sizeof *out->row));
    out->row[out->rows] = (sri_search_row){.candidate = number,
                                           .evaluation = number,
                                           .param = NAN,
                                           .score = {NAN, NAN, NAN, NAN},
                                           .left = true,
                                           .order = out->rows};
    out->rows++;
    return SPECREG_OK;
}

/* The score of a kernel's best point on the rows that were looked at first. */
static specreg_status try_first(specreg_context *ctx, const search *s, int64_t number,
                                sri_score *score)
{
    sri_sums_spec own = *s->spec;
    search first = *s;
    candidate c = {.kernel = s->out->candidate[number]};
    own.blocks = own.first;
    first.spec = &own;
    const specreg_status st = evaluate(ctx, &first, number, &c);
    if (st == SPECREG_OK)
        *score = c.score[best_of(&c)];
    candidate_free(&first, &c);
    return st;
}

/* Where there are many kernels and many more rows than were looked at first, these rows judge all
 * kernels, and the best two of them remain. */
static specreg_status race(specreg_context *ctx, const search *s, int64_t candidates, bool *stays)
{
    enum { REMAIN = 2 };
    specreg_status st = SPECREG_OK;
    sri_score *score = NULL;
    const int64_t rows = s->spec->blocks ? sri_blocks_rows(s->spec->blocks) : 0;
    const bool races = s->spec->first && !s->spec->given && candidates > REMAIN &&
                       (rows < 0 || rows > 2 * s->spec->problem->n);
    for (int64_t k = 0; k < candidates; k++)
        stays[k] = !races;
    if (!races)
        return st;
    SRI_ALLOC(ctx, score, candidates, 1);
    for (int64_t k = 0; k < candidates; k++)
        SRI_TRY(try_first(ctx, s, k, &score[k]));
    for (int remain = 0; remain < REMAIN; remain++) {
        int64_t best = -1;
        for (int64_t k = 0; k < candidates; k++)
            if (!stays[k] && (best < 0 || sri_score_better(&score[k], &score[best])))
                best = k;
        stays[best] = true;
    }
done:
    sri_free(score);
    return st;
}

/* The candidates of the grid, and which of them all rows are asked about. */
static specreg_status list_candidates(specreg_context *ctx, search *s, bool **stays)
{
    const sri_kernel_grid *grid = s->spec->search->grid;
    const int64_t count = sri_kernel_grid_count(grid);
    SRI_NEW(ctx, s->out->candidate, count, 1);
    SRI_NEW(ctx, *stays, count, 1);
    for (int64_t k = 0; k < count; k++)
        s->out->candidate[s->out->candidates++] = sri_kernel_grid_at(grid, k);
    return race(ctx, s, count, *stays);
}

specreg_status sri_sums_search(specreg_context *ctx, const sri_sums_spec *spec,
                               sri_search_result *out, sri_points **centres, sri_sums_facts *facts)
{
    specreg_status st = SPECREG_OK;
    sri_sums_spec own = *spec;
    search s = {.spec = &own, .out = out, .facts = facts};
    candidate c = {.first_row = 0};
    bool *stays = NULL;
    *out = (sri_search_result){.winner = -1, .fitted = {.df = NAN}};
    *facts = (sri_sums_facts){0};
    SRI_CALL(sri_sums_check(ctx, spec));
    choose_parts(&s);
    own.reader.parting = s.parting;
    SRI_TRY(list_candidates(ctx, &s, &stays));
    for (int64_t number = 0; number < out->candidates; number++) {
        if (!stays[number]) {
            SRI_TRY(book_left(ctx, &s, number));
            continue;
        }
        c.kernel = out->candidate[number];
        SRI_TRY(evaluate(ctx, &s, number, &c));
        SRI_TRY(book(ctx, &s, number, &c));
    }
    SRI_TRY(finish(ctx, &s, centres));
done:
    sri_free(stays);
    candidate_free(&s, &c);
    candidate_free(&s, &s.best);
    if (st != SPECREG_OK)
        sri_search_result_free(out);
    return st;
}

specreg_status sri_sums_of_kernels(specreg_context *ctx, const sri_sums_spec *spec, sri_sums **sums,
                                   int64_t *kernels, sri_block_list *blocks)
{
    specreg_status st = SPECREG_OK;
    sri_sums_spec own = *spec;
    sri_sums_facts facts = {0};
    search s = {.spec = &own, .facts = &facts};
    candidate c = {.first_row = 0};
    SRI_CALL(sri_sums_check(ctx, spec));
    choose_parts(&s);
    own.reader.parting = s.parting;
    const int64_t count = sri_kernel_grid_count(spec->search->grid);
    SRI_NEW_ZERO(ctx, *sums, count, 1);
    for (*kernels = 0; *kernels < count; (*kernels)++) {
        c.kernel = sri_kernel_grid_at(spec->search->grid, *kernels);
        SRI_TRY(prepare(ctx, &s, &c));
        SRI_TRY(sri_accumulate(ctx, &c.source, &c.sums, *kernels ? NULL : blocks));
        (*sums)[*kernels] = c.sums;
        c.sums = (sri_sums){0};
        candidate_free(&s, &c);
    }
done:
    candidate_free(&s, &c);
    return st;
}

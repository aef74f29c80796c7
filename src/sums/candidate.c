#include "sums/candidate.h"

#include <math.h>

#include "core/memory.h"

void sri_sums_setting_free(const sri_sums_judging *s, sri_sums_candidate *c)
{
    for (int64_t g = 0; c->leverages && g < s->parts.groups; g++)
        sri_leverages_free(&c->leverages[g]);
    for (int64_t f = 0; c->without && f < s->judged; f++)
        sri_sums_path_free(&c->without[f]);
    sri_free(c->without);
    sri_sums_path_free(&c->path);
    sri_values_free(&c->question.path);
    sri_free(c->score);
    sri_free(c->leverages);
    c->leverages = NULL;
    c->without = NULL;
    c->path = (sri_sums_path){0};
    c->question.path = (sri_values){0};
    c->score = NULL;
}

void sri_sums_candidate_free(const sri_sums_judging *s, sri_sums_candidate *c)
{
    sri_sums_setting_free(s, c);
    sri_products_free(&c->products);
    sri_sums_free(&c->sums);
    sri_whitening_free(&c->whitening);
    *c = (sri_sums_candidate){0};
}

specreg_status sri_sums_choose_parts(specreg_context *ctx, sri_sums_judging *s)
{
    const sri_problem *problem = s->spec->problem;
    const sri_rule *rule = s->spec->search->rule;
    sri_parting *parting = &s->parting;
    *parting = (sri_parting){.folds = 1, .seed = problem->resources.seed};
    if (rule->ops->by_sums == SRI_SUMS_HELD_OUT) {
        parting->folds = rule->ops->folds ? rule->ops->folds(rule, problem) : 2;
        parting->held_out = rule->ops->folds ? 0 : rule->param[0];
        s->judged = rule->ops->folds ? parting->folds : 1;
    }
    SRI_CALL(sri_parts_make(ctx, problem, parting->folds, &s->parts));
    parting->classes = s->parts.classes;
    if (s->spec->given) /* of a rule that has no folds, as many as there are */
        parting->folds = s->parts.folds = s->spec->given[0].parts / parting->classes;
    return SPECREG_OK;
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
static specreg_status make_sums(specreg_context *ctx, const sri_sums_judging *s,
                                sri_sums_candidate *c)
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
    SRI_TRY(sri_sums_new(ctx, at, sri_parting_parts(&s->parting), exponent, &c->sums));
done:
    sri_free(exponent);
    return st;
}

/* Conjugate gradients have no sums: rows are counted. */
static specreg_status make_counts(specreg_context *ctx, const sri_sums_judging *s,
                                  sri_sums_candidate *c)
{
    c->sums = (sri_sums){.at = c->source.at,
                         .order = sri_sums_order(&c->source.at),
                         .parts = sri_parting_parts(&s->parting)};
    SRI_NEW_ZERO(ctx, c->sums.rows, c->sums.parts, 1);
    return SPECREG_OK;
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

static specreg_status choose_centres(specreg_context *ctx, const sri_sums_judging *s,
                                     sri_sums_candidate *c)
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

specreg_status sri_sums_candidate_prepare(specreg_context *ctx, const sri_sums_judging *s,
                                          sri_sums_candidate *c)
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
                                      .resources = problem->resources};
    SRI_CALL(find_kappa2(ctx, &c->kernel, problem->points, &c->question.kappa2));
    const sri_coupling *coupling = c->question.coupling;
    c->question.kappa2 *= coupling ? coupling->a[coupling->T - 1] : 1; /* its norm */
    return s->spec->approx->solver == SRI_SOLVER_CG ? make_counts(ctx, s, c) : make_sums(ctx, s, c);
}

int64_t sri_sums_rows(const sri_sums_judging *s, const sri_sums *sums, int64_t without)
{
    int64_t rows = 0;
    for (int64_t f = 0; f < s->parts.folds; f++)
        rows += f == without ? 0 : sri_parts_rows(&s->parts, sums, f);
    return rows;
}

int64_t sri_sums_smallest(const sri_sums_judging *s, const sri_sums *sums)
{
    int64_t least = sri_sums_rows(s, sums, -1);
    for (int64_t f = 0; f < s->judged; f++) {
        const int64_t rows = sri_sums_rows(s, sums, f);
        least = rows < least ? rows : least;
    }
    return least;
}

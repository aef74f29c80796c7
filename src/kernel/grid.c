/* A kernel's text form, `0.5*rbf:sigma={1,2} + linear`, and the grid of candidates it stands
 * for. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "kernel/registry.h"

enum { AUTO = 11 }; /* values of an automatic list; odd: the middle width is the median itself */
enum { MOST_CANDIDATES = 1000000 };
static const double AUTO_SPAN = 4; /* from median / 4 to median * 4 */

/* The end of a term: a '+' outside braces that is not the sign of an exponent (1e+3). */
static const char *term_end(const char *s)
{
    int depth = 0;
    for (const char *c = s; *c; c++) {
        depth += *c == '{';
        depth -= *c == '}' && depth > 0;
        const bool exponent = c - s >= 2 && (c[-1] == 'e' || c[-1] == 'E') &&
                              (isdigit((unsigned char)c[-2]) || c[-2] == '.');
        if (*c == '+' && depth == 0 && !exponent)
            return c;
    }
    return s + strlen(s);
}

static specreg_status check_value(specreg_context *ctx, const sri_kernel_term *term, int i,
                                  double v)
{
    char what[64];
    const sri_param param = sri_kernel_param_at(term, i);
    snprintf(what, sizeof what, "kernel %.40s", sri_kernel_term_name(term));
    return sri_param_check(ctx, what, &param, v);
}

/* gamma of an rbf kernel, turned into sigma = 1 / sqrt(2 gamma). */
static specreg_status gamma_to_sigma(specreg_context *ctx, sri_values *list)
{
    for (int64_t i = 0; i < list->count; i++) {
        if (!(list->v[i] > 0))
            return sri_fail(ctx, SPECREG_E_ARG, "kernel rbf: gamma must be greater than 0, not %g",
                            list->v[i]);
        list->v[i] = sqrt(0.5 / list->v[i]);
    }
    return SPECREG_OK;
}

/* The place of a key among the term's parameters; gamma of rbf goes to sigma. */
static specreg_status find_param(specreg_context *ctx, const sri_kernel_term *term, const char *key,
                                 int *index, bool *is_gamma)
{
    const char *names[SRI_KERNEL_PARAMS];
    const int count = sri_kernel_param_count(term);
    *is_gamma = term->ops->other_width && strcmp(key, term->ops->other_width) == 0;
    for (int i = 0; i < count; i++) {
        names[i] = sri_kernel_param_at(term, i).name;
        if (strcmp(names[i], *is_gamma ? "sigma" : key) == 0) {
            *index = i;
            return SPECREG_OK;
        }
    }
    char what[64];
    snprintf(what, sizeof what, "parameter of kernel %.30s", sri_kernel_term_name(term));
    return sri_fail_unknown(ctx, what, key, names, count);
}

static specreg_status parse_param(specreg_context *ctx, sri_kernel_grid *grid, int t, bool *given,
                                  const char *key, const char *value)
{
    sri_kernel_term *term = &grid->base.term[t];
    int i = 0;
    bool is_gamma;
    char what[96];
    if (!key)
        return sri_fail(ctx, SPECREG_E_ARG, "kernel %s: write '%s' as key=value",
                        sri_kernel_term_name(term), value);
    SRI_CALL(find_param(ctx, term, key, &i, &is_gamma));
    SRI_CHECK(ctx, !given[i], SPECREG_E_ARG, "kernel %s: %s is given twice",
              sri_kernel_term_name(term), sri_kernel_param_at(term, i).name);
    given[i] = true;
    snprintf(what, sizeof what, "kernel %.40s: %.40s", sri_kernel_term_name(term), key);
    sri_values_free(&grid->list[t][i]);
    const sri_param param = sri_kernel_param_at(term, i);
    SRI_CALL(sri_width_parse(ctx, what, value, &grid->width[t][i]));
    if (grid->width[t][i].kind != SRI_WIDTH_GIVEN) {
        grid->is_auto[t][i] = false;
        return isnan(param.value) && strcmp(key, "sigma") == 0
                   ? SPECREG_OK
                   : sri_fail(ctx, SPECREG_E_ARG, "%s cannot be %s, which is for widths", what,
                              value);
    }
    SRI_CALL(sri_values_parse(ctx, what, value, &grid->list[t][i]));
    SRI_CHECK(ctx, grid->list[t][i].count > 0 || isnan(param.value), SPECREG_E_ARG,
              "%s cannot be auto", what);
    if (is_gamma)
        SRI_CALL(gamma_to_sigma(ctx, &grid->list[t][i]));
    grid->is_auto[t][i] = grid->list[t][i].count == 0;
    for (int64_t k = 0; k < grid->list[t][i].count; k++)
        SRI_CALL(check_value(ctx, term, i, grid->list[t][i].v[k]));
    return SPECREG_OK;
}

static specreg_status parse_term(specreg_context *ctx, sri_kernel_grid *grid, char *text)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    bool given[SRI_KERNEL_PARAMS] = {false};
    SRI_REQUIRE(ctx, grid->base.n_terms < SRI_KERNEL_TERMS, SPECREG_E_ARG,
                "kernel: at most %d terms in a sum", (int)SRI_KERNEL_TERMS);
    const int t = grid->base.n_terms++;
    sri_kernel_term *term = &grid->base.term[t];
    term->weight = 1;
    char *star = strchr(text, '*');
    if (star) {
        char *begin = text + strspn(text, " ");
        *star = '\0';
        for (char *end = star; end > begin && end[-1] == ' '; end--)
            end[-1] = '\0';
        SRI_TRY(sri_number_parse(ctx, "kernel: weight", begin, &term->weight));
        SRI_REQUIRE(ctx, term->weight > 0, SPECREG_E_ARG,
                    "kernel: a weight must be greater than 0, not %g", term->weight);
        text = star + 1;
    }
    SRI_TRY(sri_spec_parse(ctx, "kernel", text, &spec));
    SRI_TRY(sri_kernel_term_named(ctx, spec.name, term));
    for (int i = 0; i < sri_kernel_param_count(term); i++)
        grid->is_auto[t][i] = isnan(term->param[i]);
    for (int i = 0; i < spec.count; i++)
        SRI_TRY(parse_param(ctx, grid, t, given, spec.arg[i].key, spec.arg[i].value));
done:
    sri_spec_free(&spec);
    return st;
}

/* The product of the lists, kept from overflowing and from outlasting anyone's patience. */
static specreg_status check_count(specreg_context *ctx, const sri_kernel_grid *grid)
{
    double count = 1;
    for (int t = 0; t < grid->n_outputs; t++)
        for (int i = 0; i < SRI_OUTPUTS_PARAMS; i++)
            count *=
                grid->outputs[t].list[i].count > 1 ? (double)grid->outputs[t].list[i].count : 1;
    for (int t = 0; t < grid->base.n_terms; t++)
        for (int i = 0; i < SRI_KERNEL_PARAMS; i++)
            count *= grid->list[t][i].count > 1 ? (double)grid->list[t][i].count : 1;
    if (count > MOST_CANDIDATES)
        return sri_fail(ctx, SPECREG_E_ARG, "kernel: these lists make %g candidates, at most %d",
                        count, (int)MOST_CANDIDATES);
    return SPECREG_OK;
}

typedef specreg_status term_fn(specreg_context *ctx, sri_kernel_grid *grid, char *term);

/* Each term of a sum, which `take` may change. */
static specreg_status take_terms(specreg_context *ctx, const char *text, term_fn *take,
                                 sri_kernel_grid *grid)
{
    specreg_status st = SPECREG_OK;
    const char *end;
    char *term = NULL;
    do {
        end = term_end(text);
        SRI_TAKEN(term, sri_strndup(ctx, text, (size_t)(end - text)));
        SRI_TRY(take(ctx, grid, term));
        sri_free(term);
        term = NULL;
        text = end + 1;
    } while (*end);
done:
    sri_free(term);
    return st;
}

specreg_status sri_kernel_family_parse(specreg_context *ctx, const char *text, sri_kernel_grid *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_kernel_grid){0};
    SRI_TRY(take_terms(ctx, text, parse_term, out));
    SRI_REQUIRE(ctx, !sri_kernel_grid_indexed(out) || out->base.n_terms == 1, SPECREG_E_ARG,
                "kernel precomputed cannot be part of a sum: add the matrices beforehand");
    for (int t = 0; t < out->base.n_terms; t++)
        SRI_REQUIRE(ctx, !out->base.term[t].ops->field || out->base.n_terms == 1, SPECREG_E_ARG,
                    "kernel %s cannot be part of a sum: its values are matrices",
                    out->base.term[t].ops->name);
    SRI_TRY(check_count(ctx, out));
done:
    if (st != SPECREG_OK)
        sri_kernel_grid_free(out);
    return st;
}

static specreg_status parse_outputs(specreg_context *ctx, sri_kernel_grid *grid, char *term)
{
    if (grid->n_outputs == SRI_KERNEL_TERMS)
        return sri_fail(ctx, SPECREG_E_ARG, "outputs: at most %d terms in a sum",
                        (int)SRI_KERNEL_TERMS);
    const specreg_status st = sri_outputs_parse(ctx, term, &grid->outputs[grid->n_outputs]);
    grid->n_outputs += st == SPECREG_OK;
    return st;
}

specreg_status sri_kernel_grid_outputs(specreg_context *ctx, const char *text,
                                       sri_kernel_grid *grid)
{
    SRI_CALL(take_terms(ctx, text, parse_outputs, grid));
    SRI_CHECK(ctx, grid->n_outputs == 1 || grid->n_outputs == grid->base.n_terms, SPECREG_E_ARG,
              "outputs: a sum of %d, but the kernel is a sum of %d: each of its terms takes one",
              grid->n_outputs, grid->base.n_terms);
    for (int t = 0; t < grid->n_outputs; t++)
        SRI_CHECK(ctx, grid->n_outputs == 1 || grid->outputs[t].ops->file != SRI_OUTPUTS_LEARNED,
                  SPECREG_E_ARG,
                  "outputs learn: one matrix is learned for the whole kernel, not for a term of a "
                  "sum");
    return check_count(ctx, grid);
}

bool sri_kernel_grid_mixes(const sri_kernel_grid *grid)
{
    return grid->n_outputs > 1;
}

const char *sri_kernel_grid_shifts(const sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->n_outputs; t++)
        if (grid->outputs[t].ops->file == SRI_OUTPUTS_SHIFTS ||
            grid->outputs[t].ops->file == SRI_OUTPUTS_MAP)
            return grid->outputs[t].ops->name;
    return NULL;
}

bool sri_kernel_grid_learns(const sri_kernel_grid *grid)
{
    return grid->n_outputs == 1 && grid->outputs[0].ops->file == SRI_OUTPUTS_LEARNED;
}

bool sri_kernel_grid_couples(const sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->n_outputs; t++)
        if (sri_outputs_couple(&grid->outputs[t]))
            return true;
    return false;
}

void sri_kernel_grid_free(sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->n_outputs; t++)
        sri_outputs_free(&grid->outputs[t]);
    for (int t = 0; t < SRI_KERNEL_TERMS; t++)
        for (int i = 0; i < SRI_KERNEL_PARAMS; i++)
            sri_values_free(&grid->list[t][i]);
    sri_kernel_families_leave(grid);
    *grid = (sri_kernel_grid){0};
}

void sri_kernel_grid_forget(sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->n_outputs; t++)
        sri_outputs_forget(&grid->outputs[t]);
}

specreg_status sri_kernel_grid_copy(specreg_context *ctx, const sri_kernel_grid *grid,
                                    sri_kernel_grid *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_kernel_grid){.base = grid->base, .automatic = grid->automatic};
    memcpy(out->is_auto, grid->is_auto, sizeof out->is_auto);
    memcpy(out->width, grid->width, sizeof out->width);
    for (int t = 0; t < grid->base.n_terms; t++)
        for (int i = 0; i < SRI_KERNEL_PARAMS; i++)
            SRI_TRY(sri_values_copy(ctx, &grid->list[t][i], &out->list[t][i]));
    for (; out->n_outputs < grid->n_outputs; out->n_outputs++)
        SRI_TRY(
            sri_outputs_copy(ctx, &grid->outputs[out->n_outputs], &out->outputs[out->n_outputs]));
    if (grid->next) {
        SRI_CALLOC(ctx, out->next, 1, 1);
        SRI_TRY(sri_kernel_grid_copy(ctx, grid->next, out->next));
    }
done:
    if (st != SPECREG_OK)
        sri_kernel_grid_free(out);
    return st;
}

bool sri_kernel_grid_indexed(const sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->base.n_terms; t++)
        if (grid->base.term[t].ops->indexed)
            return true;
    return false;
}

const char *sri_kernel_grid_scale(const sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->base.n_terms; t++)
        if (grid->base.term[t].ops->scale)
            return grid->base.term[t].ops->scale;
    return "standard";
}

/* Whether parameter k of term t is above 0 for every candidate. */
static bool is_positive(const sri_kernel_grid *grid, int t, int k)
{
    const sri_values *list = &grid->list[t][k];
    for (int64_t i = 0; i < list->count; i++)
        if (!(list->v[i] > 0))
            return false;
    return list->count > 0 || grid->base.term[t].param[k] > 0;
}

static bool has_constant(const sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->base.n_terms; t++) {
        const int constant = grid->base.term[t].ops->constant;
        if (constant && is_positive(grid, t, constant - 1))
            return true;
    }
    return false;
}

bool sri_kernel_grid_has_constant(const sri_kernel_grid *grid)
{
    while (grid && has_constant(grid))
        grid = grid->next;
    return !grid;
}

int sri_kernel_grid_polynomial(const sri_kernel_grid *grid)
{
    int most = -1;
    for (int64_t c = 0; c < sri_kernel_grid_count(grid); c++) {
        const sri_kernel kernel = sri_kernel_grid_at(grid, c);
        const int degree = sri_kernel_polynomial(&kernel);
        most = degree > most ? degree : most;
    }
    return most;
}

int sri_kernel_polynomial(const sri_kernel *kernel)
{
    int most = -1;
    for (int t = 0; t < kernel->n_terms; t++) {
        const sri_kernel_term *term = &kernel->term[t];
        const int degree = term->ops->polynomial ? term->ops->polynomial(term) : -1;
        most = degree > most ? degree : most;
    }
    return most;
}

bool sri_kernel_grid_is_auto(const sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->base.n_terms; t++)
        for (int i = 0; i < SRI_KERNEL_PARAMS; i++)
            if (grid->is_auto[t][i])
                return true;
    return grid->next && sri_kernel_grid_is_auto(grid->next);
}

bool sri_kernel_grid_takes_sparse(const sri_kernel_grid *grid)
{
    for (int t = 0; t < grid->base.n_terms; t++) {
        const sri_kernel_term *term = &grid->base.term[t];
        if (term->ops->indexed || sri_term_pair(term) >= SRI_PAIR_DIFFER)
            return false;
    }
    return !grid->next || grid->automatic || sri_kernel_grid_takes_sparse(grid->next);
}

/* Whether a term has distances in the 1-norm: with norm=1, where that was asked for. */
static bool has_norm1(const sri_kernel_grid *grid, int t)
{
    const sri_kernel first = sri_kernel_grid_at(grid, 0);
    return sri_term_pair(&first.term[t]) == SRI_PAIR_DIST1;
}

/* One width, by its rule. */
static specreg_status fill_width(specreg_context *ctx, sri_kernel_grid *grid, int t, int i,
                                 const sri_points *points, uint64_t seed)
{
    sri_values *list = &grid->list[t][i];
    SRI_NEW(ctx, list->v, 1, 1);
    list->count = 1;
    return sri_width_find(ctx, points, has_norm1(grid, t), seed, grid->width[t][i], list->v);
}

/* Between the two ends of a parameter that has them: values from one to the other, both included.
 * Else widths around the median distance, evenly spaced in the logarithm. */
static specreg_status fill_auto(specreg_context *ctx, sri_kernel_grid *grid, int t, int i,
                                const sri_points *points, uint64_t seed)
{
    const sri_param param = sri_kernel_param_at(&grid->base.term[t], i);
    sri_values *list = &grid->list[t][i];
    double median = 1;
    if (!(param.most > 0))
        SRI_CALL(sri_points_median(ctx, points, has_norm1(grid, t), seed, &median));
    SRI_NEW(ctx, list->v, AUTO, 1);
    list->count = AUTO;
    for (int k = 0; k < AUTO; k++)
        list->v[k] = param.most > 0 ? param.least + (param.most - param.least) * k / (AUTO - 1)
                                    : median * pow(AUTO_SPAN, 2.0 * k / (AUTO - 1) - 1);
    return SPECREG_OK;
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

specreg_status sri_kernel_grid_resolve(specreg_context *ctx, sri_kernel_grid *grid,
                                       const sri_points *points, uint64_t seed)
{
    for (int t = 0; t < grid->base.n_terms; t++)
        for (int i = 0; i < sri_kernel_param_count(&grid->base.term[t]); i++) {
            sri_values *list = &grid->list[t][i];
            const sri_param param = sri_kernel_param_at(&grid->base.term[t], i);
            if (grid->is_auto[t][i] && list->count == 0)
                SRI_CALL(fill_auto(ctx, grid, t, i, points, seed));
            else if (grid->width[t][i].kind != SRI_WIDTH_GIVEN && list->count == 0)
                SRI_CALL(fill_width(ctx, grid, t, i, points, seed));
            if (list->count > 1 && strcmp(param.name, "sigma") == 0)
                qsort(list->v, (size_t)list->count, sizeof *list->v, descending);
        }
    if (grid->next)
        SRI_CALL(sri_kernel_grid_resolve(ctx, grid->next, points, seed));
    return sri_kernel_grid_check(ctx, grid, points);
}

specreg_status sri_kernel_grid_check(specreg_context *ctx, const sri_kernel_grid *grid,
                                     const sri_points *points)
{
    for (int64_t c = 0; c < sri_kernel_grid_count(grid); c++) {
        const sri_kernel kernel = sri_kernel_grid_at(grid, c);
        for (int t = 0; t < kernel.n_terms; t++)
            if (kernel.term[t].ops->check)
                SRI_CALL(kernel.term[t].ops->check(ctx, &kernel.term[t], points));
    }
    return SPECREG_OK;
}

/* How many matrices a term's outputs have been made into; 1 before that. */
static int64_t outputs_count(const sri_kernel_grid *grid, int t)
{
    return grid->outputs[t].count > 1 ? grid->outputs[t].count : 1;
}

int64_t sri_kernel_grid_matrices(const sri_kernel_grid *grid)
{
    int64_t count = 1;
    for (int t = 0; t < grid->n_outputs; t++)
        count *= outputs_count(grid, t);
    return count;
}

bool sri_kernel_same_scalar(const sri_kernel *a, const sri_kernel *b)
{
    if (a->n_terms != b->n_terms)
        return false;
    for (int t = 0; t < a->n_terms; t++)
        if (a->term[t].ops != b->term[t].ops ||
            memcmp(a->term[t].param, b->term[t].param, sizeof a->term[t].param) != 0)
            return false;
    return true;
}

int64_t sri_kernel_family_count(const sri_kernel_grid *grid)
{
    int64_t count = sri_kernel_grid_matrices(grid);
    for (int t = 0; t < grid->base.n_terms; t++)
        for (int i = 0; i < SRI_KERNEL_PARAMS; i++)
            if (grid->list[t][i].count > 1)
                count *= grid->list[t][i].count;
    return count;
}

int64_t sri_kernel_grid_count(const sri_kernel_grid *grid)
{
    int64_t count = 0;
    for (; grid; grid = grid->next)
        count += sri_kernel_family_count(grid);
    return count;
}

sri_kernel sri_kernel_grid_at(const sri_kernel_grid *grid, int64_t index)
{
    grid = sri_kernel_family_at(grid, &index);
    sri_kernel kernel = grid->base;
    /* Outputs change fastest: they share what the scalar kernel costs. */
    for (int t = 0; t < grid->n_outputs; t++) {
        const sri_coupling *c = grid->outputs[t].coupling;
        kernel.term[t].coupling = c ? c + index % outputs_count(grid, t) : NULL;
        index /= outputs_count(grid, t);
    }
    for (int t = 1; grid->n_outputs == 1 && t < kernel.n_terms; t++)
        kernel.term[t].coupling = kernel.term[0].coupling;
    for (int t = 0; t < kernel.n_terms; t++)
        for (int i = 0; i < SRI_KERNEL_PARAMS; i++) {
            const sri_values *list = &grid->list[t][i];
            if (list->count == 0)
                continue;
            kernel.term[t].param[i] = list->v[index % list->count];
            index /= list->count;
        }
    return kernel;
}

const sri_coupling *sri_kernel_coupling(const sri_kernel *kernel)
{
    const sri_coupling *c = kernel->term[0].coupling;
    for (int t = 1; t < kernel->n_terms; t++)
        if (kernel->term[t].coupling != c)
            return NULL;
    return c;
}

/* The grid of candidates that the text of a kernel stands for. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "kernel/kernel.h"
#include "kernel/registry.h"

enum { AUTO = 11 }; /* values of an automatic list; odd: the middle width is the median itself */
static const double AUTO_SPAN = 4; /* from median / 4 to median * 4 */

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
    for (int t = 0; t < SRI_KERNEL_TERMS; t++)
        sri_picked_free(grid->columns[t]);
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
    for (int t = 0; t < grid->base.n_terms; t++) {
        if (!grid->columns[t])
            continue;
        SRI_TRY(sri_picked_copy(ctx, grid->columns[t], &out->columns[t]));
        out->base.term[t].columns = out->columns[t];
    }
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

/* A product has constants among its functions where all of its factors have. */
static bool has_constant(const sri_kernel_grid *grid)
{
    bool all = true;
    for (int t = 0; t < grid->base.n_terms; t++) {
        const int constant = grid->base.term[t].ops->constant;
        all = (all || !grid->base.term[t].times) && constant && is_positive(grid, t, constant - 1);
        if (all && sri_product_ends(&grid->base, t))
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

const char *sri_kernel_grid_conditional(const sri_kernel_grid *grid)
{
    for (const sri_kernel_grid *g = grid; g; g = g->next)
        for (int t = 0; t < g->base.n_terms; t++)
            if (g->base.term[t].ops->polynomial)
                return sri_kernel_term_name(&g->base.term[t]);
    return sri_kernel_term_name(&grid->base.term[0]);
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

/* How points are apart for a term: in the columns that it sees; in the 1-norm with norm=1, where
 * that was asked for. */
static sri_metric metric_of(const sri_kernel_grid *grid, int t)
{
    const sri_kernel first = sri_kernel_grid_at(grid, 0);
    return (sri_metric){sri_term_pair(&first.term[t]) == SRI_PAIR_DIST1, first.term[t].columns};
}

/* One width, by its rule. */
static specreg_status fill_width(specreg_context *ctx, sri_kernel_grid *grid, int t, int i,
                                 const sri_points *points, uint64_t seed)
{
    sri_values *list = &grid->list[t][i];
    SRI_NEW(ctx, list->v, 1, 1);
    list->count = 1;
    return sri_width_find(ctx, points, metric_of(grid, t), seed, grid->width[t][i], list->v);
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
        SRI_CALL(sri_width_find(ctx, points, metric_of(grid, t), seed,
                                (sri_width){.kind = SRI_WIDTH_MEDIAN}, &median));
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
        SRI_CALL(sri_kernel_columns_check(ctx, &kernel, points->p));
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
        if (!sri_kernel_same_kind(&a->term[t], &b->term[t]) ||
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
    const sri_coupling *chosen[SRI_KERNEL_TERMS] = {NULL};
    for (int i = 0; i < grid->n_outputs; i++) {
        const sri_coupling *c = grid->outputs[i].coupling;
        chosen[i] = c ? c + index % outputs_count(grid, i) : NULL;
        index /= outputs_count(grid, i);
    }
    for (int t = 0, product = -1; grid->n_outputs && t < kernel.n_terms; t++) {
        product += !kernel.term[t].times;
        kernel.term[t].coupling = chosen[grid->n_outputs > 1 ? product : 0];
    }
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

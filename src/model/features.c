/* Unpenalised terms: from the options to the columns of a problem. */
#include "core/memory.h"
#include "data/text/documents.h"
#include "model/dataset.h"
#include "op/projection.h"
#include "select/rule.h"

static specreg_status read_table(specreg_context *ctx, const char *path, specreg_table **out)
{
    if (sri_is_folder(path))
        return sri_fail(ctx, SPECREG_E_IO, "%s: is a directory", path);
    return specreg_table_read(ctx, path, NULL, out);
}

specreg_status sri_features_read(specreg_context *ctx, const sri_predefined *p, const char *path,
                                 specreg_table **out)
{
    *out = NULL;
    if (*path && !sri_predefined_path(p))
        return sri_fail(ctx, SPECREG_E_ARG, "features-file: there are no features from a file");
    return *path ? read_table(ctx, path, out) : SPECREG_OK;
}

/* Leaves out columns that depend on those before them, until none does, also of P (n x l). */
static specreg_status drop_dependent(specreg_context *ctx, sri_predefined *p, const double *weight,
                                     int64_t n, double *P)
{
    for (;;) {
        const int64_t l = p->l;
        int64_t first, to = 0;
        SRI_CALL(sri_features_dependent(ctx, P, n, l, weight, &first));
        if (first < 0)
            break;
        sri_predefined_leave(p, first);
        for (int64_t k = 0; k < n * l; k++)
            if (k % l != first)
                P[to++] = P[k];
    }
    if (!p->l)
        return sri_fail(ctx, SPECREG_E_NUMERIC, "features: none is left, they are 0 in every row");
    return SPECREG_OK;
}

specreg_status sri_features_learn(specreg_context *ctx, const sri_recipe *recipe, sri_dataset *d)
{
    specreg_status st = SPECREG_OK;
    specreg_table *file = NULL;
    sri_projection *check = NULL;
    sri_predefined *p = &d->features;
    const sri_choices *search = &recipe->search;
    const bool bare = d->rows.n == 1 || (sri_has_unlabelled(d, search) && !search->semi.has_graph);
    if (!search->unpenalised.n_terms || (search->unpenalised_auto && bare))
        return st; /* a constant would be all that a single row tells */
    SRI_TRY(sri_predefined_copy(ctx, &recipe->search.unpenalised, p));
    const char *path = sri_predefined_path(p);
    if (path)
        SRI_TRY(read_table(ctx, path, &file));
    const sri_predefined_rows rows = {.encoder = d->encoder,
                                      .X = &d->rows.X,
                                      .table = d->table,
                                      .rows = d->rows.keep,
                                      .file = file,
                                      .documents = d->table->counts != NULL,
                                      .seed = recipe->resources.seed};
    SRI_TRY(sri_predefined_learn(ctx, p, &rows));
    SRI_TRY(sri_predefined_fill(ctx, p, &rows, &d->rows.P));
    if (p->drop)
        SRI_TRY(drop_dependent(ctx, p, d->rows.weight, d->rows.n, d->rows.P));
    d->rows.l = p->l;
    SRI_ALLOC(ctx, d->rows.name, p->l, 1);
    for (int64_t k = 0; k < p->l; k++)
        d->rows.name[k] = p->name[p->kept[k]];
    const sri_features all = {.P = d->rows.P, .l = p->l, .name = d->rows.name};
    SRI_TRY(sri_projection_new(ctx, &all, d->rows.n, d->rows.weight,
                               &check)); /* told before the work */
done:
    sri_projection_free(check);
    specreg_table_free(file);
    return st;
}

/* Takes `count` columns from `first` on out of P (n x l). */
static void leave_columns(double *P, int64_t n, int64_t l, int64_t first, int64_t count)
{
    int64_t to = 0;
    for (int64_t k = 0; k < n * l; k++)
        if (k % l < first || k % l >= first + count)
            P[to++] = P[k];
}

/* Takes term number k out of a data set; points for one output each have a column of it for every
 * output. */
static void leave_term(sri_dataset *d, int64_t k)
{
    sri_row_data *rows = &d->rows;
    sri_features *of_points = &d->points.own.problem.unpenalised;
    const int64_t each = of_points->l / rows->l;
    if (d->points.own.P)
        leave_columns(d->points.own.P, d->points.own.problem.n, of_points->l, k * each, each);
    leave_columns(rows->P, rows->n, rows->l, k, 1);
    sri_predefined_leave(&d->features, k);
    rows->l--;
    of_points->l -= each;
    for (int64_t j = 0; j < rows->l; j++)
        rows->name[j] = d->features.name[d->features.kept[j]];
    for (int64_t j = 0; d->points.name && j < of_points->l; j++)
        d->points.name[j] = rows->name[j / each];
}

/* The first term, a column of `problem`, that depends on those before it in the rows that train of
 * one of the splits, -1: none does. */
static specreg_status first_in_parts(specreg_context *ctx, const sri_problem *problem,
                                     const sri_splits *splits, int64_t *first)
{
    specreg_status st = SPECREG_OK;
    sri_projection *terms = NULL;
    int32_t *held = NULL;
    sri_features minimiser = problem->unpenalised;
    minimiser.pivots = false;
    *first = -1;
    SRI_TRY(sri_projection_new(ctx, &minimiser, problem->n, problem->rows.weight, &terms));
    SRI_ALLOC(ctx, held, problem->n, 1);
    for (int64_t j = 0; j < splits->count && *first < 0; j++) {
        const sri_split *split = &splits->split[j];
        for (int64_t i = 0; i < problem->n; i++)
            held[i] = 1;
        for (int64_t i = 0; i < split->n_train; i++)
            held[split->train[i]] = 0;
        SRI_TRY(sri_fold_dependent(ctx, terms, (sri_fold){held, 1}, first));
    }
done:
    sri_free(held);
    sri_projection_free(terms);
    return st;
}

specreg_status sri_features_in_parts(specreg_context *ctx, const sri_rule *rule, sri_dataset *d,
                                     sri_problem *problem)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    if (!d->features.drop || !d->rows.l || !rule->ops->splits)
        return st;
    SRI_TRY(rule->ops->splits(ctx, rule, problem, &splits));
    for (int64_t first; d->rows.l;) {
        SRI_TRY(first_in_parts(ctx, problem, &splits, &first));
        if (first < 0)
            break;
        leave_term(d, first / (problem->unpenalised.l / d->rows.l));
        problem->unpenalised.l = d->points.own.problem.unpenalised.l;
    }
    SRI_REQUIRE(ctx, d->rows.l, SPECREG_E_NUMERIC,
                "features: none is left, each is told by the rows of one part alone");
done:
    sri_splits_free(&splits);
    return st;
}

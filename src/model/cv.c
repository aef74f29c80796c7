#include "model/cv.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "select/medians.h"

enum { IDA_FOLDS = 5 };

/* Whether --outer was given. */
static bool outer_is_set(const sri_recipe *recipe)
{
    return recipe->options && recipe->options->value[SRI_OPT_OUTER];
}

/* The protocol of the IDA benchmark tests on its own splits, unless it is told others. */
static bool splits_of_ida(const sri_recipe *recipe)
{
    const sri_rule_ops *rule = recipe->search.rule.ops;
    return rule && rule->search && rule->numbers_rows && !outer_is_set(recipe);
}

static specreg_status name_outer(specreg_context *ctx, const sri_recipe *recipe, char **out)
{
    sri_buffer text = {0};
    const bool ida = splits_of_ida(recipe);
    const specreg_status st =
        sri_buffer_print(ctx, &text, "%s%s", ida ? "splits:" : "",
                         ida ? recipe->search.rule.path
                             : sri_option_value(recipe->options, SRI_OPT_OUTER));
    *out = text.data;
    return st;
}

/* Splits of the rows, as --outer says. */
static specreg_status make_splits(specreg_context *ctx, const sri_prepared *p, sri_splits *out)
{
    specreg_status st = SPECREG_OK;
    sri_rule rule = {0};
    const sri_recipe *recipe = p->call->recipe;
    const sri_dataset *d = &p->data;
    const sri_strata strata = sri_problem_strata(&p->problem);
    const char *outer = sri_option_value(recipe->options, SRI_OPT_OUTER);
    SRI_TRY(sri_rule_parse(ctx, outer, &rule));
    if (!outer_is_set(recipe))
        rule.param[0] = NAN; /* as many folds as there are rows or groups, at most 5 */
    if (splits_of_ida(recipe)) {
        rule.ops = &sri_rule_splits;
        SRI_STRDUP(ctx, rule.path, recipe->search.rule.path);
    }
    SRI_REQUIRE(ctx, rule.ops && rule.ops->splits, SPECREG_E_ARG,
                "outer: kfold, holdout or splits, not '%s'", outer);
    SRI_TRY(rule.ops->splits(ctx, &rule, &p->problem, out));
    SRI_TRY(sri_splits_check(ctx, "outer", &strata, d->target->label, out));
done:
    sri_rule_free(&rule);
    return st;
}

/* The table of the kept rows that `rows` lists, and of those without targets where they train; of
 * documents as they are, so that their words are chosen inside the part. */
static specreg_status part(specreg_context *ctx, const sri_dataset *d, const sri_rows *rows,
                           bool trains, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = rows->count, more = trains ? d->n_unlabelled : 0;
    int64_t *which = NULL;
    SRI_ALLOC(ctx, which, count + more, 1);
    for (int64_t i = 0; i < count; i++)
        which[i] = d->rows.keep[rows->row[i]];
    for (int64_t i = 0; i < more; i++)
        which[count + i] = d->unlabelled[i];
    SRI_TRY(specreg_table_select(ctx, rows->table, which, count + more, out));
done:
    sri_free(which);
    return st;
}

/* The numbers that take the place of a search. */
typedef struct fixed {
    sri_filter filter;
    double param;
} fixed;

/* `recipe` becomes one of a kernel, whose users' functions are those of `names`, and of a setting
 * and parameter of the filter alone. */
static specreg_status fix_parameters(specreg_context *ctx, const sri_kept_kernel *names,
                                     const sri_kernel *kernel, fixed *f, sri_recipe *recipe)
{
    sri_choices *search = &recipe->search;
    sri_kernel_grid grid = {.n_outputs = search->kernel.n_outputs};
    SRI_CALL(sri_kept_kernel_use(ctx, names, &grid.base));
    for (int t = 0; t < kernel->n_terms; t++)
        memcpy(grid.base.term[t].param, kernel->term[t].param, sizeof kernel->term[t].param);
    memcpy(grid.outputs, search->kernel.outputs, sizeof grid.outputs);
    f->filter.user = search->filters.at->user;
    search->kernel = grid;
    search->filters = (sri_filter_grid){.at = &f->filter, .count = 1};
    search->path = (sri_values){.v = &f->param, .count = 1};
    search->path_auto = false;
    search->rule = (sri_rule){.ops = &sri_rule_none};
    search->criterion = NULL;
    search->checkpoint = NULL;
    return SPECREG_OK;
}

/* The setting of the recipe's filter that a model has. */
static const sri_filter *setting_of(const sri_filter_grid *settings, const sri_filter *model)
{
    for (int64_t i = 0; i < settings->count; i++) {
        sri_filter one = settings->at[i];
        one.user = model->user;
        one.step = model->step;
        if (sri_filter_same(&one, model))
            return &settings->at[i];
    }
    return settings->at;
}

/* Which columns of a given kernel matrix are those of the rows that train. */
typedef struct sub_matrix {
    int64_t *column,
        columns;       /* of the whole table: those rows' in their order, and the roles'      */
    int64_t *target;   /* where the targets are among these                                 */
    sri_recipe recipe; /* which finds them, and other roles by their columns' names          */
    sri_call call;
} sub_matrix;

static const char *role_name(const sri_dataset *d, int64_t column)
{
    return column < 0 ? "" : d->table->column[column].name;
}

/* Feature k is the column of row k; `feature` has room for all columns. */
static specreg_status find_features(specreg_context *ctx, const sri_dataset *d, int64_t *feature)
{
    int64_t p = 0;
    for (int64_t j = 0; j < d->table->n_columns; j++)
        if (!sri_lists(d->roles.target, d->roles.n_targets, j) &&
            !sri_aside_has(&d->roles.aside, j))
            feature[p++] = j;
    SRI_CHECK(ctx, p == d->table->rows && p == d->rows.n, SPECREG_E_SHAPE,
              "kernel precomputed needs a square matrix: %lld rows, %lld feature columns",
              (long long)d->rows.n, (long long)p);
    return SPECREG_OK;
}

/* Features stay where the first of them was, so that a last column that is the target stays it. */
static void choose_columns(const sri_dataset *d, const sri_split *split, const int64_t *feature,
                           sub_matrix *m)
{
    for (int64_t j = 0, f = 0; j < d->table->n_columns; j++) {
        if (f < d->rows.n && j == feature[f]) {
            for (int64_t i = 0; f == 0 && i < split->n_train; i++)
                m->column[m->columns++] = feature[d->rows.keep[split->train[i]]];
            f++;
            continue;
        }
        for (int64_t t = 0; t < d->roles.n_targets; t++)
            if (d->roles.target[t] == j)
                m->target[t] = m->columns;
        m->column[m->columns++] = j;
    }
}

static void sub_matrix_free(sub_matrix *m)
{
    sri_free(m->column);
    sri_free(m->target);
}

/* Nothing where the kernel is no given matrix; a sub_matrix is freed also after a failure. */
static specreg_status sub_matrix_make(specreg_context *ctx, const sri_call *call,
                                      const sri_dataset *d, const sri_split *split, sub_matrix *m)
{
    specreg_status st = SPECREG_OK;
    int64_t *feature = NULL;
    m->recipe = *call->recipe;
    m->call = *call;
    if (!sri_kernel_grid_indexed(&call->recipe->search.kernel))
        return st;
    SRI_ALLOC(ctx, feature, d->table->n_columns, 1);
    SRI_ALLOC(ctx, m->column, d->table->n_columns, 1);
    SRI_ALLOC(ctx, m->target, d->roles.n_targets, 1);
    SRI_TRY(find_features(ctx, d, feature));
    choose_columns(d, split, feature, m);
    m->recipe.data.roles = (sri_role_names){.target = "",
                                            .group = role_name(d, d->roles.group),
                                            .weights = role_name(d, d->roles.weights),
                                            .task = role_name(d, d->roles.task),
                                            .target_at = m->target,
                                            .n_targets = d->roles.n_targets};
    m->recipe.portrait = 0;
    m->call = sri_call_with(call, &m->recipe);
done:
    sri_free(feature);
    return st;
}

/* The table of some rows, and of the columns that belong to it. */
static specreg_status fold_part(specreg_context *ctx, const sri_dataset *d, const sub_matrix *m,
                                const sri_rows *rows, bool trains, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *wide = NULL;
    if (!m->column)
        return part(ctx, d, rows, trains, out);
    SRI_TRY(part(ctx, d, rows, trains, &wide));
    SRI_TRY(sri_table_columns(ctx, wide, m->column, m->columns, out));
done:
    specreg_table_free(wide);
    return st;
}

/* Fits on one part, tests on the other. */
static specreg_status run_fold(specreg_context *ctx, const sri_call *call,
                               const specreg_table *data, const sri_dataset *d,
                               const sri_split *split, sri_cv_fold *out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *train = NULL, *test = NULL;
    specreg_model *model = NULL;
    sub_matrix m = {0};
    const sri_rows train_rows = {data, split->train, split->n_train},
                   test_rows = {data, split->validate, split->n_validate};
    SRI_TRY(sub_matrix_make(ctx, call, d, split, &m));
    SRI_TRY(fold_part(ctx, d, &m, &train_rows, true, &train));
    SRI_TRY(fold_part(ctx, d, &m, &test_rows, false, &test));
    SRI_TRY(sri_fit(ctx, &m.call, train, &model));
    *out = (sri_cv_fold){.n_train = split->n_train, .n_test = split->n_validate, .T = model->T};
    SRI_TRY(sri_evaluate_model(ctx, call, model, test, &out->test));
    out->df = model->report.fit->search.df;
    out->df_stderr = model->report.fit->search.df_stderr;
    out->kernel = model->kernel;
    out->filter = model->filter;
    out->unpenalised = model->unpenalised;
    model->kernel = (sri_kept_kernel){0};
    model->filter = (sri_kept_filter){0};
    model->unpenalised = (sri_unpenalised){0};
done:
    specreg_model_free(model);
    specreg_table_free(test);
    specreg_table_free(train);
    sub_matrix_free(&m);
    return st;
}

/* Each outer split with the recipe of the parts, and a checkpoint of its own. */
static specreg_status run_folds(specreg_context *ctx, const sri_prepared *p,
                                const sri_recipe *part_recipe, const specreg_table *data,
                                const sri_splits *splits, sri_cv_result *out)
{
    specreg_status st = SPECREG_OK;
    sri_buffer name = {0};
    SRI_CALLOC(ctx, out->fold, splits->count, 1);
    out->folds = splits->count;
    for (int64_t f = 0; f < splits->count; f++) {
        sri_recipe recipe = *part_recipe;
        name.length = 0;
        if (recipe.search.checkpoint) {
            SRI_TRY(sri_buffer_print(ctx, &name, "%s.%lld", recipe.search.checkpoint,
                                     (long long)f + 1));
            recipe.search.checkpoint = name.data;
        }
        const sri_call call = sri_call_with(p->call, &recipe);
        sri_stage_part(ctx, f, splits->count);
        SRI_TRY(run_fold(ctx, &call, data, &p->data, &splits->split[f], &out->fold[f]));
    }
done:
    sri_stage_part(ctx, 0, 0);
    sri_buffer_free(&name);
    return st;
}

/* The protocol of the IDA benchmark chooses once, by cross-validation on the training rows of each
 * of its first splits, which no other rows have a part in; every outer split is then trained with
 * the medians. */
static specreg_status choose_once(specreg_context *ctx, const sri_prepared *p,
                                  const specreg_table *data, fixed *f, sri_recipe *recipe)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    sri_cv_result chosen = {0};
    sri_chosen c = {0};
    sri_kernel kernel;
    sri_recipe kfold = *recipe;
    kfold.search.rule = (sri_rule){0};
    sri_rule_defaults(&kfold.search.rule, &sri_rule_kfold);
    kfold.search.rule.param[0] = IDA_FOLDS;
    SRI_TRY(sri_splits_read(ctx, recipe->search.rule.path, &p->problem, &splits));
    sri_splits first = splits; /* the first ones of the same, which `splits` frees */
    if (first.count > SRI_MOST_CHOICES)
        first.count = SRI_MOST_CHOICES;
    SRI_TRY(run_folds(ctx, p, &kfold, data, &first, &chosen));
    for (; c.count < chosen.folds; c.count++) {
        c.kernel[c.count] = chosen.fold[c.count].kernel.kernel;
        c.filter[c.count] = chosen.fold[c.count].filter.filter;
        c.param[c.count] = chosen.fold[c.count].filter.param;
    }
    SRI_TRY(sri_medians(ctx, &c, &kernel, &f->filter, &f->param));
    int64_t like = 0; /* a model of the same family */
    while (!sri_kernel_same_family(&chosen.fold[like].kernel.kernel, &kernel))
        like++;
    SRI_TRY(fix_parameters(ctx, &chosen.fold[like].kernel, &kernel, f, recipe));
done:
    sri_cv_result_free(&chosen);
    sri_splits_free(&splits);
    return st;
}

/* What all rows say about the problem holds for the parts. */
static sri_recipe recipe_of_parts(const sri_prepared *p)
{
    sri_recipe recipe = *p->call->recipe;
    const char *file = sri_predefined_path(&recipe.search.unpenalised);
    recipe.data.problem = sri_dataset_kind(&p->data);
    recipe.data.tasks = p->data.tasks;
    recipe.data.roles.left_out = p->data.roles.left_out;
    if (file) /* parts know which of its rows are theirs */
        recipe.data.features_file = file;
    return recipe;
}

specreg_status sri_cv(specreg_context *ctx, const sri_prepared *p, const specreg_table *data,
                      sri_cv_result *out)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    const sri_rule_ops *rule = p->call->recipe->search.rule.ops; /* NULL: automatic */
    fixed f;
    *out = (sri_cv_result){0};
    SRI_TRY(make_splits(ctx, p, &splits));
    SRI_REQUIRE(
        ctx, !rule || !rule->numbers_rows || rule->search, SPECREG_E_ARG,
        "select: splits count the rows of the whole table, of which a search inside cv sees "
        "a part: use kfold there, and --outer splits:FILE");
    sri_recipe recipe = recipe_of_parts(p);
    if (rule && rule->search && rule->numbers_rows)
        SRI_TRY(choose_once(ctx, p, data, &f, &recipe));
    SRI_TRY(run_folds(ctx, p, &recipe, data, &splits, out));
    SRI_TRY(name_outer(ctx, p->call->recipe, &out->outer));
done:
    sri_splits_free(&splits);
    return st;
}

specreg_status sri_cv_at(specreg_context *ctx, const sri_call *call, const specreg_table *data,
                         const specreg_model *model, sri_cv_result *out)
{
    specreg_status st = SPECREG_OK;
    sri_prepared p = {0};
    sri_splits splits = {0};
    *out = (sri_cv_result){0};
    SRI_TRY(sri_prepare_rows(ctx, call, data, &p));
    SRI_TRY(make_splits(ctx, &p, &splits));
    sri_recipe recipe = recipe_of_parts(&p);
    fixed f = {*setting_of(&recipe.search.filters, &model->filter.filter), model->filter.param};
    SRI_TRY(fix_parameters(ctx, &model->kernel, &model->kernel.kernel, &f, &recipe));
    SRI_TRY(run_folds(ctx, &p, &recipe, data, &splits, out));
done:
    sri_splits_free(&splits);
    sri_prepared_free(&p);
    return st;
}

void sri_cv_result_free(sri_cv_result *result)
{
    for (int64_t f = 0; f < result->folds; f++) {
        sri_cv_fold *fold = &result->fold[f];
        sri_errors_free(&fold->test.errors);
        sri_free(fold->unpenalised.beta);
        sri_predefined_free(&fold->unpenalised.terms);
        sri_kept_filter_free(&fold->filter);
        sri_kept_kernel_free(&fold->kernel);
    }
    sri_free(result->fold);
    sri_free(result->outer);
    *result = (sri_cv_result){0};
}

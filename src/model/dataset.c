#include "kernel/registry.h"
#include "model/dataset.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "core/memory.h"
#include "data/inputs.h"
#include "data/rows.h"
#include "data/weights.h"
#include "kernel/linear_map.h"
#include "select/combinations.h"

/* Squared errors, by which parameters are chosen, must be numbers that can be compared. */
static specreg_status check_size(specreg_context *ctx, const sri_dataset *d)
{
    int64_t largest = 0;
    for (int64_t k = 1; k < d->rows.n * d->rows.T; k++)
        if (fabs(d->rows.Y[k]) > fabs(d->rows.Y[largest]) || isnan(d->rows.Y[largest]))
            largest = k;
    const double size = fabs(d->rows.Y[largest]);
    if (size >= 1e-140 && size <= 1e140)
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_NUMERIC,
                    "%s: target '%s' goes up to %g: squares of such numbers leave the range of a "
                    "double, multiply it by a constant",
                    d->table->source, d->target->name[largest % d->rows.T], size);
}

static sri_rows used_rows(const sri_dataset *d)
{
    return (sri_rows){d->table, d->rows.keep, d->rows.n};
}

static specreg_status make_target(specreg_context *ctx, sri_dataset *d, const sri_reading *data)
{
    specreg_status st = SPECREG_OK;
    const sri_target_list column = {d->roles.target, d->roles.n_targets, data->gaps};
    const sri_rows rows = used_rows(d);
    SRI_TRY(sri_target_describe(ctx, &rows, &column, data->problem, &d->target));
    d->target->aside = d->roles.aside;
    if (d->target->problem == SRI_REGRESSION) {
        /* Identity: the default coding is the one that nobody asked for. */
        SRI_REQUIRE(ctx, data->coding.ops == &sri_coding_ova, SPECREG_E_ARG,
                    "coding: %s is for classes, this is a regression", data->coding.ops->name);
        d->rows.T = d->target->n_columns;
        SRI_TRY(sri_target_numbers(ctx, d->target, &rows, column.column, &d->rows.Y));
        SRI_TRY(check_size(ctx, d));
        goto done;
    }
    SRI_TRY(sri_coding_load(ctx, &data->coding, d->target->n_classes, &d->coding));
    d->rows.T = d->coding->width;
    SRI_TRY(sri_target_classes(ctx, d->target, &rows, column.column, false, &d->rows.classes));
    SRI_ALLOC(ctx, d->rows.Y, d->rows.n, d->rows.T);
    sri_encode(d->coding, d->rows.classes, d->rows.n, d->rows.Y);
done:
    return st;
}

/* Squares of weights, which standard errors take, leave the range of a double where all weights are
 * huge or tiny.  A factor on all of them changes no model; a power of two not even their
 * rounding. */
static void tame_weights(double *weight, int64_t n)
{
    double most = 0;
    int e;
    for (int64_t i = 0; i < n; i++)
        most = fmax(most, weight[i]);
    if (most >= 1e-100 && most <= 1e100)
        return;
    frexp(most, &e);
    for (int64_t i = 0; i < n; i++)
        weight[i] = fmax(ldexp(weight[i], -e), DBL_MIN); /* never 0, which is divided by */
}

/* The product of the row's weight and its class's, where one is given; `column` is of all rows of
 * the table, or NULL. */
static specreg_status make_weights(specreg_context *ctx, sri_dataset *d, const double *column,
                                   const char *by_class)
{
    specreg_status st = SPECREG_OK;
    char place[1024];
    if (*by_class)
        SRI_TRY(sri_class_weights(ctx, by_class, d->target, &d->class_weight));
    if (!column && !d->class_weight)
        goto done;
    SRI_ALLOC(ctx, d->rows.weight, d->rows.n, 1);
    for (int64_t i = 0; i < d->rows.n; i++) {
        d->rows.weight[i] = (column ? column[d->rows.keep[i]] : 1) *
                            (d->class_weight ? d->class_weight[d->rows.classes[i]] : 1);
        SRI_REQUIRE(ctx, d->rows.weight[i] > 0 && isfinite(d->rows.weight[i]), SPECREG_E_NUMERIC,
                    "%s: the row's weight times its class's leaves the range of a double",
                    sri_table_place(d->table, d->rows.keep[i], place, sizeof place));
    }
    tame_weights(d->rows.weight, d->rows.n);
done:
    return st;
}

/* Tasks are labels like classes: in the order of their numbers or names, and found again in later
 * tables. */
static specreg_status make_tasks(specreg_context *ctx, sri_dataset *d, const sri_target *known)
{
    specreg_status st = SPECREG_OK;
    const int64_t column = d->roles.task;
    const sri_rows rows = used_rows(d);
    for (int64_t i = 0; i < d->rows.n; i++)
        if (sri_table_gap(d->table, d->rows.keep[i], column))
            SRI_TRY(sri_fail_at_cell(ctx, SPECREG_E_NUMERIC, d->table, d->rows.keep[i],
                                     d->table->column[column].name, "the task is missing"));
    st = known ? sri_target_copy(ctx, known, &d->tasks)
               : sri_target_describe(ctx, &rows, &(sri_target_list){&column, 1, false},
                                     SRI_CLASSIFICATION, &d->tasks);
    if (st == SPECREG_E_NUMERIC)
        st = sri_fail(ctx, st, "%s: column '%s' names one task only: leave --task-column out",
                      d->table->source, d->table->column[column].name);
    SRI_TRY(st);
    /* the others that are set aside: its own place is among them, where tables may lack it */
    d->tasks->aside = d->roles.aside;
    SRI_TRY(sri_target_classes(ctx, d->tasks, &rows, &column, false, &d->rows.task));
    for (int64_t i = 0; known && i < d->rows.n; i++)
        d->tasks->count[d->rows.task[i]]++;
done:
    return st;
}

/* Every task has the same weight, its rows share it. */
static specreg_status weigh_tasks(specreg_context *ctx, sri_dataset *d)
{
    specreg_status st = SPECREG_OK;
    double *mass = NULL;
    if (!d->rows.weight) {
        SRI_ALLOC(ctx, d->rows.weight, d->rows.n, 1);
        for (int64_t i = 0; i < d->rows.n; i++)
            d->rows.weight[i] = 1;
    }
    SRI_CALLOC(ctx, mass, d->tasks->n_classes, 1);
    for (int64_t i = 0; i < d->rows.n; i++)
        mass[d->rows.task[i]] += d->rows.weight[i];
    int64_t with_rows = 0;
    for (int64_t t = 0; t < d->tasks->n_classes; t++)
        with_rows += mass[t] > 0;
    const double even = (double)d->rows.n / (double)with_rows;
    for (int64_t i = 0; i < d->rows.n; i++)
        d->rows.weight[i] *= even / mass[d->rows.task[i]];
done:
    sri_free(mass);
    return st;
}

/* Options that have nothing to say about this table. */
static specreg_status check_roles(specreg_context *ctx, const sri_roles *roles,
                                  const sri_reading *data)
{
    if (data->tasks_alike && roles->task < 0)
        return sri_fail(ctx, SPECREG_E_ARG, "task-weight: tasks needs --task-column");
    sri_aspects aspects = {0};
    sri_aspects_add(&aspects, SRI_HAS_GAPS, data->gaps);
    sri_aspects_add(&aspects, SRI_HAS_TASKS, roles->task >= 0);
    return sri_combinations_check(ctx, &aspects);
}

static bool lacks_targets(const specreg_table *table, const sri_roles *roles, int64_t row)
{
    for (int64_t k = 0; k < roles->n_targets; k++)
        if (!sri_table_gap(table, row, roles->target[k]))
            return false;
    return true;
}

/* Rows without any target are listed; a weight of 0 leaves them out of those that train. */
static specreg_status set_unlabelled_aside(specreg_context *ctx, sri_dataset *d, double **weight)
{
    const specreg_table *table = d->table;
    SRI_NEW(ctx, d->unlabelled, table->rows, 1);
    for (int64_t i = 0; i < table->rows; i++)
        if (lacks_targets(table, &d->roles, i) && (!*weight || (*weight)[i] > 0))
            d->unlabelled[d->n_unlabelled++] = i;
    if (!*weight && d->n_unlabelled) {
        SRI_NEW(ctx, *weight, table->rows, 1);
        for (int64_t i = 0; i < table->rows; i++)
            (*weight)[i] = 1;
    }
    for (int64_t i = 0; i < d->n_unlabelled; i++)
        (*weight)[d->unlabelled[i]] = 0;
    return SPECREG_OK;
}

specreg_status sri_dataset_rows(specreg_context *ctx, const sri_corpus *corpus,
                                const sri_recipe *recipe, sri_dataset *out)
{
    specreg_status st = SPECREG_OK;
    const sri_reading *data = &recipe->data;
    const specreg_table *table = corpus->table;
    double *column = NULL; /* weights of all rows */
    sri_rows rows;
    *out = (sri_dataset){.table = table, .field = data->field};
    SRI_TRY(sri_roles_find(ctx, table, &corpus->roles, &out->roles));
    SRI_TRY(check_roles(ctx, &out->roles, data));
    out->roles.gaps = data->gaps && out->roles.n_targets > 1;
    if (out->roles.weights >= 0)
        SRI_TRY(sri_weights_read(ctx, table, out->roles.weights, &column));
    if (data->unlabelled)
        SRI_TRY(set_unlabelled_aside(ctx, out, &column));
    SRI_TRY(sri_rows_train(ctx, table, &out->roles, column, data->missing, &rows));
    out->rows.keep = rows.row;
    out->rows.n = rows.count;
    if (out->roles.weights < 0) { /* those were of rows without targets */
        sri_free(column);
        column = NULL;
    }
    SRI_TRY(make_target(ctx, out, data));
    if (out->roles.group >= 0)
        SRI_TRY(
            sri_groups_read(ctx, &rows, out->roles.group, &out->rows.group, &out->rows.n_groups));
    if (out->roles.task >= 0)
        SRI_TRY(make_tasks(ctx, out, data->tasks));
    if (out->roles.id >= 0)
        SRI_TRY(sri_target_carried(ctx, table, out->roles.id, &out->roles.aside, &out->id));
    SRI_TRY(make_weights(ctx, out, column, data->class_weight));
    if (out->rows.task && data->tasks_alike)
        SRI_TRY(weigh_tasks(ctx, out));
    out->points = sri_points_as_rows(&out->rows);
done:
    sri_free(column);
    return st;
}

/* The features: all columns that have no other role. */
static specreg_status make_encoder(specreg_context *ctx, sri_dataset *d, const sri_recipe *recipe)
{
    specreg_status st = SPECREG_OK;
    const sri_roles *roles = &d->roles;
    const sri_reading *data = &recipe->data;
    const sri_rows rows = used_rows(d);
    int64_t *skip = NULL, count = 0;
    SRI_ALLOC(ctx, skip, d->table->n_columns, 1);
    for (int64_t c = 0; c < d->table->n_columns; c++)
        if (!sri_is_input(roles, c))
            skip[count++] = c;
    if (sri_table_stays_sparse(d->table) && sri_kernel_grid_takes_sparse(&recipe->search.kernel))
        SRI_TRY(sri_encoder_fit_sparse(ctx, &rows, skip, count,
                                       data->scale_auto ? SRI_SCALE_NONE : data->scale,
                                       &d->encoder));
    else
        SRI_TRY(sri_encoder_fit(ctx, &rows, skip, count,
                                &(sri_encode_how){.scale = data->scale,
                                                  .missing = data->missing,
                                                  .refuses_unseen = data->refuses_unseen,
                                                  .dates = data->dates},
                                &d->encoder));
    d->encoder->missing = data->missing;
    d->encoder->aside = roles->aside;
    d->p = d->encoder->p;
done:
    sri_free(skip);
    return st;
}

/* Outputs of a row are points of their own where some rows lack some of them, or where the kernel
 * is not one matrix for all pairs of rows. */
static bool outputs_apart(const sri_dataset *d, const sri_kernel_grid *grid)
{
    if (sri_kernel_is_field(&grid->base) || sri_kernel_is_matrix(&grid->base))
        return true;
    if (d->rows.T == 1 || d->tasks || d->rows.classes)
        return false;
    for (int64_t k = 0; k < d->rows.n * d->rows.T; k++)
        if (isnan(d->rows.Y[k]))
            return true;
    return sri_kernel_grid_mixes(grid) || sri_kernel_grid_shifts(grid) != NULL;
}

/* Whether the filter looks at all coupled outputs at once. */
static bool filter_joins(const sri_dataset *d, const sri_kernel_grid *grid,
                         const sri_filter *filter)
{
    return sri_filter_sees_outputs(filter) && sri_kernel_grid_couples(grid) && d->rows.T > 1 &&
           !d->tasks && !d->rows.classes;
}

/* What the problem has, and what --outputs and the kernel ask for.  With tasks a coupling is
 * theirs. */
static void add_problem(const sri_dataset *d, const sri_kernel_grid *grid, sri_aspects *out)
{
    const bool couples = !d->tasks && sri_kernel_grid_couples(grid);
    const bool several = !d->tasks && sri_kernel_grid_mixes(grid), classes = d->rows.classes;
    const bool field = sri_kernel_is_field(&grid->base);
    sri_aspects_add(out, SRI_HAS_TASKS, d->tasks);
    sri_aspects_add(out, SRI_HAS_ONE_OUTPUT, d->rows.T == 1 && !d->tasks);
    sri_aspects_add(out, SRI_HAS_CLASSES, classes);
    sri_aspects_add(out, SRI_HAS_COUPLING, couples);
    sri_aspects_add(out, SRI_HAS_COUPLINGS, several);
    sri_aspects_add(out, SRI_HAS_OWN_INPUTS, sri_kernel_grid_shifts(grid));
    sri_aspects_add(out, SRI_HAS_COUPLED_CLASSES, classes && (couples || several));
    sri_aspects_add(out, SRI_HAS_OWN_ROWS, d->coding && d->coding->leaves_out);
    sri_aspects_add(out, SRI_HAS_FIELD, d->field && !field);
    sri_aspects_add(out, SRI_HAS_FIELD_KERNEL, field);
    sri_aspects_add(out, SRI_HAS_MATRIX_KERNEL, sri_kernel_is_matrix(&grid->base));
    sri_aspects_add(out, SRI_HAS_OTHER_SIZE, d->p != d->rows.T);
    sri_aspects_add(out, SRI_HAS_SPARSE_ROWS, d->rows.X.start);
    sri_aspects_add(out, SRI_HAS_GIVEN_MATRIX, sri_kernel_grid_indexed(grid));
    out->name[SRI_NAMED_TABLE] = d->table->source;
    out->name[SRI_NAMED_KERNEL] = sri_kernel_term_name(&grid->base.term[0]);
    out->name[SRI_NAMED_OUTPUTS] = grid->n_outputs ? grid->outputs[0].ops->name : "";
    out->name[SRI_NAMED_OWN_INPUTS] = sri_kernel_grid_shifts(grid);
}

static specreg_status check(specreg_context *ctx, const sri_dataset *d, const sri_choices *search,
                            bool labelled)
{
    const sri_rule_ops *rule = search->rule.ops; /* NULL: automatic */
    sri_aspects aspects = {0};
    char sizes[64];
    snprintf(sizes, sizeof sizes, "%lld and %lld", (long long)d->rows.T, (long long)d->p);
    aspects.name[SRI_NAMED_SIZES] = sizes;
    add_problem(d, &search->kernel, &aspects);
    sri_aspects_add(&aspects, SRI_HAS_LABELS, labelled);
    sri_aspects_add(&aspects, SRI_HAS_UNLABELLED, sri_has_unlabelled(d, search));
    sri_aspects_add(&aspects, SRI_HAS_CG, sri_filter_nonlinear(search->filters.at));
    sri_aspects_add(&aspects, SRI_HAS_COMPONENTS, search->filters.at->path == SRI_PATH_COMPONENTS);
    sri_aspects_add(&aspects, SRI_HAS_IDA, rule && rule->search);
    sri_aspects_add(&aspects, SRI_HAS_BOUND, rule && rule->bounds_errors);
    return sri_combinations_check(ctx, &aspects);
}

/* A map to another number of columns is not for rows of tasks, which are points as they are, nor
 * for kernels that name columns of the table. */
static specreg_status check_width(specreg_context *ctx, const sri_dataset *d,
                                  const sri_kernel_grid *grid, const sri_coupling *seen)
{
    const int64_t width = sri_coupling_width(seen, d->p);
    if (width == d->p)
        return SPECREG_OK;
    SRI_CHECK(ctx, !d->tasks, SPECREG_E_ARG,
              "outputs transform: with tasks the map must leave %lld columns, it makes %lld",
              (long long)d->p, (long long)width);
    for (; grid; grid = grid->next)
        for (int t = 0; t < grid->base.n_terms; t++)
            SRI_CHECK(ctx, !grid->columns[t], SPECREG_E_ARG,
                      "kernel: columns=%s: the map of outputs transform makes other columns",
                      grid->columns[t]->text);
    return SPECREG_OK;
}

/* The layout that the problem and its kernel ask for. */
static specreg_status make_points(specreg_context *ctx, sri_dataset *d, const sri_choices *search,
                                  sri_kernel_grid *grid)
{
    const bool field = sri_kernel_is_field(&grid->base);
    const int64_t tasks = d->tasks ? d->tasks->n_classes : 0;
    SRI_CALL(check(ctx, d, search, false));
    SRI_CALL(sri_kernel_matrix_check(ctx, &grid->base, d->rows.T));
    const bool always = outputs_apart(d, grid), exact = search->approx.kind <= SRI_APPROX_EXACT;
    const bool joint = !always && filter_joins(d, grid, search->filters.at);
    const bool labelled = tasks || always || (joint && exact);
    if (!field && (labelled || sri_kernel_grid_couples(grid)))
        SRI_CALL(sri_outputs_load(ctx, grid, tasks ? "tasks" : "outputs", tasks ? tasks : d->rows.T,
                                  d->p));
    SRI_CALL(check(ctx, d, search, labelled)); /* files that are wrong are told before */
    const bool apart = labelled && !tasks;
    const sri_layout layout = {.kind = tasks   ? SRI_LAYOUT_TASKS
                                       : apart ? SRI_LAYOUT_OUTPUTS
                                               : SRI_LAYOUT_ROWS,
                               .T = tasks ? tasks : d->rows.T,
                               .field = field,
                               .joint = joint,
                               .seen = labelled && !field ? grid->outputs[0].coupling : NULL};
    const sri_rows_view rows = {.n = d->rows.n, .x = d->rows.X, .label = d->rows.task};
    SRI_CALL(check_width(ctx, d, grid, layout.seen));
    SRI_CALL(sri_layout_see(ctx, &layout, &rows));
    return sri_point_data_make(ctx, &d->rows, layout, sri_kernel_grid_indexed(grid), &d->points);
}

specreg_status sri_dataset_inputs(specreg_context *ctx, const sri_recipe *recipe,
                                  sri_kernel_grid *grid, sri_dataset *d)
{
    const sri_rows rows = used_rows(d);
    SRI_CALL(make_encoder(ctx, d, recipe));
    SRI_CALL(sri_encoder_rows(ctx, d->encoder, &rows, recipe->resources.memory, &d->rows.X, NULL));
    if (d->target)
        SRI_CALL(sri_features_learn(ctx, recipe, d));
    SRI_CALL(sri_dataset_pick(ctx, d, grid));
    return make_points(ctx, d, &recipe->search, grid);
}

specreg_status sri_dataset_unlabelled(specreg_context *ctx, const specreg_table *table,
                                      const sri_recipe *recipe, sri_dataset *out)
{
    sri_rows rows;
    *out = (sri_dataset){.table = table, .roles = sri_roles_none};
    out->roles.carried = true;
    SRI_CALL(sri_inputs_drop(ctx, table, &recipe->data.roles, &out->roles));
    SRI_CALL(sri_target_named(ctx, table, recipe->data.roles.target, &out->roles.target,
                              &out->roles.n_targets));
    SRI_CALL(sri_inputs_choose(ctx, table, &recipe->data.roles, &out->roles));
    for (int64_t c = 0; out->roles.left_out && c < table->n_columns; c++)
        if (out->roles.left_out[c] == SRI_LEFT_ROW_NUMBER)
            sri_log(ctx, "note: column '%s' numbers the rows and is left out (see --columns)",
                    table->column[c].name);
    SRI_CALL(sri_rows_train(ctx, table, &out->roles, NULL, recipe->data.missing, &rows));
    out->rows.keep = rows.row;
    out->rows.n = rows.count;
    return out->rows.n > 0 ? SPECREG_OK
                           : sri_fail(ctx, SPECREG_E_NUMERIC, "%s has no rows", table->source);
}

specreg_status sri_dataset_numbers(specreg_context *ctx, const sri_dataset *d, int64_t **out)
{
    SRI_NEW(ctx, *out, d->rows.n, 1);
    for (int64_t i = 0; i < d->rows.n; i++)
        (*out)[i] = sri_table_origin(d->table, d->rows.keep[i]);
    return SPECREG_OK;
}

void sri_dataset_free(sri_dataset *d)
{
    sri_point_data_free(&d->points);
    sri_predefined_free(&d->features);
    sri_target_free(d->tasks);
    sri_target_free(d->id);
    sri_free(d->class_weight);
    sri_free(d->unlabelled);
    sri_coding_free(d->coding);
    sri_encoder_free(d->encoder);
    sri_target_free(d->target);
    sri_row_data_free(&d->rows);
    sri_roles_free(&d->roles);
    *d = (sri_dataset){0};
}

/* Numbers that are kept for a row: dense ones in the table, as inputs and, where kernel values are
 * computed, as centres; sparse ones by rows and by columns. */
static double features_kept(const sri_points *points, const sri_kernel_grid *kernel)
{
    const double entries = points->columns ? (double)sri_matrix_entries(&points->rows.x) : 0;
    double scale;
    const bool factors = !kernel->next && sri_kernel_is_linear(&kernel->base, &scale) &&
                         sri_points_width(points) < points->n;
    return entries > 0 ? 5 * entries / (double)points->n
                       : (factors ? 2 : 3) * (double)sri_points_width(points);
}

/* What a problem's points and targets take, with their copies. */
static double data_bytes(const sri_problem *problem, const sri_kernel_grid *kernel)
{
    if (!problem->points) /* the rows of a cross-validation */
        return 0;
    return 8 * (double)problem->n *
           (features_kept(problem->points, kernel) + 4 * (double)problem->T);
}

sri_problem sri_dataset_problem(const sri_dataset *d, const sri_call *call)
{
    const sri_recipe *recipe = call->recipe;
    const sri_resources *resources = &recipe->resources;
    sri_problem problem = d->points.own.problem;
    const double data = data_bytes(&problem, &recipe->search.kernel);
    problem.n_classes = d->target->n_classes;
    problem.coding = d->coding;
    problem.rows.table_rows = d->table->rows;
    problem.unpenalised.pivots = d->features.pivots;
    problem.unpenalised.dropped = d->features.drop;
    problem.judging.criterion = recipe->search.criterion;
    problem.resources =
        (sri_problem_resources){.seed = resources->seed,
                                .memory = (int64_t)fmax(0, (double)resources->memory - data),
                                .data = data,
                                .single = resources->single,
                                .machine = &call->machine};
    problem.options = recipe->options;
    problem.reader = (sri_reader){.encoder = d->encoder,
                                  .target = d->target,
                                  .coding = d->coding,
                                  .words = d->vocabulary,
                                  .features = d->features.n_terms ? &d->features : NULL,
                                  .missing = recipe->data.missing,
                                  .refuses_unseen = recipe->data.refuses_unseen,
                                  .memory = resources->memory,
                                  .layout = d->points.layout,
                                  .tasks = d->tasks};
    return problem;
}

sri_problem_kind sri_dataset_kind(const sri_dataset *d)
{
    return d->rows.classes ? SRI_CLASSIFICATION : d->field ? SRI_FIELD : SRI_REGRESSION;
}

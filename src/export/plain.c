#include "export/plain.h"

#include <stdio.h>
#include <string.h>

#include "kernel/registry.h"

/* Numbers of a matrix that is written out; columns of sparse data, which a small file may claim. */
enum { MOST = 100000000, MOST_COLUMNS = 4000000 };

static specreg_status refuse(specreg_context *ctx, const char *format, const char *what,
                             const char *name)
{
    return sri_fail(ctx, SPECREG_E_UNAVAILABLE, "%s cannot carry %s%s%s%s", format, what,
                    *name ? " '" : "", name, *name ? "'" : "");
}

/* A small file can ask for matrices that no computer holds. */
static specreg_status check_size(specreg_context *ctx, const char *format, const char *what,
                                 int64_t rows, int64_t cols)
{
    SRI_CHECK(ctx, (double)rows * (double)cols <= MOST, SPECREG_E_UNAVAILABLE,
              "%s has %s: %lld times %lld of them are too many (at most %d numbers)", format, what,
              (long long)rows, (long long)cols, (int)MOST);
    return SPECREG_OK;
}

/* The inputs and columns of sparse data, whose names are numbers. */
static specreg_status sparse_columns(specreg_context *ctx, const sri_encoder *e, sri_plain *out)
{
    SRI_ARENA_NEW_ZERO(ctx, &out->memory, out->column, e->n_features, 1);
    for (int64_t j = 0; j < e->n_features; j++) {
        out->column[j] =
            (sri_plain_column){.input = j, .at = j, .factor = e->factor ? e->factor[j] : 1};
        snprintf(out->input[j].number, sizeof out->input[j].number, "%lld", (long long)j + 1);
        out->input[j].name = out->input[j].number;
    }
    return SPECREG_OK;
}

static specreg_status dense_columns(specreg_context *ctx, const sri_encoder *e, const char *format,
                                    sri_plain *out)
{
    SRI_ARENA_NEW_ZERO(ctx, &out->memory, out->column, e->n_features, 1);
    for (int64_t j = 0; j < e->n_features; j++) {
        const sri_feature *f = &e->feature[j];
        if (f->part != SRI_PART_VALUE && f->part != SRI_PART_MISSING)
            return refuse(ctx, format, "dates, as those of column", sri_feature_column(f));
        out->column[j] = (sri_plain_column){.feature = f, .input = f->input, .at = f->at};
        out->input[f->input].name = sri_feature_column(f);
        if (f->is_text)
            out->input[f->input].text = f;
    }
    return SPECREG_OK;
}

static specreg_status make_columns(specreg_context *ctx, const specreg_model *model,
                                   const char *format, sri_plain *out)
{
    const sri_encoder *e = model->encoding.encoder;
    const sri_target *tasks = model->encoding.tasks;
    const int64_t inputs = sri_encoder_inputs(e);
    SRI_CHECK(ctx, !e->sparse || e->p <= MOST_COLUMNS, SPECREG_E_UNAVAILABLE,
              "%s has a place for each column: %lld are too many (at most %d)", format,
              (long long)e->p, (int)MOST_COLUMNS);
    out->p = e->p;
    out->columns = e->n_features;
    out->inputs = inputs + (tasks != NULL);
    SRI_ARENA_NEW_ZERO(ctx, &out->memory, out->input, out->inputs, 1);
    if (tasks)
        out->input[inputs] = (sri_plain_input){.name = tasks->name[0], .tasks = tasks};
    return e->sparse ? sparse_columns(ctx, e, out) : dense_columns(ctx, e, format, out);
}

static specreg_status make_terms(specreg_context *ctx, const specreg_model *model,
                                 const char *format, sri_plain *out)
{
    const sri_predefined *terms = &model->unpenalised.terms;
    if (!terms->n_terms)
        return SPECREG_OK;
    SRI_ARENA_NEW_ZERO(ctx, &out->memory, out->term, terms->l, 1);
    out->terms = terms->l;
    out->beta = model->unpenalised.beta;
    for (int64_t k = 0; k < terms->l; k++) {
        int64_t index = terms->kept[k];
        int t = 0;
        for (; index >= terms->term[t].l; t++)
            index -= terms->term[t].l;
        const sri_predefined_ops *ops = terms->term[t].ops;
        if (ops->needs_file || ops->has_topics)
            return refuse(ctx, format, "unpenalised terms of the kind", ops->name);
        out->term[k] = (sri_plain_term){&terms->term[t], index};
    }
    return SPECREG_OK;
}

/* Rows of a given matrix: f(x) is linear in them. */
static specreg_status given_matrix(specreg_context *ctx, const specreg_model *model, sri_plain *out)
{
    const sri_expansion *e = &model->expansion;
    double *slope;
    SRI_ARENA_NEW_ZERO(ctx, &out->memory, slope, out->p, model->T);
    for (int64_t i = 0; i < e->n; i++) {
        const int64_t row = sri_points_centre(e->points, i).index;
        for (int64_t t = 0; t < model->T; t++)
            slope[row * model->T + t] += out->kernel.term[0].weight * e->alpha[i * model->T + t];
    }
    out->slope = slope;
    out->slopes = out->p;
    return SPECREG_OK;
}

static specreg_status make_centres(specreg_context *ctx, const specreg_model *model,
                                   const char *format, sri_plain *out)
{
    const sri_rows_view *rows = &model->expansion.points->rows;
    double *centre;
    out->n = model->expansion.n;
    SRI_CALL(check_size(ctx, format, "dense centres", out->n, out->p));
    SRI_ARENA_NEW_ZERO(ctx, &out->memory, centre, out->n, out->p);
    for (int64_t i = 0; i < out->n; i++) {
        const int64_t row = sri_view_row(rows, i);
        if (rows->x.x)
            memcpy(centre + i * out->p, rows->x.x + row * rows->x.p,
                   (size_t)out->p * sizeof *centre);
        for (int64_t k = rows->x.start ? rows->x.start[row] : 0;
             rows->x.start && k < rows->x.start[row + 1]; k++)
            centre[i * out->p + rows->x.index[k]] = rows->x.value[k];
    }
    out->centre = centre;
    return SPECREG_OK;
}

/* Centres for one output each: coefficients of all outputs, a_i A[s][t_i]. */
static specreg_status spread(specreg_context *ctx, const specreg_model *model, const char *format,
                             int product, sri_plain *out)
{
    const sri_expansion *e = &model->expansion;
    const sri_coupling *c = e->coupling[product];
    const int64_t T = model->T;
    double *a;
    SRI_CALL(check_size(ctx, format, "coefficients of all outputs", out->n, T));
    SRI_ARENA_NEW(ctx, &out->memory, a, out->n, T);
    for (int64_t i = 0; i < out->n; i++)
        for (int64_t s = 0; s < T; s++)
            a[i * T + s] = e->alpha[i] * sri_coupling_at(c, s, sri_view_label(&e->points->rows, i));
    out->coefficient[product] = a;
    return SPECREG_OK;
}

/* Centres with a task each: the factors A[s][t_i] of rows of task s. */
static specreg_status make_task_factors(specreg_context *ctx, const specreg_model *model,
                                        const char *format, int product, sri_plain *out)
{
    const sri_expansion *e = &model->expansion;
    double *factor;
    out->tasks = e->layout.T;
    SRI_CALL(check_size(ctx, format, "factors of tasks", out->tasks + 1, out->n));
    SRI_ARENA_NEW(ctx, &out->memory, factor, out->tasks + 1, out->n);
    for (int64_t s = 0; s <= out->tasks; s++)
        for (int64_t i = 0; i < out->n; i++)
            factor[s * out->n + i] = sri_coupling_at(e->coupling[product], s < out->tasks ? s : -1,
                                                     sri_view_label(&e->points->rows, i));
    out->task_factor[product] = factor;
    return SPECREG_OK;
}

static specreg_status make_products(specreg_context *ctx, const specreg_model *model,
                                    const char *format, sri_plain *out)
{
    const sri_expansion *e = &model->expansion;
    SRI_CALL(make_centres(ctx, model, format, out));
    out->same_coefficients = e->layout.kind != SRI_LAYOUT_OUTPUTS;
    for (int j = 0; j < out->products; j++) {
        if (e->coupling[j] && sri_coupling_sees(e->coupling[j]))
            return refuse(ctx, format, "outputs that see inputs of their own, as those of",
                          e->coupling[j]->ops->name);
        out->coefficient[j] = e->alpha;
        if (e->layout.kind == SRI_LAYOUT_OUTPUTS)
            SRI_CALL(spread(ctx, model, format, j, out));
        if (e->layout.kind == SRI_LAYOUT_TASKS)
            SRI_CALL(make_task_factors(ctx, model, format, j, out));
    }
    return SPECREG_OK;
}

static specreg_status make_expansion(specreg_context *ctx, const specreg_model *model,
                                     const char *format, sri_plain *out)
{
    const sri_expansion *e = &model->expansion;
    SRI_CALL(sri_kept_kernel_use(ctx, &model->kernel, &out->kernel));
    if (e->slope) {
        out->slope = e->slope;
        out->slopes = e->slopes;
        out->slope_column = e->slope_column;
        return SPECREG_OK;
    }
    for (int t = 0; t < out->kernel.n_terms; t++)
        if (out->kernel.term[t].user)
            return refuse(ctx, format, "a kernel of your own,",
                          sri_kernel_term_name(&out->kernel.term[t]));
    if (e->points->stored == SRI_STORED_INDEX)
        return given_matrix(ctx, model, out);
    out->products = sri_product_count(&out->kernel);
    out->is_field = sri_kernel_is_field(&out->kernel);
    if (out->is_field)
        out->field = sri_kernel_field(&out->kernel, out->p);
    return make_products(ctx, model, format, out);
}

specreg_status sri_plain_make(specreg_context *ctx, const specreg_model *model, const char *format,
                              sri_plain *out)
{
    specreg_status st = SPECREG_OK;
    const sri_target *target = model->encoding.target;
    *out = (sri_plain){.model = model, .T = model->T};
    out->scores = target->n_classes ? target->n_classes : model->T;
    SRI_REQUIRE(ctx, !model->encoding.vocabulary, SPECREG_E_UNAVAILABLE,
                "%s cannot carry documents: export a model of their columns, which specreg "
                "features --text makes",
                format);
    SRI_TRY(make_columns(ctx, model, format, out));
    SRI_TRY(make_expansion(ctx, model, format, out));
    SRI_TRY(make_terms(ctx, model, format, out));
done:
    if (st != SPECREG_OK)
        sri_plain_free(out);
    return st;
}

void sri_plain_free(sri_plain *plain)
{
    sri_arena_free(&plain->memory);
    *plain = (sri_plain){0};
}

const char *sri_plain_score(const sri_plain *plain, int64_t score)
{
    const sri_target *target = plain->model->encoding.target;
    return target->n_classes ? target->label[score] : target->name[score];
}

int64_t sri_plain_categories(const sri_plain_input *input)
{
    return input->text ? input->text->category.count : input->tasks ? input->tasks->n_classes : 0;
}

const char *sri_plain_category(const sri_plain_input *input, int64_t index)
{
    return input->text ? input->text->category.text[index] : input->tasks->label[index];
}

double sri_plain_share(const sri_plain *plain, int64_t score, int64_t t)
{
    const sri_coding *coding = plain->model->encoding.coding;
    if (!coding || (!coding->word && plain->T == plain->scores))
        return score == t;
    if (!coding->word)
        return score ? 1 : -1;
    const double count = (double)(coding->first[score + 1] - coding->first[score]);
    return coding->word[score * coding->width + t] / (coding->spec.ops->signs ? count : 1);
}

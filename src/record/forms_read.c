/* Typed parts of models from JSON.  What comes from a file may be anything. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "data/text/plsa.h"
#include "filter/filter.h"
#include "kernel/registry.h"
#include "record/model_tensors.h"
#include "record/record.h"

static const char *text_at(const json_t *json, const char *key)
{
    return json_string_value(json_object_get(json, key));
}

static int64_t whole_at(const json_t *json, const char *key)
{
    return json_integer_value(json_object_get(json, key));
}

static double number_at(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

static bool flag_at(const json_t *json, const char *key)
{
    return json_is_true(json_object_get(json, key));
}

/* The first `count` numbers of a list: whole ones from 0 to `most`. */
static bool whole_list(const json_t *list, int64_t count, int64_t most, int64_t *out)
{
    for (int64_t i = 0; i < count; i++) {
        const json_t *v = json_array_get(list, (size_t)i);
        out[i] = json_integer_value(v);
        if (!json_is_integer(v) || out[i] < 0 || out[i] > most)
            return false;
    }
    return true;
}

/* A list of `count` numbers of any kind. */
static bool number_list(const json_t *list, int64_t count, double *out)
{
    for (int64_t i = 0; i < count; i++) {
        const json_t *v = json_array_get(list, (size_t)i);
        out[i] = json_number_value(v);
        if (!json_is_number(v))
            return false;
    }
    return (int64_t)json_array_size(list) == count;
}

/* The parameters of a kernel or of outputs, `what`: all must be there. */
static specreg_status read_params(specreg_context *ctx, const json_t *json, const char *what,
                                  const sri_param *params, int count, double *out)
{
    for (int i = 0; i < count; i++) {
        if (!json_is_number(json_object_get(json, params[i].name)))
            return sri_fail(ctx, SPECREG_E_FORMAT, "parameter '%s' of %s %s is missing",
                            params[i].name, what, text_at(json, "name"));
        out[i] = number_at(json, params[i].name);
    }
    return SPECREG_OK;
}

/* The name and all numbers but `skip` of what a user registered, without the function. */
static specreg_status read_user(specreg_context *ctx, const json_t *json, const char *skip,
                                sri_registration **out, double *param, int most)
{
    const char *key;
    json_t *value;
    specreg_param_def *params;
    sri_registration *r;
    SRI_NEW_ZERO(ctx, *out, 1, 1);
    r = *out;
    SRI_NEW_TEXT(ctx, r->name, text_at(json, "name"));
    SRI_NEW_ZERO(ctx, params, most, 1);
    r->params = params;
    json_object_foreach ((json_t *)json, key, value) {
        if (!json_is_number(value) || strcmp(key, skip) == 0 || r->n_params == most)
            continue;
        SRI_NEW_TEXT(ctx, params[r->n_params].name, key);
        param[r->n_params++] = json_number_value(value);
    }
    return SPECREG_OK;
}

/* Spans of columns, which model_file.c holds against the columns that there are. */
static specreg_status read_columns(specreg_context *ctx, const json_t *json, sri_picked **out)
{
    const json_t *list = json_object_get(json, "spans");
    const char *text = text_at(json, "columns");
    const int64_t count = (int64_t)json_array_size(list);
    sri_picked *picked;
    if (!text && !list)
        return SPECREG_OK;
    if (!text || count == 0 || count % 2 != 0)
        return sri_fail(ctx, SPECREG_E_FORMAT, "the kernel's list of columns is broken");
    SRI_CALL(sri_picked_new(ctx, text, out));
    picked = *out;
    SRI_NEW_ZERO(ctx, picked->span, count / 2, 1);
    picked->spans = count / 2;
    for (int64_t s = 0; s < picked->spans; s++) {
        const json_t *first = json_array_get(list, (size_t)(2 * s));
        const json_t *last = json_array_get(list, (size_t)(2 * s + 1));
        const json_int_t a = json_integer_value(first), b = json_integer_value(last);
        if (a < 1 || b < a || b > INT32_MAX)
            return sri_fail(ctx, SPECREG_E_FORMAT, "the kernel's list of columns is broken");
        picked->span[s] = (sri_span){a - 1, b};
        picked->count += b - a + 1;
    }
    return SPECREG_OK;
}

static specreg_status read_kernel_term(specreg_context *ctx, const json_t *json, int t,
                                       sri_kept_kernel *out)
{
    sri_kernel_term *term = &out->kernel.term[t];
    const char *name = text_at(json, "name");
    if (!name)
        return sri_fail(ctx, SPECREG_E_FORMAT, "the kernel has no name");
    out->kernel.n_terms = t + 1;
    term->times = json_is_true(json_object_get(json, "times"));
    SRI_CALL(read_columns(ctx, json, &out->columns[t]));
    term->columns = out->columns[t];
    term->weight = json_object_get(json, "weight") ? number_at(json, "weight") : 1;
    term->ops = sri_kernel_builtin(name);
    if (term->ops)
        return read_params(ctx, json, "kernel", term->ops->params, term->ops->n_params,
                           term->param);
    term->ops = &sri_kernel_user;
    SRI_CALL(read_user(ctx, json, "weight", &out->user[t], term->param, SRI_KERNEL_PARAMS));
    out->user[t]->is_matrix = json_is_true(json_object_get(json, "matrix"));
    term->user = out->user[t];
    return SPECREG_OK;
}

specreg_status sri_kernel_from_json(specreg_context *ctx, const json_t *json, sri_kept_kernel *out)
{
    const json_t *terms = json_object_get(json, "terms");
    const size_t count = json_array_size(terms);
    if (terms && (count < 1 || count > SRI_KERNEL_TERMS))
        return sri_fail(ctx, SPECREG_E_FORMAT, "the kernel is a sum of %zu terms", count);
    for (size_t t = 0; t < (terms ? count : 1); t++)
        SRI_CALL(read_kernel_term(ctx, terms ? json_array_get(terms, t) : json, (int)t, out));
    const specreg_status form = sri_kernel_form_check(ctx, &out->kernel);
    return form == SPECREG_E_ARG ? SPECREG_E_FORMAT : form; /* the text says what is wrong */
}

/* Its name and parameters. */
static specreg_status read_coupling_name(specreg_context *ctx, const json_t *json,
                                         sri_coupling *out)
{
    const char *name = text_at(json, "name");
    *out = (sri_coupling){.ops = name ? sri_outputs_named(name) : NULL, .unseen = NAN};
    if (!out->ops)
        return sri_fail(ctx, SPECREG_E_FORMAT, "the model has outputs '%s'", name ? name : "");
    return read_params(ctx, json, "outputs", out->ops->params, out->ops->n_params, out->param);
}

/* A matrix that was learned, row by row; tables of what was tried have none. */
static specreg_status read_learned(specreg_context *ctx, const json_t *rows, sri_coupling *out)
{
    enum { MOST_LEARNED = 100000 };
    const int64_t T = (int64_t)json_array_size(rows);
    if (!rows || !sri_coupling_is_learned(out))
        return SPECREG_OK;
    if (T < 1 || T > MOST_LEARNED)
        return sri_fail(ctx, SPECREG_E_FORMAT, "the learned matrix of the outputs is of order %lld",
                        (long long)T);
    for (int64_t t = 0; t < T; t++)
        if ((int64_t)json_array_size(json_array_get(rows, (size_t)t)) != T)
            return sri_fail(ctx, SPECREG_E_FORMAT, "the matrix of the outputs is not square");
    out->T = T;
    SRI_NEW(ctx, out->A, T, T);
    for (int64_t t = 0; t < T; t++)
        if (!number_list(json_array_get(rows, (size_t)t), T, out->A + t * T))
            return sri_fail(ctx, SPECREG_E_FORMAT,
                            "the matrix of the outputs has an entry that is not a number");
    return SPECREG_OK;
}

specreg_status sri_couplings_named(specreg_context *ctx, const json_t *json, sri_kept_kernel *out)
{
    const json_t *terms = json_object_get(json, "terms");
    const char *name = text_at(json, "name");
    sri_coupling coupling;
    specreg_status st;
    if (!name || (strcmp(name, "independent") == 0 && !terms))
        return SPECREG_OK;
    if (!terms) {
        SRI_CALL(read_coupling_name(ctx, json, &coupling));
        st = read_learned(ctx, json_object_get(json, "learned"), &coupling);
        if (st == SPECREG_OK)
            st = sri_kept_kernel_couple(ctx, out, -1, &coupling);
        sri_free(coupling.A);
        SRI_CALL(st);
    }
    for (int t = 0, i = 0; t < out->kernel.n_terms && i < (int)json_array_size(terms); t++) {
        if (out->kernel.term[t].times)
            continue;
        SRI_CALL(read_coupling_name(ctx, json_array_get(terms, (size_t)i++), &coupling));
        SRI_CALL(sri_kept_kernel_couple(ctx, out, t, &coupling));
    }
    return SPECREG_OK;
}

/* T times some numbers, newly allocated. */
static specreg_status read_numbers(specreg_context *ctx, const json_t *list, int64_t T,
                                   double **out, int64_t *columns)
{
    const int64_t count = (int64_t)json_array_size(list);
    if (count == 0 || count % T != 0)
        return sri_fail(ctx, SPECREG_E_FORMAT,
                        "the model's list of numbers for the outputs has %lld entries",
                        (long long)count);
    SRI_NEW(ctx, *out, count, 1);
    if (!number_list(list, count, *out))
        return sri_fail(ctx, SPECREG_E_FORMAT,
                        "the matrix of the outputs has an entry that is not a number");
    *columns = count / T;
    return SPECREG_OK;
}

/* What a file, or a map, said in training. */
static specreg_status read_file_part(specreg_context *ctx, const json_t *json, sri_coupling *c)
{
    int64_t columns;
    const char *map = text_at(json, "map");
    if (c->ops->file == SRI_OUTPUTS_MAP) {
        if (!map)
            return sri_fail(ctx, SPECREG_E_FORMAT, "the map of outputs transform is missing");
        c->map = sri_registered(ctx->maps, map);
        if (!c->map)
            return sri_fail(ctx, SPECREG_E_UNAVAILABLE,
                            "the model uses map '%s': register it first", map);
    } else if (c->ops->file == SRI_OUTPUTS_SHIFTS) {
        SRI_CALL(read_numbers(ctx, json_object_get(json, "shift"), c->T, &c->shift, &c->p));
    } else if (c->ops->file != SRI_OUTPUTS_NO_FILE) {
        SRI_CALL(read_numbers(ctx, json_object_get(json, "matrix"), c->T, &c->A, &columns));
        if (columns != c->T)
            return sri_fail(ctx, SPECREG_E_FORMAT, "the matrix of the outputs is not square");
    }
    return SPECREG_OK;
}

static specreg_status read_coupling(specreg_context *ctx, const json_t *json, int64_t T,
                                    sri_coupling **out)
{
    enum { MOST_OUTPUTS = 100000 };
    SRI_NEW_ZERO(ctx, *out, 1, 1);
    SRI_CALL(read_coupling_name(ctx, json, *out));
    if (T < 1 || T > MOST_OUTPUTS)
        return sri_fail(ctx, SPECREG_E_FORMAT, "the matrix of the outputs is of order %lld",
                        (long long)T);
    (*out)->T = T;
    SRI_CALL(read_file_part(ctx, json, *out));
    return sri_coupling_restore(ctx, *out);
}

specreg_status sri_couplings_from_json(specreg_context *ctx, const json_t *json, sri_expansion *out)
{
    const int64_t T = out->layout.T;
    const json_t *terms = json_object_get(json, "terms");
    const size_t count = terms ? json_array_size(terms) : 1;
    if (count < 1 || count > SRI_KERNEL_TERMS)
        return sri_fail(ctx, SPECREG_E_FORMAT, "the outputs are a sum of %zu terms", count);
    for (size_t t = 0; t < count; t++) { /* before memory is taken for a matrix */
        const json_t *term = terms ? json_array_get(terms, t) : json;
        if (whole_at(term, "order") != T)
            return sri_fail(ctx, SPECREG_E_FORMAT, "the model's outputs do not fit its matrix");
    }
    for (size_t t = 0; t < count; t++)
        SRI_CALL(read_coupling(ctx, terms ? json_array_get(terms, t) : json, T, &out->coupling[t]));
    for (int t = 1; !terms && t < SRI_KERNEL_TERMS; t++)
        out->coupling[t] = out->coupling[0];
    out->layout.seen = out->coupling[0];
    return SPECREG_OK;
}

/* The parameters of the outputs, where each has its own. */
static specreg_status read_each(specreg_context *ctx, const json_t *json, sri_kept_filter *out)
{
    const json_t *list = json_object_get(json, "per_output");
    if (!list)
        return SPECREG_OK;
    out->n_each = (int64_t)json_array_size(list);
    if (!out->n_each)
        return sri_model_broken(ctx, "filter");
    SRI_NEW(ctx, out->each, out->n_each, 1);
    for (int64_t t = 0; t < out->n_each; t++)
        out->each[t] = json_number_value(json_array_get(list, (size_t)t));
    out->param = NAN;
    return SPECREG_OK;
}

/* The parameter of the path, whichever it is. */
static specreg_status read_path_point(specreg_context *ctx, const json_t *json,
                                      sri_kept_filter *out)
{
    for (int kind = SRI_PATH_LAMBDA; kind <= SRI_PATH_COMPONENTS; kind++) {
        out->filter.path = (sri_path_kind)kind;
        out->param = number_at(json, sri_path_name(out->filter.path));
        const json_t *value = json_object_get(json, sri_path_name(out->filter.path));
        if (json_is_number(value) || (json_is_null(value) && json_object_get(json, "per_output")))
            return SPECREG_OK;
    }
    return sri_model_broken(ctx, "filter");
}

specreg_status sri_filter_from_json(specreg_context *ctx, const json_t *json, sri_kept_filter *out)
{
    sri_filter *filter = &out->filter;
    const char *name = text_at(json, "name"), *word = NULL;
    *out = (sri_kept_filter){.filter = {.step = 1}, .kept = -1};
    if (!name)
        return sri_model_broken(ctx, "filter");
    SRI_CALL(read_path_point(ctx, json, out));
    SRI_CALL(read_each(ctx, json, out));
    filter->ops = sri_filter_builtin(name);
    if (!filter->ops) {
        filter->ops = filter->path == SRI_PATH_T ? &sri_filter_user_steps : &sri_filter_user;
        SRI_CALL(read_user(ctx, json, sri_path_name(filter->path), &out->user, filter->param,
                           SRI_FILTER_PARAMS));
        filter->user = out->user;
    }
    for (int i = 0; !filter->user && i < filter->ops->n_params; i++) {
        const sri_param *p = &filter->ops->params[i]; /* older models lack newer parameters */
        filter->param[i] = json_object_get(json, p->name) ? number_at(json, p->name) : p->value;
    }
    if (json_is_number(json_object_get(json, "step")))
        filter->step = number_at(json, "step");
    if (filter->ops->word)
        word = text_at(json, filter->ops->word->key);
    if (word)
        filter->ops->word->set(filter, word);
    if (json_is_integer(json_object_get(json, "kept")))
        out->kept = whole_at(json, "kept");
    return SPECREG_OK;
}

bool sri_coding_spec_from_json(specreg_context *ctx, const json_t *json, sri_coding_spec *out)
{
    const char *name = text_at(json, "name"), *decode = text_at(json, "decode");
    if (!name || !sri_coding_named(name, out))
        return false;
    const sri_coding_ops *ops = out->ops;
    for (int i = 0; i < ops->n_params; i++) {
        const json_t *v = json_object_get(json, ops->params[i].name);
        if (!v && ops->params[i].whole && ops->params[i].value == 0) /* automatic */
            continue;
        out->param[i] = json_number_value(v);
        if (!json_is_number(v) ||
            sri_param_check(ctx, "coding", &ops->params[i], out->param[i]) != SPECREG_OK)
            return false;
    }
    if (ops->signs && !sri_decoding_named(decode ? decode : "", &out->decoding))
        return false;
    return !ops->check || ops->check(ctx, out) == SPECREG_OK;
}

bool sri_calibration_from_json(const json_t *json, int64_t k, sri_calibration *out)
{
    const json_t *slopes = json_object_get(json, "slopes");
    const char *held_by = text_at(json, "held_by");
    *out = (sri_calibration){.slopes = (int)json_array_size(slopes)};
    if (!held_by || k < 2 || json_array_size(slopes) != (k == 2 ? 2 : 1) ||
        !number_list(slopes, out->slopes, out->slope))
        return false;
    strncpy(out->held_by, held_by, sizeof out->held_by - 1);
    for (int i = 0; i < out->slopes; i++)
        if (!(out->slope[i] > 0 && isfinite(out->slope[i])))
            return false;
    const json_t *posterior = json_object_get(json, "posterior");
    if (!posterior)
        return true;
    out->posterior.slope = number_at(posterior, "slope");
    out->posterior.shift = number_at(posterior, "shift");
    out->floor = number_at(posterior, "floor");
    return out->posterior.slope > 0 && isfinite(out->posterior.slope) &&
           isfinite(out->posterior.shift) && out->floor > 0 && out->floor * (double)k < 1;
}

static specreg_status broken_terms(specreg_context *ctx)
{
    return sri_fail(ctx, SPECREG_E_FORMAT, "the model's features are broken");
}

enum { MOST_FEATURES = 1 << 24 };

static specreg_status read_powers(specreg_context *ctx, const json_t *list, sri_predefined_term *t)
{
    enum { LARGEST = 20 };
    specreg_status st = SPECREG_OK;
    const int64_t count = t->l * t->n_columns;
    int64_t *power = NULL;
    if (t->n_columns > MOST_FEATURES || (int64_t)json_array_size(list) != count)
        return broken_terms(ctx);
    SRI_ALLOC(ctx, power, count, 1);
    SRI_ALLOC(ctx, t->power, count, 1);
    SRI_TRY(whole_list(list, count, LARGEST, power) ? SPECREG_OK : broken_terms(ctx));
    for (int64_t i = 0; i < count; i++)
        t->power[i] = (int)power[i];
done:
    sri_free(power);
    return st;
}

/* What columns are divided by. */
static bool any_zero(const double *v, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (v[i] == 0)
            return true;
    return false;
}

/* All but the probabilities. */
static specreg_status read_topics(specreg_context *ctx, const json_t *json, sri_predefined_term *t)
{
    const int64_t words = whole_at(json, "words");
    const double beta = number_at(json, "beta");
    if (words < 1 || words > INT32_MAX || !(beta > 0 && beta <= 1))
        return broken_terms(ctx);
    SRI_NEW_ZERO(ctx, t->topics, 1, 1);
    *t->topics = (sri_plsa){.topics = t->l, .words = words, .beta = beta};
    return SPECREG_OK;
}

static specreg_status read_unpenalised(specreg_context *ctx, const json_t *json, int64_t columns,
                                       sri_predefined_term *t)
{
    const char *name = text_at(json, "name"), *text = text_at(json, "text");
    const json_t *column = json_object_get(json, "column");
    const int64_t l = whole_at(json, "columns"), n = (int64_t)json_array_size(column);
    t->ops = name ? sri_predefined_at(name) : NULL;
    if (!t->ops || !text || strcmp(t->ops->name, name) != 0 || l < 1 || l > MOST_FEATURES ||
        (t->ops->one_for_each && l != n) || (t->ops->is_one && l != 1))
        return broken_terms(ctx);
    t->l = l;
    t->n_columns = n;
    SRI_NEW_TEXT(ctx, t->text, text);
    SRI_NEW(ctx, t->column, n, 1);
    SRI_NEW(ctx, t->slope, n, 1);
    SRI_NEW(ctx, t->at, n, 1);
    if (!whole_list(column, n, columns - 1, t->column) ||
        !number_list(json_object_get(json, "slope"), n, t->slope) ||
        !number_list(json_object_get(json, "at"), n, t->at) ||
        (t->ops->one_for_each && any_zero(t->slope, n)))
        return broken_terms(ctx);
    if (t->ops->has_powers)
        SRI_CALL(read_powers(ctx, json_object_get(json, "power"), t));
    if (t->ops->has_topics)
        SRI_CALL(read_topics(ctx, json, t));
    return SPECREG_OK;
}

/* A list of texts as newly allocated C strings. */
static specreg_status read_texts(specreg_context *ctx, const json_t *list, char ***out,
                                 int64_t *count)
{
    const int64_t n = (int64_t)json_array_size(list);
    SRI_NEW_ZERO(ctx, *out, n, 1);
    *count = n;
    for (int64_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(list, (size_t)i));
        if (!text)
            return sri_model_broken(ctx, "list of texts");
        SRI_NEW_TEXT(ctx, (*out)[i], text);
    }
    return SPECREG_OK;
}

specreg_status sri_predefined_from_json(specreg_context *ctx, const json_t *json, int64_t columns,
                                        sri_predefined *out)
{
    specreg_status st = SPECREG_OK;
    const json_t *terms = json_object_get(json, "terms"), *kept = json_object_get(json, "kept");
    const size_t count = json_array_size(terms);
    const char *variant = text_at(json, "variant");
    int64_t all = 0;
    *out = (sri_predefined){0};
    SRI_TRY(!variant || count < 1 || count > SRI_PREDEFINED_TERMS ? broken_terms(ctx) : SPECREG_OK);
    out->pivots = strcmp(variant, "paper") == 0;
    for (size_t k = 0; k < count; k++) {
        out->n_terms = (int)k + 1;
        SRI_TRY(read_unpenalised(ctx, json_array_get(terms, k), columns, &out->term[k]));
        SRI_TRY(sri_predefined_is_repeated(out) ? broken_terms(ctx) : SPECREG_OK);
        all += out->term[k].l;
    }
    out->l = (int64_t)json_array_size(kept);
    st = read_texts(ctx, json_object_get(json, "names"), &out->name, &out->all);
    if (st == SPECREG_E_FORMAT || (!st && (out->all != all || out->l < 1 || out->l > all)))
        st = broken_terms(ctx);
    SRI_TRY(st);
    SRI_ALLOC(ctx, out->kept, out->l, 1);
    SRI_TRY(whole_list(kept, out->l, all - 1, out->kept) ? SPECREG_OK : broken_terms(ctx));
done:
    if (st != SPECREG_OK)
        sri_predefined_free(out);
    return st;
}

static specreg_status read_integers(specreg_context *ctx, const json_t *list, int64_t count,
                                    int64_t **out)
{
    SRI_NEW(ctx, *out, count, 1);
    if (!whole_list(list, count, INT64_MAX, *out))
        return sri_model_broken(ctx, "list of numbers");
    return SPECREG_OK;
}

/* The columns set aside; a file without the list has none. */
static specreg_status read_aside(specreg_context *ctx, const json_t *json, sri_aside *out)
{
    const json_t *list = json_object_get(json, "aside");
    const size_t count = json_array_size(list);
    if ((list && !json_is_array(list)) || count > SRI_ASIDE_MAX ||
        !whole_list(list, (int64_t)count, INT64_MAX, out->column))
        return sri_model_broken(ctx, "list of columns set aside");
    out->count = (int)count;
    return SPECREG_OK;
}

specreg_status sri_target_from_json(specreg_context *ctx, const json_t *json, sri_target **out)
{
    sri_target *t = NULL;
    SRI_NEW_ZERO(ctx, t, 1, 1);
    *out = t; /* freed with the model on failure */
    const char *problem = text_at(json, "problem"), *why = text_at(json, "why");
    if (!problem || !why)
        return sri_model_broken(ctx, "target");
    t->problem = strcmp(problem, "regression") == 0 ? SRI_REGRESSION : SRI_CLASSIFICATION;
    strncpy(t->why, why, sizeof t->why - 1);
    SRI_CALL(read_texts(ctx, json_object_get(json, "names"), &t->name, &t->n_columns));
    SRI_CALL(read_texts(ctx, json_object_get(json, "labels"), &t->label, &t->n_classes));
    SRI_CALL(read_integers(ctx, json_object_get(json, "counts"), t->n_classes, &t->count));
    SRI_CALL(read_integers(ctx, json_object_get(json, "positions"), t->n_columns, &t->position));
    t->table_columns = whole_at(json, "table_columns");
    t->has_names = flag_at(json, "has_names");
    t->gaps = flag_at(json, "gaps");
    SRI_CALL(read_aside(ctx, json, &t->aside));
    if (t->n_columns < 1 || (t->problem == SRI_CLASSIFICATION) != (t->n_classes >= 2))
        return sri_model_broken(ctx, "target");
    return SPECREG_OK;
}

/* Which part of a column a feature is; a file that does not say so has whole columns. */
static specreg_status read_part(specreg_context *ctx, const json_t *json, sri_feature *f)
{
    const char *part = text_at(json, "part"), *column = text_at(json, "column");
    const char *order = text_at(json, "order");
    f->order = order && strcmp(order, "mdy") == 0 ? SRI_DATES_MDY : SRI_DATES_DMY;
    if (!part)
        return SPECREG_OK;
    int p = SRI_PART_YEAR;
    while (p < SRI_PARTS && strcmp(part, sri_part_name((sri_part)p)) != 0)
        p++;
    if (p == SRI_PARTS || !column || f->is_text)
        return sri_model_broken(ctx, "encoder");
    f->part = (sri_part)p;
    SRI_NEW_TEXT(ctx, f->column, column);
    return SPECREG_OK;
}

/* What training did with gaps and what it does with new categories. */
static specreg_status read_gaps(specreg_context *ctx, const json_t *json, sri_encoder *e)
{
    const char *missing = text_at(json, "missing"), *unseen = text_at(json, "unseen");
    e->refuses_unseen = unseen && strcmp(unseen, "error") == 0;
    return missing ? sri_missing_parse(ctx, missing, &e->missing) : SPECREG_OK;
}

static specreg_status read_feature(specreg_context *ctx, const json_t *json, const double *scaling,
                                   sri_feature *f)
{
    const char *name = text_at(json, "name"), *text;
    const json_t *categories = json_object_get(json, "categories");
    const json_t *shares = json_object_get(json, "shares");
    const size_t count = json_array_size(categories), n_shares = json_array_size(shares);
    int32_t code = 0;
    if (!name || !(scaling[3] >= -4096 && scaling[3] <= 4096) ||
        !(scaling[4] >= 0 && scaling[4] < 1e15) || (categories && n_shares && n_shares != count))
        return sri_model_broken(ctx, "encoder");
    SRI_NEW_TEXT(ctx, f->name, name);
    f->fill = scaling[0];
    f->shift = scaling[1];
    f->factor = scaling[2];
    f->exponent = (int)scaling[3];
    f->position = (int64_t)scaling[4];
    f->is_text = categories != NULL;
    SRI_CALL(read_part(ctx, json, f));
    if (categories && n_shares)
        SRI_NEW(ctx, f->share, (int64_t)count, 1);
    for (size_t i = 0; i < count; i++) {
        text = json_string_value(json_array_get(categories, i));
        if (text)
            SRI_CALL(sri_texts_code(ctx, &f->category, text, strlen(text), &code));
        if (!text || (size_t)code != i)
            return sri_model_broken(ctx, "encoder");
        if (f->share)
            f->share[i] = json_number_value(json_array_get(shares, i));
    }
    return SPECREG_OK;
}

specreg_status sri_sparse_encoder_from_json(specreg_context *ctx, const json_t *json,
                                            sri_encoder *e)
{
    const int64_t columns = whole_at(json, "columns");
    SRI_CALL(sri_scale_parse(ctx, text_at(json, "scale"), &e->scale));
    e->table_columns = whole_at(json, "table_columns");
    if (columns < 0 || columns > INT32_MAX || e->table_columns < columns)
        return sri_model_broken(ctx, "encoder");
    e->n_features = e->p = columns;
    e->sparse = true;
    e->by_number = !json_is_false(json_object_get(json, "by_number"));
    SRI_CALL(read_gaps(ctx, json, e));
    return read_aside(ctx, json, &e->aside);
}

specreg_status sri_encoder_from_json(specreg_context *ctx, const json_t *json,
                                     const double *scaling, int64_t rows, sri_encoder *e)
{
    const json_t *features = json_object_get(json, "features");
    const char *scale = text_at(json, "scale");
    if (!scale || rows != (int64_t)json_array_size(features))
        return sri_model_broken(ctx, "encoder");
    SRI_CALL(sri_scale_parse(ctx, scale, &e->scale));
    e->by_number = flag_at(json, "by_number");
    e->has_names = flag_at(json, "has_names");
    e->table_columns = whole_at(json, "table_columns");
    SRI_CALL(read_aside(ctx, json, &e->aside));
    SRI_CALL(read_gaps(ctx, json, e));
    SRI_NEW_ZERO(ctx, e->feature, rows, 1);
    for (int64_t i = 0; i < rows; i++) {
        sri_feature *f = &e->feature[i];
        e->n_features = i + 1;
        f->at = e->p;
        SRI_CALL(read_feature(ctx, json_array_get(features, (size_t)i), scaling + i * 5, f));
        f->input = i ? f[-1].input + !(f->part && f->position == f[-1].position) : 0;
        e->p += f->is_text ? f->category.count : 1;
    }
    return SPECREG_OK;
}

/* Typed parts of models as JSON. */
#include <string.h>

#include "data/text/plsa.h"
#include "kernel/registry.h"
#include "record/record.h"

json_t *sri_texts_json(char *const *text, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        sri_json_add(&list, json_string(text[i]));
    return list;
}

json_t *sri_numbers_json(const double *v, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        sri_json_add(&list, sri_json_number(v[i]));
    return list;
}

json_t *sri_integers_json(const int64_t *v, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        sri_json_add(&list, json_integer((json_int_t)v[i]));
    return list;
}

/* As they were written, and the first and last column of X of each span, from 1 on. */
static void put_columns(json_t **json, const sri_picked *columns)
{
    json_t *list = json_array();
    for (int64_t s = 0; s < columns->spans; s++) {
        sri_json_add(&list, json_integer((json_int_t)columns->span[s].first + 1));
        sri_json_add(&list, json_integer((json_int_t)columns->span[s].end));
    }
    sri_json_put(json, "columns", json_string(columns->text));
    sri_json_put(json, "spans", list);
}

static json_t *term_json(const sri_kernel_term *term)
{
    json_t *json = json_pack("{s:s}", "name", sri_kernel_term_name(term));
    for (int i = 0; i < sri_kernel_param_count(term); i++)
        sri_json_put(&json, sri_kernel_param_at(term, i).name, json_real(term->param[i]));
    if (sri_term_is_matrix(term))
        sri_json_put(&json, "matrix", json_true());
    if (term->columns)
        put_columns(&json, term->columns);
    return json;
}

static json_t *sum_json(json_t *terms)
{
    return json_pack("{s:s, s:o}", "name", "sum", "terms", terms);
}

json_t *sri_kernel_json(const sri_kernel *kernel)
{
    if (kernel->n_terms == 1 && kernel->term[0].weight == 1)
        return term_json(&kernel->term[0]);
    json_t *terms = json_array();
    for (int t = 0; t < kernel->n_terms; t++) {
        json_t *term = term_json(&kernel->term[t]);
        if (kernel->term[t].times)
            sri_json_put(&term, "times", json_true());
        else
            sri_json_put(&term, "weight", json_real(kernel->term[t].weight));
        sri_json_add(&terms, term);
    }
    const bool product = kernel->n_terms > 1 && sri_product_count(kernel) == 1;
    return json_pack("{s:s, s:o}", "name", product ? "product" : "sum", "terms", terms);
}

static json_t *coupling_json(const sri_coupling *c)
{
    json_t *json = json_pack("{s:s}", "name", c->ops->name);
    for (int i = 0; i < c->ops->n_params; i++)
        sri_json_put(&json, c->ops->params[i].name, json_real(c->param[i]));
    return json;
}

/* With the matrix, where it was learned, row by row. */
static json_t *learned_json(const sri_coupling *c)
{
    json_t *json = coupling_json(c);
    if (!sri_coupling_is_learned(c) || !c->A)
        return json;
    json_t *rows = json_array();
    for (int64_t t = 0; t < c->T; t++)
        sri_json_add(&rows, sri_numbers_json(c->A + t * c->T, c->T));
    sri_json_put(&json, "learned", rows);
    return json;
}

json_t *sri_kernel_outputs_json(const sri_kernel *kernel)
{
    const sri_coupling *all = sri_kernel_coupling(kernel);
    if (all || !kernel->term[0].coupling)
        return all ? learned_json(all) : json_pack("{s:s}", "name", "independent");
    json_t *terms = json_array();
    for (int t = 0; t < kernel->n_terms; t++)
        if (!kernel->term[t].times)
            sri_json_add(&terms, coupling_json(kernel->term[t].coupling));
    return sum_json(terms);
}

/* With the numbers that came from a file. */
static json_t *whole_coupling_json(const sri_coupling *c)
{
    json_t *json = coupling_json(c);
    sri_json_put(&json, "order", json_integer((json_int_t)c->T));
    if (c->map)
        sri_json_put(&json, "map", json_string(c->map->name));
    if (c->ops->file == SRI_OUTPUTS_NO_FILE || c->map)
        return json;
    const double *numbers = c->shift ? c->shift : c->A;
    const int64_t count = c->T * (c->shift ? c->p : c->T);
    sri_json_put(&json, c->shift ? "shift" : "matrix", sri_numbers_json(numbers, count));
    return json;
}

json_t *sri_couplings_json(const sri_expansion *expansion, const sri_kernel *kernel)
{
    sri_coupling *const *c = expansion->coupling;
    if (kernel->n_terms == 1 || c[1] == c[0])
        return whole_coupling_json(c[0]);
    json_t *terms = json_array();
    for (int t = 0; t < sri_product_count(kernel) && c[t]; t++)
        sri_json_add(&terms, whole_coupling_json(c[t]));
    return sum_json(terms);
}

json_t *sri_filter_setting_json(const sri_filter *filter)
{
    json_t *json = json_pack("{s:s}", "name", sri_filter_name(filter));
    for (int i = 0; i < sri_filter_param_count(filter); i++) {
        const char *name = sri_filter_param_at(filter, i).name;
        if (strcmp(name, sri_path_name(filter->path)) != 0)
            sri_json_put(&json, name, json_real(filter->param[i]));
    }
    if (filter->ops->iteration)
        sri_json_put(&json, "step", sri_json_number(filter->step));
    if (filter->ops->word)
        sri_json_put(&json, filter->ops->word->key, json_string(filter->ops->word->get(filter)));
    return json;
}

json_t *sri_filter_json(const sri_kept_filter *kept)
{
    const sri_filter *filter = &kept->filter;
    json_t *json = sri_filter_setting_json(filter);
    sri_record_param(&json, filter->path, kept->param);
    if (kept->each) {
        json_t *list = json_array();
        for (int64_t t = 0; t < kept->n_each; t++)
            sri_json_add(&list, sri_json_number(kept->each[t]));
        sri_json_put(&json, "per_output", list);
    }
    if (kept->kept >= 0)
        sri_json_put(&json, "kept", json_integer((json_int_t)kept->kept));
    return json;
}

json_t *sri_coding_json(const sri_coding *coding)
{
    const sri_coding_ops *ops = coding->spec.ops;
    sri_coding_fact fact[SRI_CODING_FACTS];
    json_t *json = json_pack("{s:s}", "name", ops->name);
    for (int i = 0; i < ops->n_params; i++) {
        const sri_param *p = &ops->params[i];
        const double v = coding->spec.param[i];
        if (p->whole && v == 0) /* automatic: the facts tell what came of it */
            continue;
        sri_json_put(&json, p->name, p->whole ? json_integer((json_int_t)v) : json_real(v));
    }
    const int facts = ops->describe ? ops->describe(coding, fact) : 0;
    for (int i = 0; i < facts; i++)
        sri_json_put(&json, fact[i].name, json_integer((json_int_t)fact[i].value));
    if (ops->signs)
        sri_json_put(&json, "decode", json_string(sri_decodings[coding->spec.decoding]));
    return json;
}

json_t *sri_calibration_json(const sri_calibration *calibration)
{
    json_t *json =
        json_pack("{s:o, s:s}", "slopes", sri_numbers_json(calibration->slope, calibration->slopes),
                  "held_by", calibration->held_by);
    if (calibration->posterior.slope > 0)
        sri_json_put(&json, "posterior",
                     json_pack("{s:f, s:f, s:f}", "slope", calibration->posterior.slope, "shift",
                               calibration->posterior.shift, "floor", calibration->floor));
    return json;
}

static json_t *unpenalised_json(const sri_predefined_term *t)
{
    json_t *power = json_array();
    for (int64_t i = 0; t->power && i < t->l * t->n_columns; i++)
        sri_json_add(&power, json_integer(t->power[i]));
    json_t *json = json_pack("{s:s, s:s, s:I, s:i, s:o, s:o, s:o, s:o}", "name", t->ops->name,
                             "text", t->text, "columns", (json_int_t)t->l, "degree", t->degree,
                             "column", sri_integers_json(t->column, t->n_columns), "slope",
                             sri_numbers_json(t->slope, t->n_columns), "at",
                             sri_numbers_json(t->at, t->n_columns), "power", power);
    if (t->topics) {
        sri_json_put(&json, "beta", json_real(t->topics->beta));
        sri_json_put(&json, "words", json_integer((json_int_t)t->topics->words));
    }
    return json;
}

json_t *sri_predefined_json(const sri_predefined *p)
{
    json_t *terms = json_array();
    for (int k = 0; k < p->n_terms; k++)
        sri_json_add(&terms, unpenalised_json(&p->term[k]));
    return json_pack("{s:o, s:o, s:o, s:s}", "terms", terms, "names",
                     sri_texts_json(p->name, p->all), "kept", sri_integers_json(p->kept, p->l),
                     "variant", p->pivots ? "paper" : "minimiser");
}

/* Adds the columns set aside, where there are some. */
static json_t *with_aside(json_t *json, const sri_aside *aside)
{
    if (aside->count)
        sri_json_put(&json, "aside", sri_integers_json(aside->column, aside->count));
    return json;
}

static json_t *feature_json(const sri_feature *f)
{
    json_t *json = json_pack("{s:s}", "name", f->name);
    if (f->part) {
        sri_json_put(&json, "column", json_string(f->column));
        sri_json_put(&json, "part", json_string(sri_part_name(f->part)));
    }
    if (f->order == SRI_DATES_MDY)
        sri_json_put(&json, "order", json_string("mdy"));
    if (!f->is_text)
        return json;
    sri_json_put(&json, "categories", sri_texts_json(f->category.text, f->category.count));
    sri_json_put(&json, "shares", sri_numbers_json(f->share, f->share ? f->category.count : 0));
    return json;
}

json_t *sri_encoder_json(const sri_encoder *e)
{
    json_t *features = json_array();
    for (int64_t i = 0; i < e->n_features && !e->sparse; i++)
        sri_json_add(&features, feature_json(&e->feature[i]));
    json_t *json = json_pack("{s:s, s:b, s:b, s:I, s:o}", "scale", sri_scale_name(e->scale),
                             "by_number", e->by_number, "has_names", e->has_names, "table_columns",
                             (json_int_t)e->table_columns, "features", features);
    if (e->missing)
        sri_json_put(&json, "missing", json_string(sri_missing_name(e->missing)));
    if (e->refuses_unseen)
        sri_json_put(&json, "unseen", json_string("error"));
    if (e->sparse) {
        sri_json_put(&json, "sparse", json_true());
        sri_json_put(&json, "columns", json_integer((json_int_t)e->p));
    }
    return with_aside(json, &e->aside);
}

json_t *sri_target_json(const sri_target *t)
{
    json_t *json =
        json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:b, s:s}", "problem",
                  sri_problem_name(t->problem), "names", sri_texts_json(t->name, t->n_columns),
                  "labels", sri_texts_json(t->label, t->n_classes), "counts",
                  sri_integers_json(t->count, t->n_classes), "positions",
                  sri_integers_json(t->position, t->n_columns), "table_columns",
                  (json_int_t)t->table_columns, "has_names", t->has_names, "why", t->why);
    if (t->gaps)
        sri_json_put(&json, "gaps", json_true());
    return with_aside(json, &t->aside);
}

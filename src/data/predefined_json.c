/* Predefined features in the model file.  What comes from a file may be anything. */
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/memory.h"
#include "data/predefined.h"
#include "data/text/plsa.h"

static json_t *numbers_json(const double *v, int64_t count)
{
    json_t *list = json_array();
    for (int64_t i = 0; i < count; i++)
        sri_json_add(&list, json_real(v[i]));
    return list;
}

static json_t *term_json(const sri_predefined_term *t)
{
    json_t *column = json_array(), *power = json_array();
    for (int64_t i = 0; i < t->n_columns; i++)
        sri_json_add(&column, json_integer((json_int_t)t->column[i]));
    for (int64_t i = 0; t->power && i < t->l * t->n_columns; i++)
        sri_json_add(&power, json_integer(t->power[i]));
    json_t *json = json_pack("{s:s, s:s, s:I, s:i, s:o, s:o, s:o, s:o}", "name", t->ops->name,
                             "text", t->text, "columns", (json_int_t)t->l, "degree", t->degree,
                             "column", column, "slope", numbers_json(t->slope, t->n_columns), "at",
                             numbers_json(t->at, t->n_columns), "power", power);
    if (t->topics) {
        sri_json_put(&json, "beta", json_real(t->topics->beta));
        sri_json_put(&json, "words", json_integer((json_int_t)t->topics->words));
    }
    return json;
}

json_t *sri_predefined_json(const sri_predefined *p)
{
    json_t *terms = json_array(), *names = json_array(), *kept = json_array();
    for (int k = 0; k < p->n_terms; k++)
        sri_json_add(&terms, term_json(&p->term[k]));
    for (int64_t j = 0; j < p->all; j++)
        sri_json_add(&names, json_string(p->name[j]));
    for (int64_t j = 0; j < p->l; j++)
        sri_json_add(&kept, json_integer((json_int_t)p->kept[j]));
    return json_pack("{s:o, s:o, s:o, s:s}", "terms", terms, "names", names, "kept", kept,
                     "variant", p->pivots ? "paper" : "minimiser");
}

static specreg_status broken(specreg_context *ctx)
{
    return sri_fail(ctx, SPECREG_E_FORMAT, "the model's features are broken");
}

/* count numbers of a list, whole ones within [0, most] into `whole` or any into `real`. */
static specreg_status read_list(specreg_context *ctx, const json_t *list, int64_t count,
                                int64_t most, int64_t *whole, double *real)
{
    if ((int64_t)json_array_size(list) != count)
        return broken(ctx);
    for (int64_t i = 0; i < count; i++) {
        const json_t *v = json_array_get(list, (size_t)i);
        if (whole &&
            !(json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) <= most))
            return broken(ctx);
        if (real && !json_is_number(v))
            return broken(ctx);
        if (whole)
            whole[i] = json_integer_value(v);
        else
            real[i] = json_number_value(v);
    }
    return SPECREG_OK;
}

enum { MOST_FEATURES = 1 << 24 };

static specreg_status read_powers(specreg_context *ctx, const json_t *list, sri_predefined_term *t)
{
    specreg_status st = SPECREG_OK;
    const int64_t count = t->l * t->n_columns;
    int64_t *power = NULL;
    if (t->l > MOST_FEATURES || t->n_columns > MOST_FEATURES ||
        (int64_t)json_array_size(list) != count)
        return broken(ctx);
    SRI_ALLOC(ctx, power, count, 1);
    SRI_ALLOC(ctx, t->power, count, 1);
    SRI_TRY(read_list(ctx, list, count, 20, power, NULL));
    for (int64_t i = 0; i < count; i++)
        t->power[i] = (int)power[i];
done:
    free(power);
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
    specreg_status st = SPECREG_OK;
    const json_int_t words = json_integer_value(json_object_get(json, "words"));
    const double beta = json_number_value(json_object_get(json, "beta"));
    if (words < 1 || words > INT32_MAX || !(beta > 0 && beta <= 1))
        return broken(ctx);
    SRI_CALLOC(ctx, t->topics, 1, 1);
    *t->topics = (sri_plsa){.topics = t->l, .words = words, .beta = beta};
done:
    return st;
}

static specreg_status read_term(specreg_context *ctx, const json_t *json, int64_t columns,
                                sri_predefined_term *t)
{
    specreg_status st = SPECREG_OK;
    const char *name = json_string_value(json_object_get(json, "name"));
    const char *text = json_string_value(json_object_get(json, "text"));
    const json_t *column = json_object_get(json, "column");
    t->ops = name ? sri_predefined_at(name) : NULL;
    if (!t->ops || !text || strcmp(t->ops->name, name) != 0)
        return broken(ctx);
    SRI_STRDUP(ctx, t->text, text);
    t->l = json_integer_value(json_object_get(json, "columns"));
    t->n_columns = (int64_t)json_array_size(column);
    const bool by_column = t->ops->one_for_each;
    if (t->l < 1 || t->l > MOST_FEATURES || (by_column && t->l != t->n_columns) ||
        (t->ops->is_one && t->l != 1))
        return broken(ctx);
    SRI_ALLOC(ctx, t->column, t->n_columns, 1);
    SRI_ALLOC(ctx, t->slope, t->n_columns, 1);
    SRI_ALLOC(ctx, t->at, t->n_columns, 1);
    SRI_TRY(read_list(ctx, column, t->n_columns, columns - 1, t->column, NULL));
    SRI_TRY(read_list(ctx, json_object_get(json, "slope"), t->n_columns, 0, NULL, t->slope));
    SRI_TRY(read_list(ctx, json_object_get(json, "at"), t->n_columns, 0, NULL, t->at));
    SRI_TRY(by_column && any_zero(t->slope, t->n_columns) ? broken(ctx) : SPECREG_OK);
    if (t->ops->has_powers)
        SRI_TRY(read_powers(ctx, json_object_get(json, "power"), t));
    if (t->ops->has_topics)
        SRI_TRY(read_topics(ctx, json, t));
done:
    return st;
}

specreg_status sri_predefined_from_json(specreg_context *ctx, const json_t *json, int64_t columns,
                                        sri_predefined *out)
{
    specreg_status st = SPECREG_OK;
    const json_t *terms = json_object_get(json, "terms"), *names = json_object_get(json, "names");
    const json_t *kept = json_object_get(json, "kept");
    const char *variant = json_string_value(json_object_get(json, "variant"));
    int64_t all = 0;
    *out = (sri_predefined){0};
    SRI_TRY(!variant || json_array_size(terms) < 1 || json_array_size(terms) > SRI_PREDEFINED_TERMS
                ? broken(ctx)
                : SPECREG_OK);
    out->pivots = strcmp(variant, "paper") == 0;
    for (size_t k = 0; k < json_array_size(terms); k++) {
        out->n_terms = (int)k + 1;
        SRI_TRY(read_term(ctx, json_array_get(terms, k), columns, &out->term[k]));
        SRI_TRY(sri_predefined_is_repeated(out) ? broken(ctx) : SPECREG_OK);
        all += out->term[k].l;
    }
    out->l = (int64_t)json_array_size(kept);
    SRI_TRY((int64_t)json_array_size(names) != all || out->l < 1 || out->l > all ? broken(ctx)
                                                                                 : SPECREG_OK);
    SRI_CALLOC(ctx, out->name, all, 1);
    out->all = all;
    for (int64_t j = 0; j < all; j++) {
        const char *name = json_string_value(json_array_get(names, (size_t)j));
        SRI_TRY(name ? SPECREG_OK : broken(ctx));
        SRI_STRDUP(ctx, out->name[j], name);
    }
    SRI_ALLOC(ctx, out->kept, out->l, 1);
    SRI_TRY(read_list(ctx, kept, out->l, all - 1, out->kept, NULL));
done:
    if (st != SPECREG_OK)
        sri_predefined_free(out);
    return st;
}

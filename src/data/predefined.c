#include "data/predefined.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"
#include "core/memory.h"
#include "data/text/plsa.h"

static const sri_predefined_ops *const kinds[] = {&sri_predefined_constant, &sri_predefined_poly,
                                                  &sri_predefined_columns, &sri_predefined_file,
                                                  &sri_predefined_plsa};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ------------------------------------------------------------------- the text */

/* The kind whose name the text begins with, up to a ':', a ',', a '+', a blank or the end. */
static const sri_predefined_ops *kind_at(const char *text)
{
    for (int k = 0; k < KINDS; k++) {
        const size_t length = strlen(kinds[k]->name);
        if (strncmp(text, kinds[k]->name, length) == 0 && strchr(":,+ ", text[length]))
            return kinds[k];
    }
    return NULL;
}

/* Where a term ends: at a '+', or, since names may have one, at one that another term follows. */
static const char *term_end(const char *text)
{
    const sri_predefined_ops *ops = kind_at(text);
    const bool names = ops == &sri_predefined_columns || ops == &sri_predefined_file;
    for (const char *c = text; *c; c++)
        if (*c == '+' && (!names || kind_at(c + 1 + strspn(c + 1, " "))))
            return c;
    return text + strlen(text);
}

static specreg_status fail_kind(specreg_context *ctx, const char *text)
{
    const char *known[KINDS + 1] = {"none"};
    char name[64] = "";
    for (int k = 0; k < KINDS; k++)
        known[k + 1] = kinds[k]->name;
    strncat(name, text, strcspn(text, ":,+ ") < 60 ? strcspn(text, ":,+ ") : 60);
    if (!*name)
        return sri_fail(ctx, SPECREG_E_ARG, "features: a '+' has nothing before or after it");
    if (strcmp(name, known[0]) == 0)
        return sri_fail(ctx, SPECREG_E_ARG, "features: none stands alone");
    return sri_fail_unknown(ctx, "features", name, known, KINDS + 1);
}

/* Takes "key=word" off the end of a list, where it is there. */
static bool take_word(char *text, const char *key, char *word, size_t size)
{
    char *at = text;
    const size_t length = strlen(key);
    for (;; at++) {
        if (strncmp(at, key, length) == 0 && at[length] == '=' && (at == text || at[-1] == ','))
            break;
        if (!*at)
            return false;
    }
    char *value = at + length + 1;
    const size_t long_ = strcspn(value, ",");
    snprintf(word, size, "%.*s", (int)long_, value);
    const char *rest = value + long_;
    if (at > text) /* the comma before it */
        at--;
    else if (*rest)
        rest++;
    memmove(at, rest, strlen(rest) + 1);
    return true;
}

/* What all terms know; it holds for all of them. */
static specreg_status take_common(specreg_context *ctx, char *text, sri_predefined *p)
{
    specreg_status st = SPECREG_OK;
    char word[32];
    if (take_word(text, "variant", word, sizeof word)) {
        SRI_REQUIRE(ctx, strcmp(word, "paper") == 0 || strcmp(word, "minimiser") == 0, SPECREG_E_ARG,
                    "features: variant is minimiser or paper, not '%s'", word);
        p->pivots = strcmp(word, "paper") == 0;
    }
    if (take_word(text, "dependent", word, sizeof word)) {
        SRI_REQUIRE(ctx, strcmp(word, "error") == 0 || strcmp(word, "drop") == 0, SPECREG_E_ARG,
                    "features: dependent is error or drop, not '%s'", word);
        p->drop = strcmp(word, "drop") == 0;
    }
done:
    return st;
}

/* Whether the last term is a file or topics, of which there is one, and not the first of these. */
static bool have_twice(const sri_predefined *p)
{
    const sri_predefined_ops *last = p->term[p->n_terms - 1].ops;
    for (int k = 0; k + 1 < p->n_terms; k++)
        if (p->term[k].ops == last && (last == &sri_predefined_file || last == &sri_predefined_plsa))
            return true;
    return false;
}

static specreg_status parse_term(specreg_context *ctx, const char *text, const char *end,
                                 sri_predefined *p)
{
    specreg_status st = SPECREG_OK;
    const sri_predefined_ops *ops = kind_at(text);
    if (!ops)
        return fail_kind(ctx, text);
    SRI_REQUIRE(ctx, p->n_terms < SRI_PREDEFINED_TERMS, SPECREG_E_ARG,
                "features: at most %d terms", (int)SRI_PREDEFINED_TERMS);
    sri_predefined_term *term = &p->term[p->n_terms++];
    *term = (sri_predefined_term){.ops = ops};
    text += strlen(ops->name);
    if (text < end && (*text == ':' || *text == ','))
        text++;
    while (end > text && end[-1] == ' ')
        end--;
    SRI_ALLOC(ctx, term->text, (int64_t)(end - text) + 1, 1);
    memcpy(term->text, text, (size_t)(end - text));
    term->text[end - text] = '\0';
    SRI_TRY(take_common(ctx, term->text, p));
    SRI_TRY(ops->parse(ctx, term));
    SRI_REQUIRE(ctx, !have_twice(p), SPECREG_E_ARG, "features: one %s only", ops->name);
done:
    return st;
}

specreg_status sri_predefined_parse(specreg_context *ctx, const char *text, sri_predefined *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_predefined){0};
    text += strspn(text, " ");
    if (!*text || strcmp(text, "none") == 0)
        return st;
    for (;;) {
        const char *end = term_end(text);
        SRI_TRY(parse_term(ctx, text, end, out));
        if (!*end)
            break;
        text = end + 1;
        text += strspn(text, " ");
    }
done:
    if (st != SPECREG_OK)
        sri_predefined_free(out);
    return st;
}

void sri_predefined_free(sri_predefined *p)
{
    for (int k = 0; k < p->n_terms; k++) {
        sri_predefined_term *t = &p->term[k];
        sri_plsa_free(t->topics);
        free(t->power);
        free(t->at);
        free(t->slope);
        free(t->column);
        free(t->text);
    }
    for (int64_t j = 0; p->name && j < p->all; j++)
        free(p->name[j]);
    free(p->name);
    free(p->kept);
    *p = (sri_predefined){0};
}

struct sri_plsa *sri_predefined_topics(const sri_predefined *p)
{
    for (int k = 0; k < p->n_terms; k++)
        if (p->term[k].topics)
            return p->term[k].topics;
    return NULL;
}

bool sri_predefined_has_file(const sri_predefined *p)
{
    for (int k = 0; k < p->n_terms; k++)
        if (p->term[k].ops == &sri_predefined_file)
            return true;
    return false;
}

/* ------------------------------------------------------------------- columns of P */

static specreg_status keep_all(specreg_context *ctx, sri_predefined *p)
{
    specreg_status st = SPECREG_OK;
    SRI_ALLOC(ctx, p->kept, p->all, 1);
    p->l = p->all;
    for (int64_t j = 0; j < p->l; j++)
        p->kept[j] = j;
done:
    return st;
}

/* The names of one more term after those there are. */
static specreg_status add_names(specreg_context *ctx, sri_predefined *p, char **name, int64_t count)
{
    specreg_status st = SPECREG_OK;
    char **all = NULL;
    SRI_ALLOC(ctx, all, p->all + count, 1);
    for (int64_t j = 0; j < p->all; j++)
        all[j] = p->name[j];
    for (int64_t j = 0; j < count; j++)
        all[p->all + j] = name[j];
    free(p->name);
    p->name = all;
    p->all += count;
done:
    return st;
}

specreg_status sri_predefined_learn(specreg_context *ctx, sri_predefined *p,
                                    const sri_predefined_rows *rows)
{
    specreg_status st = SPECREG_OK;
    char **name = NULL;
    for (int k = 0; k < p->n_terms; k++) {
        sri_predefined_term *t = &p->term[k];
        st = t->ops->learn(ctx, t, rows, &name);
        if (st == SPECREG_OK)
            st = add_names(ctx, p, name, t->l);
        for (int64_t j = 0; st != SPECREG_OK && name && j < t->l; j++)
            free(name[j]);
        free(name);
        name = NULL;
        SRI_TRY(st);
    }
    SRI_REQUIRE(ctx, p->all < rows->X->n, SPECREG_E_SHAPE,
                "features: %lld of them for %lld rows leave nothing to learn from", (long long)p->all,
                (long long)rows->X->n);
    SRI_TRY(keep_all(ctx, p));
done:
    return st;
}

void sri_predefined_leave(sri_predefined *p, int64_t k)
{
    p->l--;
    for (; k < p->l; k++)
        p->kept[k] = p->kept[k + 1];
}

specreg_status sri_predefined_fill(specreg_context *ctx, const sri_predefined *p,
                                   const sri_predefined_rows *rows, double **P)
{
    specreg_status st = SPECREG_OK;
    const int64_t n = rows->X->n;
    double *all = NULL;
    int64_t first = 0;
    *P = NULL;
    SRI_ALLOC(ctx, all, n, p->all);
    for (int k = 0; k < p->n_terms; k++) {
        SRI_TRY(p->term[k].ops->fill(ctx, &p->term[k], rows, all + first, p->all));
        first += p->term[k].l;
    }
    SRI_ALLOC(ctx, *P, n, p->l);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < p->l; j++)
            (*P)[i * p->l + j] = all[i * p->all + p->kept[j]];
done:
    free(all);
    return st;
}

/* ------------------------------------------------------------------- coefficients for people */

static int64_t find_powers(const sri_predefined_term *t, const int *power)
{
    for (int64_t k = 0; k < t->l; k++)
        if (memcmp(t->power + k * t->n_columns, power, (size_t)t->n_columns * sizeof *power) == 0)
            return k;
    return -1;
}

static double choose(int n, int k)
{
    double c = 1;
    for (int i = 1; i <= k; i++)
        c *= (double)(n - k + i) / i;
    return c;
}

/* Adds prod_j (slope_j x_j + at_j)^power_j times beta to the coefficients of the monomials in x: those
 * of all powers up to `power`. */
static specreg_status expand(specreg_context *ctx, const sri_predefined_term *t, const int *power,
                             const double *beta, int64_t T, double *out)
{
    specreg_status st = SPECREG_OK;
    const int64_t p = t->n_columns;
    int *low = NULL;
    SRI_CALLOC(ctx, low, p, 1);
    for (;;) {
        double factor = 1;
        for (int64_t j = 0; j < p; j++)
            factor *= choose(power[j], low[j]) * pow(t->slope[j], low[j]) *
                      pow(t->at[j], power[j] - low[j]);
        const int64_t k = find_powers(t, low);
        for (int64_t s = 0; s < T; s++)
            out[k * T + s] += factor * beta[s];
        int64_t j = 0;
        while (j < p && low[j] == power[j])
            low[j++] = 0;
        if (j == p)
            break;
        low[j]++;
    }
done:
    free(low);
    return st;
}

specreg_status sri_predefined_natural(specreg_context *ctx, const sri_predefined *p,
                                      const double *beta, int64_t T, double *out)
{
    specreg_status st = SPECREG_OK;
    double *scaled = NULL; /* all x T */
    int64_t first = 0;
    SRI_CALLOC(ctx, scaled, p->all, T);
    memset(out, 0, (size_t)(p->all * T) * sizeof *out);
    for (int64_t k = 0; k < p->l; k++)
        memcpy(scaled + p->kept[k] * T, beta + k * T, (size_t)T * sizeof *beta);
    for (int k = 0; k < p->n_terms; k++) {
        const sri_predefined_term *t = &p->term[k];
        for (int64_t j = 0; j < t->l; j++) {
            const double *from = scaled + (first + j) * T;
            if (t->power)
                SRI_TRY(expand(ctx, t, t->power + j * t->n_columns, from, T, out + first * T));
            else
                memcpy(out + (first + j) * T, from, (size_t)T * sizeof *from);
        }
        first += t->l;
    }
done:
    free(scaled);
    return st;
}

/* ------------------------------------------------------------------- the model file */

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
    json_t *json = json_pack("{s:s, s:s, s:I, s:i, s:o, s:o, s:o, s:o}", "name", t->ops->name, "text",
                             t->text, "columns", (json_int_t)t->l, "degree", t->degree, "column",
                             column, "slope", numbers_json(t->slope, t->n_columns), "at",
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
    return json_pack("{s:o, s:o, s:o, s:s}", "terms", terms, "names", names, "kept", kept, "variant",
                     p->pivots ? "paper" : "minimiser");
}

static specreg_status broken(specreg_context *ctx)
{
    return sri_fail(ctx, SPECREG_E_FORMAT, "the model's features are broken");
}

/* count numbers of a list, whole ones within [0, most] into `whole` or any into `real`. */
static specreg_status read_list(specreg_context *ctx, const json_t *list, int64_t count, int64_t most,
                                int64_t *whole, double *real)
{
    if ((int64_t)json_array_size(list) != count)
        return broken(ctx);
    for (int64_t i = 0; i < count; i++) {
        const json_t *v = json_array_get(list, (size_t)i);
        if (whole && !(json_is_integer(v) && json_integer_value(v) >= 0 && json_integer_value(v) <= most))
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
    if (t->l > MOST_FEATURES || t->n_columns > MOST_FEATURES || (int64_t)json_array_size(list) != count)
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
    t->ops = name ? kind_at(name) : NULL;
    if (!t->ops || !text || strcmp(t->ops->name, name) != 0)
        return broken(ctx);
    SRI_STRDUP(ctx, t->text, text);
    t->l = json_integer_value(json_object_get(json, "columns"));
    t->n_columns = (int64_t)json_array_size(column);
    const bool by_column = t->ops == &sri_predefined_columns;
    if (t->l < 1 || t->l > MOST_FEATURES || (by_column && t->l != t->n_columns) ||
        (t->ops == &sri_predefined_constant && t->l != 1))
        return broken(ctx);
    SRI_ALLOC(ctx, t->column, t->n_columns, 1);
    SRI_ALLOC(ctx, t->slope, t->n_columns, 1);
    SRI_ALLOC(ctx, t->at, t->n_columns, 1);
    SRI_TRY(read_list(ctx, column, t->n_columns, columns - 1, t->column, NULL));
    SRI_TRY(read_list(ctx, json_object_get(json, "slope"), t->n_columns, 0, NULL, t->slope));
    SRI_TRY(read_list(ctx, json_object_get(json, "at"), t->n_columns, 0, NULL, t->at));
    SRI_TRY(by_column && any_zero(t->slope, t->n_columns) ? broken(ctx) : SPECREG_OK);
    if (t->ops == &sri_predefined_poly)
        SRI_TRY(read_powers(ctx, json_object_get(json, "power"), t));
    if (t->ops == &sri_predefined_plsa)
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
        SRI_TRY(have_twice(out) ? broken(ctx) : SPECREG_OK);
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

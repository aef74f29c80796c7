#include "data/predefined.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "data/text/plsa.h"

static const sri_predefined_ops *const kinds[] = {&sri_predefined_constant, &sri_predefined_poly,
                                                  &sri_predefined_columns, &sri_predefined_file,
                                                  &sri_predefined_plsa};
enum { KINDS = sizeof kinds / sizeof *kinds };

const sri_predefined_ops *sri_predefined_at(const char *text)
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
    const sri_predefined_ops *ops = sri_predefined_at(text);
    const bool names = ops && ops->takes_names;
    for (const char *c = text; *c; c++)
        if (*c == '+' && (!names || sri_predefined_at(c + 1 + strspn(c + 1, " "))))
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
    static const char *const common[][3] = {{"variant", "minimiser", "paper"},
                                            {"dependent", "error", "drop"}};
    bool *const is_second[] = {&p->pivots, &p->drop};
    char word[32];
    for (int k = 0; k < 2; k++) {
        const char *const *c = common[k];
        if (!take_word(text, c[0], word, sizeof word))
            continue;
        SRI_CHECK(ctx, strcmp(word, c[1]) == 0 || strcmp(word, c[2]) == 0, SPECREG_E_ARG,
                  "features: %s is %s or %s, not '%s'", c[0], c[1], c[2], word);
        *is_second[k] = strcmp(word, c[2]) == 0;
    }
    return SPECREG_OK;
}

bool sri_predefined_is_repeated(const sri_predefined *p)
{
    const sri_predefined_ops *last = p->term[p->n_terms - 1].ops;
    for (int k = 0; k + 1 < p->n_terms; k++)
        if (p->term[k].ops == last && last->only_once)
            return true;
    return false;
}

static specreg_status parse_term(specreg_context *ctx, const char *text, const char *end,
                                 sri_predefined *p)
{
    const sri_predefined_ops *ops = sri_predefined_at(text);
    if (!ops)
        return fail_kind(ctx, text);
    SRI_CHECK(ctx, p->n_terms < SRI_PREDEFINED_TERMS, SPECREG_E_ARG, "features: at most %d terms",
              (int)SRI_PREDEFINED_TERMS);
    sri_predefined_term *term = &p->term[p->n_terms++];
    *term = (sri_predefined_term){.ops = ops};
    text += strlen(ops->name);
    if (text < end && (*text == ':' || *text == ','))
        text++;
    while (end > text && end[-1] == ' ')
        end--;
    SRI_GIVEN(term->text, sri_strndup(ctx, text, (size_t)(end - text)));
    SRI_CALL(take_common(ctx, term->text, p));
    SRI_CHECK(ctx, !ops->asks || *term->text, SPECREG_E_ARG, "%s", ops->asks);
    if (ops->parse)
        SRI_CALL(ops->parse(ctx, term));
    SRI_CHECK(ctx, !sri_predefined_is_repeated(p), SPECREG_E_ARG, "features: one %s only",
              ops->name);
    return SPECREG_OK;
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
        sri_free(t->power);
        sri_free(t->at);
        sri_free(t->slope);
        sri_free(t->column);
        sri_free(t->text);
    }
    sri_free_list(p->name, p->all);
    sri_free(p->kept);
    *p = (sri_predefined){0};
}

specreg_status sri_predefined_copy(specreg_context *ctx, const sri_predefined *p,
                                   sri_predefined *out)
{
    specreg_status st = SPECREG_OK;
    *out = (sri_predefined){.pivots = p->pivots, .drop = p->drop};
    for (int k = 0; k < p->n_terms; k++) {
        const sri_predefined_term *from = &p->term[k];
        out->term[k] = (sri_predefined_term){.ops = from->ops, .degree = from->degree};
        out->n_terms++;
        SRI_STRDUP(ctx, out->term[k].text, from->text);
    }
done:
    if (st != SPECREG_OK)
        sri_predefined_free(out);
    return st;
}

struct sri_plsa *sri_predefined_topics(const sri_predefined *p)
{
    for (int k = 0; k < p->n_terms; k++)
        if (p->term[k].topics)
            return p->term[k].topics;
    return NULL;
}

const char *sri_predefined_path(const sri_predefined *p)
{
    for (int k = 0; k < p->n_terms; k++)
        if (p->term[k].ops->needs_file)
            return p->term[k].text;
    return NULL;
}

bool sri_predefined_counts(const sri_predefined *p)
{
    for (int k = 0; k < p->n_terms; k++)
        if (p->term[k].ops->has_topics)
            return true;
    return false;
}

specreg_status sri_predefined_add_name(specreg_context *ctx, sri_predefined *p, const char *name)
{
    SRI_CALL(SRI_GROW(ctx, p->name, p->capacity, p->all + 1));
    p->name[p->all] = sri_strdup(ctx, name);
    return p->name[p->all] && ++p->all ? SPECREG_OK : SPECREG_E_NOMEM;
}

specreg_status sri_predefined_learn(specreg_context *ctx, sri_predefined *p,
                                    const sri_predefined_rows *rows)
{
    for (int k = 0; k < p->n_terms; k++)
        SRI_CALL(p->term[k].ops->learn(ctx, &p->term[k], rows, p));
    SRI_CHECK(ctx, p->all < rows->X->n, SPECREG_E_SHAPE,
              "features: %lld of them for %lld rows leave nothing to learn from", (long long)p->all,
              (long long)rows->X->n);
    SRI_NEW(ctx, p->kept, p->all, 1);
    p->l = p->all;
    for (int64_t j = 0; j < p->l; j++)
        p->kept[j] = j;
    return SPECREG_OK;
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
    sri_free(all);
    return st;
}

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

/* Adds prod_j (slope_j x_j + at_j)^power_j times beta to the coefficients of the monomials in x:
 * those of all powers up to `power`. */
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
    sri_free(low);
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
    sri_free(scaled);
    return st;
}

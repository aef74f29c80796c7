#include "sums/centres.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/rng.h"
#include "core/text.h"

const char *const sri_approx_names[SRI_APPROXES] = {"auto", "exact", "rectangle"};

/* A row and what it is sorted by. */
typedef struct keyed {
    double key;
    int64_t number, row;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key)
                            : (x->number > y->number) - (x->number < y->number);
}

/* A number in [0, 1) that depends on seed and row number alone. */
static double hash_of(const sri_centre_pool *pool, int64_t i)
{
    sri_rng r = sri_rng_make(pool->seed, SRI_STREAM_CENTRES);
    r.counter = (uint64_t)pool->number[i];
    return sri_rng_uniform(&r);
}

/* The rows with the least keys. */
static specreg_status take_least(specreg_context *ctx, const sri_centre_pool *pool, keyed *list,
                                 int64_t m, int64_t *row, int64_t *count)
{
    (void)ctx;
    const int64_t n = pool->points->n;
    qsort(list, (size_t)n, sizeof *list, by_key);
    *count = m < n ? m : n;
    for (int64_t k = 0; k < *count; k++)
        row[k] = list[k].row;
    return SPECREG_OK;
}

/* Draws without replacement, with probabilities that follow weights (NULL: all alike): the rows
 * with the least -log(u) / weight. */
static specreg_status draw(specreg_context *ctx, const sri_centre_pool *pool, const double *weight,
                           int64_t m, int64_t *row, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    keyed *list = NULL;
    SRI_ALLOC(ctx, list, pool->points->n, 1);
    for (int64_t i = 0; i < pool->points->n; i++) {
        const double u = hash_of(pool, i);
        list[i] = (keyed){weight ? -log(1 - u) / weight[i] : u, pool->number[i], i};
    }
    SRI_TRY(take_least(ctx, pool, list, m, row, count));
done:
    sri_free(list);
    return st;
}

static specreg_status uniform(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                              int64_t *row, int64_t *count)
{
    return draw(ctx, pool, NULL, m, row, count);
}

static const sri_centre_rule rules[] = {
    {.name = "uniform", .words = "rows at random", .choose = uniform},
};
enum { RULES = sizeof rules / sizeof *rules };

const sri_centre_rule *sri_centre_rule_at(int index)
{
    return index >= 0 && index < RULES ? &rules[index] : NULL;
}

static specreg_status parse_rule(specreg_context *ctx, const char *text, sri_approx *out)
{
    const char *names[RULES];
    for (int i = 0; i < RULES; i++) {
        const size_t length = strlen(rules[i].name);
        names[i] = rules[i].name;
        if (strcmp(text, names[i]) == 0 ||
            (rules[i].takes_file && strncmp(text, names[i], length) == 0 && text[length] == ':'))
            out->centres = &rules[i];
    }
    if (!out->centres)
        return sri_fail_unknown(ctx, "approx: kind of centers", text, names, RULES);
    if (!out->centres->takes_file)
        return SPECREG_OK;
    const char *file = strchr(text, ':');
    SRI_CHECK(ctx, file && file[1], SPECREG_E_ARG, "approx: centers=%s needs a file: %s:ROWS.txt",
              out->centres->name, out->centres->name);
    SRI_NEW_TEXT(ctx, out->file, file + 1);
    return SPECREG_OK;
}

static specreg_status parse_pair(specreg_context *ctx, const sri_spec_arg *arg, sri_approx *out)
{
    double m;
    if (!arg->key || (strcmp(arg->key, "m") != 0 && strcmp(arg->key, "centers") != 0))
        return sri_fail(ctx, SPECREG_E_ARG, "approx: %s '%s' is not known: m=COUNT, centers=HOW",
                        arg->key ? "key" : "value", arg->key ? arg->key : arg->value);
    if (strcmp(arg->key, "centers") == 0)
        return parse_rule(ctx, arg->value, out);
    if (strcmp(arg->value, "auto") == 0)
        return SPECREG_OK;
    SRI_CALL(sri_number_parse(ctx, "approx: m", arg->value, &m));
    SRI_CHECK(ctx, m >= 1 && m <= 32766 && m == floor(m), SPECREG_E_ARG,
              "approx: m must be a whole number from 1 to 32766, not %s", arg->value);
    out->m = (int64_t)m;
    return SPECREG_OK;
}

specreg_status sri_approx_parse(specreg_context *ctx, const char *text, sri_approx *out)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    int kind;
    *out = (sri_approx){0};
    SRI_TRY(sri_spec_parse(ctx, "approx", text, &spec));
    SRI_TRY(sri_choose_known(ctx, "approx", spec.name, sri_approx_names, SRI_APPROXES, &kind));
    out->kind = (sri_approx_kind)kind;
    SRI_REQUIRE(ctx, kind >= SRI_APPROX_RECTANGLE || !spec.count, SPECREG_E_ARG,
                "approx: %s takes no keys: rectangle:m=1000 does", spec.name);
    for (int i = 0; i < spec.count; i++)
        SRI_TRY(parse_pair(ctx, &spec.arg[i], out));
    out->centres = out->centres ? out->centres : &rules[0];
done:
    sri_spec_free(&spec);
    if (st != SPECREG_OK)
        sri_approx_free(out);
    return st;
}

void sri_approx_free(sri_approx *approx)
{
    sri_free(approx->file);
    *approx = (sri_approx){0};
}

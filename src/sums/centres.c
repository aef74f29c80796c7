#include "sums/centres.h"

#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "sums/centre_rules.h"

const char *const sri_approx_names[SRI_APPROXES] = {"auto", "exact", "rectangle", "subset",
                                                    "nystrom"};
const char *const sri_solver_names[SRI_SOLVERS] = {"auto", "sums", "cg"};

static specreg_status uniform(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                              int64_t *row, int64_t *count)
{
    return sri_centres_draw(ctx, pool, NULL, m, row, count);
}

static const sri_centre_rule rules[] = {
    {.name = "uniform", .words = "rows at random", .choose = uniform},
    {.name = "pivoted",
     .words = "the row that the centres before it explain least",
     .looks_at_kernel = true,
     .choose = sri_centres_pivoted},
    {.name = "rpcholesky",
     .words = "rows at random, by how little the centres before them explain them",
     .looks_at_kernel = true,
     .choose = sri_centres_rpcholesky},
    {.name = "leverage",
     .words = "rows at random, by their ridge leverage scores",
     .looks_at_kernel = true,
     .choose = sri_centres_leverage},
    {.name = "kmeans",
     .words = "rows at random, by their squared distance to the centres before them",
     .choose = sri_centres_kmeans},
    {.name = "file",
     .words = "rows that a file lists",
     .takes_file = true,
     .choose = sri_centres_file},
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

static specreg_status parse_m(specreg_context *ctx, const char *text, sri_approx *out)
{
    double m;
    if (strcmp(text, "auto") == 0)
        return SPECREG_OK;
    SRI_CALL(sri_number_parse(ctx, "approx: m", text, &m));
    SRI_CHECK(ctx, m >= 1 && m <= 32766 && m == floor(m), SPECREG_E_ARG,
              "approx: m must be a whole number from 1 to 32766, not %s", text);
    out->m = (int64_t)m;
    return SPECREG_OK;
}

static specreg_status parse_solver(specreg_context *ctx, const char *text, sri_approx *out)
{
    int solver;
    SRI_CALL(sri_choose_known(ctx, "approx: solver", text, sri_solver_names, SRI_SOLVERS, &solver));
    out->solver = (sri_solver)solver;
    return SPECREG_OK;
}

static specreg_status parse_residual(specreg_context *ctx, const char *text, sri_approx *out)
{
    SRI_CALL(sri_number_parse(ctx, "approx: residual", text, &out->residual));
    SRI_CHECK(ctx, out->residual > 0 && out->residual < 1, SPECREG_E_ARG,
              "approx: residual must be a number between 0 and 1, not %s", text);
    return SPECREG_OK;
}

static specreg_status parse_pair(specreg_context *ctx, const sri_spec_arg *arg, sri_approx *out)
{
    static const struct {
        const char *key;
        specreg_status (*parse)(specreg_context *ctx, const char *text, sri_approx *out);
    } keys[] = {{"m", parse_m},
                {"centers", parse_rule},
                {"solver", parse_solver},
                {"residual", parse_residual}};
    const bool rectangle = out->kind == SRI_APPROX_RECTANGLE;
    const size_t count = rectangle ? sizeof keys / sizeof *keys : 2;
    for (size_t k = 0; arg->key && k < count; k++)
        if (strcmp(arg->key, keys[k].key) == 0)
            return keys[k].parse(ctx, arg->value, out);
    return sri_fail(ctx, SPECREG_E_ARG, "approx: %s '%s' is not known: m=COUNT, centers=HOW%s",
                    arg->key ? "key" : "value", arg->key ? arg->key : arg->value,
                    rectangle ? ", solver=auto|sums|cg, residual=1e-6" : "");
}

specreg_status sri_approx_parse(specreg_context *ctx, const char *text, sri_approx *out)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    int kind = SRI_APPROX_RECTANGLE; /* "m=1000" */
    *out = (sri_approx){.residual = 1e-6};
    SRI_TRY(sri_spec_parse(ctx, "approx", text, &spec));
    if (*spec.name || !spec.count)
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

specreg_status sri_centres_choose(specreg_context *ctx, const sri_approx *approx,
                                  const sri_centre_pool *pool, int64_t **row, int64_t *count)
{
    int64_t m = approx->m;
    *row = NULL;
    if (!m && approx->file)
        SRI_CALL(sri_centres_count(ctx, approx->file, &m));
    SRI_CHECK(ctx, m >= 1, SPECREG_E_ARG, "approx: %s needs the number of centres: m=1000",
              sri_approx_names[approx->kind]);
    SRI_CHECK(ctx, m <= pool->points->n, SPECREG_E_ARG,
              "approx: m=%lld, but there are %lld rows: there cannot be more centres than rows",
              (long long)m, (long long)pool->points->n);
    SRI_NEW(ctx, *row, m, 1);
    const specreg_status st = approx->centres->choose(ctx, pool, m, *row, count);
    if (st != SPECREG_OK) {
        sri_free(*row);
        *row = NULL;
    }
    return st;
}

/* The list of filters and their text form. */
#include "filter/filter.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"

static const sri_filter_ops *const filters[] = {
#define FILTER(id, words) &sri_filter_##id,
    SRI_FILTER_LIST(FILTER)
#undef FILTER
};
enum { N_FILTERS = sizeof filters / sizeof *filters };

const sri_filter_ops *sri_filter_at(int index)
{
    return index >= 0 && index < N_FILTERS ? filters[index] : NULL;
}

const sri_filter_ops *sri_filter_builtin(const char *name)
{
    for (int i = 0; i < N_FILTERS; i++)
        if (strcmp(filters[i]->name, name) == 0)
            return filters[i];
    return NULL;
}

int sri_filter_param_count(const sri_filter *f)
{
    return f->user ? f->user->n_params : f->ops->n_params;
}

sri_param sri_filter_param_at(const sri_filter *f, int i)
{
    return f->user ? sri_param_user(f->user, i) : f->ops->params[i];
}

const char *sri_filter_name(const sri_filter *filter)
{
    return filter->user ? filter->user->name : filter->ops->name;
}

bool sri_filter_is_plain(const sri_filter *filter)
{
    return filter->ops->resolvents && filter->path == SRI_PATH_LAMBDA &&
           filter->ops->resolvents(filter, 1).order == 1;
}

sri_nonlinear sri_filter_nonlinear(const sri_filter *filter)
{
    return filter->ops->nonlinear ? filter->ops->nonlinear(filter) : SRI_LINEAR;
}

bool sri_filter_sees_outputs(const sri_filter *filter)
{
    return sri_filter_nonlinear(filter) || filter->path == SRI_PATH_COMPONENTS;
}

static specreg_status find_ops(specreg_context *ctx, const char *name, sri_filter *f)
{
    f->ops = sri_filter_builtin(name);
    f->user = f->ops ? NULL : sri_registered(ctx->filters, name);
    if (f->user)
        f->ops = f->user->of_steps ? &sri_filter_user_steps : &sri_filter_user;
    if (f->ops)
        return SPECREG_OK;
    const char *known[64];
    int count = 0;
    for (int i = 0; i < N_FILTERS; i++)
        known[count++] = filters[i]->name;
    for (const sri_registration *r = ctx->filters; r && count < 64; r = r->next)
        known[count++] = r->name;
    return sri_fail_unknown(ctx, "filter", name, known, count);
}

static specreg_status set_step(specreg_context *ctx, sri_filter *f, const char *value)
{
    if (strcmp(value, "auto") == 0) {
        f->step_rule = SRI_STEP_AUTO;
        return SPECREG_OK;
    }
    if (strcmp(value, "norm") == 0) {
        f->step_rule = SRI_STEP_NORM;
        f->norm_share = 1;
        return SPECREG_OK;
    }
    char what[64], number[64];
    snprintf(what, sizeof what, "filter %s: step", f->ops->name);
    snprintf(number, sizeof number, "%s", value);
    char *over = strstr(number, "/norm");
    const bool of_norm = over && strcmp(over, "/norm") == 0;
    if (of_norm)
        *over = '\0';
    double *out = of_norm ? &f->norm_share : &f->step;
    SRI_CALL(sri_number_parse(ctx, what, number, out));
    if (!(*out > 0))
        return sri_fail(ctx, SPECREG_E_ARG, "%s must be greater than 0, not %g", what, *out);
    f->step_rule = of_norm ? SRI_STEP_NORM : SRI_STEP_GIVEN;
    return SPECREG_OK;
}

/* A share of the norm is checked once all parameters are known. */
specreg_status sri_filter_check_step(specreg_context *ctx, const sri_filter *f)
{
    const double most = f->ops->iteration ? f->ops->iteration->largest_step(f) : 0;
    return f->step_rule != SRI_STEP_NORM || f->norm_share <= most
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_ARG,
                          "filter %s: step=%g/norm is too long, the iteration diverges; at most "
                          "%g/norm",
                          f->ops->name, f->norm_share, most);
}

static specreg_status set_number(specreg_context *ctx, sri_filter *f, int i, const char *value)
{
    const sri_param p = sri_filter_param_at(f, i);
    char what[96];
    snprintf(what, sizeof what, "filter %.40s: %.40s", sri_filter_name(f), p.name);
    SRI_CALL(sri_number_parse(ctx, what, value, &f->param[i]));
    snprintf(what, sizeof what, "filter %.40s", sri_filter_name(f));
    return sri_param_check(ctx, what, &p, f->param[i]);
}

specreg_status sri_filter_set(specreg_context *ctx, sri_filter *f, const char *key,
                              const char *value)
{
    const char *known[SRI_FILTER_PARAMS + 2];
    int count = 0;
    if (!key)
        return sri_fail(ctx, SPECREG_E_ARG, "filter %s: write '%s' as key=value",
                        sri_filter_name(f), value);
    for (int i = 0; i < sri_filter_param_count(f); i++) {
        known[count++] = sri_filter_param_at(f, i).name;
        if (strcmp(key, known[count - 1]) == 0)
            return set_number(ctx, f, i, value);
    }
    if (f->ops->iteration) {
        known[count++] = "step";
        if (strcmp(key, "step") == 0)
            return set_step(ctx, f, value);
    }
    const sri_filter_word *word = f->ops->word;
    if (word) {
        known[count++] = word->key;
        if (strcmp(key, word->key) == 0)
            return word->set(f, value)
                       ? SPECREG_OK
                       : sri_fail(ctx, SPECREG_E_ARG, "filter %s: %s must be %s, not '%s'",
                                  f->ops->name, key, word->values, value);
    }
    char what[64];
    snprintf(what, sizeof what, "parameter of filter %.30s", sri_filter_name(f));
    return sri_fail_unknown(ctx, what, key, known, count);
}

specreg_status sri_filter_find(specreg_context *ctx, const char *name, sri_filter *out)
{
    *out = (sri_filter){.step = 1};
    SRI_CALL(find_ops(ctx, name, out));
    out->path = out->ops->path;
    for (int i = 0; i < sri_filter_param_count(out); i++)
        out->param[i] = sri_filter_param_at(out, i).value;
    return SPECREG_OK;
}

specreg_status sri_filter_parse(specreg_context *ctx, const char *text, sri_filter *out)
{
    sri_filter_grid grid;
    SRI_CALL(sri_filter_grid_parse(ctx, text, &grid));
    const int64_t settings = grid.count;
    *out = grid.at[0];
    sri_filter_grid_free(&grid);
    return settings == 1 ? SPECREG_OK
                         : sri_fail(ctx, SPECREG_E_ARG,
                                    "filter '%s': one value of each parameter here, not %lld", text,
                                    (long long)settings);
}

static bool same_number(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

bool sri_filter_same(const sri_filter *a, const sri_filter *b)
{
    bool same = a->ops == b->ops && a->user == b->user && a->variant == b->variant &&
                a->step_rule == b->step_rule && a->step == b->step &&
                a->norm_share == b->norm_share;
    for (int i = 0; i < sri_filter_param_count(a); i++)
        same = same && same_number(a->param[i], b->param[i]);
    return same;
}

specreg_status sri_filter_keep(specreg_context *ctx, const sri_filter *filter, double param,
                               sri_kept_filter *out)
{
    *out = (sri_kept_filter){.filter = *filter, .param = param, .kept = -1};
    const specreg_status st = sri_registration_copy(ctx, filter->user, &out->user);
    out->filter.user = out->user;
    return st;
}

specreg_status sri_filter_keep_each(specreg_context *ctx, const double *each, int64_t T,
                                    sri_kept_filter *out)
{
    if (!each)
        return SPECREG_OK;
    SRI_NEW(ctx, out->each, T, 1);
    memcpy(out->each, each, (size_t)T * sizeof *each);
    out->n_each = T;
    return SPECREG_OK;
}

void sri_kept_filter_free(sri_kept_filter *kept)
{
    sri_free(kept->each);
    sri_registration_free(kept->user);
    *kept = (sri_kept_filter){0};
}

#include "model/config.h"

#include <math.h>
#include <string.h>

#include "backend/cpu/blas.h"
#include "core/memory.h"
#include "core/text.h"

static specreg_status whole_number(specreg_context *ctx, const char *name, const char *text,
                                   double most, double *out)
{
    specreg_status st = sri_number_parse(ctx, name, text, out);
    if (st == SPECREG_OK && (*out < 0 || *out != floor(*out) || *out > most))
        st = sri_fail(ctx, SPECREG_E_ARG, "%s must be a whole number from 0 to %.0f, not %s", name,
                      most, text);
    return st;
}

/* A flag: the command says "yes"; "no" is as good as nothing. */
static specreg_status yes_or_no(specreg_context *ctx, const char *name, const char *text, bool *out)
{
    *out = strcmp(text, "yes") == 0;
    if (!*out && *text && strcmp(text, "no") != 0)
        return sri_fail(ctx, SPECREG_E_ARG, "%s must be yes or no, not '%s'", name, text);
    return SPECREG_OK;
}

static specreg_status level_parse(specreg_context *ctx, const char *text, double *out)
{
    *out = 0;
    if (!*text)
        return SPECREG_OK;
    const specreg_status st = sri_number_parse(ctx, "interval", text, out);
    return st == SPECREG_OK ? sri_config_check_level(ctx, *out) : st;
}

specreg_status sri_config_check_level(specreg_context *ctx, double level)
{
    if (level > 0 && level < 1)
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_ARG, "interval must be between 0 and 1, such as 0.9, not %g",
                    level);
}

specreg_status sri_config_parse_predict(specreg_context *ctx, const specreg_options *options,
                                        sri_config *out)
{
    specreg_status st = SPECREG_OK;
    double threads;
    *out = (sri_config){.options = options};
    SRI_TRY(sri_missing_parse(ctx, sri_option_value(options, SRI_OPT_MISSING), &out->missing));
    SRI_TRY(yes_or_no(ctx, "proba", sri_option_value(options, SRI_OPT_PROBA), &out->proba));
    SRI_TRY(level_parse(ctx, sri_option_value(options, SRI_OPT_INTERVAL), &out->interval));
    SRI_TRY(whole_number(ctx, "threads", sri_option_value(options, SRI_OPT_THREADS), 4096,
                         &threads));
    const char *memory = sri_option_value(options, SRI_OPT_MEMORY);
    out->memory = sri_memory_available();
    if (strcmp(memory, "auto") != 0)
        SRI_TRY(sri_size_parse(ctx, "memory", memory, &out->memory));
    out->threads = (int)threads;
    out->threads_used = sri_threads_enter(out->threads, &out->threads_before);
done:
    return st;
}

specreg_status sri_config_parse(specreg_context *ctx, const specreg_options *options,
                                sri_config *out)
{
    specreg_status st = SPECREG_OK;
    double seed;
    SRI_TRY(sri_config_parse_predict(ctx, options, out));
    SRI_TRY(sri_kernel_grid_parse(ctx, sri_option_value(options, SRI_OPT_KERNEL), &out->kernel));
    SRI_TRY(sri_filter_parse(ctx, sri_option_value(options, SRI_OPT_FILTER), &out->filter));
    SRI_TRY(sri_path_parse(ctx, &out->filter, sri_option_value(options, SRI_OPT_PARAM), &out->path,
                           &out->path_auto));
    SRI_TRY(sri_rule_parse(ctx, sri_option_value(options, SRI_OPT_SELECT), &out->rule));
    const char *which = sri_option_value(options, SRI_OPT_RULE);
    static const char *const rules[] = {"min", "1se"};
    out->one_se = strcmp(which, "1se") == 0;
    if (!out->one_se && strcmp(which, "min") != 0) {
        st = sri_fail_unknown(ctx, "rule", which, rules, 2);
        goto done;
    }
    out->engine = sri_option_value(options, SRI_OPT_ENGINE);
    SRI_TRY(sri_engine_name_check(ctx, out->engine));
    const char *scale = sri_option_value(options, SRI_OPT_SCALE);
    if (strcmp(scale, "auto") == 0)
        scale = sri_kernel_grid_scale(&out->kernel);
    SRI_TRY(sri_scale_parse(ctx, scale, &out->scale));
    SRI_TRY(whole_number(ctx, "seed", sri_option_value(options, SRI_OPT_SEED), 9007199254740992.0,
                         &seed));
    out->seed = (uint64_t)seed;
done:
    if (st != SPECREG_OK)
        sri_config_free(out);
    return st;
}

void sri_config_free(sri_config *config)
{
    if (config->threads_used)
        sri_threads_leave(config->threads_before);
    sri_rule_free(&config->rule);
    sri_values_free(&config->path);
    sri_kernel_grid_free(&config->kernel);
    *config = (sri_config){0};
}

sri_search_spec sri_config_search(sri_config *config)
{
    return (sri_search_spec){.grid = &config->kernel,
                             .filter = &config->filter,
                             .path = config->path_auto ? NULL : &config->path,
                             .rule = &config->rule,
                             .one_se = config->one_se,
                             .engine = config->engine};
}

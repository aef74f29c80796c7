#include "model/recipe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/threads.h"
#include "core/memory.h"
#include "core/text.h"

specreg_status sri_whole_option(specreg_context *ctx, const specreg_options *options,
                                sri_option which, double least, double most, int64_t *out)
{
    const char *name = specreg_option_at(which)->name, *text = sri_option_value(options, which);
    double number;
    SRI_CALL(sri_number_parse(ctx, name, text, &number));
    if (!(number >= least && number <= most) || number != floor(number))
        return sri_fail(ctx, SPECREG_E_ARG, "%s must be a whole number from %.0f to %.0f, not %s",
                        name, least, most, text);
    *out = (int64_t)number;
    return SPECREG_OK;
}

/* A flag: the command says "yes"; "no" is as good as nothing. */
static specreg_status yes_or_no(specreg_context *ctx, const specreg_options *options,
                                sri_option which, bool *out)
{
    const char *text = sri_option_value(options, which);
    *out = strcmp(text, "yes") == 0;
    if (!*out && *text && strcmp(text, "no") != 0)
        return sri_fail(ctx, SPECREG_E_ARG, "%s must be yes or no, not '%s'",
                        specreg_option_at(which)->name, text);
    return SPECREG_OK;
}

specreg_status sri_check_level(specreg_context *ctx, double level)
{
    if (level > 0 && level < 1)
        return SPECREG_OK;
    return sri_fail(ctx, SPECREG_E_ARG, "interval must be between 0 and 1, such as 0.9, not %g",
                    level);
}

/* LEVEL or LEVEL,kind=KIND */
static specreg_status parse_interval(specreg_context *ctx, const char *text, sri_additions *out)
{
    static const char *const kinds[] = {"constant", "local"};
    specreg_status st = SPECREG_OK;
    const char *comma = strchr(text, ',');
    sri_buffer level = {0};
    int kind = 0;
    SRI_TRY(sri_buffer_print(ctx, &level, "%.*s", comma ? (int)(comma - text) : (int)strlen(text),
                             text));
    SRI_TRY(sri_number_parse(ctx, "interval", level.data, &out->interval));
    SRI_TRY(sri_check_level(ctx, out->interval));
    SRI_REQUIRE(ctx, !comma || strncmp(comma, ",kind=", 6) == 0, SPECREG_E_ARG,
                "interval: write LEVEL or LEVEL,kind=local, not '%s'", text);
    if (comma)
        SRI_TRY(sri_choose_known(ctx, "kind of interval", comma + 6, kinds, 2, &kind));
    out->local_interval = kind == 1;
done:
    sri_buffer_free(&level);
    return st;
}

/* What is added to predictions and errors. */
static specreg_status parse_additions(specreg_context *ctx, const specreg_options *options,
                                      sri_additions *out)
{
    const char *top = sri_option_value(options, SRI_OPT_TOP_K);
    const char *interval = sri_option_value(options, SRI_OPT_INTERVAL);
    SRI_CALL(yes_or_no(ctx, options, SRI_OPT_PROBA, &out->proba));
    if (*top)
        SRI_CALL(sri_whole_option(ctx, options, SRI_OPT_TOP_K, 0, 1e9, &out->top));
    if (*top && out->top < 1)
        return sri_fail(ctx, SPECREG_E_ARG, "top-k must be 1 or more, not %s", top);
    SRI_CALL(yes_or_no(ctx, options, SRI_OPT_PARTS, &out->parts));
    return *interval ? parse_interval(ctx, interval, out) : SPECREG_OK;
}

/* An option whose value is one of a few words: its number. */
static specreg_status one_of(specreg_context *ctx, const specreg_options *options, int option,
                             const char *const *words, int count, int *out)
{
    return sri_choose_known(ctx, specreg_option_at(option)->name, sri_option_value(options, option),
                            words, count, out);
}

static const char *const unseens[] = {"zeros", "error"};

/* What stands for values that are missing and for categories that training did not have. */
static specreg_status parse_gaps(specreg_context *ctx, const specreg_options *options,
                                 sri_reading *out)
{
    int choice;
    out->missing_given = options && options->value[SRI_OPT_MISSING];
    out->unseen_given = options && options->value[SRI_OPT_UNSEEN];
    SRI_CALL(one_of(ctx, options, SRI_OPT_UNSEEN, unseens, 2, &choice));
    out->refuses_unseen = choice == 1;
    return sri_missing_parse(ctx, sri_option_value(options, SRI_OPT_MISSING), &out->missing);
}

specreg_status sri_recipe_parse_predict(specreg_context *ctx, const specreg_options *options,
                                        sri_recipe *out)
{
    const char *memory = sri_option_value(options, SRI_OPT_MEMORY);
    int64_t threads = SRI_THREADS_KEEP;
    *out = (sri_recipe){.options = options};
    out->data.features_file = sri_option_value(options, SRI_OPT_FEATURES_FILE);
    out->data.roles.id = sri_option_value(options, SRI_OPT_ID);
    SRI_CALL(parse_gaps(ctx, options, &out->data));
    SRI_CALL(parse_additions(ctx, options, &out->add));
    if (strcmp(sri_option_value(options, SRI_OPT_THREADS), "keep") != 0)
        SRI_CALL(sri_whole_option(ctx, options, SRI_OPT_THREADS, 0, 4096, &threads));
    out->resources.threads = (int)threads;
    out->resources.memory = sri_memory_available();
    return strcmp(memory, "auto") == 0
               ? SPECREG_OK
               : sri_size_parse(ctx, "memory", memory, &out->resources.memory);
}

static const char *const gaps[] = {"error", "allow", "unlabelled"};
static const char *const task_weights[] = {"rows", "tasks"};
static const char *const rules[] = {"min", "1se"};
static const char *const extends[] =
    {[SRI_EXTEND_AUTO] = "auto", [SRI_EXTEND_YES] = "yes", [SRI_EXTEND_NO] = "no"};

static const char *const precisions[] = {"double", "single"};

static const char *const calibrations[] = {[SRI_CALIBRATE_NO] = "no",
                                           [SRI_CALIBRATE_CACHED] = "cached",
                                           [SRI_CALIBRATE_AUTO] = "auto",
                                           [SRI_CALIBRATE_AGAIN] = "again"};

/* Documents have many columns of the same kind: they want neither width nor scaling.  Fields have a
 * default of their own, too. */
static const char *kernel_option(const specreg_options *options, bool field)
{
    const bool given = options && options->value[SRI_OPT_KERNEL];
    if (!given && field)
        return sri_kernel_helmholtz.name;
    return !given && *sri_option_value(options, SRI_OPT_TEXT)
               ? "linear"
               : sri_option_value(options, SRI_OPT_KERNEL);
}

static const char *scale_option(const specreg_options *options, const sri_kernel_grid *kernel)
{
    const char *scale = sri_option_value(options, SRI_OPT_SCALE);
    if (strcmp(scale, "auto") != 0)
        return scale;
    if (*sri_option_value(options, SRI_OPT_TEXT) || sri_kernel_grid_shifts(kernel))
        return "none"; /* shifts are in the units of the features */
    return sri_kernel_grid_scale(kernel);
}

static specreg_status parse_kernel(specreg_context *ctx, const specreg_options *options,
                                   sri_recipe *out)
{
    sri_kernel_grid *kernel = &out->search.kernel;
    bool *field = &out->data.field;
    *field = strcmp(sri_option_value(options, SRI_OPT_PROBLEM), "field") == 0;
    SRI_CALL(sri_kernel_grid_parse(ctx, kernel_option(options, *field), kernel));
    *field = *field || sri_kernel_is_field(&kernel->base);
    return sri_kernel_grid_outputs(ctx, sri_option_value(options, SRI_OPT_OUTPUTS), kernel);
}

/* By default a constant is not penalised: predictions then move with a constant that is added to
 * the targets.  Kernels that have constants, fields, and the bound on leave-one-out errors, which
 * does not know of them, go without. */
static const char *features_option(const specreg_options *options, sri_recipe *out)
{
    const char *text = sri_option_value(options, SRI_OPT_FEATURES);
    const sri_rule_ops *rule = out->search.rule.ops;
    out->search.unpenalised_auto = strcmp(text, "auto") == 0;
    if (!out->search.unpenalised_auto)
        return text;
    return out->data.field || (rule && rule->bounds_errors) ||
                   sri_kernel_grid_has_constant(&out->search.kernel)
               ? "none"
               : "constant";
}

/* The degree of the polynomials among the unpenalised terms; -1: there are none. */
static int polynomial_degree(const sri_predefined *p)
{
    int most = -1;
    for (int i = 0; i < p->n_terms; i++) {
        const int degree = p->term[i].ops->has_powers ? p->term[i].degree : -1;
        most = degree > most ? degree : most;
        most = most < 0 && p->term[i].ops->is_one ? 0 : most;
    }
    return most;
}

specreg_status sri_choices_polynomials(specreg_context *ctx, const sri_choices *search)
{
    const int needed = sri_kernel_grid_polynomial(&search->kernel);
    if (polynomial_degree(&search->unpenalised) >= needed)
        return SPECREG_OK;
    return needed == 0
               ? sri_fail(
                     ctx, SPECREG_E_ARG,
                     "kernel %s needs a constant that is not penalised: add --features constant",
                     sri_kernel_grid_conditional(&search->kernel))
               : sri_fail(ctx, SPECREG_E_ARG,
                          "kernel %s needs polynomials of degree %d that are not penalised: add "
                          "--features poly:degree=%d",
                          sri_kernel_grid_conditional(&search->kernel), needed, needed);
}

static const char *const answers[] = {"no", "yes"}, *const edge_weights[] = {"binary", "heat"};

/* One key of --laplacian. */
static specreg_status parse_graph(specreg_context *ctx, const sri_spec_arg *arg, sri_semi_spec *out)
{
    static const char *const keys[] = {"strength", "neighbours", "weights", "normalised"};
    const char *key = arg->key ? arg->key : arg->value;
    double number;
    if (strcmp(key, keys[0]) == 0) {
        sri_values_free(&out->strength);
        return sri_values_parse(ctx, "laplacian: strength", arg->value, &out->strength);
    }
    if (strcmp(key, keys[1]) == 0) {
        SRI_CALL(sri_number_parse(ctx, "laplacian: neighbours", arg->value, &number));
        SRI_CHECK(ctx, number >= 1 && number <= 1000 && number == floor(number), SPECREG_E_ARG,
                  "laplacian: neighbours must be a whole number from 1 to 1000, not %g", number);
        out->graph.neighbours = (int64_t)number;
        return SPECREG_OK;
    }
    for (int k = 2; k < 4; k++) {
        const char *const *words = k == 2 ? edge_weights : answers;
        if (strcmp(key, keys[k]) != 0)
            continue;
        const bool second = strcmp(arg->value, words[1]) == 0;
        if (!second && strcmp(arg->value, words[0]) != 0)
            return sri_fail_unknown(ctx, keys[k], arg->value, words, 2);
        *(k == 2 ? &out->graph.heat : &out->graph.normalised) = second;
        return SPECREG_OK;
    }
    return sri_fail_unknown(ctx, "key of --laplacian", key, keys, 4);
}

static specreg_status parse_laplacian(specreg_context *ctx, const char *text, sri_semi_spec *out)
{
    specreg_status st = SPECREG_OK;
    const bool all_auto = strcmp(text, "auto") == 0;
    char whole[512];
    sri_spec spec = {0};
    out->has_graph = true;
    out->graph.neighbours = 10;
    snprintf(whole, sizeof whole, "laplacian%s%s", all_auto ? "" : ":", all_auto ? "" : text);
    SRI_TRY(sri_spec_parse(ctx, "laplacian", whole, &spec));
    for (int i = 0; i < spec.count; i++)
        SRI_TRY(parse_graph(ctx, &spec.arg[i], out));
    if (!out->strength.count)
        SRI_TRY(sri_values_parse(ctx, "laplacian: strength", "{1,100,10000}", &out->strength));
    for (int64_t i = 0; i < out->strength.count; i++)
        SRI_REQUIRE(ctx, out->strength.v[i] >= 0, SPECREG_E_ARG,
                    "laplacian: strength must be 0 or greater, not %g", out->strength.v[i]);
done:
    sri_spec_free(&spec);
    return st;
}

static specreg_status parse_semi(specreg_context *ctx, const specreg_options *options,
                                 bool of_table, sri_choices *out)
{
    const char *file = sri_option_value(options, SRI_OPT_UNLABELLED);
    const char *laplacian = sri_option_value(options, SRI_OPT_LAPLACIAN);
    const bool graph = strcmp(laplacian, "no") != 0;
    out->semi.file = *file ? file : NULL;
    SRI_CHECK(
        ctx, *file || of_table || !graph, SPECREG_E_ARG,
        "laplacian: the graph is of rows with and without targets: give --unlabelled FILE, or "
        "--missing-targets unlabelled");
    SRI_CHECK(ctx, !(*file || of_table) || out->approx.kind <= SRI_APPROX_EXACT, SPECREG_E_ARG,
              "unlabelled: rows without targets are for exact fits: leave --approx out");
    return graph ? parse_laplacian(ctx, laplacian, &out->semi) : SPECREG_OK;
}

/* The path in --param, which `per-output` or `per-output:` may stand before. */
static const char *path_text(const specreg_options *options, bool *per_output)
{
    static const char WORD[] = "per-output";
    const char *text = sri_option_value(options, SRI_OPT_PARAM);
    const char *rest = text + strlen(WORD);
    *per_output = strncmp(text, WORD, strlen(WORD)) == 0 && (!*rest || *rest == ':');
    if (!*per_output)
        return text;
    return *rest ? rest + 1 : "auto";
}

static specreg_status parse_search(specreg_context *ctx, const specreg_options *options,
                                   sri_choices *out)
{
    int choice;
    SRI_CALL(sri_approx_parse(ctx, sri_option_value(options, SRI_OPT_APPROX), &out->approx));
    SRI_CALL(sri_filter_grid_parse(ctx, sri_option_value(options, SRI_OPT_FILTER), &out->filters));
    SRI_CALL(sri_filter_grid_path(ctx, &out->filters, path_text(options, &out->per_output),
                                  &out->path, &out->path_auto));
    SRI_CALL(sri_rule_parse(ctx, sri_option_value(options, SRI_OPT_SELECT), &out->rule));
    SRI_CALL(one_of(ctx, options, SRI_OPT_RULE, rules, 2, &choice));
    out->one_se = choice == 1;
    SRI_CALL(one_of(ctx, options, SRI_OPT_SEARCH, sri_strategies, SRI_STRATEGIES, &choice));
    out->strategy = (sri_strategy)choice;
    SRI_CALL(one_of(ctx, options, SRI_OPT_EXTEND, extends, 3, &choice));
    out->extend = (sri_extend)choice;
    SRI_CALL(
        sri_criterion_parse(ctx, sri_option_value(options, SRI_OPT_CRITERION), &out->criterion));
    out->engine = sri_option_value(options, SRI_OPT_ENGINE);
    const char *checkpoint = sri_option_value(options, SRI_OPT_CHECKPOINT);
    out->checkpoint = *checkpoint ? checkpoint : NULL;
    return SPECREG_OK;
}

sri_role_names sri_recipe_roles(const specreg_options *options)
{
    return (sri_role_names){.target = sri_option_value(options, SRI_OPT_TARGET),
                            .group = sri_option_value(options, SRI_OPT_GROUP),
                            .weights = sri_option_value(options, SRI_OPT_WEIGHTS),
                            .task = sri_option_value(options, SRI_OPT_TASK_COLUMN),
                            .id = sri_option_value(options, SRI_OPT_ID),
                            .drop = sri_option_value(options, SRI_OPT_DROP),
                            .columns = sri_option_value(options, SRI_OPT_COLUMNS)};
}

static specreg_status parse_data(specreg_context *ctx, const specreg_options *options,
                                 sri_recipe *out)
{
    sri_reading *data = &out->data;
    int choice;
    data->roles = sri_recipe_roles(options);
    data->class_weight = sri_option_value(options, SRI_OPT_CLASS_WEIGHT);
    data->text = sri_option_value(options, SRI_OPT_TEXT);
    SRI_CALL(one_of(ctx, options, SRI_OPT_MISSING_TARGETS, gaps, 3, &choice));
    data->gaps = choice == 1;
    data->unlabelled = choice == 2;
    SRI_CALL(one_of(ctx, options, SRI_OPT_TASK_WEIGHT, task_weights, 2, &choice));
    data->tasks_alike = choice == 1;
    SRI_CALL(sri_dates_parse(ctx, sri_option_value(options, SRI_OPT_DATES), &data->dates));
    SRI_CALL(sri_coding_parse(ctx, sri_option_value(options, SRI_OPT_CODING), &data->coding));
    data->scale_auto = strcmp(sri_option_value(options, SRI_OPT_SCALE), "auto") == 0;
    SRI_CALL(sri_scale_parse(ctx, scale_option(options, &out->search.kernel), &data->scale));
    return sri_problem_parse(ctx, sri_option_value(options, SRI_OPT_PROBLEM), &data->problem);
}

/* "300", "90s", "5min" or "2h". */
static specreg_status parse_time(specreg_context *ctx, const char *text, double *seconds)
{
    static const struct {
        const char *name;
        double seconds;
    } unit[] = {{"", 1}, {"s", 1}, {"min", 60}, {"m", 60}, {"h", 3600}};
    char *end;
    const double number = strtod(text, &end);
    for (int i = 0; end != text && i < 5; i++)
        if (strcmp(end, unit[i].name) == 0 && number > 0 && number < 1e9) {
            *seconds = number * unit[i].seconds;
            return SPECREG_OK;
        }
    return sri_fail(ctx, SPECREG_E_ARG, "time must be a duration such as 90s, 5min or 2h, not '%s'",
                    text);
}

static specreg_status parse_resources(specreg_context *ctx, const specreg_options *options,
                                      sri_resources *out)
{
    int64_t seed;
    int choice;
    SRI_CALL(sri_whole_option(ctx, options, SRI_OPT_SEED, 0, SRI_LARGEST_WHOLE, &seed));
    out->seed = (uint64_t)seed;
    SRI_CALL(parse_time(ctx, sri_option_value(options, SRI_OPT_TIME), &out->time));
    SRI_CALL(one_of(ctx, options, SRI_OPT_PRECISION, precisions, 2, &choice));
    out->single = choice == 1;
    choice = SRI_CALIBRATE_CACHED;
    if (*sri_option_value(options, SRI_OPT_CALIBRATE))
        SRI_CALL(one_of(ctx, options, SRI_OPT_CALIBRATE, calibrations, 4, &choice));
    out->calibrate = (sri_calibrate)choice;
    return SPECREG_OK;
}

static specreg_status parse_portrait(specreg_context *ctx, const specreg_options *options,
                                     int64_t *rows)
{
    enum { MOST = 5000 };
    const char *text = sri_option_value(options, SRI_OPT_PORTRAIT);
    *rows = strcmp(text, "no") == 0 ? 0 : -1;
    return !*rows || strcmp(text, "auto") == 0
               ? SPECREG_OK
               : sri_whole_option(ctx, options, SRI_OPT_PORTRAIT, 1, MOST, rows);
}

specreg_status sri_recipe_parse(specreg_context *ctx, const specreg_options *options,
                                sri_recipe *out)
{
    SRI_CALL(sri_recipe_parse_predict(ctx, options, out));
    SRI_CALL(parse_portrait(ctx, options, &out->portrait));
    SRI_CALL(parse_kernel(ctx, options, out));
    SRI_CALL(parse_search(ctx, options, &out->search));
    SRI_CALL(sri_predefined_parse(ctx, features_option(options, out), &out->search.unpenalised));
    SRI_CALL(parse_data(ctx, options, out));
    SRI_CALL(parse_semi(ctx, options, out->data.unlabelled, &out->search));
    SRI_CALL(sri_engine_name_check(ctx, out->search.engine));
    return parse_resources(ctx, options, &out->resources);
}

void sri_recipe_free(sri_recipe *recipe)
{
    sri_choices *search = &recipe->search;
    sri_approx_free(&search->approx);
    sri_predefined_free(&search->unpenalised);
    sri_rule_free(&search->rule);
    sri_values_free(&search->semi.strength);
    sri_values_free(&search->path);
    sri_filter_grid_free(&search->filters);
    sri_kernel_grid_free(&search->kernel);
    sri_coding_spec_free(&recipe->data.coding);
    *recipe = (sri_recipe){0};
}

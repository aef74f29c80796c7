#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "select/rule.h"

static const sri_rule_ops *const rules[] = {
#define RULE(name) &sri_rule_##name,
#include "select/rules.def"
#undef RULE
};
enum { N_RULES = sizeof rules / sizeof *rules };

static specreg_status set_param(specreg_context *ctx, sri_rule *rule, const sri_spec_arg *arg)
{
    const sri_rule_ops *ops = rule->ops;
    const char *known[SRI_RULE_PARAMS];
    char what[96];
    snprintf(what, sizeof what, "select: %s", ops->name);
    if (!ops->n_params)
        return sri_fail(ctx, SPECREG_E_ARG, "%s takes no parameters", what);
    if (!arg->key)
        return sri_fail(ctx, SPECREG_E_ARG, "%s: write '%s' as %s=NUMBER", what, arg->value,
                        ops->params[0].name);
    for (int i = 0; i < ops->n_params; i++) {
        known[i] = ops->params[i].name;
        if (strcmp(known[i], arg->key) != 0)
            continue;
        char key[160];
        snprintf(key, sizeof key, "%s: %s", what, arg->key);
        const specreg_status st = sri_number_parse(ctx, key, arg->value, &rule->param[i]);
        return st == SPECREG_OK ? sri_param_check(ctx, what, &ops->params[i], rule->param[i]) : st;
    }
    snprintf(what, sizeof what, "parameter of %s", ops->name);
    return sri_fail_unknown(ctx, what, arg->key, known, ops->n_params);
}

void sri_rule_defaults(sri_rule *rule, const sri_rule_ops *ops)
{
    rule->ops = ops;
    for (int i = 0; i < ops->n_params; i++)
        rule->param[i] = ops->params[i].value;
}

static specreg_status configure(specreg_context *ctx, sri_rule *rule, const sri_spec *spec)
{
    const sri_rule_ops *ops = rule->ops;
    sri_rule_defaults(rule, ops);
    for (int i = 0; i < spec->count; i++) {
        SRI_CALL(set_param(ctx, rule, &spec->arg[i]));
        for (int k = 0; k < i; k++)
            SRI_CHECK(ctx, strcmp(spec->arg[k].key, spec->arg[i].key) != 0, SPECREG_E_ARG,
                      "select: %s: %s is given twice", ops->name, spec->arg[i].key);
    }
    const bool named = spec->rest && spec->rest[0];
    if (ops->takes_path && (named || !ops->path_optional)) {
        SRI_CHECK(ctx, named, SPECREG_E_ARG, "select: write %s:NAME with the name of the file",
                  ops->name);
        SRI_NEW_TEXT(ctx, rule->path, spec->rest);
    }
    if (ops->check)
        SRI_CALL(ops->check(ctx, rule));
    return SPECREG_OK;
}

static const sri_rule_ops *find(const char *name, size_t length)
{
    for (int i = 0; i < N_RULES; i++)
        if (strlen(rules[i]->name) == length && strncmp(rules[i]->name, name, length) == 0)
            return rules[i];
    return NULL;
}

specreg_status sri_rule_parse(specreg_context *ctx, const char *text, sri_rule *out)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    *out = (sri_rule){0};
    if (strcmp(text, "auto") == 0)
        return SPECREG_OK;
    const size_t head = strcspn(text, ":");
    out->ops = find(text, head);
    if (out->ops && out->ops->takes_path) /* a path may hold commas and equal signs */
        SRI_STRDUP(ctx, spec.rest, text[head] ? text + head + 1 : "");
    else
        SRI_TRY(sri_spec_parse(ctx, "select", text, &spec));
    if (!out->ops) {
        SRI_REQUIRE(ctx, strcmp(spec.name, "auto") != 0, SPECREG_E_ARG,
                    "select: auto takes no parameters");
        SRI_REQUIRE(ctx, spec.name[0], SPECREG_E_ARG,
                    "select: write a rule and its numbers like kfold:k=5, not '%s'", text);
        const char *known[N_RULES + 1] = {"auto"};
        for (int i = 0; i < N_RULES; i++)
            known[i + 1] = rules[i]->name;
        st = sri_fail_unknown(ctx, "selection rule", spec.name, known, N_RULES + 1);
        goto done;
    }
    SRI_TRY(configure(ctx, out, &spec));
done:
    sri_spec_free(&spec);
    if (st != SPECREG_OK)
        sri_rule_free(out);
    return st;
}

void sri_rule_free(sri_rule *rule)
{
    sri_free(rule->path);
    *rule = (sri_rule){0};
}

const char *sri_rule_criterion(const sri_rule *rule, const sri_problem *problem)
{
    return rule->ops->criterion ? rule->ops->criterion : sri_criterion_of(problem)->info.name;
}

const char *specreg_rule_title(const char *rule)
{
    const sri_rule_ops *ops = rule ? find(rule, strlen(rule)) : NULL;
    return ops ? ops->title : NULL;
}

const char *specreg_criterion_title(const char *criterion)
{
    for (int i = 0; criterion && i < SRI_MEASURES; i++)
        if (strcmp(sri_measure_at(i)->info.name, criterion) == 0)
            return sri_measure_at(i)->info.title;
    for (int i = 0; criterion && i < N_RULES; i++)
        if (rules[i]->criterion && strcmp(rules[i]->criterion, criterion) == 0)
            return rules[i]->criterion_title;
    return NULL;
}

bool sri_rule_judges(const sri_rule *rule)
{
    const sri_rule_ops *ops = rule->ops;
    return ops->score || ops->trials || ops->choose || ops->fixed || ops->search;
}

bool sri_rule_by_criterion(const sri_rule *rule)
{
    return !rule->ops->criterion && sri_rule_judges(rule);
}

double sri_rule_shown(const sri_rule *rule, const sri_problem *problem, double value)
{
    if (rule->ops->negative)
        return -value;
    return sri_rule_by_criterion(rule) ? sri_criterion_shown(sri_criterion_of(problem), value)
                                       : value;
}

bool sri_rule_exact(const sri_rule *rule, const sri_filter *filter)
{
    return !rule->ops->exact_for_one_system || filter->ops->one_system;
}

specreg_status sri_rule_trials(specreg_context *ctx, const sri_rule *self,
                               const sri_problem *problem, sri_trials *out)
{
    specreg_status st = SPECREG_OK;
    sri_splits splits = {0};
    *out = (sri_trials){0};
    SRI_TRY(self->ops->splits(ctx, self, problem, &splits));
    SRI_TRY(sri_trials_from_splits(ctx, problem, &splits, out));
done:
    sri_splits_free(&splits);
    return st;
}

specreg_status sri_rule_folds(specreg_context *ctx, const sri_rule *rule,
                              const sri_problem *problem, int32_t **of_row, sri_folds *out)
{
    specreg_status st = SPECREG_OK;
    sri_splits all = {0};
    const sri_strata s = sri_problem_strata(problem);
    const int64_t k = rule->ops->folds(rule, problem), n = problem->n;
    SRI_TRY(rule->ops->splits(ctx, rule, problem, &all));
    SRI_TRY(sri_splits_check(ctx, "select", &s, problem->reader.target->label, &all));
    SRI_ALLOC(ctx, *of_row, all.count / k, n);
    for (int64_t i = 0; i < all.count / k * n; i++)
        (*of_row)[i] = -1;
    for (int64_t j = 0; j < all.count; j++)
        for (int64_t i = 0; i < all.split[j].n_validate; i++)
            (*of_row)[j / k * n + all.split[j].validate[i]] = (int32_t)(j % k);
    *out = (sri_folds){.of_row = *of_row, .per_repeat = k, .repeats = all.count / k, .n = n};
done:
    sri_splits_free(&all);
    return st;
}

double sri_rule_number(const sri_rule *rule, const sri_problem *problem, int i)
{
    return rule->ops->number ? rule->ops->number(rule, problem, i) : rule->param[i];
}

unsigned sri_rule_need(const sri_rule *rule, const sri_filter *filter, int64_t kernels)
{
    const sri_rule_ops *ops = rule->ops;
    const bool one_path = ops->choose || ops->fixed;
    unsigned need = ops->need;
    if ((one_path && kernels > 1) || (ops->noise && isnan(rule->param[0])))
        need |= SRI_NEED_DF;
    if (one_path && sri_filter_nonlinear(filter))
        need &= ~(unsigned)SRI_NEED_DF;
    return need;
}

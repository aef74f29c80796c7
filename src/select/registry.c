#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "select/rule.h"

/* To add a rule: one file, one line here, one in rule.h. */
static const sri_rule_ops *const rules[] = {
    &sri_rule_loo,     &sri_rule_gcv,  &sri_rule_kfold,
    &sri_rule_holdout, &sri_rule_file, &sri_rule_splits, &sri_rule_none,
};
enum { N_RULES = sizeof rules / sizeof *rules };

specreg_status sri_rule_parse(specreg_context *ctx, const char *text, sri_rule *out)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    *out = (sri_rule){0};
    if (strcmp(text, "auto") == 0)
        return SPECREG_OK;
    const size_t head = strcspn(text, ":");
    if (strncmp(text, "file:", 5) == 0 || strncmp(text, "splits:", 7) == 0) { /* a path may hold commas and equal signs */
        spec.name = sri_strndup(ctx, text, head);
        spec.rest = sri_strdup(ctx, text + head + 1);
        SRI_REQUIRE(ctx, spec.name && spec.rest, SPECREG_E_NOMEM, "out of memory");
    } else {
        SRI_TRY(sri_spec_parse(ctx, "select", text, &spec));
    }
    const char *known[N_RULES + 1] = {"auto"};
    for (int i = 0; i < N_RULES; i++) {
        known[i + 1] = rules[i]->name;
        if (strcmp(rules[i]->name, spec.name) == 0)
            out->ops = rules[i];
    }
    if (!out->ops) {
        st = sri_fail_unknown(ctx, "selection rule", spec.name, known, N_RULES + 1);
        goto done;
    }
    if (out->ops->configure)
        SRI_TRY(out->ops->configure(ctx, out, &spec));
    else
        SRI_REQUIRE(ctx, spec.count == 0, SPECREG_E_ARG, "select: %s takes no parameters",
                    spec.name);
done:
    sri_spec_free(&spec);
    if (st != SPECREG_OK)
        sri_rule_free(out);
    return st;
}

specreg_status sri_rule_number(specreg_context *ctx, sri_rule *self, const sri_spec *spec)
{
    const char *key = self->ops->key;
    char what[64];
    snprintf(what, sizeof what, "select: %.40s", key);
    for (int i = 0; i < spec->count; i++) {
        if (!spec->arg[i].key || strcmp(spec->arg[i].key, key) != 0)
            return sri_fail(ctx, SPECREG_E_ARG, "select: %s has %s=NUMBER, not '%s'",
                            self->ops->name, key,
                            spec->arg[i].key ? spec->arg[i].key : spec->arg[i].value);
        const specreg_status st = sri_number_parse(ctx, what, spec->arg[i].value, &self->number);
        if (st != SPECREG_OK)
            return st;
    }
    return SPECREG_OK;
}

void sri_rule_free(sri_rule *rule)
{
    free(rule->path);
    *rule = (sri_rule){0};
}

const char *sri_rule_criterion(const sri_rule *rule, const sri_task *task)
{
    if (rule->ops->criterion)
        return rule->ops->criterion;
    return task->classes ? "error_rate" : "mse";
}

bool sri_rule_exact(const sri_rule *rule, const sri_filter *filter)
{
    return rule->ops != &sri_rule_loo || filter->ops == &sri_filter_tikhonov;
}

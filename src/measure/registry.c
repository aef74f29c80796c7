/* The list of measures, by name and in the order of reports. */
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "measure/measure.h"

/* To add a measure: one file, one line in core/measures.h. */
static const struct {
    const sri_measure *measure;
    bool is_criterion;
} list[SRI_MEASURES] = {
#define LISTED(id, words) {&sri_measure_##id, sizeof words > 1},
    SRI_MEASURE_LIST(LISTED)
#undef LISTED
};

const sri_measure *sri_measure_at(int index)
{
    for (int later = 0; later < 2; later++)
        for (int i = 0; i < SRI_MEASURES; i++) {
            const bool in_train = list[i].measure->reports & SRI_IN_TRAIN;
            if (in_train != later && index-- == 0)
                return list[i].measure;
        }
    return NULL;
}

const specreg_measure_info *specreg_measure_at(int index)
{
    const sri_measure *measure = index >= 0 ? sri_measure_at(index) : NULL;
    return measure ? &measure->info : NULL;
}

const sri_measure *sri_measure_auto(bool classes)
{
    return classes ? &sri_measure_error_rate : &sri_measure_mse;
}

specreg_status sri_criterion_parse(specreg_context *ctx, const char *text, const sri_measure **out)
{
    const char *known[SRI_MEASURES + 1] = {"auto"};
    int count = 1;
    *out = NULL;
    if (strcmp(text, known[0]) == 0)
        return SPECREG_OK;
    for (int i = 0; i < SRI_MEASURES; i++) {
        if (!list[i].is_criterion)
            continue;
        known[count++] = list[i].measure->info.name;
        if (strcmp(text, known[count - 1]) == 0) {
            *out = list[i].measure;
            return SPECREG_OK;
        }
    }
    return sri_fail_unknown(ctx, "criterion", text, known, count);
}

/* The mean of the rows' losses by weight. */
static specreg_status mean_loss(specreg_context *ctx, const sri_measure *measure,
                                const sri_comparison *p, double *value)
{
    specreg_status st = SPECREG_OK;
    double *x = NULL, sum = 0, weight = 0;
    SRI_ALLOC(ctx, x, p->n, 1);
    measure->losses(p, x);
    for (int64_t i = 0; i < p->n; i++) {
        sum += sri_row_weight(p, i) * x[i];
        weight += sri_row_weight(p, i);
    }
    *value = sum / weight;
done:
    sri_free(x);
    return st;
}

specreg_status sri_measure_report(specreg_context *ctx, const sri_measure *measure,
                                  const sri_comparison *p, double *value)
{
    if (measure->report)
        return measure->report(ctx, p, value);
    return measure->value ? measure->value(ctx, p, value) : mean_loss(ctx, measure, p, value);
}

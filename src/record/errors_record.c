/* Errors as JSON, for the records of fit, eval and cv. */
#include "record/record.h"

/* The order of a record's keys.  Measures of one section stand in the order of the registry. */
typedef enum section {
    SECTION_COMMON,  /* what every problem has ...                 */
    SECTION_PROBLEM, /* ... and what this one has, training too    */
    SECTION_FIELD,   /* after errors of outputs and tasks          */
    SECTION_LABELS,  /* tests only: from labels                    */
    SECTION_SCORES   /* tests only: from scores and probabilities  */
} section;

static section section_of(const sri_measure *m)
{
    if (m->suits == SRI_SUITS_FIELDS)
        return SECTION_FIELD;
    if (m->reports & SRI_IN_TRAIN)
        return m->suits & SRI_SUITS_REGRESSION && m->suits & SRI_SUITS_CLASSES ? SECTION_COMMON
                                                                               : SECTION_PROBLEM;
    return m->uses & (SRI_USES_SCORES | SRI_USES_PROBABILITIES) ? SECTION_SCORES : SECTION_LABELS;
}

static void put_section(const sri_error_list *list, section which, json_t **out)
{
    for (int i = 0; i < list->count; i++)
        if (section_of(list->error[i].measure) == which)
            sri_json_put(out, list->error[i].measure->info.name,
                         sri_json_number(list->error[i].value));
}

static json_t *list_json(const sri_error_list *list, int64_t count)
{
    json_t *all = json_array();
    for (int64_t i = 0; i < count; i++) {
        json_t *one =
            json_pack("{s:o, s:I}", "name", list[i].name ? json_string(list[i].name) : json_null(),
                      "n", (json_int_t)list[i].n);
        put_section(&list[i], SECTION_COMMON, &one);
        put_section(&list[i], SECTION_PROBLEM, &one);
        sri_json_add(&all, one);
    }
    return all;
}

static json_t *confusion_json(const sri_class_errors *e)
{
    json_t *labels = json_array(), *counts = json_array();
    for (int64_t c = 0; c < e->k; c++) {
        json_t *row = json_array();
        for (int64_t g = 0; g < e->k; g++)
            sri_json_add(&row, json_integer((json_int_t)e->counts[c * e->k + g]));
        sri_json_add(&labels, json_string(e->label[c]));
        sri_json_add(&counts, row);
    }
    return json_pack("{s:o, s:o}", "labels", labels, "counts", counts);
}

static json_t *classes_json(const sri_class_errors *e)
{
    json_t *list = json_array();
    for (int64_t c = 0; c < e->k; c++) {
        const sri_class_measure *m = &e->of[c];
        sri_json_add(&list,
                     json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "label", e->label[c],
                               "support", (json_int_t)m->support, "predicted",
                               (json_int_t)m->predicted, "precision", sri_json_number(m->precision),
                               "recall", sri_json_number(m->recall), "f1", sri_json_number(m->f1),
                               "auc", sri_json_number(e->curve[c].area)));
    }
    return list;
}

static json_t *means_json(double precision, double recall, double f1)
{
    return json_pack("{s:o, s:o, s:o}", "precision", sri_json_number(precision), "recall",
                     sri_json_number(recall), "f1", sri_json_number(f1));
}

static json_t *curves_json(const sri_class_errors *e)
{
    json_t *list = json_array();
    for (int64_t c = 0; c < e->k; c++)
        for (int64_t i = 0; i < e->curve[c].count; i++) {
            const sri_curve_point *p = &e->curve[c].point[i];
            sri_json_add(&list, json_pack("{s:s, s:o, s:o, s:o}", "class", e->label[c], "threshold",
                                          sri_json_number(p->threshold), "fpr",
                                          sri_json_number(p->fpr), "tpr", sri_json_number(p->tpr)));
        }
    return list;
}

static void put_classes(const sri_class_errors *e, json_t **out)
{
    sri_json_put(out, "confusion", confusion_json(e));
    sri_json_put(out, "classes", classes_json(e));
    sri_json_put(out, "macro", means_json(e->macro.precision, e->macro.recall, e->macro.f1));
    sri_json_put(out, "micro", means_json(e->micro, e->micro, e->micro));
    if (e->top)
        sri_json_put(out, "top_k",
                     json_pack("{s:I, s:o}", "k", (json_int_t)e->top, "error_rate",
                               sri_json_number(e->top_error)));
}

static json_t *baseline_json(const sri_error_list *list)
{
    json_t *out = json_object();
    for (int i = 0; i < list->count; i++)
        sri_json_put(&out, list->error[i].measure->info.name,
                     sri_json_number(list->error[i].value));
    return out;
}

json_t *sri_errors_json(const sri_errors *e)
{
    json_t *out = json_pack("{s:I}", "n", (json_int_t)e->all.n);
    put_section(&e->all, SECTION_COMMON, &out);
    put_section(&e->all, SECTION_PROBLEM, &out);
    sri_json_put(&out, "baseline", baseline_json(&e->baseline));
    if (e->weighted.count)
        sri_json_put(&out, "weighted_baseline", baseline_json(&e->weighted));
    if (e->output)
        sri_json_put(&out, "per_output", list_json(e->output, e->outputs));
    if (e->task)
        sri_json_put(&out, "per_task", list_json(e->task, e->tasks));
    put_section(&e->all, SECTION_FIELD, &out);
    put_section(&e->all, SECTION_LABELS, &out);
    if (e->classes.k)
        put_classes(&e->classes, &out);
    put_section(&e->all, SECTION_SCORES, &out);
    if (e->classes.k)
        sri_json_put(&out, "roc", curves_json(&e->classes));
    return out;
}

void sri_errors_put_fold(const sri_error_list *errors, json_t **fold)
{
    for (int i = 0; i < errors->count; i++)
        if (errors->error[i].measure->reports & SRI_IN_FOLDS)
            sri_json_put(fold, errors->error[i].measure->info.name,
                         sri_json_number(errors->error[i].value));
}

void sri_errors_put_baseline(const sri_error_list *folds, int64_t n, json_t **record)
{
    json_t *mean = json_object();
    for (int i = 0; i < SRI_MEASURES; i++) {
        double value, spread;
        if (sri_errors_over_folds(folds, n, sri_measure_at(i), &value, &spread))
            sri_json_put(&mean, sri_measure_at(i)->info.name, sri_json_number(value));
    }
    sri_json_put(record, "baseline", mean);
}

void sri_errors_put_summary(const sri_error_list *folds, int64_t n, json_t **record)
{
    json_t *mean = json_object(), *deviation = json_object();
    for (int i = 0; i < SRI_MEASURES; i++) {
        const sri_measure *m = sri_measure_at(i);
        double value, spread;
        if (!(m->reports & SRI_IN_FOLDS) || !sri_errors_over_folds(folds, n, m, &value, &spread))
            continue;
        sri_json_put(&mean, m->info.name, sri_json_number(value));
        sri_json_put(&deviation, m->info.name, sri_json_number(spread));
    }
    sri_json_put(record, "mean", mean);
    sri_json_put(record, "stddev", deviation);
}

#include "model/notes.h"

#include <math.h>

#include "core/text.h"
#include "kernel/registry.h"

/* A linear model through the origin cannot follow targets that lie far from it. */
static void note_offset(json_t **record, const sri_task *task, const sri_kernel *kernel)
{
    if (task->classes || kernel->n_terms > 1 || kernel->term[0].ops != &sri_kernel_linear)
        return;
    for (int64_t t = 0; t < task->T; t++) {
        double mean = 0, square = 0;
        for (int64_t i = 0; i < task->n; i++) {
            const double y = task->Y[i * task->T + t];
            mean += y / (double)task->n;
            square += y * y / (double)task->n;
        }
        if (mean * mean > square - mean * mean) {
            sri_record_note(record,
                            "target '%s' has mean %.4g, but a linear kernel has no constant term: "
                            "poly:degree=1,coef0=1 has one",
                            task->reader.target->name[t], mean);
            return;
        }
    }
}

static void note_edge(json_t **record, const char *name, double value, double least, double most)
{
    char text[32];
    if (least < most && (value == least || value == most))
        sri_record_note(record, "%s=%s is the %s value tried: a wider range may do better", name,
                        sri_format_double(value, text), value == least ? "smallest" : "largest");
}

static void note_kernel_edges(json_t **record, const sri_kernel_grid *grid,
                              const sri_kernel *kernel)
{
    for (int t = 0; t < kernel->n_terms; t++)
        for (int i = 0; i < sri_kernel_param_count(&kernel->term[t]); i++) {
            const sri_values *list = &grid->list[t][i];
            double least = INFINITY, most = -INFINITY;
            for (int64_t k = 0; k < list->count; k++) {
                least = fmin(least, list->v[k]);
                most = fmax(most, list->v[k]);
            }
            if (list->count > 2)
                note_edge(record, sri_kernel_param_at(&kernel->term[t], i).name,
                          kernel->term[t].param[i], least, most);
        }
}

static void note_path_edge(json_t **record, sri_path_kind kind, const sri_search_result *result)
{
    double least = INFINITY, most = -INFINITY;
    for (int64_t i = 0; i < result->rows; i++) {
        least = fmin(least, result->row[i].param);
        most = fmax(most, result->row[i].param);
    }
    if (kind != SRI_PATH_LAMBDA) /* one step or component is a fair choice */
        least = -INFINITY;
    if (result->rows > 2)
        note_edge(record, sri_path_name(kind), result->param, least, most);
}

void sri_notes_fit(json_t **record, const sri_config *config, const sri_task *task,
                   const sri_search_result *result)
{
    note_offset(record, task, &result->kernel);
    note_kernel_edges(record, &config->kernel, &result->kernel);
    note_path_edge(record, config->filter.path, result);
}

/* The options of a call as typed values, all checked before any work. */
#ifndef SRI_MODEL_CONFIG_H
#define SRI_MODEL_CONFIG_H

#include "backend/threads.h"
#include "core/options.h"
#include "data/predefined.h"
#include "select/search.h"

typedef struct sri_config {
    const specreg_options *options;
    sri_kernel_grid kernel;
    sri_filter filter;
    sri_values path;
    bool path_auto;
    sri_rule rule;
    bool one_se; /* --rule 1se */
    sri_coding_spec coding;
    const sri_measure *criterion; /* NULL: auto */
    sri_strategy strategy;
    sri_extend extend;
    const char *engine;
    sri_scale scale;
    bool scale_auto; /* nobody asked for it: sparse data stay as they are */
    sri_missing missing;
    bool gaps;        /* --missing-targets allow                 */
    bool tasks_alike; /* --task-weight tasks                     */
    /* All tasks, where a table is a part of another one; NULL: those it names.  Not owned. */
    const sri_target *tasks;
    bool field;              /* --problem field, or a kernel of fields  */
    sri_predefined features; /* --features: as they are asked for  */
    bool proba;              /* --proba                                 */
    bool parts;              /* --parts                                 */
    double interval;         /* level of --interval; 0: none            */
    int64_t top;             /* --top-k; 0: as many as is usual         */
    uint64_t seed;
    int threads; /* asked for, or SRI_THREADS_...           */
    int threads_used;
    sri_threads threads_before;
    int64_t memory;
    bool single; /* --precision single */
    sri_machine machine;
} sri_config;

/* Also sets the number of threads, until sri_config_free. */
specreg_status sri_config_parse(specreg_context *ctx, const specreg_options *options,
                                sri_config *out);
/* Only what prediction uses: missing, proba, parts, interval, top, threads, memory. */
specreg_status sri_config_parse_predict(specreg_context *ctx, const specreg_options *options,
                                        sri_config *out);
/* Of an interval: above 0 and below 1. */
specreg_status sri_config_check_level(specreg_context *ctx, double level);
void sri_config_free(sri_config *config);
const char *sri_strategy_name(sri_strategy strategy);
sri_search_spec sri_config_search(sri_config *config);

#endif

/* What fit would do: the rule, the engine, memory and time, without doing it. */
#ifndef SRI_MODEL_PLAN_H
#define SRI_MODEL_PLAN_H

#include "model/prepare.h"

typedef struct sri_work {
    double flops, traffic, values, seconds;
    double bytes; /* memory at the peak */
} sri_work;

/* One run of an engine, as to the search. */
typedef struct sri_planned_engine {
    const sri_engine *engine;
    bool applies;
    const char *why; /* it does not apply, or is not taken */
    sri_work work;
} sri_planned_engine;

enum { SRI_PLANNED_ENGINES = 16 };

typedef struct sri_plan_result {
    int64_t kernels, couplings, path_points;
    int64_t settings; /* of the filter */
    sri_planned_engine engine[SRI_PLANNED_ENGINES];
    int engines;
    const sri_engine *search_engine, *train_engine; /* the latter NULL: the search trains */
    char why[200];
    double runs; /* of the engine, on all rows or its folds of them */
    sri_work matrices, race, search, train, all; /* race: on some of the rows */
    double memory;                               /* bytes, with the data */
    sri_rates rates;                             /* of the computer, as measured or built in */
} sri_plan_result;

/* Of a problem whose search is prepared. */
specreg_status sri_plan_prepared(specreg_context *ctx, const sri_prepared *p, sri_plan_result *out);
/* How long a search takes that is prepared, with the rates of its problem. */
specreg_status sri_plan_seconds(specreg_context *ctx, const sri_prepared *d, double *seconds);

#endif

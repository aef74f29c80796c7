/* A training table as the numbers of a problem. */
#ifndef SRI_MODEL_DATASET_H
#define SRI_MODEL_DATASET_H

#include <jansson.h>

#include "model/config.h"
#include "select/task.h"

typedef struct sri_dataset {
    const specreg_table *table;
    sri_encoder *encoder;
    sri_target *target;
    int64_t *column; /* target columns           */
    int64_t *keep;   /* rows used                */
    int64_t n, p, T;
    double *X;         /* n x p                  */
    double *Y;         /* n x T                  */
    int32_t *classes;  /* NULL for regression    */
    const sri_coding *coding;
    sri_points *points;
} sri_dataset;

specreg_status sri_dataset_make(specreg_context *ctx, const specreg_table *table,
                                const sri_config *config, sri_dataset *out);
void sri_dataset_free(sri_dataset *d);
sri_task sri_dataset_task(const sri_dataset *d, const sri_config *config);
/* The record's `data` object; NULL when out of memory. */
json_t *sri_dataset_json(const sri_dataset *d);

#endif

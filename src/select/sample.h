/* Labelled rows from another table than the training one: encoded as the training rows were. */
#ifndef SRI_SELECT_SAMPLE_H
#define SRI_SELECT_SAMPLE_H

#include "coding/coding.h"
#include "data/encode.h"
#include "data/target.h"

typedef struct sri_sample {
    int64_t n;
    sri_matrix X;     /* n x p, as the encoder has it */
    double *Y;        /* n x T, classes coded      */
    int32_t *classes; /* NULL for regression       */
    double *weight;   /* NULL: all 1               */
} sri_sample;

/* What makes numbers of a table. */
typedef struct sri_reader {
    const sri_encoder *encoder;
    const sri_target *target;
    const sri_coding *coding; /* NULL for regression */
    sri_missing missing;
    int64_t memory;
} sri_reader;

specreg_status sri_sample_read(specreg_context *ctx, const sri_reader *reader,
                               const specreg_table *table, sri_sample *out);
void sri_sample_free(sri_sample *sample);

#endif

/* Rows of another table than the training one, maybe with targets: encoded as the training rows
 * were. */
#ifndef SRI_SELECT_SAMPLE_H
#define SRI_SELECT_SAMPLE_H

#include "coding/coding.h"
#include "data/encode.h"
#include "data/predefined.h"
#include "data/target.h"
#include "select/layout.h"

typedef struct sri_sample {
    int64_t n;
    sri_rows_view rows; /* as the encoder has them, labelled by their task, -1 for one that training
                         * did not have; or the points that a search has to do with */
    double *Y;          /* n x T, classes coded      */
    int32_t *classes;   /* NULL for regression       */
    double *weight;     /* NULL: all 1               */
    double *P;          /* n x l: features that are not penalised; NULL: there are none */
    int64_t *row;       /* n: the rows of the table that they are; NULL: not of one */
    int64_t unknown;    /* documents without a known word: rows of zeros */
    int64_t before;     /* of a part: rows before it, for messages       */
    sri_unseen unseen;
} sri_sample;

/* What makes numbers of a table. */
typedef struct sri_reader {
    const sri_encoder *encoder;
    const sri_target *target;           /* NULL: rows to predict, whose targets are not read */
    const sri_coding *coding;           /* NULL for regression */
    const specreg_vocabulary *words;    /* NULL: not documents */
    bool counted;                       /* the table has what documents become, not documents */
    const sri_predefined *features;     /* NULL: none are without penalty           */
    const specreg_table *features_file; /* their rows, where they come from a file  */
    sri_missing missing;
    bool refuses_unseen; /* categories */
    bool may_be_empty;   /* tables without a row that can be used are no error */
    int64_t memory;
    sri_layout layout;
    const sri_target *tasks; /* the column that names the tasks; NULL: there are none */
    const char *known_only;  /* --outputs that has no answer for other tasks; NULL: it has */
} sri_reader;

specreg_status sri_sample_read(specreg_context *ctx, const sri_reader *reader,
                               const specreg_table *table, sri_sample *out);
/* The rows as the points that a search has to do with: see layout.h. */
specreg_status sri_sample_points(specreg_context *ctx, const sri_reader *reader,
                                 sri_sample *sample);
/* The task of each row of a table, newly allocated; a table without that column is an error.  Of a
 * task that training did not have it is -1, or an error that names the `known_only` outputs. */
specreg_status sri_tasks_read(specreg_context *ctx, const sri_target *tasks, const char *known_only,
                              const sri_rows *rows, int32_t **out);
void sri_sample_free(sri_sample *sample);

#endif

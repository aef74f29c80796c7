/* The rows of a table with other values in one or two columns, as a model takes them: what
 * importance and partial dependence are made of.  A column is changed where it stands in the table,
 * so that a category, a date, or a value with its gap is changed as a whole. */
#ifndef SRI_MODEL_ALTERED_H
#define SRI_MODEL_ALTERED_H

#include "model/call.h"
#include "model/model.h"

enum { SRI_ALTERED_COLUMNS = 2 };

typedef struct sri_alteration {
    int64_t column;      /* of the table                                               */
    const int64_t *from; /* row i has the value of row from[i]; NULL: every row has ... */
    int64_t row;         /* ... the value of this one                                  */
} sri_alteration;

/* Some columns to be changed: none, one or two. */
typedef struct sri_alterations {
    int count;
    sri_alteration of[SRI_ALTERED_COLUMNS];
} sri_alterations;

typedef struct sri_altered {
    const specreg_table *rows; /* those that are used        */
    specreg_table *own;        /* the same, if it was made; else NULL */
    int64_t *column;           /* of each feature: its column */
    bool *chosen;              /* columns that are looked at  */
    int64_t chosen_count;
    int64_t block; /* rows at a time */
    int64_t done;  /* rows that were predicted, for the progress */
    specreg_table part;
    sri_places places;
    double *numbers;                    /* block x n_numbers      */
    int32_t *code[SRI_ALTERED_COLUMNS]; /* block each             */
} sri_altered;

typedef struct sri_altered_how {
    bool labelled;       /* targets are needed              */
    const char *columns; /* those to change; "": all inputs */
} sri_altered_how;

/* Takes the rows of a table that can be used.  Fails, with the reason, where a model has no columns
 * that can be changed.  It is freed also after a failure. */
specreg_status sri_altered_make(specreg_context *ctx, const sri_call *call,
                                const specreg_model *model, const specreg_table *data,
                                sri_altered_how how, sri_altered *out);
void sri_altered_free(sri_altered *a);
/* Marks the columns that a list names, which must be inputs. */
specreg_status sri_altered_choose(specreg_context *ctx, sri_altered *a, const specreg_model *model,
                                  const char *list);
/* A stage of so many passes over all rows. */
specreg_status sri_altered_stage(specreg_context *ctx, sri_altered *a, int64_t passes);
/* The next rows from `first` on, changed, until the next call; NULL where there are no more. */
const specreg_table *sri_altered_part(sri_altered *a, const sri_alterations *changes,
                                      int64_t first);
/* Moves the bar; fails where the caller cancels. */
specreg_status sri_altered_progress(specreg_context *ctx, sri_altered *a);
/* The feature of a column: the first one. */
const sri_feature *sri_altered_feature(const sri_altered *a, const specreg_model *model,
                                       int64_t column);

#endif

/* The columns to predict: which they are, whether they are numbers or classes, their values. */
#ifndef SRI_DATA_TARGET_H
#define SRI_DATA_TARGET_H

#include "data/roles.h"

/* A field is a regression whose targets are the components of a vector at the inputs. */
typedef enum sri_problem_kind {
    SRI_REGRESSION,
    SRI_CLASSIFICATION,
    SRI_FIELD,
    SRI_PROBLEM_AUTO, /* as the values say */
    SRI_PROBLEMS
} sri_problem_kind;

const char *sri_problem_name(sri_problem_kind kind); /* "regression", ... */
specreg_status sri_problem_parse(specreg_context *ctx, const char *text, sri_problem_kind *out);

typedef struct sri_target {
    sri_problem_kind problem; /* regression or classification                     */
    int64_t n_columns;        /* target columns: T for regression, 1 for classification */
    char **name;
    int64_t n_classes; /* 0 for regression                                        */
    char **label;      /* class labels; numbers in numeric order, texts in strcmp order */
    int64_t *count;    /* training rows of each class                             */
    char why[160];     /* how the problem type was found, for people              */
    int64_t whole;     /* found from so many different whole numbers; 0: otherwise */
    /* Where they were in the training table, for data without names. */
    int64_t *position;
    int64_t table_columns; /* its ordinary columns                                */
    bool has_names;        /* its file named them                                 */
    sri_aside aside;       /* its columns that later tables may have or not       */
    bool gaps;             /* of several columns some may be missing in a row     */
} sri_target;

/* The columns of a table that are targets. */
typedef struct sri_target_list {
    const int64_t *column;
    int64_t count;
    bool gaps; /* a row needs only one of several */
} sri_target_list;

/* The target's column numbers, newly allocated: from the option text ("a,b" or "3"; NULL or "" for
 * the default), else the column named y, target or label, else the last that is not set aside.  An
 * unknown column, one set aside, or a table with nothing left for features, is an error. */
specreg_status sri_target_columns(specreg_context *ctx, const specreg_table *t, const char *option,
                                  const sri_aside *aside, int64_t **columns, int64_t *count);
/* The same where a table needs no target: without an option and a usual name there is none, and
 * *columns may be NULL. */
specreg_status sri_target_named(specreg_context *ctx, const specreg_table *t, const char *option,
                                int64_t **columns, int64_t *count);
/* The target without an option, among the columns that are not left out (NULL: none is). */
int64_t sri_target_default(const specreg_table *t, const sri_aside *aside,
                           const sri_left_out *left_out);
/* A target has no other role, and is not all there is. */
specreg_status sri_target_check(specreg_context *ctx, const specreg_table *t,
                                const int64_t *columns, int64_t count, const sri_aside *aside);
/* Describes the target of some rows.  `problem` is what was asked for.  A constant target (all of
 * them, where there are several), one class only, texts for regression, a missing (unless there
 * may be gaps) or infinite value, fewer than two rows are errors. */
specreg_status sri_target_describe(specreg_context *ctx, const sri_rows *rows,
                                   const sri_target_list *columns, sri_problem_kind problem,
                                   sri_target **out);
/* A column that predictions carry along: found again as a target is, without values. */
specreg_status sri_target_carried(specreg_context *ctx, const specreg_table *t, int64_t column,
                                  const sri_aside *aside, sri_target **out);
/* What a person should know where numbers may be classes, or counts and ratings: a sentence in
 * `buffer`; false: there is no doubt, or the problem was asked for. */
bool sri_target_doubt(const sri_target *target, char *buffer, size_t size);
void sri_target_free(sri_target *target);
/* The same columns and labels for other rows of the table, which may have fewer of them; counts
 * are 0. */
specreg_status sri_target_copy(specreg_context *ctx, const sri_target *target, sri_target **out);

/* The target columns of another table: by name when both tables have names, else by position when
 * it has as many columns, with or without those set aside; *found false when they are not all there
 * (no error). */
specreg_status sri_target_locate(specreg_context *ctx, const sri_target *target,
                                 const specreg_table *t, int64_t **columns, bool *found);
/* Regression: the numbers, rows x n_columns, newly allocated; NaN where one is missing and may
 * be. */
specreg_status sri_target_numbers(specreg_context *ctx, const sri_target *target,
                                  const sri_rows *rows, const int64_t *columns, double **Y);
/* Classification: class numbers, newly allocated; a label not seen in training is an error that
 * names its place, or -1 where `unknown_ok`.  Labels are the same when their texts are, or when
 * both are numbers of the same value ("1" and 1.0). */
specreg_status sri_target_classes(specreg_context *ctx, const sri_target *target,
                                  const sri_rows *rows, const int64_t *columns, bool unknown_ok,
                                  int32_t **classes);

#endif

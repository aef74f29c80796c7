/* From a table to the matrix X of the problem, and back again at predict time: which columns, how
 * texts become numbers (one-hot), how numbers are scaled, what fills a gap.  An encoder is made
 * from the training table, kept in the model, and applied to every later table. */
#ifndef SRI_DATA_ENCODE_H
#define SRI_DATA_ENCODE_H

#include <math.h>

#include "core/arena.h"
#include "core/matrix.h"
#include "data/dates.h"
#include "data/roles.h"

typedef enum sri_scale {
    SRI_SCALE_STANDARD, /* mean 0, deviation 1                         */
    SRI_SCALE_MINMAX,   /* from 0 to 1                                 */
    SRI_SCALE_NONE,     /* as they are                                 */
    SRI_SCALE_MAXABS,   /* divided by the largest magnitude: in [-1,1] */
    SRI_SCALE_INNER     /* from 0.05 to 0.95                           */
} sri_scale;
typedef enum sri_missing {
    SRI_MISSING_ERROR,
    SRI_MISSING_MEAN,
    SRI_MISSING_DROP,
    SRI_MISSING_INDICATOR /* the mean, and a column that says that the value was missing */
} sri_missing;

/* How columns become numbers. */
typedef struct sri_encode_how {
    sri_scale scale;
    sri_missing missing;
    bool refuses_unseen;  /* a category that training did not have is an error, not zeros */
    sri_date_order dates; /* of texts that are dates in either order; NONE: all are categories */
} sri_encode_how;

/* x -> (x * 2^exponent - shift) * factor for a number; a text becomes one column of 0/1 per
 * category, never scaled.  A date becomes several features, each a number, and so does a column
 * with gaps whose indicator is asked for: `part` says which.  The exponent is 0 unless the numbers
 * are so huge or tiny that their differences or their factor would leave the range of a double. */
typedef struct sri_feature {
    char *name;
    char *column; /* the name of its column, where that is not its own; else NULL */
    sri_part part;
    sri_date_order order; /* of its dates */
    bool is_text;
    sri_texts category; /* texts only, in sorted order                                   */
    double *share;      /* texts only: each category's share of the training rows, which
                         * stands for a missing text; NULL: zeros                        */
    double fill;        /* the training mean, for --missing mean                         */
    double shift, factor;
    int exponent;
    int64_t at;       /* its first column in X                                         */
    int64_t position; /* its column in the training table, 0-based                     */
    int64_t input;    /* the same among the columns that are inputs                    */
} sri_feature;

/* Sparse: the features are the columns of a LIBSVM file by number, x -> x * factor, and X stays
 * sparse. Nothing is kept for a column but its factor, where there is one: there may be very
 * many. */
typedef struct sri_encoder {
    int64_t n_features;
    sri_feature *feature; /* NULL when sparse                                          */
    bool sparse;
    double *factor; /* sparse: n_features; NULL: all 1                           */
    int64_t p;      /* columns of X                                              */
    sri_scale scale;
    bool by_number;        /* sparse features: further ones are left aside             */
    bool has_names;        /* the training file named its columns: match by name        */
    int64_t table_columns; /* of the training table, targets and sparse ones included  */
    sri_aside aside;       /* those of them that are neither feature nor target         */
    sri_missing missing;   /* what training did with gaps                               */
    bool refuses_unseen;   /* see sri_encode_how                                        */
} sri_encoder;

/* Values that training could not know: categories, which become zeros, and texts among dates, which
 * are as good as missing. */
typedef struct sri_unseen {
    int64_t cells;
    char first[320]; /* where the first is, and what */
} sri_unseen;

const char *sri_scale_name(sri_scale scale);
specreg_status sri_scale_parse(specreg_context *ctx, const char *text, sri_scale *out);
const char *sri_missing_name(sri_missing missing);
specreg_status sri_missing_parse(specreg_context *ctx, const char *text, sri_missing *out);

/* Learns an encoder from some rows, leaving out the columns in `skip[0..n_skip)`.  A constant
 * column is kept, with factor 1. */
specreg_status sri_encoder_fit(specreg_context *ctx, const sri_rows *rows, const int64_t *skip,
                               int64_t n_skip, const sri_encode_how *how, sri_encoder **out);
/* How many columns the features come from. */
int64_t sri_encoder_inputs(const sri_encoder *enc);
/* For each feature its column in `t`, newly allocated; NULL for sparse data.  They are matched by
 * name, or by position when the data have no names: then the table has the features alone, or all
 * columns of the training table, with or without those set aside. */
specreg_status sri_encoder_match(specreg_context *ctx, const sri_encoder *enc,
                                 const specreg_table *t, int64_t **out);
/* Whether a table is to be kept sparse: it has sparse columns, and dense rows would take more
 * room. */
bool sri_table_stays_sparse(const specreg_table *t);
/* The same for a table that stays sparse.  Zeros stay zeros: `standard` divides by the standard
 * deviation, `minmax` by the largest magnitude. */
specreg_status sri_encoder_fit_sparse(specreg_context *ctx, const sri_rows *rows,
                                      const int64_t *skip, int64_t n_skip, sri_scale scale,
                                      sri_encoder **out);
/* Fails where a column that is not skipped stands beside the sparse ones. */
specreg_status sri_encoder_check_sparse(specreg_context *ctx, const specreg_table *t,
                                        const int64_t *skip, int64_t n_skip);
/* The rows as the encoder has them, dense or sparse: as sri_encoder_apply.  `unseen` may be
 * NULL. */
specreg_status sri_encoder_rows(specreg_context *ctx, const sri_encoder *enc, const sri_rows *rows,
                                int64_t memory_budget, sri_matrix *out, sri_unseen *unseen);
/* The name of a feature, which may go into `buffer` (32 bytes). */
const char *sri_encoder_name(const sri_encoder *enc, int64_t feature, char *buffer);
/* X (row-major, newly allocated).  A category that training did not have becomes zeros and is
 * counted in `unseen` (NULL: nobody asks), or is an error where the encoder refuses it.  A missing
 * column, a text where a number was, a wrong count of columns are errors; so is an X larger than
 * memory_budget bytes (0: no limit). */
specreg_status sri_encoder_apply(specreg_context *ctx, const sri_encoder *enc, const sri_rows *rows,
                                 int64_t memory_budget, double **X, sri_unseen *unseen);
void sri_encoder_free(sri_encoder *enc);

/* Those of another table as well. */
void sri_unseen_add(sri_unseen *to, const sri_unseen *more);
/* "3 values ...": what a person should know of them, into `buffer`. */
char *sri_unseen_text(const sri_unseen *unseen, char *buffer, size_t size);
/* Fails for a number of a table that cannot be scaled. */
specreg_status sri_fail_number(specreg_context *ctx, const specreg_table *t, int64_t row,
                               const char *column, double x);
/* Whether gaps are filled in. */
static inline bool sri_missing_fills(sri_missing missing)
{
    return missing == SRI_MISSING_MEAN || missing == SRI_MISSING_INDICATOR;
}
/* The name of the column that a feature comes from. */
static inline const char *sri_feature_column(const sri_feature *f)
{
    return f->column ? f->column : f->name;
}

/* Where the numbers of a feature are found in a table. */
typedef struct sri_source {
    const sri_column *column;
    sri_part part;
    double *of_text; /* dates: of each text of the column; NULL: they are numbers */
} sri_source;

/* Makes the source of a feature, whose dates go into the arena.  Texts that are no dates are
 * missing. */
specreg_status sri_source_make(specreg_context *ctx, sri_arena *arena, const sri_feature *f,
                               const sri_column *column, sri_source *out);
/* The number in a row; NaN: it is missing. */
static inline double sri_source_number(const specreg_table *t, int64_t row, const sri_source *s)
{
    const sri_column *c = s->column;
    if (s->part == SRI_PART_VALUE)
        return sri_cell_number(t, row, c);
    if (s->part == SRI_PART_MISSING)
        return sri_table_gap(t, row, c - t->column);
    return c->is_text && c->code[row] >= 0 ? s->of_text[c->code[row]] : NAN;
}
/* What becomes of one number. */
static inline double sri_feature_scale(const sri_feature *f, double x)
{
    return ((f->exponent ? ldexp(x, f->exponent) : x) - f->shift) * f->factor;
}
/* And back, to rounding. */
static inline double sri_feature_unscale(const sri_feature *f, double x)
{
    return ldexp(x / f->factor + f->shift, -f->exponent);
}

#endif

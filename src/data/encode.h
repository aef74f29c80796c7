/* From a table to the matrix X of the problem, and back again at predict time: which columns, how
 * texts become numbers (one-hot), how numbers are scaled, what fills a gap.  An encoder is made
 * from the training table, kept in the model, and applied to every later table. */
#ifndef SRI_DATA_ENCODE_H
#define SRI_DATA_ENCODE_H

#include <math.h>

#include "core/matrix.h"
#include "data/roles.h"

typedef enum sri_scale { SRI_SCALE_STANDARD, SRI_SCALE_MINMAX, SRI_SCALE_NONE } sri_scale;
typedef enum sri_missing { SRI_MISSING_ERROR, SRI_MISSING_MEAN, SRI_MISSING_DROP } sri_missing;

/* x -> (x * 2^exponent - shift) * factor for a number; a text becomes one column of 0/1 per
 * category, never scaled.  The exponent is 0 unless the numbers are so huge or tiny that their
 * differences or their factor would leave the range of a double. */
typedef struct sri_feature {
    char *name;
    bool is_text;
    sri_texts category; /* texts only, in sorted order                                   */
    double *share;      /* texts only: each category's share of the training rows, which
                         * stands for a missing text; NULL: zeros                        */
    double fill;        /* the training mean, for --missing mean                         */
    double shift, factor;
    int exponent;
    int64_t at;       /* its first column in X                                         */
    int64_t position; /* its column in the training table, 0-based                     */
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
    bool by_number;        /* sparse features: matched by number, absent ones are 0     */
    bool has_names;        /* the training file named its columns: match by name        */
    int64_t table_columns; /* of the training table, targets and sparse ones included  */
    sri_aside aside;       /* those of them that are neither feature nor target         */
} sri_encoder;

const char *sri_scale_name(sri_scale scale);
specreg_status sri_scale_parse(specreg_context *ctx, const char *text, sri_scale *out);
specreg_status sri_missing_parse(specreg_context *ctx, const char *text, sri_missing *out);

/* Learns an encoder from some rows, leaving out the columns in `skip[0..n_skip)`.  A constant
 * column is kept, with factor 1. */
specreg_status sri_encoder_fit(specreg_context *ctx, const sri_rows *rows, const int64_t *skip,
                               int64_t n_skip, sri_scale scale, sri_encoder **out);
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
/* The rows as the encoder has them, dense or sparse: as sri_encoder_apply. */
specreg_status sri_encoder_rows(specreg_context *ctx, const sri_encoder *enc, const sri_rows *rows,
                                int64_t memory_budget, sri_matrix *out);
/* The name of a feature, which may go into `buffer` (32 bytes). */
const char *sri_encoder_name(const sri_encoder *enc, int64_t feature, char *buffer);
/* X (row-major, newly allocated).  An unknown category, a missing column, a text where a number
 * was, a wrong count of columns are errors; so is an X larger than memory_budget bytes (0: no
 * limit). */
specreg_status sri_encoder_apply(specreg_context *ctx, const sri_encoder *enc, const sri_rows *rows,
                                 int64_t memory_budget, double **X);
void sri_encoder_free(sri_encoder *enc);

/* Fails for a number of a table that cannot be scaled. */
specreg_status sri_fail_number(specreg_context *ctx, const specreg_table *t, int64_t row,
                               const char *column, double x);
/* What becomes of one number. */
static inline double sri_feature_scale(const sri_feature *f, double x)
{
    return ((f->exponent ? ldexp(x, f->exponent) : x) - f->shift) * f->factor;
}

#endif

/* Files of arrays (NPY, NPZ, HDF5) hold features and targets apart; tables hold columns.  This is
 * the way from one to the other. */
#ifndef SRI_DATA_IO_ARRAY_H
#define SRI_DATA_IO_ARRAY_H

#include "data/io/format.h"

/* One or two dimensions, row-major: numbers, or the codes of texts. */
typedef struct sri_array {
    int64_t rows, cols; /* cols is 1 for one dimension */
    int dims;
    int64_t first_row; /* of a part of a file: how many rows stand before it */
    int64_t *origin;   /* of chosen rows: their numbers in the file; NULL: all from first_row on */
    double *numbers;
    int32_t *code; /* of texts; then numbers is NULL, and dims 1 */
    sri_texts texts;
} sri_array;

void sri_array_free(sri_array *a);

/* A table of features and targets (Y may be NULL), which give up what they hold.  Columns are
 * x1..xp and y, or y1..yT. */
specreg_status sri_table_from_pair(specreg_context *ctx, const char *source, sri_array *X,
                                   sri_array *Y, specreg_table **out);

/* sparse_array.c: a table whose features are a sparse matrix of that shape, row by row; Y as
 * above. */
specreg_status sri_table_from_csr(specreg_context *ctx, const char *source, const sri_array *data,
                                  const sri_array *indices, const sri_array *indptr,
                                  const sri_array *shape, sri_array *Y, specreg_table **out);

/* Which columns of a table are written as X and which as y: those named y1, y2, ..., else the
 * default target; all are features when there is only one.  Text is allowed as the one target. */
typedef struct sri_array_parts {
    int64_t *x, *y; /* column numbers */
    int64_t p, T;
    bool y_is_text;
} sri_array_parts;
specreg_status sri_array_split(specreg_context *ctx, const specreg_table *t, const char *file,
                               sri_array_parts *out);
void sri_array_parts_free(sri_array_parts *parts);
/* rows x count numbers of the given columns. */
specreg_status sri_array_fill(specreg_context *ctx, const specreg_table *t, const int64_t *col,
                              int64_t count, double *out);

#endif

/* A table from the arrays of a sparse matrix, row by row (CSR), as SciPy saves it. */
#include <math.h>
#include <stdlib.h>

#include "core/memory.h"
#include "data/io/array.h"

typedef struct entry {
    int32_t index;
    double value;
} entry;

static int by_index(const void *a, const void *b)
{
    const int32_t x = ((const entry *)a)->index, y = ((const entry *)b)->index;
    return (x > y) - (x < y);
}

static bool is_whole(double v, double least, double most)
{
    return v >= least && v <= most && v == floor(v);
}

/* Places of the rows: from 0, not descending, to the number of entries. */
static specreg_status read_starts(specreg_context *ctx, const char *file, const sri_array *indptr,
                                  int64_t entries, sri_matrix *s)
{
    SRI_NEW(ctx, s->start, indptr->rows, 1);
    for (int64_t i = 0; i < indptr->rows; i++) {
        const double v = indptr->numbers[i], least = i ? (double)s->start[i - 1] : 0;
        SRI_CHECK(ctx, is_whole(v, least, i ? (double)entries : 0), SPECREG_E_FORMAT,
                  "%s: indptr[%lld] is not a place in the row's data", file, (long long)i);
        s->start[i] = (int64_t)v;
    }
    SRI_CHECK(ctx, s->start[indptr->rows - 1] == entries, SPECREG_E_FORMAT,
              "%s: indptr ends at %lld, but there are %lld entries", file,
              (long long)s->start[indptr->rows - 1], (long long)entries);
    return SPECREG_OK;
}

/* One row; its columns may come in any order, but each once. */
static specreg_status read_row(specreg_context *ctx, const char *file, const sri_array *data,
                               const sri_array *indices, int64_t row, entry *room, sri_matrix *s)
{
    const int64_t first = s->start[row], count = s->start[row + 1] - first;
    for (int64_t k = 0; k < count; k++) {
        const double j = indices->numbers[first + k], v = data->numbers[first + k];
        SRI_CHECK(ctx, is_whole(j, 0, (double)s->p - 1), SPECREG_E_FORMAT,
                  "%s: row %lld: column %g is not one of 0 to %lld", file, (long long)row + 1, j,
                  (long long)s->p - 1);
        SRI_CHECK(ctx, isfinite(v), SPECREG_E_FORMAT, "%s: row %lld, column %g is not finite", file,
                  (long long)row + 1, j);
        room[k] = (entry){(int32_t)j, v};
    }
    qsort(room, (size_t)count, sizeof *room, by_index);
    for (int64_t k = 0; k < count; k++) {
        SRI_CHECK(ctx, !k || room[k].index > room[k - 1].index, SPECREG_E_FORMAT,
                  "%s: row %lld has column %d twice (sum_duplicates() in SciPy adds them)", file,
                  (long long)row + 1, room[k].index);
        s->index[first + k] = room[k].index;
        s->value[first + k] = room[k].value;
    }
    return SPECREG_OK;
}

static specreg_status fill_rows(specreg_context *ctx, const char *file, const sri_array *data,
                                const sri_array *indices, const sri_array *indptr, sri_matrix *s)
{
    specreg_status st = SPECREG_OK;
    const int64_t rows = indptr->rows - 1;
    entry *room = NULL;
    int64_t longest = 0;
    SRI_TRY(read_starts(ctx, file, indptr, data->rows, s));
    SRI_ALLOC(ctx, s->index, data->rows, 1);
    SRI_ALLOC(ctx, s->value, data->rows, 1);
    for (int64_t i = 0; i < rows; i++)
        longest = s->start[i + 1] - s->start[i] > longest ? s->start[i + 1] - s->start[i] : longest;
    SRI_ALLOC(ctx, room, longest, 1);
    for (int64_t i = 0; i < rows; i++)
        SRI_TRY(read_row(ctx, file, data, indices, i, room, s));
done:
    sri_free(room);
    return st;
}

specreg_status sri_table_from_csr(specreg_context *ctx, const char *source, const sri_array *data,
                                  const sri_array *indices, const sri_array *indptr,
                                  const sri_array *shape, sri_array *Y, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    specreg_table *t = NULL;
    sri_array none = {.rows = indptr->rows - 1, .cols = 0, .dims = 2};
    *out = NULL;
    SRI_REQUIRE(ctx,
                data->numbers && indices->numbers && indptr->numbers && shape->numbers &&
                    data->cols == 1 && indices->cols == 1 && indptr->cols == 1 &&
                    data->rows == indices->rows && shape->rows * shape->cols == 2,
                SPECREG_E_FORMAT,
                "%s: data, indices, indptr and shape are not those of a sparse matrix", source);
    const double rows = shape->numbers[0], cols = shape->numbers[1];
    SRI_REQUIRE(ctx, rows >= 1 && rows == (double)none.rows && is_whole(cols, 1, INT32_MAX),
                SPECREG_E_FORMAT,
                "%s: the shape %g x %g does not fit %lld rows of at most 2147483647 "
                "columns",
                source, rows, cols, (long long)none.rows);
    SRI_TRY(sri_table_from_pair(ctx, source, &none, Y, &t));
    SRI_CALLOC(ctx, t->sparse, 1, 1);
    t->sparse->n = t->rows;
    t->sparse->p = (int64_t)cols;
    SRI_TRY(fill_rows(ctx, source, data, indices, indptr, t->sparse));
    SRI_TRY(sri_table_name_sparse(ctx, t));
    *out = t;
    t = NULL;
done:
    sri_free(none.numbers);
    specreg_table_free(t);
    return st;
}

/* Small tables for tests, cell by cell: "" is missing, a column with a text that is no number is
 * text.  The first row of cells are the names when there is a header. */
#ifndef TEST_SMALL_TABLE_H
#define TEST_SMALL_TABLE_H

#include <math.h>

#include "kit/kit.h"

#include "core/memory.h"
#include "core/text.h"
#include "data/table.h"

#define CELLS(...) ((const char *const[]){__VA_ARGS__})
#define assert_ok(ctx, call)                                    \
    do {                                                        \
        if ((call) != SPECREG_OK)                               \
            fail_msg("%s: %s", #call, specreg_last_error(ctx)); \
    } while (0)
#define assert_fails(ctx, call, status, text)                 \
    do {                                                      \
        assert_int_equal((call), (status));                   \
        assert_string_equal(specreg_last_error(ctx), (text)); \
    } while (0)

static inline bool small_is_text(const char *const *cells, int64_t rows, int64_t cols, int64_t c)
{
    double x;
    for (int64_t i = 0; i < rows; i++) {
        const char *cell = cells[i * cols + c];
        if (*cell && !sri_parse_double(cell, strlen(cell), &x))
            return true;
    }
    return false;
}

/* `text` lists columns that are text whatever they look like, as in "0,2"; NULL: none. */
static inline specreg_table *small_table_text(specreg_context *ctx, const char *source, bool header,
                                              int64_t rows, int64_t cols, const char *const *cells,
                                              const char *text)
{
    specreg_table *t;
    assert_ok(ctx, sri_table_new(ctx, source, cols, &t));
    assert_ok(ctx, sri_table_default_names(ctx, t, cols, 0));
    t->has_header = header;
    t->rows = rows;
    t->first_line = header ? 2 : 1;
    for (int64_t c = 0; c < cols && header; c++)
        assert_ok(ctx, sri_table_set_name(ctx, t, c, cells[c], strlen(cells[c])));
    cells += header ? cols : 0;
    t->n_numbers = 0;
    for (int64_t c = 0; c < cols; c++) {
        t->column[c].is_text =
            small_is_text(cells, rows, cols, c) || (text && strchr(text, (char)('0' + c)));
        t->column[c].number = t->column[c].is_text ? 0 : t->n_numbers++;
    }
    t->numbers = sri_alloc(ctx, rows, t->n_numbers, sizeof(double));
    for (int64_t c = 0; c < cols; c++) {
        sri_column *col = &t->column[c];
        if (col->is_text)
            col->code = sri_alloc(ctx, rows, 1, sizeof *col->code);
        for (int64_t i = 0; i < rows; i++) {
            const char *cell = cells[i * cols + c];
            double x = NAN;
            if (!col->is_text) {
                sri_parse_double(cell, strlen(cell), &x);
                t->numbers[i * t->n_numbers + col->number] = x;
            } else if (*cell)
                assert_ok(ctx, sri_texts_code(ctx, &col->texts, cell, strlen(cell), &col->code[i]));
            else
                col->code[i] = -1;
        }
    }
    return t;
}

static inline specreg_table *small_table(specreg_context *ctx, const char *source, bool header,
                                         int64_t rows, int64_t cols, const char *const *cells)
{
    return small_table_text(ctx, source, header, rows, cols, cells, NULL);
}

/* A sparse table: y, and a dense matrix whose zeros are not stored. */
static inline specreg_table *small_sparse(specreg_context *ctx, const char *source, int64_t rows,
                                          int64_t cols, const double *y, const double *x)
{
    specreg_table *t;
    int64_t n = 0;
    assert_ok(ctx, sri_table_new(ctx, source, 1, &t));
    assert_ok(ctx, sri_table_set_name(ctx, t, 0, "y", 1));
    t->rows = rows;
    t->first_line = 1;
    t->numbers = sri_alloc(ctx, rows, 1, sizeof(double));
    memcpy(t->numbers, y, (size_t)rows * sizeof *y);
    t->sparse = sri_calloc(ctx, 1, 1, sizeof *t->sparse);
    t->sparse->n = rows;
    t->sparse->p = cols;
    t->sparse->start = sri_calloc(ctx, rows + 1, 1, sizeof(int64_t));
    t->sparse->index = sri_calloc(ctx, rows, cols, sizeof(int32_t));
    t->sparse->value = sri_calloc(ctx, rows, cols, sizeof(double));
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < cols; j++)
            if (x[i * cols + j] != 0) {
                t->sparse->index[n] = (int32_t)j;
                t->sparse->value[n++] = x[i * cols + j];
            }
        t->sparse->start[i + 1] = n;
    }
    return t;
}

static int64_t ALL[64]
    __attribute__((unused)) = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                               16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                               32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                               48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

#endif

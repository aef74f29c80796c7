/* Tables that look at arrays of the caller: the same cells as a copy, from every layout. */
#include <math.h>
#include <stdlib.h>

#include "data/table.h"
#include "kit/kit.h"

enum { ROWS = 5, COLS = 3 };

/* The same numbers in every layout that specreg_data takes. */
typedef struct layouts {
    double row_by_row[ROWS * 4], column_by_column[COLS * ROWS], y[ROWS];
    float single[ROWS * COLS];
    char packed[ROWS * (COLS * sizeof(float) + 1)]; /* not aligned */
    specreg_view X, Y;
    specreg_float_view X_float;
    specreg_strided_view fortran, unaligned;
} layouts;

static double value(int64_t i, int64_t j)
{
    return i == 2 && j == 1 ? NAN : (double)(10 * i - j) / 4; /* floats have it exactly */
}

static void fill(layouts *l)
{
    const int64_t step = COLS * sizeof(float) + 1;
    for (int i = 0; i < ROWS; i++) {
        l->y[i] = 100 + i;
        for (int j = 0; j < COLS; j++) {
            const float v = (float)value(i, j);
            l->row_by_row[i * 4 + j] = l->column_by_column[j * ROWS + i] = value(i, j);
            l->single[i * COLS + j] = v;
            memcpy(l->packed + i * step + j * (int64_t)sizeof v, &v, sizeof v);
        }
    }
    l->X = (specreg_view){l->row_by_row, ROWS, COLS, 4};
    l->Y = (specreg_view){l->y, ROWS, 1, 1};
    l->X_float = (specreg_float_view){l->single, ROWS, COLS, COLS};
    l->fortran = (specreg_strided_view){l->column_by_column,   ROWS, COLS, sizeof(double),
                                        ROWS * sizeof(double), 0};
    l->unaligned = (specreg_strided_view){l->packed, ROWS, COLS, step, sizeof(float), 1};
}

static specreg_data data_of(const layouts *l, int which)
{
    specreg_data d = {sizeof d, .Y = &l->Y};
    if (which == 0)
        d.X = &l->X;
    else if (which == 1)
        d.X_float = &l->X_float;
    else
        d.X_strided = which == 2 ? &l->fortran : &l->unaligned;
    return d;
}

/* Inputs in columns first, first + 1, ... and y after them, of the given rows. */
static void check_cells(const specreg_table *t, const int64_t *row, int64_t first)
{
    double all[COLS + 3];
    for (int64_t i = 0; i < specreg_table_rows(t); i++) {
        const int64_t from = row ? row[i] : i;
        sri_table_row(t, i, all);
        for (int64_t j = 0; j < COLS; j++) {
            CHECK_SAME(specreg_table_number(t, i, first + j), value(from, j));
            CHECK_SAME(all[first + j], value(from, j));
            CHECK_EQ(sri_table_gap(t, i, first + j), isnan(value(from, j)));
        }
        CHECK_EQ(specreg_table_number(t, i, first + COLS), 100 + from);
    }
}

TEST(lent, every_layout_has_the_cells_of_a_copy)
{
    static const char *const text[ROWS] = {"a", "b", NULL, "a", "c"};
    static const int64_t some[] = {4, 2, 2}, columns[] = {3, 1};
    layouts l;
    fill(&l);
    for (int which = 0; which < 4; which++) {
        specreg_table *t, *part;
        double numbers[ROWS * 2];
        const specreg_data data = data_of(&l, which);
        CHECK_OK(ctx, specreg_table_over_data(ctx, &data, &t));
        CHECK_EQ(specreg_table_cols(t), COLS + 1);
        check_cells(t, NULL, 0);
        CHECK_OK(ctx, specreg_table_numbers(ctx, t, 2, 2, numbers, ROWS * 2));
        CHECK_EQ(numbers[2 * 3], value(3, 2));
        CHECK_EQ(numbers[2 * 3 + 1], 103);
        CHECK_OK(ctx, specreg_table_select(ctx, t, some, 3, &part));
        check_cells(part, some, 0);
        specreg_table_free(part);
        CHECK_OK(ctx, sri_table_columns(ctx, t, columns, 2, &part));
        CHECK_EQ(specreg_table_number(part, 1, 0), 101);
        CHECK_EQ(specreg_table_number(part, 1, 1), value(1, 1));
        specreg_table_free(part);
        CHECK_OK(ctx, specreg_table_insert_text(ctx, t, 0, "task", text));
        check_cells(t, NULL, 1);
        CHECK_OK(ctx, specreg_table_select(ctx, t, some, 3, &part));
        check_cells(part, some, 1);
        CHECK_STR(specreg_table_text(part, 0, 0), "c");
        specreg_table_free(part);
        CHECK_OK(ctx, sri_table_make_text(ctx, t, 2)); /* the caller's x2 as texts */
        CHECK_STR(specreg_table_text(t, 3, 2), "7.25");
        CHECK(specreg_table_text(t, 2, 2) == NULL);
        CHECK_EQ(specreg_table_number(t, 3, 3), value(3, 2));
        CHECK_OK(ctx, sri_table_make_text(ctx, t, 4)); /* y, a number of the table's own */
        CHECK_STR(specreg_table_text(t, 3, 4), "103");
        CHECK_EQ(specreg_table_number(t, 3, 1), value(3, 0));
        specreg_table_free(t);
    }
}

TEST(lent, the_table_sees_what_the_array_holds_a_copy_does_not)
{
    layouts l;
    specreg_table *over, *from;
    fill(&l);
    const specreg_data data = data_of(&l, 0);
    CHECK_OK(ctx, specreg_table_over_data(ctx, &data, &over));
    CHECK_OK(ctx, specreg_table_from_data(ctx, &data, &from));
    l.row_by_row[4] = 77;
    CHECK_EQ(specreg_table_number(over, 1, 0), 77);
    CHECK_EQ(specreg_table_number(from, 1, 0), value(1, 0));
    specreg_table_free(from);
    specreg_table_free(over);
    CHECK_EQ(l.row_by_row[4], 77);
}

TEST(lent, a_sparse_block_stays_where_it_is)
{
    const double v[] = {1, 2, 3};
    const int64_t start[] = {0, 2, 3};
    const int32_t index[] = {0, 2, 1};
    const specreg_csr_view X = {v, start, index, 2, 3};
    const specreg_data data = {sizeof data, .X_csr = &X};
    const int64_t second = 1;
    specreg_table *t, *part;
    CHECK_OK(ctx, specreg_table_over_data(ctx, &data, &t));
    CHECK(t->sparse->value == v);
    CHECK_EQ(specreg_table_number(t, 0, 2), 2);
    CHECK_EQ(specreg_table_number(t, 1, 0), 0);
    CHECK_OK(ctx, sri_table_widen(ctx, t, 5));
    CHECK_EQ(specreg_table_cols(t), 5);
    CHECK_OK(ctx, specreg_table_select(ctx, t, &second, 1, &part));
    CHECK_EQ(specreg_table_number(part, 0, 1), 3);
    CHECK(part->sparse->value != v);
    specreg_table_free(part);
    specreg_table_free(t);
}

TEST(lent, no_rows_no_columns_and_impossible_ones)
{
    const double x[2] = {1, INFINITY};
    const specreg_view nothing = {NULL, 0, 2, 2}, wide = {x, 1, 1, INT64_MAX},
                       no_columns = {x, 2, 0, 0};
    const specreg_view infinite = {x, 2, 1, 1};
    specreg_data data = {sizeof data, .X = &nothing};
    specreg_table *t, *part;
    CHECK_OK(ctx, specreg_table_over_data(ctx, &data, &t));
    CHECK_EQ(specreg_table_rows(t), 0);
    CHECK_OK(ctx, specreg_table_select(ctx, t, NULL, 0, &part));
    specreg_table_free(part);
    specreg_table_free(t);
    data.X = &no_columns;
    CHECK_OK(ctx, specreg_table_over_data(ctx, &data, &t));
    CHECK_EQ(specreg_table_rows(t), 2);
    specreg_table_free(t);
    data.X = &wide;
    CHECK_FAILS(ctx, specreg_table_over_data(ctx, &data, &t), SPECREG_E_ARG, "impossible shape");
    CHECK(!t);
    data.X = &infinite;
    CHECK_FAILS(ctx, specreg_table_over_data(ctx, &data, &t), SPECREG_E_ARG,
                "row 2: column 'x1': 'inf' is not finite");
    CHECK(!t);
}

/* ------------------------------------------------------------------ memory */

/* The allocator itself rests on the C library. */
#undef malloc
#undef free

typedef struct peak {
    int64_t now, most;
} peak;

enum { HEAD = 64 }; /* before each block: its size */

static void *take(void *payload, size_t bytes)
{
    peak *p = payload;
    char *block = malloc(HEAD + bytes);
    if (!block)
        return NULL;
    memcpy(block, &bytes, sizeof bytes);
#pragma omp critical(peak)
    {
        p->now += (int64_t)bytes;
        p->most = p->now > p->most ? p->now : p->most;
    }
    return block + HEAD;
}

static void give(void *payload, void *block)
{
    peak *p = payload;
    size_t bytes;
    memcpy(&bytes, (char *)block - HEAD, sizeof bytes);
#pragma omp critical(peak)
    p->now -= (int64_t)bytes;
    free((char *)block - HEAD);
}

TEST(lent, a_table_takes_no_memory_for_its_inputs)
{
    enum { N = 20000, P = 20 };
    peak bytes = {0};
    const specreg_allocator counting = {take, give, &bytes};
    specreg_context *own;
    specreg_table *t;
    static double x[N * P];
    const specreg_view X = {x, N, P, P}, Y = {x, N, 1, P};
    const specreg_data data = {sizeof data, .X = &X, .Y = &Y};
    CHECK_OK(ctx, specreg_context_new_with(&counting, &own));
    CHECK_OK(own, specreg_table_over_data(own, &data, &t));
    CHECK(bytes.most < 8 * N + 10000); /* y */
    specreg_table_free(t);
    bytes.most = 0;
    CHECK_OK(own, specreg_table_from_data(own, &data, &t));
    CHECK(bytes.most > 8 * N * (P + 1));
    specreg_table_free(t);
    specreg_context_free(own);
    CHECK_EQ(bytes.now, 0);
}

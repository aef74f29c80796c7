/* Rows in blocks: all rows once and in order, samples that do not depend on the way there. */
#include "data/blocks.h"

#include "core/rng.h"
#include "read_bytes.h"

/* A table of 10 rows with numbers, texts and gaps. */
static specreg_table *ten_rows(specreg_context *ctx)
{
    return READ("a.csv", "a,b,y\n1,u,10\n2,v,20\n3,,30\n4,u,40\n,w,50\n6,w,60\n7,v,70\n8,u,80\n"
                         "9,u,90\n10,x,100\n");
}

/* Row `i` of a block is row `at` of the whole table. */
static void check_row(const specreg_table *block, int64_t i, const specreg_table *whole, int64_t at)
{
    char there[256], here[256];
    for (int64_t j = 0; j < specreg_table_cols(whole); j++) {
        const char *text = specreg_table_text(whole, at, j);
        CHECK_STR(specreg_table_name(block, j), specreg_table_name(whole, j));
        CHECK_SAME(specreg_table_number(block, i, j), specreg_table_number(whole, at, j));
        CHECK(!text == !specreg_table_text(block, i, j));
        if (text)
            CHECK_STR(specreg_table_text(block, i, j), text);
    }
    CHECK_STR(sri_table_place(block, i, here, sizeof here),
              sri_table_place(whole, at, there, sizeof there));
}

static void check_all(specreg_context *ctx, sri_blocks *b, const specreg_table *whole, int64_t rows)
{
    int64_t at = 0, first;
    specreg_table *block;
    for (;;) {
        CHECK_OK(ctx, sri_blocks_next(ctx, b, rows, &first, &block));
        if (!block)
            break;
        const int64_t left = whole->rows - at;
        CHECK_EQ(first, at);
        CHECK_EQ(block->rows, left < rows ? left : rows);
        for (int64_t i = 0; i < block->rows; i++)
            check_row(block, i, whole, at++);
        specreg_table_free(block);
    }
    CHECK_EQ(at, whole->rows);
}

TEST(blocks, of_a_table_give_all_rows_once_and_again_after_rewinding)
{
    specreg_table *t = ten_rows(ctx);
    sri_blocks *b;
    CHECK_OK(ctx, sri_blocks_of_table(ctx, t, &b));
    CHECK_EQ(sri_blocks_rows(b), 10);
    CHECK(sri_blocks_table(b) == t);
    for (int64_t rows = 1; rows <= 11; rows++) {
        check_all(ctx, b, t, rows);
        CHECK_OK(ctx, sri_blocks_rewind(ctx, b));
    }
    sri_blocks_free(b);
    specreg_table_free(t);
    sri_blocks_free(NULL);
}

TEST(blocks, without_lines_name_the_row_of_the_table)
{
    const double x[4] = {1, 2, 3, 4};
    const specreg_view X = {x, 4, 1, 1};
    specreg_table *t;
    sri_blocks *b;
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, NULL, NULL, &t));
    CHECK_OK(ctx, sri_blocks_of_table(ctx, t, &b));
    check_all(ctx, b, t, 3);
    sri_blocks_free(b);
    specreg_table_free(t);
}

/* How many of the 10 rows have a lesser hash than this one. */
static int rank_of(uint64_t seed, int64_t row)
{
    uint64_t hash[10];
    int less = 0;
    for (int64_t i = 0; i < 10; i++) {
        sri_rng r = sri_rng_make(seed, SRI_STREAM_SAMPLE);
        r.counter = (uint64_t)i;
        hash[i] = sri_rng_next(&r);
    }
    for (int64_t i = 0; i < 10; i++)
        less += hash[i] < hash[row];
    return less;
}

/* The sample is what ranking all hashes gives. */
static void check_sample(specreg_context *ctx, sri_blocks *b, const specreg_table *whole,
                         int64_t count, uint64_t seed)
{
    specreg_table *sample;
    int64_t rows, next = 0;
    CHECK_OK(ctx, sri_blocks_sample(ctx, b, count, seed, &rows, &sample));
    CHECK_EQ(rows, whole->rows);
    CHECK_EQ(sample->rows, count < 10 ? count : 10);
    for (int64_t i = 0; i < 10; i++)
        if (rank_of(seed, i) < count)
            check_row(sample, next++, whole, i);
    CHECK_EQ(next, sample->rows);
    specreg_table_free(sample);
}

TEST(blocks, a_sample_has_the_rows_with_the_least_hashes_in_order)
{
    specreg_table *t = ten_rows(ctx);
    sri_blocks *b;
    CHECK_OK(ctx, sri_blocks_of_table(ctx, t, &b));
    for (uint64_t seed = 0; seed < 5; seed++)
        for (int64_t count = 0; count <= 12; count++)
            check_sample(ctx, b, t, count, seed);
    check_all(ctx, b, t, 3); /* it was rewound */
    sri_blocks_free(b);
    specreg_table_free(t);
}

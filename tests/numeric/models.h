/* What the tests of models share: small tables, predictions, comparisons. */
#ifndef TESTS_NUMERIC_MODELS_H
#define TESTS_NUMERIC_MODELS_H

#include "numeric/oracle.h"

enum { N = 40, M = 15, P = 3 }; /* rows that train, rows that do not, columns */

static inline specreg_table *read_table(specreg_context *ctx, const char *path)
{
    specreg_table *t;
    CHECK_OK(ctx, specreg_table_read(ctx, path, NULL, &t));
    return t;
}

/* A CSV file as a table. */
static inline specreg_table *csv(specreg_context *ctx, const char *name, const char *text)
{
    return read_table(ctx, kit_temp_file(name, text));
}

/* n x p numbers with names x1.., and y where it is not NULL, through a file. */
static inline specreg_table *named_table(specreg_context *ctx, const char *name, const double *X,
                                         int64_t n, int64_t p, const double *y)
{
    FILE *f = fopen(kit_temp(name), "w");
    for (int64_t j = 0; j < p; j++)
        fprintf(f, "%sx%d", j ? "," : "", (int)j + 1);
    fprintf(f, y ? ",y\n" : "\n");
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < p; j++)
            fprintf(f, "%s%.17g", j ? "," : "", X[i * p + j]);
        if (y)
            fprintf(f, ",%.17g", y[i]);
        fprintf(f, "\n");
    }
    fclose(f);
    return read_table(ctx, kit_temp(name));
}

/* Two tables that agree in every bit and text. */
static inline void check_same_table(const specreg_table *a, const specreg_table *b)
{
    CHECK_EQ(specreg_table_rows(a), specreg_table_rows(b));
    CHECK_EQ(specreg_table_cols(a), specreg_table_cols(b));
    for (int64_t j = 0; j < specreg_table_cols(a); j++) {
        CHECK_STR(specreg_table_name(a, j), specreg_table_name(b, j));
        for (int64_t i = 0; i < specreg_table_rows(a); i++) {
            const char *x = specreg_table_text(a, i, j), *y = specreg_table_text(b, i, j);
            CHECK_SAME(specreg_table_number(a, i, j), specreg_table_number(b, i, j));
            CHECK(!x == !y);
            if (x)
                CHECK_STR(x, y);
        }
    }
}

static inline specreg_table *predicted(specreg_context *ctx, const specreg_model *m,
                                       const specreg_table *data)
{
    specreg_table *out;
    CHECK_OK(ctx, specreg_predict(ctx, m, data, NULL, &out));
    return out;
}

static inline specreg_model *fitted(specreg_context *ctx, const specreg_table *t,
                                    const specreg_options *o)
{
    specreg_model *m;
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &m));
    return m;
}

/* Three classes, two numbers and a text. */
static inline specreg_table *flower_table(specreg_context *ctx)
{
    double *u = kit_normal(12, 36, 3);
    FILE *f = fopen(kit_temp("flowers.csv"), "w");
    fprintf(f, "a,kind,b,y\n");
    for (int64_t i = 0; i < 36; i++)
        fprintf(f, "%.17g,%s,%.17g,%s\n", u[3 * i], i % 3 ? "wild" : "garden", 100 * u[3 * i + 1],
                u[3 * i] + 0.5 * u[3 * i + 2] > 0.4     ? "rose"
                : u[3 * i + 1] + 0.5 * u[3 * i + 2] > 0 ? "tulip"
                                                        : "lily");
    fclose(f);
    free(u);
    return read_table(ctx, kit_temp("flowers.csv"));
}

#endif

/* Arrays of which some rows have no target: NaN in Y, NULL among the labels.  With N rows in all,
 * n of them with targets, the coefficients solve (K + N lambda I) alpha = (N/n) y, 0 for rows
 * without; the points of a path have them as a model has, with their rows. */
#include "numeric/oracle.h"

enum { N = 40, P = 2, CLASSES = 3 };
static const double LAMBDA = 1e-2;

typedef struct arrays {
    double *x, y[N];
    char name[N][2];
    const char *label[N];
    specreg_view X, Y;
} arrays;

/* Row i has a target unless i % 4 is 1. */
static bool is_labelled(int i)
{
    return i % 4 != 1;
}

static void fill(arrays *a)
{
    a->x = kit_normal(1, N, P);
    for (int i = 0; i < N; i++) {
        const double f = sin(2 * a->x[i * P]);
        a->name[i][0] = f < -0.3 ? 'a' : f < 0.3 ? 'b' : 'c';
        a->name[i][1] = '\0';
        a->y[i] = is_labelled(i) ? f : NAN;
        a->label[i] = is_labelled(i) ? a->name[i] : NULL;
    }
    a->X = (specreg_view){a->x, N, P, P};
    a->Y = (specreg_view){a->y, N, 1, 1};
}

static specreg_options *bare(specreg_context *ctx)
{
    return options_of(ctx, "kernel", "rbf:sigma=1", "param", "lambda=1e-2", "select", "none",
                      "scale", "none", "features", "none", "missing-targets", "unlabelled", NULL);
}

static double kernel(const double *x, const double *z)
{
    return exp(-((x[0] - z[0]) * (x[0] - z[0]) + (x[1] - z[1]) * (x[1] - z[1])) / 2);
}

/* The target of row i for output t: its number, or 1 for its class and -1 for others. */
static double target(const arrays *a, bool classes, int64_t i, int64_t t)
{
    if (!is_labelled((int)i))
        return 0;
    return classes ? (a->name[i][0] == 'a' + t ? 1 : -1) : a->y[i];
}

/* `row` says which row of the arrays each centre is. */
static void check(const arrays *a, bool classes, const specreg_view *alpha, const int64_t *row)
{
    int64_t n = 0;
    for (int i = 0; i < N; i++)
        n += is_labelled(i);
    CHECK_EQ(alpha->rows, N);
    CHECK_EQ(alpha->cols, classes ? CLASSES : 1);
    for (int64_t i = 0; i < N; i++)
        for (int64_t t = 0; t < alpha->cols; t++) {
            double sum = N * LAMBDA * alpha->data[i * alpha->ld + t];
            for (int64_t c = 0; c < N; c++)
                sum +=
                    kernel(a->x + row[i] * P, a->x + row[c] * P) * alpha->data[c * alpha->ld + t];
            CHECK_NEAR(sum, target(a, classes, row[i], t) * N / (double)n, kit_tolerance(N, 1e3));
        }
}

/* The row that has these coordinates. */
static int64_t row_of(const arrays *a, const double *z)
{
    int64_t i = 0;
    while (i < N && memcmp(a->x + i * P, z, P * sizeof *z) != 0)
        i++;
    return i;
}

typedef struct seen {
    const arrays *a;
    bool classes;
    int points;
} seen;

static int take(const specreg_path_point *point, void *payload)
{
    seen *s = payload;
    const specreg_view alpha = {point->coefficients, point->centres, point->columns,
                                point->columns};
    check(s->a, s->classes, &alpha, point->centre_rows);
    CHECK(!point->centre_outputs);
    s->points++;
    return 0;
}

TEST(unlabelled, arrays_with_gaps_are_learned_from_the_kernel_matrix_of_all_rows)
{
    arrays a;
    fill(&a);
    for (int classes = 0; classes < 2; classes++) {
        const specreg_data data = {.struct_size = sizeof data,
                                   .X = &a.X,
                                   .Y = classes ? NULL : &a.Y,
                                   .labels = classes ? a.label : NULL};
        specreg_options *o = bare(ctx);
        specreg_model *m = NULL;
        specreg_table *table = NULL;
        specreg_view z, alpha;
        int64_t row[N];
        char *record = NULL;
        CHECK_OK(ctx, specreg_fit_data(ctx, &data, o, &m));
        CHECK_OK(ctx, specreg_model_array(ctx, m, "centres", &z));
        CHECK_OK(ctx, specreg_model_array(ctx, m, "coefficients", &alpha));
        for (int64_t i = 0; i < N; i++)
            row[i] = row_of(&a, z.data + i * z.ld);
        check(&a, classes, &alpha, row);
        CHECK_OK(ctx, specreg_table_from_data(ctx, &data, &table));
        seen s = {&a, classes, 0};
        const specreg_path_request request = {.struct_size = sizeof request,
                                              .each = take,
                                              .payload = &s};
        CHECK_OK(ctx, specreg_path_solutions(ctx, table, &request, o, &record));
        CHECK_EQ(s.points, 1);
        specreg_string_free(record);
        specreg_table_free(table);
        specreg_model_free(m);
        specreg_options_free(o);
    }
    free(a.x);
}

TEST(unlabelled, arrays_with_gaps_are_refused_unless_that_is_asked_for)
{
    arrays a;
    specreg_model *m = NULL;
    fill(&a);
    const specreg_data numbers = {.struct_size = sizeof numbers, .X = &a.X, .Y = &a.Y};
    const specreg_data labels = {.struct_size = sizeof labels, .X = &a.X, .labels = a.label};
    CHECK(specreg_fit_data(ctx, &numbers, NULL, &m) != SPECREG_OK);
    CHECK(specreg_fit_data(ctx, &labels, NULL, &m) != SPECREG_OK);
    for (int i = 0; i < N; i++)
        a.y[i] = NAN;
    specreg_options *o = bare(ctx);
    CHECK(specreg_fit_data(ctx, &numbers, o, &m) != SPECREG_OK);
    CHECK(!m);
    specreg_options_free(o);
    free(a.x);
}

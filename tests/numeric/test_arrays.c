/* Arrays of the caller: room for what is written, what stands for NULL, sparse and float inputs,
 * labels, weights and groups, models in memory, and the numbers of a model. */
#include "numeric/oracle.h"

enum { N = 60, P = 3, M = 7 };

typedef struct arrays {
    double x[N * P], y[N], new_x[M * P];
    specreg_view X, Y, New;
} arrays;

static void fill(arrays *a)
{
    double *x = kit_normal(1, N + M, P), *e = kit_normal(2, N, 1);
    memcpy(a->x, x, sizeof a->x);
    memcpy(a->new_x, x + N * P, sizeof a->new_x);
    for (int i = 0; i < N; i++)
        a->y[i] = sin(a->x[i * P]) + 0.1 * e[i];
    a->X = (specreg_view){a->x, N, P, P};
    a->Y = (specreg_view){a->y, N, 1, 1};
    a->New = (specreg_view){a->new_x, M, P, P};
    free(e);
    free(x);
}

static specreg_options *plain(specreg_context *ctx)
{
    return options_of(ctx, "kernel", "rbf:sigma=1.5", "param", "lambda=1e-2", "select", "none",
                      "scale", "none", "features", "none", NULL);
}

/* ------------------------------------------------------------------ room */

/* What lies behind the array stays as it was. */
TEST(arrays, nothing_is_written_where_there_is_too_little_room)
{
    arrays a;
    double f[2 * M + 1], g[2 * M + 1];
    specreg_model *regression, *classes;
    fill(&a);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, NULL, &regression));
    for (int i = 0; i < N; i++)
        a.y[i] = a.y[i] > 0;
    specreg_options *o = options_of(ctx, "problem", "classification", NULL);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, o, &classes));
    specreg_options_free(o);
    for (int i = 0; i <= 2 * M; i++)
        f[i] = g[i] = 77;
    const struct {
        const specreg_model *m;
        int64_t needed;
    } cases[] = {{regression, M}, {classes, 2 * M}};
    for (int c = 0; c < 2; c++)
        for (int64_t room = -1; room < cases[c].needed; room++) {
            CHECK_FAILS(ctx, specreg_predict_array(ctx, cases[c].m, &a.New, NULL, f, room),
                        SPECREG_E_SHAPE, c ? "not for 7 rows of 2" : "not for 7 rows of 1");
            CHECK_EQ(c ? specreg_predict_proba_array(ctx, classes, &a.New, NULL, f, room)
                       : specreg_predict_interval_array(ctx, regression, &a.New, 0.9, NULL, f, g,
                                                        room),
                     SPECREG_E_SHAPE);
        }
    for (int i = 0; i <= 2 * M; i++)
        CHECK(f[i] == 77 && g[i] == 77);
    CHECK_OK(ctx, specreg_predict_array(ctx, classes, &a.New, NULL, f, 2 * M));
    CHECK(f[2 * M - 1] != 77 && f[2 * M] == 77);
    CHECK_OK(ctx, specreg_predict_array(ctx, regression, &a.New, NULL, g, INT64_MAX));
    CHECK(g[M - 1] != 77 && g[M] == 77);
    CHECK_FAILS(ctx,
                specreg_predict_array(ctx, regression, &(specreg_view){a.x, INT64_MAX, P, P}, NULL,
                                      g, 2 * M),
                SPECREG_E_SHAPE, "room for 14 numbers");
    specreg_model_free(classes);
    specreg_model_free(regression);
}

TEST(arrays, whole_numbers_are_a_regression_unless_asked)
{
    arrays a;
    fill(&a);
    for (int i = 0; i < N; i++)
        a.y[i] = i % 2;
    static const char *const problems[] = {NULL, "regression", "classification"};
    for (int i = 0; i < 3; i++) {
        specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=1", NULL);
        specreg_options_set(ctx, o, "problem", problems[i]);
        specreg_model *m;
        CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, o, &m));
        CHECK_EQ(specreg_model_outputs(m), i == 2 ? 2 : 1);
        CHECK_EQ(specreg_model_class(m, 0) != NULL, i == 2);
        specreg_model_free(m);
        specreg_options_free(o);
    }
}

/* ------------------------------------------------------------------ NULL */

#define REFUSED(call)                                   \
    do {                                                \
        CHECK_EQ((call), SPECREG_E_ARG);                \
        CHECK_HAS(specreg_last_error(ctx), " is NULL"); \
    } while (0)

TEST(arrays, null_is_an_invalid_argument_of_calls_on_models)
{
    arrays a;
    specreg_model *m, *none = (specreg_model *)1;
    specreg_table *t, *out = (specreg_table *)1;
    specreg_view v;
    const specreg_data data = {.struct_size = sizeof data};
    char *json;
    void *bytes;
    size_t size;
    double f[M], number;
    int32_t class[M];
    fill(&a);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, NULL, &m));
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &a.X, NULL, &a.Y, NULL, &t));
    CHECK_EQ(specreg_fit(NULL, t, NULL, &none), SPECREG_E_ARG);
    CHECK(!none); /* outputs are set even then */
    REFUSED(specreg_fit(ctx, NULL, NULL, &none));
    CHECK_HAS(specreg_last_error(ctx), "specreg_fit: train is NULL");
    REFUSED(specreg_fit(ctx, t, NULL, NULL));
    REFUSED(specreg_fit_arrays(ctx, NULL, &a.Y, NULL, &none));
    REFUSED(specreg_fit_arrays(ctx, &a.X, NULL, NULL, &none));
    REFUSED(specreg_fit_data(ctx, NULL, NULL, &none));
    REFUSED(specreg_kpca(ctx, NULL, NULL, 2, &none));
    REFUSED(specreg_model_save(ctx, NULL, "nothing.srm"));
    REFUSED(specreg_model_save(ctx, m, NULL));
    REFUSED(specreg_model_load(ctx, NULL, &none));
    REFUSED(specreg_model_to_memory(ctx, m, NULL, &size));
    REFUSED(specreg_model_to_memory(ctx, m, &bytes, NULL));
    REFUSED(specreg_model_from_memory(ctx, NULL, 8, &none));
    REFUSED(specreg_predict(ctx, NULL, t, NULL, &out));
    CHECK(!out);
    REFUSED(specreg_predict(ctx, m, NULL, NULL, &out));
    REFUSED(specreg_predict(ctx, m, t, NULL, NULL));
    REFUSED(specreg_predict_array(ctx, NULL, &a.New, NULL, f, M));
    REFUSED(specreg_predict_array(ctx, m, NULL, NULL, f, M));
    REFUSED(specreg_predict_array(ctx, m, &a.New, NULL, NULL, M));
    REFUSED(specreg_predict_part_array(ctx, m, &a.New, 0, NULL, NULL, M));
    REFUSED(specreg_predict_proba_array(ctx, m, NULL, NULL, f, M));
    REFUSED(specreg_predict_interval_array(ctx, m, &a.New, 0.9, NULL, f, NULL, M));
    REFUSED(specreg_predict_data(ctx, m, NULL, NULL, f, M));
    REFUSED(specreg_predict_classes(ctx, m, &data, NULL, NULL, M));
    REFUSED(specreg_predict_classes(ctx, NULL, &data, NULL, class, M));
    REFUSED(specreg_model_array(ctx, m, NULL, &v));
    REFUSED(specreg_model_array(ctx, m, "centres", NULL));
    REFUSED(specreg_model_number(ctx, m, NULL, &number));
    REFUSED(specreg_model_record(ctx, NULL, &json));
    REFUSED(specreg_evaluate(ctx, m, NULL, NULL, &json));
    REFUSED(specreg_path(ctx, NULL, NULL, NULL, &json));
    REFUSED(specreg_cv(ctx, NULL, NULL, &json));
    REFUSED(specreg_cv(ctx, t, NULL, NULL));
    REFUSED(specreg_spectrum(ctx, NULL, NULL, &json));
    REFUSED(specreg_plan(ctx, NULL, NULL, &json));
    REFUSED(specreg_grid_table(ctx, m, NULL, &out));
    REFUSED(specreg_kpca_apply(ctx, NULL, t, NULL, &out, NULL));
    specreg_table_free(t);
    specreg_model_free(m);
}

TEST(arrays, null_is_an_invalid_argument_of_calls_on_data)
{
    const int64_t rows[] = {0};
    arrays a;
    specreg_options *o = NULL;
    specreg_table *t, *out;
    specreg_vocabulary *v;
    specreg_topics *topics;
    const char *kind;
    char *json;
    fill(&a);
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &a.X, NULL, &a.Y, NULL, &t));
    CHECK_EQ(specreg_context_new(NULL), SPECREG_E_ARG);
    CHECK_EQ(specreg_options_new(NULL, &o), SPECREG_E_ARG);
    REFUSED(specreg_options_new(ctx, NULL));
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    REFUSED(specreg_options_set(ctx, NULL, "kernel", "rbf"));
    REFUSED(specreg_options_set(ctx, o, NULL, "rbf"));
    REFUSED(specreg_table_read(ctx, NULL, NULL, &out));
    REFUSED(specreg_table_write(ctx, NULL, "nothing.csv"));
    REFUSED(specreg_table_write(ctx, t, NULL));
    REFUSED(specreg_text_write(ctx, NULL, "nothing.txt"));
    REFUSED(specreg_table_from_arrays(ctx, NULL, NULL, &a.Y, NULL, &out));
    REFUSED(specreg_table_from_data(ctx, NULL, &out));
    REFUSED(specreg_table_select(ctx, NULL, rows, 1, &out));
    CHECK_EQ(specreg_table_select(ctx, t, NULL, 1, &out), SPECREG_E_ARG);
    REFUSED(specreg_table_insert_text(ctx, t, 0, "name", NULL));
    REFUSED(specreg_table_record(ctx, NULL, NULL, &json));
    REFUSED(specreg_table_read_for(ctx, NULL, "nothing.csv", NULL, &out));
    REFUSED(specreg_vocabulary_learn(ctx, NULL, NULL, &v));
    REFUSED(specreg_vocabulary_apply(ctx, NULL, t, NULL, &out, NULL));
    REFUSED(specreg_vocabulary_save(ctx, NULL, "nothing.txt"));
    REFUSED(specreg_vocabulary_load(ctx, NULL, &v));
    REFUSED(specreg_topics_learn(ctx, NULL, NULL, &topics));
    REFUSED(specreg_topics_apply(ctx, NULL, t, NULL, &out, NULL));
    REFUSED(specreg_topics_save(ctx, NULL, "nothing.txt"));
    REFUSED(specreg_topics_load(ctx, NULL, &topics));
    REFUSED(specreg_features_kind(ctx, NULL, &kind));
    REFUSED(specreg_register_kernel(ctx, NULL));
    REFUSED(specreg_register_filter(ctx, NULL));
    REFUSED(specreg_register_map(ctx, NULL));
    specreg_options_free(o);
    specreg_table_free(t);
}

TEST(arrays, calls_without_a_status_take_null_for_nothing)
{
    CHECK_EQ(specreg_table_rows(NULL) + specreg_table_cols(NULL) + specreg_model_outputs(NULL) +
                 specreg_model_inputs(NULL) + specreg_model_parts(NULL) +
                 specreg_vocabulary_size(NULL) + specreg_topics_count(NULL) +
                 specreg_table_is_text(NULL, 0) + specreg_is_model_file(NULL),
             0);
    CHECK(!specreg_table_name(NULL, 0) && !specreg_table_text(NULL, 0, 0) &&
          !specreg_model_class(NULL, 0) && !specreg_model_part(NULL, 0) &&
          !specreg_model_vocabulary(NULL) && !specreg_vocabulary_word(NULL, 0) &&
          !specreg_topics_vocabulary(NULL) && !specreg_options_get(NULL, NULL) &&
          !specreg_rule_title(NULL) && !specreg_criterion_title(NULL));
    CHECK(isnan(specreg_table_number(NULL, 0, 0)) && isnan(specreg_topics_share(NULL, 0)));
    CHECK_EQ(specreg_topics_word(NULL, 0, 0, NULL, NULL), -1);
    specreg_set_progress(NULL, NULL, NULL);
    specreg_set_log(NULL, NULL, NULL);
    specreg_bytes_free(NULL);
}

/* ------------------------------------------------------------------ other inputs */

/* Half of the entries are 0, and all are halves: floats have them exactly. */
static void halves(arrays *a)
{
    for (int i = 0; i < N * P; i++)
        a->x[i] = i % 2 ? 0 : rint(2 * a->x[i]) / 2;
    for (int i = 0; i < M * P; i++)
        a->new_x[i] = i % 2 ? 0 : rint(2 * a->new_x[i]) / 2;
}

typedef struct csr {
    double value[N * P];
    int32_t index[N * P];
    int64_t start[N + 1];
    specreg_csr_view view;
} csr;

static void to_csr(const double *x, int64_t rows, csr *s)
{
    int64_t k = 0;
    for (int64_t i = 0; i < rows; i++) {
        s->start[i] = k;
        for (int32_t j = 0; j < P; j++)
            if (x[i * P + j] != 0) {
                s->value[k] = x[i * P + j];
                s->index[k++] = j;
            }
    }
    s->start[rows] = k;
    s->view = (specreg_csr_view){s->value, s->start, s->index, rows, P};
}

static void predict_as(specreg_context *ctx, const specreg_data *train, const specreg_data *later,
                       double *f)
{
    specreg_options *o = plain(ctx);
    specreg_model *m;
    CHECK_OK(ctx, specreg_fit_data(ctx, train, o, &m));
    CHECK_EQ(specreg_model_inputs(m), P);
    CHECK_OK(ctx, specreg_predict_data(ctx, m, later, NULL, f, M));
    specreg_model_free(m);
    specreg_options_free(o);
}

TEST(arrays, floats_and_sparse_rows_give_the_model_of_the_same_doubles)
{
    arrays a;
    csr s, new_s;
    float x[N][P + 1], new_x[M][P];
    double f[M], g[M];
    fill(&a);
    halves(&a);
    to_csr(a.x, N, &s);
    to_csr(a.new_x, M, &new_s);
    for (int i = 0; i < N * P; i++)
        x[i / P][i % P] = (float)a.x[i];
    for (int i = 0; i < M * P; i++)
        new_x[i / P][i % P] = (float)a.new_x[i];
    const specreg_float_view X = {x[0], N, P, P + 1}, New = {new_x[0], M, P, P};
    const specreg_data doubles = {sizeof doubles, .X = &a.X, .Y = &a.Y},
                       floats = {sizeof floats, .X_float = &X, .Y = &a.Y},
                       sparse = {sizeof sparse, .X_csr = &s.view, .Y = &a.Y},
                       new_doubles = {sizeof new_doubles, .X = &a.New},
                       new_floats = {sizeof new_floats, .X_float = &New},
                       new_sparse = {sizeof new_sparse, .X_csr = &new_s.view};
    predict_as(ctx, &doubles, &new_doubles, f);
    predict_as(ctx, &floats, &new_floats, g);
    for (int i = 0; i < M; i++)
        CHECK_SAME(g[i], f[i]);
    predict_as(ctx, &sparse, &new_sparse, g);
    CHECK_ARRAY_NEAR(g, f, M, kit_tolerance(N, 1e2));
}

/* The same doubles by columns, backwards, and as floats by columns that begin at an odd address. */
TEST(arrays, any_layout_gives_the_model_of_the_same_rows)
{
    arrays a;
    static double columns[P][N];
    static char odd[1 + sizeof(float) * N * P];
    double f[M], g[M];
    fill(&a);
    halves(&a);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < P; j++) {
            const float single = (float)a.x[i * P + j];
            columns[j][N - 1 - i] = a.x[i * P + j];
            memcpy(odd + 1 + sizeof single * (size_t)(j * N + i), &single, sizeof single);
        }
    const specreg_strided_view layouts[] = {{&columns[0][N - 1], N, P, -(int64_t)sizeof(double),
                                             N * sizeof(double), 0},
                                            {odd + 1, N, P, sizeof(float), N * sizeof(float), 1}};
    const specreg_data rows = {sizeof rows, .X = &a.X, .Y = &a.Y},
                       new_rows = {sizeof new_rows, .X = &a.New};
    predict_as(ctx, &rows, &new_rows, f);
    for (int k = 0; k < 2; k++) {
        const specreg_data data = {sizeof data, .X_strided = &layouts[k], .Y = &a.Y};
        predict_as(ctx, &data, &new_rows, g);
        for (int i = 0; i < M; i++)
            CHECK_SAME(g[i], f[i]);
    }
}

/* Against the calls for plain arrays; sparse rows have the same model to rounding only. */
TEST(arrays, probabilities_and_intervals_of_any_layout)
{
    arrays a;
    double proba[2 * M], same_proba[2 * M], ends[2 * M], lower[M], upper[M];
    specreg_model *regression, *classes;
    fill(&a);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, NULL, &regression));
    for (int i = 0; i < N; i++)
        a.y[i] = a.y[i] > 0;
    specreg_options *o = options_of(ctx, "problem", "classification", "interval", "0.8", NULL);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, o, &classes));
    const specreg_strided_view X = {a.new_x, M, P, P * sizeof(double), sizeof(double), 0};
    const specreg_data data = {sizeof data, .X_strided = &X};
    CHECK_OK(ctx, specreg_predict_proba_array(ctx, classes, &a.New, NULL, proba, 2 * M));
    CHECK_OK(ctx, specreg_predict_proba_data(ctx, classes, &data, NULL, same_proba, 2 * M));
    CHECK_OK(ctx,
             specreg_predict_interval_array(ctx, regression, &a.New, 0.8, NULL, lower, upper, M));
    CHECK_OK(ctx, specreg_predict_interval_data(ctx, regression, &data, o, ends, 2 * M));
    for (int i = 0; i < M; i++) {
        CHECK_SAME(same_proba[2 * i], proba[2 * i]);
        CHECK_SAME(ends[i], lower[i]);
        CHECK_SAME(ends[M + i], upper[i]);
    }
    CHECK_FAILS(ctx, specreg_predict_interval_data(ctx, regression, &data, o, ends, 2 * M - 1),
                SPECREG_E_SHAPE, "room for");
    CHECK_FAILS(ctx, specreg_predict_interval_data(ctx, regression, &data, NULL, ends, 2 * M),
                SPECREG_E_ARG, "between 0 and 1");
    specreg_options_free(o);
    specreg_model_free(classes);
    specreg_model_free(regression);
}

TEST(arrays, the_numbers_of_a_table_come_back_in_one_call)
{
    arrays a;
    specreg_table *t;
    double back[N * P];
    fill(&a);
    const specreg_data data = {sizeof data, .X = &a.X, .Y = &a.Y};
    CHECK_OK(ctx, specreg_table_from_data(ctx, &data, &t));
    CHECK_OK(ctx, specreg_table_numbers(ctx, t, 1, P - 1, back, N * P));
    for (int i = 0; i < N; i++)
        for (int j = 1; j < P; j++)
            CHECK_SAME(back[i * (P - 1) + j - 1], a.x[i * P + j]);
    CHECK_FAILS(ctx, specreg_table_numbers(ctx, t, 1, P + 1, back, N * P), SPECREG_E_SHAPE,
                "no columns");
    CHECK_FAILS(ctx, specreg_table_numbers(ctx, t, 0, 1, back, N - 1), SPECREG_E_SHAPE, "room for");
    specreg_table_free(t);
}

TEST(arrays, sparse_rows_that_cannot_be_are_refused)
{
    arrays a;
    csr s;
    specreg_table *t;
    fill(&a);
    halves(&a);
    for (int bad = 0; bad < 6; bad++) {
        to_csr(a.x, N, &s);
        switch (bad) {
        case 0:
            s.start[0] = 1;
            break;
        case 1:
            s.start[3] = s.start[2] - 1;
            break;
        case 2:
            s.index[0] = P;
            break;
        case 3:
            s.index[1] = s.index[0] = 0;
            break;
        case 4:
            s.value[4] = NAN;
            break;
        case 5:
            s.view.value = NULL;
            break;
        }
        const specreg_data data = {sizeof data, .X_csr = &s.view};
        CHECK_FAILS(ctx, specreg_table_from_data(ctx, &data, &t), SPECREG_E_ARG, "X_csr: ");
        CHECK(!t);
    }
    specreg_data data = {0, .X = &a.X};
    CHECK_FAILS(ctx, specreg_table_from_data(ctx, &data, &t), SPECREG_E_ARG, "struct_size");
    data = (specreg_data){sizeof data, .X = &a.X, .X_csr = &s.view};
    CHECK_FAILS(ctx, specreg_table_from_data(ctx, &data, &t), SPECREG_E_ARG, "one of X, X_float");
}

/* ------------------------------------------------------------------ labels, weights, groups */

TEST(arrays, labels_are_the_classes)
{
    arrays a;
    const char *labels[N], *const names[] = {"north", "south"};
    int32_t said[M];
    double scores[2 * M];
    fill(&a);
    for (int i = 0; i < N; i++)
        labels[i] = names[a.x[i * P] < 0];
    const specreg_data train = {sizeof train, .X = &a.X, .labels = labels},
                       later = {sizeof later, .X = &a.New};
    specreg_model *m;
    specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=2", NULL);
    CHECK_OK(ctx, specreg_fit_data(ctx, &train, o, &m));
    CHECK_STR(specreg_model_class(m, 0), "north");
    CHECK_STR(specreg_model_class(m, 1), "south");
    CHECK_OK(ctx, specreg_predict_classes(ctx, m, &later, NULL, said, M));
    CHECK_OK(ctx, specreg_predict_data(ctx, m, &later, NULL, scores, 2 * M));
    for (int i = 0; i < M; i++) {
        CHECK_EQ(said[i], scores[2 * i + 1] > scores[2 * i]);
        if (fabs(a.new_x[i * P]) > 0.5)
            CHECK_EQ(said[i], a.new_x[i * P] < 0);
    }
    CHECK_FAILS(ctx, specreg_predict_classes(ctx, m, &later, NULL, said, M - 1), SPECREG_E_SHAPE,
                "room for 6");
    specreg_model_free(m);
    specreg_options_free(o);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, NULL, &m));
    CHECK_FAILS(ctx, specreg_predict_classes(ctx, m, &later, NULL, said, M), SPECREG_E_UNAVAILABLE,
                "regression");
    specreg_model_free(m);
}

/* A weight of 2 counts like two equal rows. */
TEST(arrays, weights_count_rows)
{
    arrays a;
    double weights[N], f[M], g[M], *x = malloc(2 * sizeof a.x), *y = malloc(2 * sizeof a.y);
    int64_t rows = 0;
    fill(&a);
    for (int i = 0; i < N; i++) {
        weights[i] = 1 + i % 2;
        for (int k = 0; k <= i % 2; k++, rows++) {
            memcpy(x + rows * P, a.x + i * P, P * sizeof *x);
            y[rows] = a.y[i];
        }
    }
    const specreg_view X = {x, rows, P, P}, Y = {y, rows, 1, 1};
    const specreg_data weighted = {sizeof weighted, .X = &a.X, .Y = &a.Y, .weights = weights},
                       repeated = {sizeof repeated, .X = &X, .Y = &Y},
                       later = {sizeof later, .X = &a.New};
    predict_as(ctx, &weighted, &later, f);
    predict_as(ctx, &repeated, &later, g);
    CHECK_ARRAY_NEAR(f, g, M, kit_tolerance(2 * N, 1e2));
    free(y);
    free(x);
}

/* The same search as over a table whose columns options name. */
TEST(arrays, groups_stay_together)
{
    arrays a;
    int64_t groups[N];
    double value[2], without;
    specreg_model *m;
    specreg_table *t;
    fill(&a);
    for (int i = 0; i < N; i++) {
        groups[i] = i / 10 - 2;
        a.y[i] += (double)groups[i];
    }
    const specreg_data data = {sizeof data, .X = &a.X, .Y = &a.Y, .groups = groups};
    specreg_options *o = options_of(ctx, "kernel", "rbf:sigma=1", "select", "kfold:k=3", NULL);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, o, &m));
    CHECK_OK(ctx, specreg_model_number(ctx, m, "selection.value", &without));
    specreg_model_free(m);
    CHECK_OK(ctx, specreg_fit_data(ctx, &data, o, &m));
    CHECK_OK(ctx, specreg_model_number(ctx, m, "selection.value", &value[0]));
    specreg_model_free(m);
    CHECK_OK(ctx, specreg_table_from_data(ctx, &data, &t));
    CHECK_STR(specreg_table_name(t, P + 1), "group");
    specreg_options_set(ctx, o, "group", "group");
    specreg_options_set(ctx, o, "target", "y");
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &m));
    CHECK_OK(ctx, specreg_model_number(ctx, m, "selection.value", &value[1]));
    CHECK_SAME(value[0], value[1]);
    CHECK(value[0] != without);
    specreg_model_free(m);
    specreg_table_free(t);
    specreg_options_free(o);
}

/* ------------------------------------------------------------------ models */

TEST(arrays, a_model_in_memory_is_the_file)
{
    arrays a;
    specreg_model *m, *again;
    void *bytes;
    size_t size;
    double f[M], g[M];
    fill(&a);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, NULL, &m));
    CHECK_OK(ctx, specreg_model_to_memory(ctx, m, &bytes, &size));
    CHECK_OK(ctx, specreg_model_save(ctx, m, kit_temp("m.srm")));
    char *file = malloc(size + 1);
    FILE *stream = fopen(kit_temp("m.srm"), "rb");
    CHECK_EQ(fread(file, 1, size + 1, stream), size);
    fclose(stream);
    CHECK(memcmp(file, bytes, size) == 0);
    CHECK_OK(ctx, specreg_model_from_memory(ctx, bytes, size, &again));
    CHECK_OK(ctx, specreg_predict_array(ctx, m, &a.New, NULL, f, M));
    CHECK_OK(ctx, specreg_predict_array(ctx, again, &a.New, NULL, g, M));
    for (int i = 0; i < M; i++)
        CHECK_SAME(g[i], f[i]);
    specreg_model_free(again);
    for (size_t cut = 0; cut < size; cut += cut < 64 ? 1 : 997) {
        CHECK_FAILS(ctx, specreg_model_from_memory(ctx, bytes, cut, &again), SPECREG_E_FORMAT,
                    "memory");
        CHECK(!again);
    }
    file[size - 3] ^= 1;
    CHECK_FAILS(ctx, specreg_model_from_memory(ctx, file, size, &again), SPECREG_E_FORMAT,
                "checksum");
    free(file);
    specreg_bytes_free(bytes);
    specreg_model_free(m);
}

/* f(x) by hand from centres and coefficients; K + n lambda I times them is y. */
TEST(arrays, centres_and_coefficients_are_those_of_the_formula)
{
    arrays a;
    specreg_model *m;
    specreg_view z, alpha, none;
    double f[M], sigma, lambda;
    fill(&a);
    specreg_options *o = plain(ctx);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, o, &m));
    CHECK_OK(ctx, specreg_model_array(ctx, m, "centres", &z));
    CHECK_OK(ctx, specreg_model_array(ctx, m, "coefficients", &alpha));
    CHECK_OK(ctx, specreg_model_number(ctx, m, "kernel.sigma", &sigma));
    CHECK_OK(ctx, specreg_model_number(ctx, m, "filter.lambda", &lambda));
    CHECK_SAME(sigma, 1.5);
    CHECK_SAME(lambda, 1e-2);
    CHECK(z.rows == N && z.cols == P && alpha.rows == N && alpha.cols == 1);
    CHECK_OK(ctx, specreg_predict_array(ctx, m, &a.New, NULL, f, M));
    for (int i = -N; i < M; i++) { /* training rows, then new ones */
        const double *x = i < 0 ? a.x + (i + N) * P : a.new_x + i * P;
        double sum = i < 0 ? N * lambda * alpha.data[i + N] : 0;
        for (int c = 0; c < N; c++) {
            double d2 = 0;
            for (int j = 0; j < P; j++)
                d2 += (x[j] - z.data[c * z.ld + j]) * (x[j] - z.data[c * z.ld + j]);
            sum += exp(-d2 / (2 * sigma * sigma)) * alpha.data[c * alpha.ld];
        }
        CHECK_NEAR(sum, i < 0 ? a.y[i + N] : f[i], kit_tolerance(N, 1e2));
    }
    CHECK_FAILS(ctx, specreg_model_array(ctx, m, "slopes", &none), SPECREG_E_UNAVAILABLE,
                "has no slopes");
    CHECK_FAILS(ctx, specreg_model_array(ctx, m, "center", &none), SPECREG_E_ARG, "centres");
    CHECK_FAILS(ctx, specreg_model_number(ctx, m, "kernel.name", &sigma), SPECREG_E_ARG,
                "no number 'kernel.name'");
    CHECK_FAILS(ctx, specreg_model_number(ctx, m, "filter.lambda.x", &sigma), SPECREG_E_ARG,
                "no number");
    specreg_model_free(m);
    specreg_options_free(o);
}

TEST(arrays, slopes_and_features_are_those_of_the_formula)
{
    arrays a;
    specreg_model *m;
    specreg_view slopes, beta, none;
    double f[M];
    fill(&a);
    specreg_options *o = options_of(ctx, "kernel", "linear", "param", "lambda=1e-3", "scale",
                                    "none", "features", "constant", NULL);
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, o, &m));
    CHECK_OK(ctx, specreg_model_array(ctx, m, "slopes", &slopes));
    CHECK_OK(ctx, specreg_model_array(ctx, m, "features", &beta));
    CHECK(slopes.rows == P && slopes.cols == 1 && beta.rows == 1 && beta.cols == 1);
    CHECK_OK(ctx, specreg_predict_array(ctx, m, &a.New, NULL, f, M));
    for (int i = 0; i < M; i++) {
        double sum = beta.data[0];
        for (int j = 0; j < P; j++)
            sum += slopes.data[j] * a.new_x[i * P + j];
        CHECK_NEAR(sum, f[i], kit_tolerance(P, 1e2));
    }
    if (specreg_model_array(ctx, m, "centres", &none) != SPECREG_OK)
        CHECK_HAS(specreg_last_error(ctx), "has no centres");
    specreg_model_free(m);
    specreg_options_free(o);
}

/* ------------------------------------------------------------------ kernels in blocks */

static double gauss(const double *x, const double *z, int64_t p, const double *params,
                    void *payload)
{
    (void)payload;
    double d2 = 0;
    for (int64_t j = 0; j < p; j++)
        d2 += (x[j] - z[j]) * (x[j] - z[j]);
    return exp(-d2 / (2 * params[0] * params[0]));
}

static void gauss_block(const specreg_kernel_block *b, const double *params, void *payload)
{
    for (int64_t i = 0; i < b->m; i++)
        for (int64_t j = 0; j < b->n; j++)
            b->K[i * b->ld + j] = gauss(b->X + i * b->p, b->Z + j * b->p, b->p, params, payload);
    if (b->m > 1 && b->n > 1)
        *(_Atomic int *)payload += 1;
}

TEST(arrays, a_kernel_in_blocks_is_the_kernel_of_pairs)
{
    static const specreg_param_def params[] = {{"width", 1}};
    arrays a;
    _Atomic int blocks = 0;
    double f[M], g[M];
    specreg_model *m;
    fill(&a);
    const specreg_kernel_def each = {sizeof each, "pairs", gauss, params, 1, NULL, NULL},
                             block = {sizeof block,    "blocks",   NULL, params, 1,
                                      (void *)&blocks, gauss_block},
                             none = {sizeof none, "nothing", NULL, params, 1, NULL, NULL};
    CHECK_OK(ctx, specreg_register_kernel(ctx, &each));
    CHECK_OK(ctx, specreg_register_kernel(ctx, &block));
    CHECK_FAILS(ctx, specreg_register_kernel(ctx, &none), SPECREG_E_ARG, "eval and block");
    static const char *const engines[] = {"eig", "cholesky", "krylov", "iterate"};
    for (int e = 0; e < 4; e++)
        for (int k = 0; k < 2; k++) {
            specreg_options *o =
                options_of(ctx, "kernel", k ? "blocks:width=1.5" : "pairs:width=1.5", "engine",
                           engines[e], "filter", e == 3 ? "landweber" : "tikhonov", "param",
                           e == 3 ? "t=20" : "lambda=1e-2", "select", "none", NULL);
            CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, o, &m));
            CHECK_OK(ctx, specreg_predict_array(ctx, m, &a.New, NULL, k ? g : f, M));
            specreg_model_free(m);
            specreg_options_free(o);
            for (int i = 0; k && i < M; i++)
                CHECK_SAME(g[i], f[i]);
        }
    CHECK(blocks > 0);
}

/* ------------------------------------------------------------------ progress */

static int never_below_zero(const specreg_progress *p, void *payload)
{
    int *calls = payload;
    CHECK(p->stage && p->step >= 0 && p->step <= p->steps && p->seconds >= 0);
    ++*calls;
    return 0;
}

TEST(arrays, steps_of_progress_lie_between_0_and_all)
{
    arrays a;
    specreg_model *m;
    int calls = 0;
    fill(&a);
    specreg_set_progress(ctx, never_below_zero, &calls);
    static const char *const filters[] = {"tikhonov", "nu", "tsvd", "cg"};
    for (int i = 0; i < 4; i++) {
        specreg_options *o = options_of(ctx, "filter", filters[i], NULL);
        CHECK_OK(ctx, specreg_fit_arrays(ctx, &a.X, &a.Y, o, &m));
        specreg_model_free(m);
        specreg_options_free(o);
    }
    specreg_set_progress(ctx, NULL, NULL);
    CHECK(calls > 4);
}

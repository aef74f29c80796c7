/* Models of linear kernels, of dense and of sparse data: slopes instead of centres, and what a file
 * brings back. */
#include "numeric/models.h"

#include "kernel/linear_map.h"
#include "record/container.h"
#include "model/model.h"

/* Three sparse columns, 1, 5 and 9, of which 5 is 0 in every second row; without y: labels of 0. */
static specreg_table *sparse_table(specreg_context *ctx, const char *name, const double *X,
                                   int64_t n, const double *y, bool classes)
{
    FILE *f = fopen(kit_temp(name), "w");
    for (int64_t i = 0; i < n; i++) {
        if (classes)
            fprintf(f, "%s", y[i] > 0 ? "plus" : "minus");
        else
            fprintf(f, "%.17g", y[i]);
        fprintf(f, " 1:%.17g", X[i * P]);
        if (i % 2)
            fprintf(f, " 5:%.17g", X[i * P + 1]);
        fprintf(f, " 9:%.17g\n", X[i * P + 2]);
    }
    fclose(f);
    return read_table(ctx, kit_temp(name));
}

static void linear_data(double **X, double **y)
{
    *X = kit_normal(3, N, P);
    *y = malloc(N * sizeof **y);
    double *e = kit_normal(4, N, 1);
    for (int i = 0; i < N; i++) {
        if (i % 2 == 0)
            (*X)[i * P + 1] = 0;
        (*y)[i] = (*X)[i * P] - 2 * (*X)[i * P + 1] + 0.5 * e[i];
    }
    free(e);
}

static specreg_model *linear_fit(specreg_context *ctx, const specreg_table *train)
{
    specreg_options *o = options_of(ctx, "kernel", "0.5*linear + 0.25*linear", "param",
                                    "lambda=0.01", "select", "none", "scale", "none", NULL);
    specreg_model *model = fitted(ctx, train, o);
    specreg_options_free(o);
    return model;
}

TEST(linear, slopes_predict_what_the_centres_do)
{
    double *X, *y;
    linear_data(&X, &y);
    for (int sparse = 0; sparse < 2; sparse++) {
        specreg_table *train = sparse ? sparse_table(ctx, "s.libsvm", X, N, y, false)
                                      : named_table(ctx, "d.csv", X, N, P, y);
        specreg_model *model = linear_fit(ctx, train), *again;
        const sri_storage stored = sparse ? SRI_STORED_SPARSE : SRI_STORED_DENSE;
        CHECK(model->expansion.slope && model->expansion.points->n == N &&
              model->expansion.points->stored == stored);
        CHECK_EQ(model->expansion.slopes, P);
        specreg_table *out = predicted(ctx, model, train);
        double *got = numbers_of(out), expected[N], size = 0;
        for (int i = 0; i < N; i++) {
            expected[i] = 0;
            for (int k = 0; k < N; k++) {
                const double dot =
                    X[i * P] * X[k * P] + X[i * P + 1] * X[k * P + 1] + X[i * P + 2] * X[k * P + 2];
                expected[i] += 0.75 * dot * model->expansion.alpha[k];
                size = fmax(size, fabs(0.75 * dot * model->expansion.alpha[k]));
            }
        }
        CHECK_WORST("slopes", kit_distance(got, expected, N), kit_tolerance(N, N * size));
        CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("m.srm")));
        CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("m.srm"), &again));
        specreg_table *twice = predicted(ctx, again, train);
        double *same = numbers_of(twice);
        CHECK(memcmp(got, same, sizeof expected) == 0);
        free(same);
        specreg_table_free(twice);
        specreg_model_free(again);
        free(got);
        specreg_table_free(out);
        specreg_model_free(model);
        specreg_table_free(train);
    }
    free(y);
    free(X);
}

TEST(linear, a_classification_keeps_slopes_alone)
{
    double *X, *y;
    linear_data(&X, &y);
    specreg_table *train = sparse_table(ctx, "c.libsvm", X, N, y, true);
    specreg_model *model = linear_fit(ctx, train), *again;
    CHECK(model->expansion.slope && !model->expansion.alpha && !model->expansion.points);
    CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("c.srm")));
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("c.srm"), &again));
    CHECK_EQ(again->expansion.slopes, model->expansion.slopes);
    CHECK(memcmp(again->expansion.slope, model->expansion.slope,
                 (size_t)(again->expansion.slopes * again->T) * 8) == 0);
    CHECK(memcmp(again->expansion.slope_column, model->expansion.slope_column,
                 (size_t)again->expansion.slopes * 4) == 0);
    specreg_model_free(again);
    specreg_model_free(model);
    specreg_table_free(train);
    free(y);
    free(X);
}

/* ------------------------------------------------------------------- files made by others */

/* The model file m.srm with one number of one tensor changed, as tampered.srm. */
static const char *tamper(specreg_context *ctx, const char *name, int64_t at, double value)
{
    sri_container c;
    sri_tensor tensor[10];
    double *data[10];
    int count = 0;
    CHECK_OK(ctx, sri_container_read(ctx, kit_temp("m.srm"), &c));
    for (int64_t i = 0; i < c.tensors; i++) {
        const char *key = c.tensor[i].name;
        sri_tensor *t = &tensor[count];
        CHECK_OK(ctx, sri_container_tensor(ctx, &c, key, &data[count], &t->rows, &t->cols));
        if (strcmp(key, name) == 0)
            data[count][at] = value;
        t->name = key;
        t->data = data[count++];
    }
    CHECK_OK(ctx, sri_container_write(ctx, kit_temp("tampered.srm"), &c.metadata, tensor, count));
    while (count)
        free(data[--count]);
    sri_container_free(&c);
    return kit_temp("tampered.srm");
}

TEST(linear, files_that_cannot_be_are_refused)
{
    static const struct {
        const char *tensor;
        int64_t at;
        double value;
    } wrong[] = {
        {"slope_column", 0, 4},  {"slope_column", 0, 0.5}, {"slope_column", 2, 9},
        {"slope_column", 1, -1}, {"slope_column", 1, NAN}, {"centre_column", 0, 1e9},
        {"centre_column", 1, 0}, {"centre_start", 0, 1},   {"centre_start", 1, 1e6},
        {"centre_start", 2, 1},  {"centre_start", N, 3},   {"centre_start", 3, NAN},
    };
    double *X, *y;
    linear_data(&X, &y);
    specreg_table *train = sparse_table(ctx, "s.libsvm", X, N, y, false);
    specreg_model *model = linear_fit(ctx, train), *none;
    CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("m.srm")));
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        CHECK_FAILS(ctx,
                    specreg_model_load(ctx,
                                       tamper(ctx, wrong[k].tensor, wrong[k].at, wrong[k].value),
                                       &none),
                    SPECREG_E_FORMAT,
                    isnan(wrong[k].value) ? "not a finite number" : "not as it should be");
    specreg_model_free(model);
    specreg_table_free(train);
    free(y);
    free(X);
}

/* ------------------------------------------------------------------- primal */

/* Against the normal equations of the other rows, (X'X + n lambda I) w = X'y, by elimination. */
TEST(linear, leave_one_out_of_primal_is_that_of_fits_without_the_row)
{
    specreg_options *o = options_of(ctx, "kernel", "linear", "param", "lambda=0.02", "select",
                                    "loo", "scale", "none", "engine", "primal", NULL);
    double *X, *y, sum = 0;
    linear_data(&X, &y);
    specreg_table *train = named_table(ctx, "d.csv", X, N, P, y);
    specreg_model *model = fitted(ctx, train, o);
    json_t *record = record_of(ctx, model);
    CHECK_STR(text_at(record, "engine"), "primal");
    specreg_options_free(o);
    for (int i = 0; i < N; i++) {
        double x[N * P], t[N];
        int m = 0;
        for (int k = 0; k < N; k++)
            if (k != i) {
                memcpy(x + m * P, X + k * P, sizeof(double) * P);
                t[m++] = y[k];
            }
        double slope[P] = {0}, A[P * P] = {0}, r = y[i];
        for (int k = 0; k < m; k++)
            for (int a = 0; a < P; a++) {
                slope[a] += x[k * P + a] * t[k];
                for (int b = 0; b < P; b++)
                    A[a * P + b] += x[k * P + a] * x[k * P + b];
            }
        for (int a = 0; a < P; a++)
            A[a * P + a] += N * 0.02;
        for (int a = 0; a < P; a++) /* Gauss, on a definite matrix */
            for (int b = a + 1; b < P; b++) {
                const double q = A[b * P + a] / A[a * P + a];
                for (int c = a; c < P; c++)
                    A[b * P + c] -= q * A[a * P + c];
                slope[b] -= q * slope[a];
            }
        for (int a = P - 1; a >= 0; a--) {
            for (int b = a + 1; b < P; b++)
                slope[a] -= A[a * P + b] * slope[b];
            slope[a] /= A[a * P + a];
            r -= slope[a] * X[i * P + a];
        }
        sum += r * r / N;
    }
    CHECK_NEAR(number_at(record, "selection.value"), sum, kit_tolerance(N, 1e3));
    json_decref(record);
    specreg_model_free(model);
    specreg_table_free(train);
    free(y);
    free(X);
}

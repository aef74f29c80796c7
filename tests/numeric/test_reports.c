/* A report is for people: without it a model predicts the same bytes, and says as much about
 * them. */
#include "numeric/models.h"

#include "record/container.h"

enum { MOST_TENSORS = 16 };

/* The model file `from` without its report. */
static void take_report_out(specreg_context *ctx, const char *from, const char *to)
{
    sri_container c;
    sri_tensor tensor[MOST_TENSORS];
    double *data[MOST_TENSORS];
    CHECK_OK(ctx, sri_container_read(ctx, from, &c));
    CHECK(c.tensors <= MOST_TENSORS && sri_metadata_get(&c.metadata, "record"));
    for (int64_t i = 0; i < c.tensors; i++) {
        sri_tensor *t = &tensor[i];
        t->name = c.tensor[i].name;
        CHECK_OK(ctx, sri_container_tensor(ctx, &c, t->name, &data[i], &t->rows, &t->cols));
        t->data = data[i];
    }
    CHECK_OK(ctx, sri_metadata_set(ctx, &c.metadata, "record", NULL));
    CHECK_OK(ctx, sri_container_write(ctx, to, &c.metadata, tensor, (int)c.tensors));
    for (int64_t i = 0; i < c.tensors; i++)
        free(data[i]);
    sri_container_free(&c);
}

/* The model through a file without its report. */
static specreg_model *without_report(specreg_context *ctx, const specreg_model *model)
{
    specreg_model *out;
    CHECK_OK(ctx, specreg_model_save(ctx, model, kit_temp("with.srm")));
    take_report_out(ctx, kit_temp("with.srm"), kit_temp("without.srm"));
    CHECK_OK(ctx, specreg_model_load(ctx, kit_temp("without.srm"), &out));
    return out;
}

/* Predictions with what the options add to them; both models refuse what one refuses. */
static void check_same(specreg_context *ctx, const specreg_model *a, const specreg_model *b,
                       const specreg_table *t, const char *option, const char *value)
{
    specreg_options *o = options_of(ctx, option, value, NULL);
    specreg_table *x, *y;
    const specreg_status st = specreg_predict(ctx, a, t, o, &x);
    CHECK_EQ(specreg_predict(ctx, b, t, o, &y), st);
    if (st == SPECREG_OK)
        check_same_table(x, y);
    specreg_table_free(y);
    specreg_table_free(x);
    specreg_options_free(o);
}

/* All that a prediction can have, and the errors of eval. */
static void check_model(specreg_context *ctx, const specreg_model *model, const specreg_table *t)
{
    specreg_model *bare = without_report(ctx, model);
    char *a, *b;
    check_same(ctx, model, bare, t, "missing", "error");
    check_same(ctx, model, bare, t, "interval", "0.8");
    check_same(ctx, model, bare, t, "proba", "yes");
    check_same(ctx, model, bare, t, "parts", "yes");
    if (specreg_evaluate(ctx, model, t, NULL, &a) == SPECREG_OK) {
        CHECK_OK(ctx, specreg_evaluate(ctx, bare, t, NULL, &b));
        json_t *x = parsed(a), *y = parsed(b);
        json_object_del(x, "seconds");
        json_object_del(y, "seconds");
        CHECK(json_equal(x, y));
        json_decref(x);
        json_decref(y);
    }
    json_t *with = record_of(ctx, model), *record = record_of(ctx, bare);
    CHECK(json_equal(at(record, "kernel"), at(with, "kernel")));
    CHECK(json_equal(at(record, "filter"), at(with, "filter")));
    CHECK(!json_object_get(record, "selection"));
    json_decref(record);
    json_decref(with);
    specreg_model_free(bare);
}

static specreg_table *numbers_table(specreg_context *ctx)
{
    double *u = kit_normal(77, N, 6);
    FILE *f = fopen(kit_temp("numbers.csv"), "w");
    fprintf(f, "x1,x2,task,weight,u,v\n");
    for (int i = 0; i < N; i++)
        fprintf(f, "%.17g,%.17g,%s,%d,%.17g,%.17g\n", u[6 * i], u[6 * i + 1], i % 3 ? "a" : "b",
                1 + i % 2, u[6 * i] + 0.1 * u[6 * i + 2], u[6 * i + 1] + 0.1 * u[6 * i + 3]);
    fclose(f);
    free(u);
    return read_table(ctx, kit_temp("numbers.csv"));
}

TEST(reports, predictions_of_any_model_do_not_depend_on_them)
{
    static const char *const how[][6] = {
        {"target", "u", "select", "loo", NULL, NULL},
        {"target", "u", "select", "kfold", "filter", "nu"},
        {"target", "u", "weights", "weight", "select", "loo"},
        {"target", "u", "filter", "tsvd", "select", "kfold"},
        {"target", "u", "filter", "cg:norm=residual", "select", "kfold"},
        {"target", "u", "kernel", "linear", "select", "loo"},
        {"target", "u", "features", "constant", "select", "loo"},
        {"target", "u", "kernel", "0.5*rbf:sigma=1 + linear", "select", "loo"},
        {"target", "u", "task-column", "task", "outputs", "common"},
        {"target", "u,v", "outputs", "common:omega=0.4", "select", "kfold"},
        {"target", "u,v", "outputs", "common:omega=0.4 + independent", "kernel",
         "rbf:sigma=1 + linear"},
        {"target", "task", "select", "loo", NULL, NULL},
        {"target", "task", "coding", "simplex", "select", "kfold"},
    };
    specreg_table *t = numbers_table(ctx);
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        specreg_options *o =
            options_of(ctx, how[k][0], how[k][1], how[k][2], how[k][3], how[k][4], how[k][5], NULL);
        specreg_model *model = fitted(ctx, t, o);
        check_model(ctx, model, t);
        specreg_model_free(model);
        specreg_options_free(o);
    }
    specreg_table_free(t);
}

TEST(reports, nor_do_fields_and_their_parts)
{
    double *X = kit_normal(5, N, 2), *Y = kit_normal(6, N, 2);
    const specreg_view x = {X, N, 2, 2}, y = {Y, N, 2, 2};
    static const char *const kernels[] = {"helmholtz", "rbf:sigma=1"};
    for (int k = 0; k < 2; k++) {
        specreg_options *o =
            options_of(ctx, "problem", "field", "kernel", kernels[k], "select", "kfold", NULL);
        specreg_model *model;
        specreg_table *t;
        CHECK_OK(ctx, specreg_fit_arrays(ctx, &x, &y, o, &model));
        CHECK_OK(ctx, specreg_table_from_arrays(ctx, &x, NULL, &y, NULL, &t));
        check_model(ctx, model, t);
        specreg_table_free(t);
        specreg_model_free(model);
        specreg_options_free(o);
    }
    free(Y);
    free(X);
}

TEST(reports, nor_do_coordinates_of_components)
{
    specreg_table *t = numbers_table(ctx), *a, *b;
    specreg_options *o = options_of(ctx, "target", "task", "kpca", "3,center=yes", NULL);
    specreg_model *model, *bare;
    CHECK_OK(ctx, specreg_kpca(ctx, t, o, 0, &model));
    bare = without_report(ctx, model);
    CHECK_OK(ctx, specreg_kpca_apply(ctx, model, t, o, &a, NULL));
    CHECK_OK(ctx, specreg_kpca_apply(ctx, bare, t, o, &b, NULL));
    check_same_table(a, b);
    specreg_table_free(b);
    specreg_table_free(a);
    specreg_model_free(bare);
    specreg_model_free(model);
    specreg_options_free(o);
    specreg_table_free(t);
}

/* Maps of the user's: what outputs see of a row. */
#include <stdio.h>
#include <stdlib.h>

#include "kit/kit.h"

enum { N = 24, P = 2, T = 3, M = 6 };

/* The delays of the test below, as a map. */
static const double shift[T * P] = {0, 0, 0.3, -0.2, 1, 0.5};

static void shifted(const double *x, int64_t p, int64_t output, double *z, void *payload)
{
    for (int64_t k = 0; k < p; k++)
        z[k] = x[k] + ((const double *)payload)[output * p + k];
}

static specreg_options *options_with(specreg_context *ctx, const char *outputs)
{
    specreg_options *o;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "outputs", outputs));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma={0.5,1}"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "scale", "none"));
    return o;
}

static void write_shifts(specreg_context *ctx, const char *path)
{
    char text[256];
    int length = 0;
    for (int t = 0; t < T; t++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%.17g,%.17g\n",
                           shift[t * P], shift[t * P + 1]);
    CHECK_OK(ctx, specreg_text_write(ctx, text, path));
}

TEST(maps, delays_are_one_of_them)
{
    double *x = kit_normal(1, N, P), *y = kit_normal(2, N, T), *later = kit_normal(3, M, P);
    double a[M * T], b[M * T];
    const specreg_view X = {x, N, P, P}, Y = {y, N, T, T}, Later = {later, M, P, P};
    const specreg_map_def def = {sizeof def, "shifted", shifted, (void *)shift};
    specreg_model *by_map, *by_file;
    write_shifts(ctx, "shifts.csv");
    CHECK_OK(ctx, specreg_register_map(ctx, &def));
    specreg_options *o = options_with(ctx, "transform:map=shifted");
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &by_map));
    specreg_options_free(o);
    o = options_with(ctx, "delays:file=shifts.csv");
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &by_file));
    specreg_options_free(o);
    CHECK_OK(ctx, specreg_predict_array(ctx, by_map, &Later, NULL, a, M * T));
    CHECK_OK(ctx, specreg_predict_array(ctx, by_file, &Later, NULL, b, M * T));
    for (int k = 0; k < M * T; k++)
        CHECK_SAME(a[k], b[k]);
    specreg_model_free(by_file);
    specreg_model_free(by_map);
    free(later);
    free(y);
    free(x);
}

TEST(maps, a_model_needs_its_map_when_it_is_loaded)
{
    double *x = kit_normal(1, N, P), *y = kit_normal(2, N, T), a[N * T], b[N * T];
    const specreg_view X = {x, N, P, P}, Y = {y, N, T, T};
    const specreg_map_def def = {sizeof def, "shifted", shifted, (void *)shift};
    specreg_context *other;
    specreg_model *model, *loaded;
    CHECK_OK(ctx, specreg_register_map(ctx, &def));
    specreg_options *o = options_with(ctx, "transform:map=shifted");
    CHECK_OK(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model));
    CHECK_OK(ctx, specreg_predict_array(ctx, model, &X, NULL, a, N * T));
    CHECK_OK(ctx, specreg_model_save(ctx, model, "map.srm"));
    CHECK_OK(ctx, specreg_context_new(&other));
    CHECK_FAILS(other, specreg_model_load(other, "map.srm", &loaded), SPECREG_E_UNAVAILABLE,
                "map 'shifted': register it first");
    CHECK_OK(other, specreg_register_map(other, &def));
    CHECK_OK(other, specreg_model_load(other, "map.srm", &loaded));
    CHECK_OK(other, specreg_predict_array(other, loaded, &X, NULL, b, N * T));
    for (int k = 0; k < N * T; k++)
        CHECK_SAME(a[k], b[k]);
    specreg_model_free(loaded);
    specreg_context_free(other);
    specreg_model_free(model);
    specreg_options_free(o);
    free(y);
    free(x);
}

TEST(maps, what_is_wrong_is_said)
{
    double *x = kit_normal(1, N, P), *y = kit_normal(2, N, T);
    const specreg_view X = {x, N, P, P}, Y = {y, N, T, T};
    specreg_map_def def = {sizeof def, "shifted", NULL, NULL};
    specreg_model *model;
    CHECK_FAILS(ctx, specreg_register_map(ctx, &def), SPECREG_E_ARG,
                "without struct_size or apply");
    specreg_options *o = options_with(ctx, "transform:map=nowhere");
    CHECK_FAILS(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model), SPECREG_E_ARG,
                "there is no map 'nowhere'");
    specreg_options_free(o);
    o = options_with(ctx, "transform");
    CHECK_FAILS(ctx, specreg_fit_arrays(ctx, &X, &Y, o, &model), SPECREG_E_ARG, "give the map");
    specreg_options_free(o);
    free(y);
    free(x);
}

/* The text form of kernels, the candidates it stands for, and automatic widths. */
#include <float.h>
#include <math.h>

#include "core/rng.h"
#include "record/record.h"
#include "kit/kit.h"

TEST(grid, lists_multiply_and_the_first_parameter_runs_fastest)
{
    sri_kernel_grid g;
    sri_points *pts;
    static const double x[2] = {0, 1};
    CHECK_OK(ctx, sri_points_new(ctx, x, 2, 1, false, &pts));
    CHECK_OK(ctx,
             sri_kernel_grid_parse(ctx, "poly:degree={1,2,3},gamma={0.5,2} + 4*rbf:sigma={1,8}",
                                   &g));
    CHECK_OK(ctx, sri_kernel_grid_resolve(ctx, &g, pts, 1));
    CHECK_EQ(sri_kernel_grid_count(&g), 12);
    for (int64_t i = 0; i < 12; i++) {
        const sri_kernel k = sri_kernel_grid_at(&g, i);
        CHECK_EQ(k.n_terms, 2);
        CHECK_EQ(k.term[0].param[0], i % 3 + 1);
        CHECK_SAME(k.term[0].param[1], 1.0);
        CHECK_SAME(k.term[0].param[2], i / 3 % 2 ? 2.0 : 0.5);
        CHECK_SAME(k.term[1].param[0], i / 6 ? 1.0 : 8.0); /* wide first */
        CHECK_SAME(k.term[1].weight, 4.0);
    }
    sri_kernel_grid_free(&g);
    sri_points_free(pts);
}

TEST(grid, a_sign_in_an_exponent_does_not_end_a_term)
{
    sri_kernel_grid g;
    CHECK_OK(ctx,
             sri_kernel_grid_parse(ctx, "1e+2*rbf:sigma=1e+3+linear + 2.E+1*rbf:sigma={1e+1,2}",
                                   &g));
    CHECK_EQ(g.base.n_terms, 3);
    CHECK_SAME(g.base.term[0].weight, 100.0);
    CHECK_SAME(g.list[0][0].v[0], 1000.0);
    CHECK_SAME(g.base.term[2].weight, 20.0);
    CHECK_EQ(sri_kernel_grid_count(&g), 2);
    sri_kernel_grid_free(&g);
}

TEST(grid, gamma_is_another_way_to_write_sigma)
{
    sri_kernel_grid g;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "rbf:gamma={0.5,0.125,1e-3}", &g));
    static const double sigma[3] = {1, 2, 22.360679774997898}; /* sqrt(500) */
    for (int i = 0; i < 3; i++)
        CHECK_NEAR(g.list[0][0].v[i], sigma[i], 2 * DBL_EPSILON);
    sri_kernel_grid_free(&g);
}

TEST(grid, mistakes_are_named)
{
    static const char *const bad[][2] = {
        {"rbg", "unknown kernel 'rbg' (did you mean 'rbf'?"},
        {"gaussian", "unknown kernel 'gaussian' (did you mean 'rbf'? known:"},
        {"", "unknown kernel ''"},
        {"rbf + ", "unknown kernel ''"},
        {"rbf:sigma=0", "sigma must be greater than 0, not 0"},
        {"rbf:sigma=-1", "sigma must be greater than 0, not -1"},
        {"rbf:sigma={1,0}", "sigma must be greater than 0, not 0"},
        {"rbf:sigma={}", "write a list as {1,2,3}"},
        {"rbf:sigma=log:1:2", "from:to:count"},
        {"rbf:gamma=0", "gamma must be greater than 0, not 0"},
        {"rbf:sigm=1", "unknown parameter of kernel rbf 'sigm' (did you mean 'sigma'?"},
        {"rbf:1", "write '1' as key=value"},
        {"linear:sigma=1", "unknown parameter of kernel linear 'sigma'"},
        {"poly:degree=1.5", "degree must be a whole number"},
        {"poly:degree=0", "degree must be at least 1, not 0"},
        {"poly:coef0=-1", "coef0 must be at least 0, not -1"},
        {"poly:degree=auto", "cannot be auto"},
        {"0*rbf", "weight must be greater than 0, not 0"},
        {"-1*rbf", "weight must be greater than 0, not -1"},
        {"a*rbf", "unknown kernel 'a'"},
        {"precomputed + linear", "cannot be part of a sum"},
        {"curlfree:sigma=1 * linear", "kernel curlfree cannot be part of a product"},
        {"linear * helmholtz", "kernel helmholtz cannot be part of a product"},
        {"divfree*curlfree", "cannot be part of a product"},
        {"divfree + thinplate", "kernel thinplate cannot be added to a field"},
        {"helmholtz:gamma=1.25", "kernel helmholtz: gamma must be at most 1, not 1.25"},
        {"helmholtz:gamma={0,-0.5}", "kernel helmholtz: gamma must be at least 0, not -0.5"},
        {"helmholtz:gamma=nan", "is not a number"},
        {"curlfree:gamma=0.5", "unknown parameter of kernel curlfree 'gamma'"},
        {"divfree:sigma=0", "sigma must be greater than 0, not 0"},
        {"linear+linear+linear+linear+linear+linear+linear+linear+linear", "at most 8 terms"},
        {"rbf:sigma=log:1:2:1000000 + rbf:sigma=log:1:2:1000000", "candidates"},
        {"poly:degree=1:1000,coef0=lin:0:1:1000,gamma=lin:1:2:1000", "candidates"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sri_kernel_grid g;
        CHECK_FAILS(ctx, sri_kernel_grid_parse(ctx, bad[i][0], &g), SPECREG_E_ARG, bad[i][1]);
        CHECK_EQ(g.base.n_terms, 0);
    }
}

TEST(grid, parameters_are_checked_against_the_data)
{
    static const char *const bad[][2] = {
        {"laplace:sigma=1,norm=3", "norm must be 1 or 2, not 3"},
        {"matern:nu=2,sigma=1", "nu must be 0.5, 1.5 or 2.5, not 2"},
        {"poly:degree=2000", "degree 2000 is too large"},
        {"sobolev", "one feature column, the data have 2"},
        {"curlfree:sigma=1e-200", "sigma 1e-200 is too small"},
        {"divfree:sigma=1e200", "sigma 1e+200 is too large"},
    };
    static const double x[4] = {1, 2, 3, 4}, y[2] = {0.5, 1.25};
    sri_points *pts;
    sri_kernel_grid g;
    CHECK_OK(ctx, sri_points_new(ctx, x, 2, 2, false, &pts));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_OK(ctx, sri_kernel_grid_parse(ctx, bad[i][0], &g));
        CHECK(sri_kernel_grid_resolve(ctx, &g, pts, 1) != SPECREG_OK);
        CHECK_HAS(specreg_last_error(ctx), bad[i][1]);
        sri_kernel_grid_free(&g);
    }
    sri_points_free(pts);
    CHECK_OK(ctx, sri_points_new(ctx, y, 2, 1, false, &pts));
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "sobolev", &g));
    CHECK_FAILS(ctx, sri_kernel_grid_resolve(ctx, &g, pts, 1), SPECREG_E_NUMERIC, "row 2 has 1.25");
    sri_kernel_grid_free(&g);
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "divfree", &g));
    CHECK_FAILS(ctx, sri_kernel_grid_resolve(ctx, &g, pts, 1), SPECREG_E_SHAPE, "the data have 1");
    sri_kernel_grid_free(&g);
    sri_points_free(pts);
}

TEST(grid, kernels_of_vector_fields_have_widths_and_mixtures)
{
    static const double x[8] = {0, 0, 0, 2, 2, 0, 2, 2}; /* distances 2 2 2 2 and two of sqrt(8) */
    sri_points *pts;
    sri_kernel_grid g;
    CHECK_OK(ctx, sri_points_new(ctx, x, 4, 2, false, &pts));
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "helmholtz:sigma=auto,gamma=auto", &g));
    CHECK_STR(sri_kernel_grid_scale(&g), "none");
    CHECK_OK(ctx, sri_kernel_grid_resolve(ctx, &g, pts, 1));
    CHECK_EQ(sri_kernel_grid_count(&g), 121);
    for (int64_t i = 0; i < 121; i++) {
        const sri_kernel k = sri_kernel_grid_at(&g, i);
        CHECK_SAME(k.term[0].param[0], (double)(i % 11) / 10);
        CHECK_NEAR(k.term[0].param[1], 2 * pow(4, 1 - (double)(i / 11) / 5), 1e-14);
        const sri_field f = sri_kernel_field(&k, 2);
        CHECK(sri_kernel_is_field(&k));
        CHECK_SAME(f.sigma, k.term[0].param[1]);
        CHECK_SAME(f.div, k.term[0].param[0]);
        CHECK_SAME(f.curl, 1 - k.term[0].param[0]);
        CHECK_EQ(f.T, 2);
    }
    sri_kernel_grid_free(&g);
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "divfree", &g));
    CHECK_OK(ctx, sri_kernel_grid_resolve(ctx, &g, pts, 1));
    CHECK_EQ(sri_kernel_grid_count(&g), 11);
    sri_kernel_grid_free(&g);
    sri_points_free(pts);
}

TEST(grid, kernels_of_vector_fields_are_read_back_from_their_records)
{
    static const char *const text[] = {"curlfree:sigma=2", "3*divfree:sigma=0.5",
                                       "helmholtz:sigma=0.1,gamma=0.3", "rbf:sigma=2"};
    static const double want[][3] = {{2, 1, 0}, {0.5, 0, 3}, {0.1, 0.7, 0.3}};
    for (int i = 0; i < 4; i++) {
        sri_kernel_grid g;
        sri_kept_kernel kept = {0};
        sri_kernel back;
        CHECK_OK(ctx, sri_kernel_grid_parse(ctx, text[i], &g));
        const sri_kernel k = sri_kernel_grid_at(&g, 0);
        json_t *json = sri_kernel_json(&k);
        CHECK_OK(ctx, sri_kernel_from_json(ctx, json, &kept));
        CHECK_OK(ctx, sri_kept_kernel_use(ctx, &kept, &back));
        CHECK(sri_kernel_is_field(&back) == (i < 3));
        if (i < 3) {
            const sri_field f = sri_kernel_field(&back, 3);
            CHECK_SAME(f.sigma, want[i][0]);
            CHECK_NEAR(f.curl, want[i][1], DBL_EPSILON);
            CHECK_SAME(f.div, want[i][2]);
            CHECK_EQ(f.T, 3);
        }
        json_decref(json);
        sri_kernel_grid_free(&g);
    }
}

TEST(grid, records_of_impossible_vector_fields_are_refused)
{
    static const char *const bad[][2] = {
        {"{\"name\": \"helmholtz\", \"sigma\": 1, \"gamma\": 2}", "at most 1, not 2"},
        {"{\"name\": \"helmholtz\", \"sigma\": 1}", "'gamma' of kernel helmholtz is missing"},
        {"{\"name\": \"sum\", \"terms\": [{\"name\": \"linear\"}, {\"name\": \"divfree\", "
         "\"sigma\": 1, \"times\": true}]}",
         "kernel divfree cannot be part of a product"},
    };
    for (int i = 0; i < 3; i++) {
        sri_kept_kernel kept = {0};
        sri_kernel back;
        json_t *json = json_loads(bad[i][0], 0, NULL);
        CHECK(json != NULL && (sri_kernel_from_json(ctx, json, &kept) != SPECREG_OK ||
                               sri_kept_kernel_use(ctx, &kept, &back) != SPECREG_OK));
        CHECK_HAS(specreg_last_error(ctx), bad[i][1]);
        json_decref(json);
    }
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

TEST(grid, automatic_widths_surround_the_median_distance)
{
    enum { N = 40, P = 3, PAIRS = N * (N - 1) / 2 };
    double *x = kit_normal(3, N, P), d[2][PAIRS];
    int count = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++, count++) {
            double d2 = 0, d1 = 0;
            for (int k = 0; k < P; k++) {
                d2 += pow(x[i * P + k] - x[j * P + k], 2);
                d1 += fabs(x[i * P + k] - x[j * P + k]);
            }
            d[0][count] = sqrt(d2);
            d[1][count] = d1;
        }
    sri_points *pts;
    CHECK_OK(ctx, sri_points_new(ctx, x, N, P, false, &pts));
    static const char *const text[2] = {"rbf", "laplace:norm=1"};
    for (int m = 0; m < 2; m++) {
        double median;
        qsort(d[m], PAIRS, sizeof **d, rising);
        CHECK_OK(ctx, sri_points_median(ctx, pts, NULL, m, 1, &median));
        CHECK(median >= d[m][PAIRS / 2 - 1] * (1 - 4e-16));
        CHECK(median <= d[m][PAIRS / 2 + 1] * (1 + 4e-16));
        sri_kernel_grid g;
        CHECK_OK(ctx, sri_kernel_grid_parse(ctx, text[m], &g));
        CHECK_OK(ctx, sri_kernel_grid_resolve(ctx, &g, pts, 1));
        const int64_t last = sri_kernel_grid_count(&g) - 1;
        const double first = sri_kernel_grid_at(&g, 0).term[0].param[0];
        const double ratio = sri_kernel_grid_at(&g, 1).term[0].param[0] / first;
        CHECK(last >= 4 && first >= 2 * median);
        for (int64_t i = 0; i <= last; i++) /* evenly spaced, and the median in the middle */
            CHECK_NEAR(sri_kernel_grid_at(&g, i).term[0].param[0], first * pow(ratio, (double)i),
                       1e-13);
        CHECK_NEAR(first * sri_kernel_grid_at(&g, last).term[0].param[0], median * median, 1e-13);
        sri_kernel_grid_free(&g);
    }
    sri_points_free(pts);
    free(x);
}

TEST(grid, equal_rows_say_nothing_about_the_scale)
{
    double x[12] = {0}, median; /* ten equal rows, two others at distances 3, 4 and 5 */
    x[0] = 3;
    x[1] = -1;
    sri_points *pts;
    CHECK_OK(ctx, sri_points_new(ctx, x, 12, 1, false, &pts));
    CHECK_OK(ctx, sri_points_median(ctx, pts, NULL, false, 1, &median));
    CHECK(median == 1 || median == 3); /* ten of each, one 4 */
    sri_points_free(pts);
    CHECK_OK(ctx, sri_points_new(ctx, x + 2, 10, 1, false, &pts));
    CHECK_OK(ctx, sri_points_median(ctx, pts, NULL, false, 1, &median));
    CHECK_SAME(median, 1.0);
    sri_points_free(pts);
    CHECK_OK(ctx, sri_points_new(ctx, x, 1, 1, false, &pts));
    CHECK_OK(ctx, sri_points_median(ctx, pts, NULL, false, 1, &median));
    CHECK_SAME(median, 1.0);
    sri_points_free(pts);
}

TEST(grid, the_sample_of_many_rows_depends_on_the_seed_only)
{
    double *x = kit_normal(4, 2000, 2), a, b, c;
    sri_points *pts;
    CHECK_OK(ctx, sri_points_new(ctx, x, 2000, 2, false, &pts));
    CHECK_OK(ctx, sri_points_median(ctx, pts, NULL, false, 1, &a));
    CHECK_OK(ctx, sri_points_median(ctx, pts, NULL, false, 1, &b));
    CHECK_OK(ctx, sri_points_median(ctx, pts, NULL, false, 2, &c));
    CHECK_SAME(a, b);
    CHECK(a != c);
    CHECK_NEAR(a, 2 * sqrt(log(2)), 0.1); /* |x - z|^2 / 4 is exponential */
    sri_points_free(pts);
    free(x);
}

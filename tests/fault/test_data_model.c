/* Encoding, targets, splits, measures, kernel products and the model file while allocations, reads
 * and writes fail one after the other: a status, a text, no leak, no file. */
#include "kit/fault.h"
#include "kit/kit.h"
#include "unit/small_table.h"

#include <jansson.h>
#include <stdio.h>

#include "data/encode.h"
#include "data/rows.h"
#include "data/split.h"
#include "data/target.h"
#include "data/weights.h"
#include "kernel/kernel.h"
#include "measure/curve.h"
#include "record/container.h"

/* Runs `call` with the 0-th, 1-st, ... allocation failing until none fails; `cleanup` frees what it
 * gave, also after a failure. */
#define EVERY_ALLOCATION(ctx, call, cleanup, least)                \
    do {                                                           \
        int64_t k_ = 0;                                            \
        for (bool failed_ = true; failed_; k_++) {                 \
            kit_fail_allocation(k_);                               \
            const specreg_status st_ = (call);                     \
            failed_ = kit_disarm();                                \
            CHECK_EQ(st_, failed_ ? SPECREG_E_NOMEM : SPECREG_OK); \
            if (failed_)                                           \
                CHECK_HAS(specreg_last_error(ctx), "memory");      \
            cleanup;                                               \
            CHECK_EQ(kit_live_allocations(), 0);                   \
        }                                                          \
        CHECK(k_ > (least)); /* it did allocate */                 \
    } while (0)

static specreg_table *mixed_table(specreg_context *ctx)
{
    return small_table(ctx, "t.csv", true, 4, 4,
                       CELLS("color", "a", "code", "y", "red", "1", "u", "0", "blue", "", "v", "1",
                             "red", "3", "u", "1", "green", "4", "", "0"));
}

TEST(fault, encoders_survive_every_failing_allocation)
{
    specreg_table *t = mixed_table(ctx);
    sri_encoder *enc;
    double *X;
    sri_rows rows;
    const int64_t y = 3;
    EVERY_ALLOCATION(ctx,
                     sri_encoder_fit(ctx, &(sri_rows){t, ALL, 4}, &y, 1,
                                     &(sri_encode_how){.scale = SRI_SCALE_STANDARD}, &enc),
                     sri_encoder_free(enc), 10);
    CHECK_OK(ctx, sri_encoder_fit(ctx, &(sri_rows){t, ALL, 4}, &y, 1,
                                  &(sri_encode_how){.scale = SRI_SCALE_STANDARD}, &enc));
    EVERY_ALLOCATION(ctx, sri_encoder_apply(ctx, enc, &(sri_rows){t, ALL, 4}, 0, &X, NULL), free(X),
                     4);
    EVERY_ALLOCATION(ctx,
                     sri_rows_usable(ctx, t, enc, &(sri_target_list){&y, 1, false},
                                     SRI_MISSING_DROP, &rows),
                     free(rows.row), 3);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

TEST(fault, parts_of_columns_and_chosen_columns_survive_every_failing_allocation)
{
    specreg_table *t =
        small_table(ctx, "t.csv", true, 4, 4,
                    CELLS("id", "when", "x", "y", "1", "2024-01-02", "", "1", "2", "2024-03-04",
                          "5", "2", "3", "", "6", "3", "4", "2025-01-01", "9", "5"));
    const sri_encode_how how = {.missing = SRI_MISSING_INDICATOR, .dates = SRI_DATES_AUTO};
    const sri_role_names dropped = {.target = "", .drop = "x", .id = "id"};
    const sri_role_names listed = {.target = "y", .columns = "when:x"};
    const int64_t y = 3;
    sri_encoder *enc;
    sri_roles roles;
    sri_unseen unseen = {0};
    double *X;
    int32_t code;
    sri_texts texts = {0};
    EVERY_ALLOCATION(ctx, sri_roles_find(ctx, t, &dropped, &roles), sri_roles_free(&roles), 3);
    EVERY_ALLOCATION(ctx, sri_roles_find(ctx, t, &listed, &roles), sri_roles_free(&roles), 3);
    EVERY_ALLOCATION(ctx, sri_encoder_fit(ctx, &(sri_rows){t, ALL, 4}, &y, 1, &how, &enc),
                     sri_encoder_free(enc), 20);
    CHECK_OK(ctx, sri_encoder_fit(ctx, &(sri_rows){t, ALL, 4}, &y, 1, &how, &enc));
    CHECK_EQ(enc->n_features, 8); /* id, four of the date, x, and what was missing of both */
    EVERY_ALLOCATION(ctx, sri_encoder_apply(ctx, enc, &(sri_rows){t, ALL, 4}, 0, &X, &unseen),
                     free(X), 4);
    EVERY_ALLOCATION(ctx, sri_texts_code(ctx, &texts, "e\xcc\x81", 3, &code),
                     sri_texts_free(&texts), 4);
    sri_encoder_free(enc);
    specreg_table_free(t);
}

TEST(fault, targets_survive_every_failing_allocation)
{
    specreg_table *t = mixed_table(ctx);
    sri_target *target;
    int64_t *columns, n;
    int32_t *classes;
    double *Y;
    bool found;
    EVERY_ALLOCATION(ctx, sri_target_columns(ctx, t, "y,a", &(sri_aside){0}, &columns, &n),
                     free(columns), 2);
    for (int64_t c = 0; c < 4; c += 3) { /* texts, numbers */
        EVERY_ALLOCATION(ctx,
                         sri_target_describe(ctx, &(sri_rows){t, ALL, 4},
                                             &(sri_target_list){&c, 1, false}, SRI_CLASSIFICATION,
                                             &target),
                         sri_target_free(target), 6);
        CHECK_OK(ctx,
                 sri_target_describe(ctx, &(sri_rows){t, ALL, 4}, &(sri_target_list){&c, 1, false},
                                     SRI_CLASSIFICATION, &target));
        EVERY_ALLOCATION(ctx, sri_target_locate(ctx, target, t, &columns, &found), free(columns),
                         0);
        EVERY_ALLOCATION(ctx,
                         sri_target_classes(ctx, target, &(sri_rows){t, ALL, 4}, &c, false,
                                            &classes),
                         free(classes), 4);
        sri_target_free(target);
    }
    const int64_t y = 3;
    CHECK_OK(ctx, sri_target_describe(ctx, &(sri_rows){t, ALL, 4}, &(sri_target_list){&y, 1, false},
                                      SRI_REGRESSION, &target));
    EVERY_ALLOCATION(ctx, sri_target_numbers(ctx, target, &(sri_rows){t, ALL, 4}, &y, &Y), free(Y),
                     0);
    sri_target_free(target);
    specreg_table_free(t);
}

TEST(fault, splits_and_measures_survive_every_failing_allocation)
{
    const int32_t classes[] = {0, 1, 0, 1, 0, 1}, group[] = {0, 1, 2, 3, 2, 3};
    double score[12] = {6, 1, 5, 2, 4, 3, 3, 4, 2, 5, 1, 6}, area;
    sri_splits s;
    sri_curve curve;
    const sri_comparison p = {.truth = {.classes = classes},
                              .n = 6,
                              .n_classes = 2,
                              .scores = score};
    sri_strata strata = {.n = 6, .classes = classes, .n_classes = 2};
    EVERY_ALLOCATION(ctx, sri_splits_kfold(ctx, &strata, 3, 2, &s), sri_splits_free(&s), 8);
    EVERY_ALLOCATION(ctx, sri_splits_holdout(ctx, &strata, 0.5, &s), sri_splits_free(&s), 5);
    strata.group = group;
    strata.n_groups = 4;
    EVERY_ALLOCATION(ctx, sri_splits_kfold(ctx, &strata, 3, 2, &s), sri_splits_free(&s), 8);
    EVERY_ALLOCATION(ctx, sri_splits_holdout(ctx, &strata, 0.5, &s), sri_splits_free(&s), 8);
    CHECK_OK(ctx, sri_splits_kfold(ctx, &strata, 2, 1, &s));
    EVERY_ALLOCATION(ctx, sri_splits_check(ctx, "select", &strata, NULL, &s), (void)0, 1);
    sri_splits_free(&s);
    EVERY_ALLOCATION(ctx, sri_curve_area(ctx, &p, 1, &area), (void)0, 0);
    EVERY_ALLOCATION(ctx, sri_curve_make(ctx, &p, 1, false, &curve), sri_curve_free(&curve), 1);
}

TEST(fault, groups_and_weights_survive_every_failing_allocation)
{
    specreg_table *t = small_table(ctx, "t.csv", true, 4, 4,
                                   CELLS("x", "g", "w", "y", "1", "a", "1", "u", "2", "b", "2", "v",
                                         "", "a", "0", "u", "4", "b", "1", "v"));
    sri_roles roles;
    sri_target *target;
    sri_rows rows;
    int64_t n, y = 3;
    int32_t *group;
    double *w;
    const sri_role_names names = {.target = "y", .group = "g", .weights = "w"};
    EVERY_ALLOCATION(ctx, sri_roles_find(ctx, t, &names, &roles), sri_roles_free(&roles), 1);
    CHECK_OK(ctx, sri_roles_find(ctx, t, &names, &roles));
    EVERY_ALLOCATION(ctx, sri_weights_read(ctx, t, 2, &w), free(w), 0);
    CHECK_OK(ctx, sri_weights_read(ctx, t, 2, &w));
    EVERY_ALLOCATION(ctx, sri_rows_train(ctx, t, &roles, w, SRI_MISSING_ERROR, &rows),
                     free(rows.row), 1);
    free(w);
    EVERY_ALLOCATION(ctx, sri_groups_read(ctx, &(sri_rows){t, ALL, 4}, 1, &group, &n), free(group),
                     3);
    CHECK_OK(ctx, sri_target_describe(ctx, &(sri_rows){t, ALL, 4}, &(sri_target_list){&y, 1, false},
                                      SRI_PROBLEM_AUTO, &target));
    EVERY_ALLOCATION(ctx, sri_class_weights(ctx, "u=2,v=3", target, &w), free(w), 4);
    sri_target_free(target);
    sri_roles_free(&roles);
    specreg_table_free(t);
}

/* As they were before they were packed. */
static void unpack(sri_points *points)
{
    free(points->panels);
    points->panels = NULL;
}

TEST(fault, kernel_products_survive_every_failing_allocation)
{
    enum { M = 200, N = 20, T = 2 };
    static const int64_t ps[] = {3, 70}; /* by tiles, by matrix products */
    sri_kernel_grid grid;
    CHECK_OK(ctx, sri_kernel_grid_parse(ctx, "rbf:sigma=1 + linear", &grid));
    const sri_kernel kernel = sri_kernel_grid_at(&grid, 0);
    sri_kernel_grid_free(&grid);
    for (int q = 0; q < 2; q++) {
        const int64_t p = ps[q];
        double *x = kit_normal(1, M, p), *z = kit_normal(2, N, p), *a = kit_normal(3, N, T);
        double F[M * T];
        sri_points *centres;
        const sri_rows_view rows = sri_view_dense(x, M, p);
        CHECK_OK(ctx, sri_points_new(ctx, z, N, p, false, &centres));
        EVERY_ALLOCATION(ctx, sri_points_pack(ctx, centres), unpack(centres), 1);
        CHECK_OK(ctx, sri_points_pack(ctx, centres)); /* which a product does, and keeps */
        EVERY_ALLOCATION(ctx,
                         sri_kernel_product(ctx, &(sri_kernel_matrix){&kernel, &rows, centres}, T,
                                            a, F),
                         (void)0, q ? 5 : 0);
        sri_points_free(centres);
        free(a);
        free(z);
        free(x);
    }
}

static const double A[3] = {1, 2, 3};
static const sri_tensor TENSORS[] = {{"a", A, 1, 3}, {"b", A, 1, 1}};

TEST(fault, the_model_file_survives_every_failing_allocation)
{
    sri_container c;
    double *data;
    int64_t rows, cols;
    const char *path = kit_temp("m.srm");
    kit_count_jansson();
    sri_metadata metadata = {0};
    CHECK_OK(ctx, sri_metadata_set(ctx, &metadata, "kernel", "rbf"));
    EVERY_ALLOCATION(ctx, sri_container_write(ctx, path, &metadata, TENSORS, 2),
                     CHECK(st_ == SPECREG_OK || kit_temp_count() == 0), 10);
    int64_t k = 0;
    for (bool failed = true; failed; k++) {
        kit_fail_allocation(k);
        const specreg_status st = sri_container_read(ctx, path, &c);
        failed = kit_disarm();
        /* jansson takes a token that it cannot store for one that it cannot read */
        CHECK(failed ? st == SPECREG_E_NOMEM || st == SPECREG_E_FORMAT : st == SPECREG_OK);
        sri_container_free(&c);
        CHECK_EQ(kit_live_allocations(), 0);
    }
    CHECK(k > 10);
    CHECK_OK(ctx, sri_container_read(ctx, path, &c));
    EVERY_ALLOCATION(ctx, sri_container_tensor(ctx, &c, "a", &data, &rows, &cols), free(data), 0);
    sri_container_free(&c);
    sri_metadata_free(&metadata);
}

TEST(fault, the_model_file_survives_every_failing_read_and_write)
{
    const char *path = kit_temp("w.srm");
    const int before = kit_temp_count();
    sri_container c;
    int64_t k = 0;
    for (bool failed = true; failed; k++) {
        kit_fail_write(k);
        const specreg_status st = sri_container_write(ctx, path, NULL, TENSORS, 2);
        failed = kit_disarm();
        if (st == SPECREG_OK && failed) { /* only syncing the folder, after all is done, may fail */
            CHECK_OK(ctx, sri_container_read(ctx, path, &c));
            sri_container_free(&c);
            remove(path);
            continue;
        }
        CHECK_EQ(st, failed ? SPECREG_E_IO : SPECREG_OK);
        CHECK_EQ(kit_temp_count(), before + !failed);
    }
    CHECK(k > 3);
    k = 0;
    for (bool failed = true; failed; k++) {
        kit_fail_read(k);
        const specreg_status st = sri_container_read(ctx, path, &c);
        failed = kit_disarm();
        CHECK_EQ(st, failed ? SPECREG_E_IO : SPECREG_OK);
        sri_container_free(&c);
    }
    CHECK(k > 1);
}

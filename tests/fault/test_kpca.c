/* KPCA coordinates while allocations fail one after the other, and while the user says stop: a
 * status, a text, no leak, outputs NULL. */
#include "kit/fault.h"
#include "kit/kit.h"

#include <stdio.h>

#include "op/leading.h"

/* 14 rows, a text column and one to carry along. */
static specreg_table *small_table(specreg_context *ctx)
{
    char text[2048], *at = text;
    double *u = kit_normal(71, 14, 2);
    specreg_table *t;
    at += sprintf(at, "size,colour,weight,name,y\n");
    for (int i = 0; i < 14; i++)
        at += sprintf(at, "%.4f,%s,%.4f,row %d,%d\n", u[2 * i], i % 3 ? "red" : "blue",
                      u[2 * i + 1], i, i);
    free(u);
    CHECK_OK(ctx, specreg_table_read(ctx, kit_temp_file("small.csv", text), NULL, &t));
    return t;
}

static specreg_table *sparse_table(specreg_context *ctx)
{
    char text[2048], *at = text;
    double *u = kit_normal(72, 14, 2);
    specreg_table *t;
    for (int i = 0; i < 14; i++)
        at += sprintf(at, "%d 3:%.4f %d:%.4f\n", i % 2, u[2 * i], 5 + 7 * i, u[2 * i + 1]);
    free(u);
    CHECK_OK(ctx, specreg_table_read(ctx, kit_temp_file("small.libsvm", text), NULL, &t));
    return t;
}

static void check_learning(specreg_context *ctx, const specreg_table *t, const char *kernel,
                           const char *kpca)
{
    specreg_options *o;
    specreg_model *m;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", kernel));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kpca", kpca));
    int64_t k = 0;
    for (bool failed = true; failed; k++) {
        kit_fail_allocation(k);
        const specreg_status st = specreg_kpca(ctx, t, o, 0, &m);
        failed = kit_disarm();
        CHECK_EQ(st, failed ? SPECREG_E_NOMEM : SPECREG_OK);
        CHECK(!m == failed);
        if (failed)
            CHECK_HAS(specreg_last_error(ctx), "memory");
        specreg_model_free(m);
        CHECK_EQ(kit_live_allocations(), 0);
    }
    CHECK(k > 45);
    specreg_options_free(o);
}

TEST(fault, learning_components_survives_every_failing_allocation)
{
    specreg_table *t = small_table(ctx), *s = sparse_table(ctx);
    for (int center = 0; center < 2; center++) {
        const char *kpca = center ? "components=2,center=yes" : "components=2";
        check_learning(ctx, t, "rbf:sigma=auto", kpca);
        check_learning(ctx, t, "linear", kpca);
        check_learning(ctx, s, "linear", kpca);
    }
    specreg_table_free(s);
    specreg_table_free(t);
}

TEST(fault, coordinates_survive_every_failing_allocation)
{
    specreg_table *t = small_table(ctx), *out;
    specreg_options *o;
    specreg_model *m;
    char *json;
    int64_t k = 0;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "target", "name,y"));
    CHECK_OK(ctx, specreg_kpca(ctx, t, o, 3, &m));
    for (bool failed = true; failed; k++) {
        kit_fail_allocation(k);
        const specreg_status st = specreg_kpca_apply(ctx, m, t, o, &out, &json);
        failed = kit_disarm();
        CHECK_EQ(st, failed ? SPECREG_E_NOMEM : SPECREG_OK);
        CHECK(!out == failed && !json == failed);
        specreg_table_free(out);
        specreg_string_free(json);
        CHECK_EQ(kit_live_allocations(), 0);
    }
    CHECK(k > 40);
    specreg_model_free(m);
    specreg_options_free(o);
    specreg_table_free(t);
}

/* ------------------------------------------------------------------ products alone */

enum { ORDER = 150 };

static sri_op *diagonal_op(specreg_context *ctx, double *K)
{
    sri_op *op;
    for (int i = 0; i < ORDER * ORDER; i++)
        K[i] = i % (ORDER + 1) == 0 ? 1.0 / (1 + i / (ORDER + 1)) : 0;
    CHECK_OK(ctx, kit_op_matrix(ctx, K, ORDER, &op));
    return op;
}

TEST(fault, products_alone_survive_every_failing_allocation)
{
    static double K[ORDER * ORDER];
    double s[2], V[2 * ORDER];
    sri_op *op = diagonal_op(ctx, K);
    int64_t k = 0;
    for (bool failed = true; failed; k++) {
        kit_fail_allocation(k);
        const specreg_status st = sri_op_leading_krylov(ctx, op, 2, 0, s, V);
        failed = kit_disarm();
        CHECK_EQ(st, failed ? SPECREG_E_NOMEM : SPECREG_OK);
        CHECK_EQ(kit_live_allocations(), 0);
    }
    CHECK(k > 8);
    sri_op_free(op);
}

typedef struct countdown {
    int left;
} countdown;

static int stop_later(const specreg_progress *p, void *payload)
{
    (void)p;
    return ((countdown *)payload)->left-- == 0;
}

TEST(fault, stopping_is_possible_at_every_opportunity)
{
    static double K[ORDER * ORDER];
    double s[2], V[2 * ORDER];
    sri_op *op = diagonal_op(ctx, K);
    for (int k = 0;; k++) {
        countdown c = {k};
        specreg_set_progress(ctx, stop_later, &c);
        const specreg_status st = sri_op_leading_krylov(ctx, op, 2, 0, s, V);
        specreg_set_progress(ctx, NULL, NULL);
        if (c.left >= 0) {
            CHECK_EQ(st, SPECREG_OK);
            CHECK(k > 10);
            break;
        }
        CHECK_EQ(st, SPECREG_E_CANCELLED);
    }
    sri_op_free(op);
}

/* Rows in blocks, and predictions of files, when an allocation fails: a message, no leak, no
 * file. */
#include <unistd.h>

#include "data/blocks.h"
#include "kit/fault.h"
#include "kit/kit.h"

static const char first[] = "a,b,c\n1,2,x\n3,,y\n5,6,x\n7,8,z\n", second[] = "9,10,x\n11,12,u\n";

/* All of two files three times: by blocks, as a sample, and by blocks again. */
static specreg_status read_all(specreg_context *ctx, const char *const *paths,
                               const specreg_options *o)
{
    sri_blocks *b = NULL;
    specreg_table *t = NULL;
    int64_t at;
    specreg_status st = sri_blocks_open(ctx, paths, 2, o, &b);
    for (int pass = 0; st == SPECREG_OK && pass < 2; pass++) {
        do {
            st = sri_blocks_next(ctx, b, 3, &at, &t);
            specreg_table_free(st == SPECREG_OK ? t : NULL);
        } while (st == SPECREG_OK && t);
        if (st == SPECREG_OK)
            st = sri_blocks_sample(ctx, b, &(sri_sample_rows){3, 1, NULL, 0}, NULL, &t);
        specreg_table_free(st == SPECREG_OK ? t : NULL);
    }
    sri_blocks_free(b);
    return st;
}

static void every_allocation(specreg_context *ctx, const char *const *paths,
                             const specreg_options *o)
{
    bool failed = true;
    int64_t k = 0;
    for (; failed; k++) {
        kit_fail_allocation(k);
        const specreg_status st = read_all(ctx, paths, o);
        failed = kit_disarm();
        if (kit_live_allocations() != 0)
            kit_fail(__FILE__, __LINE__, "%s: allocation %d failed, %d blocks were left", paths[0],
                     (int)k, (int)kit_live_allocations());
        if (st != SPECREG_OK)
            CHECK_EQ(st, SPECREG_E_NOMEM);
        else
            CHECK(!failed);
    }
    CHECK(k > 50);
}

TEST(fault_blocks, every_source_survives_every_failing_allocation)
{
    const char *csv[] = {kit_temp_file("a.csv", first), kit_temp_file("b.csv", second)};
    const char *svm[] = {kit_temp_file("a.svm", "1 1:2 3:4\n2 2:1\n"),
                         kit_temp_file("b.svm", "1 7:2\n")};
    const char *npy[] = {kit_temp("a.npy"), kit_temp("a.npy")};
    const double x[] = {1, 2, 3, 4, 5, 6};
    const specreg_view X = {x, 3, 2, 2};
    specreg_table *t;
    specreg_options *o;
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, NULL, NULL, &t));
    CHECK_OK(ctx, specreg_table_write(ctx, t, npy[0]));
    specreg_table_free(t);
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx,
             specreg_options_set(ctx, o, "labels", kit_temp_file("l.csv", "u\nv\nu\nv\nu\nu\n")));
    every_allocation(ctx, csv, NULL);
    every_allocation(ctx, svm, NULL);
    every_allocation(ctx, npy, NULL);
    every_allocation(ctx, npy, o);
    specreg_options_free(o);
}

static specreg_model *small_model(specreg_context *ctx, const char *path)
{
    specreg_options *o;
    specreg_table *t;
    specreg_model *m;
    CHECK_OK(ctx, specreg_options_new(ctx, &o));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "kernel", "rbf:sigma=1"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "param", "lambda=0.1"));
    CHECK_OK(ctx, specreg_options_set(ctx, o, "select", "none"));
    CHECK_OK(ctx, specreg_table_read(ctx, path, NULL, &t));
    CHECK_OK(ctx, specreg_fit(ctx, t, o, &m));
    specreg_table_free(t);
    specreg_options_free(o);
    return m;
}

TEST(fault_blocks, predicting_files_survives_every_failing_allocation)
{
    const char *path = kit_temp_file("p.csv", "a,b,y\n1,2,3\n2,1,4\n0,1,1\n5,1,0.5\n4,4,2.5\n");
    const char *out[] = {kit_temp("out.csv"), kit_temp("out.npy"), kit_temp("out.npz")};
    specreg_model *m = small_model(ctx, path);
    for (int i = 0; i < 3; i++) {
        bool failed = true;
        for (int64_t k = 0; failed; k++) {
            kit_fail_allocation(k);
            const specreg_status st = specreg_predict_files(ctx, m, &path, 1, NULL, out[i], NULL);
            failed = kit_disarm();
            CHECK_EQ(kit_live_allocations(), 0);
            CHECK(st == (failed ? SPECREG_E_NOMEM : SPECREG_OK) || st == SPECREG_OK);
            CHECK((access(out[i], F_OK) == 0) == (st == SPECREG_OK));
            unlink(out[i]);
        }
    }
    bool failed = true;
    for (int64_t k = 0; failed; k++) {
        char *json = (char *)ctx;
        kit_fail_allocation(k);
        const specreg_status st = specreg_evaluate_files(ctx, m, &path, 1, NULL, &json);
        failed = kit_disarm();
        CHECK((st == SPECREG_OK) == (json != NULL));
        specreg_string_free(json);
        CHECK_EQ(kit_live_allocations(), 0);
    }
    specreg_model_free(m);
}

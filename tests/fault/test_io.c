/* Reading and writing tables when an allocation, a read or a write fails: a message, no leak, no
 * file. */
#include <stdio.h>
#include <unistd.h>

#include "kit/fault.h"
#include "kit/kit.h"

static const char csv[] = "a,\"b \"\"q\"\"\",t,y\n1,2,x,0.5\n\n3,,\"y\"\"\nz\",1.5\n5,6,x,2.5\n";
static const char svm[] = "cat 1:0.5 3:2\ndog\ncat 2:1 3:4\n";

/* Reads `path` again and again while the k-th allocation fails. */
static void read_with_failing_allocations(specreg_context *ctx, const char *path)
{
    int64_t k = 0;
    for (;; k++) {
        specreg_table *t = (specreg_table *)ctx;
        kit_fail_allocation(k);
        const specreg_status st = specreg_table_read(ctx, path, NULL, &t);
        const bool failed = kit_disarm();
        if (st == SPECREG_OK)
            specreg_table_free(t);
        else
            CHECK(t == NULL);
        CHECK_EQ(kit_live_allocations(), 0);
        if (!failed)
            break;
        if (st == SPECREG_OK)
            continue; /* giving memory back may fail without harm */
        CHECK_EQ(st, SPECREG_E_NOMEM);
        CHECK_HAS(specreg_last_error(ctx), "memory");
    }
    CHECK(k > 5);
}

/* A file of every format, written from the same numbers. */
static const char *const numbers_name[] = {"n.csv", "n.tsv.gz", "n.csv.zst", "n.npy",
                                           "n.svm", "n.npz",    "n.h5"};
enum { FORMATS = sizeof numbers_name / sizeof numbers_name[0] };

static specreg_table *numbers(specreg_context *ctx)
{
    double *v = kit_normal(1, 20, 4);
    const specreg_view X = {v, 20, 3, 4}, Y = {v + 3, 20, 1, 4};
    specreg_table *t;
    CHECK_OK(ctx, specreg_table_from_arrays(ctx, &X, NULL, &Y, NULL, &t));
    free(v);
    return t;
}

TEST(fault, readers_survive_every_failing_allocation)
{
    read_with_failing_allocations(ctx, kit_temp_file("a.csv", csv));
    read_with_failing_allocations(ctx, kit_temp_file("a.svm", svm));
    specreg_table *t = numbers(ctx);
    for (int i = 0; i < FORMATS; i++) {
        const char *path = kit_temp(numbers_name[i]);
        const specreg_status st = specreg_table_write(ctx, t, path);
        if (st != SPECREG_E_UNAVAILABLE) {
            CHECK_OK(ctx, st);
            read_with_failing_allocations(ctx, path);
            unlink(path);
        }
    }
    specreg_table_free(t);
}

TEST(fault, writers_survive_every_failing_allocation)
{
    specreg_table *t = numbers(ctx);
    for (int i = 0; i < FORMATS; i++) {
        const char *path = kit_temp(numbers_name[i]);
        const int before = kit_temp_count();
        for (int64_t k = 0;; k++) {
            kit_fail_allocation(k);
            const specreg_status st = specreg_table_write(ctx, t, path);
            const bool failed = kit_disarm();
            if (!strstr(path, ".npz")) /* libzip frees what it was given, unseen by the kit */
                CHECK_EQ(kit_live_allocations(), 0);
            if (st == SPECREG_E_UNAVAILABLE || !failed)
                break;
            CHECK_EQ(st, SPECREG_E_NOMEM);
            CHECK_EQ(kit_temp_count(), before);
        }
        unlink(path);
    }
    specreg_table_free(t);
}

TEST(fault, readers_survive_every_failing_read)
{
    const char *path = kit_temp_file("a.csv", csv);
    for (int64_t k = 0;; k++) {
        specreg_table *t;
        kit_fail_read(k);
        const specreg_status st = specreg_table_read(ctx, path, NULL, &t);
        const bool failed = kit_disarm();
        specreg_table_free(t);
        if (!failed)
            break;
        CHECK_EQ(st, SPECREG_E_IO);
        CHECK_HAS(specreg_last_error(ctx), "a.csv: cannot read: Input/output error");
    }
}

TEST(fault, writers_survive_every_failing_write)
{
    specreg_table *t = numbers(ctx);
    for (int i = 0; i < FORMATS; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s", kit_temp_file(numbers_name[i], "old"));
        const int before = kit_temp_count();
        for (int64_t k = 0;; k++) {
            kit_fail_write(k);
            const specreg_status st = specreg_table_write(ctx, t, path);
            const bool failed = kit_disarm();
            if (st == SPECREG_E_UNAVAILABLE || !failed)
                break;
            if (st == SPECREG_OK) { /* syncing the folder, after the rename, may fail */
                specreg_table *back;
                CHECK_OK(ctx, specreg_table_read(ctx, path, NULL, &back));
                specreg_table_free(back);
                continue;
            }
            CHECK_EQ(st, SPECREG_E_IO);
            CHECK_HAS(specreg_last_error(ctx), ": cannot write: No space left on device");
            char *text = kit_read_file(path);
            CHECK_STR(text, "old");
            free(text);
            CHECK_EQ(kit_temp_count(), before);
        }
        unlink(path);
    }
    specreg_table_free(t);
}

static int cancel(const specreg_progress *progress, void *payload)
{
    (void)progress;
    (void)payload;
    return 1;
}

TEST(fault, reading_can_be_cancelled)
{
    specreg_table *t;
    specreg_set_progress(ctx, cancel, NULL);
    CHECK_EQ(specreg_table_read(ctx, kit_temp_file("a.csv", csv), NULL, &t), SPECREG_E_CANCELLED);
    CHECK(t == NULL);
}

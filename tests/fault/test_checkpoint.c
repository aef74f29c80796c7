/* Checkpoints when an allocation, a read or a write fails: a message, no leak, and the file is as
 * it was before the call. */
#include <math.h>
#include <unistd.h>

#include "kit/fault.h"
#include "kit/kit.h"
#include "select/checkpoint.h"

static const uint64_t PRINT[2] = {1, 2};
static const sri_score SCORE[2] = {{1, 2, NAN, 4}, {5, INFINITY, -0.0, 8}};
static const sri_finished FINISHED = {.report = {.steps = 1, .bound = 0.5},
                                      .best = 1,
                                      .engine = "eig"};

typedef enum kind { ALLOCATION, READ, WRITE } kind;

static void arm(kind what, int64_t k)
{
    if (what == ALLOCATION)
        kit_fail_allocation(k);
    else if (what == READ)
        kit_fail_read(k);
    else
        kit_fail_write(k);
}

static void check_status(specreg_context *ctx, kind what, specreg_status st)
{
    CHECK_EQ(st, what == ALLOCATION ? SPECREG_E_NOMEM : SPECREG_E_IO);
    CHECK_HAS(specreg_last_error(ctx), what == ALLOCATION ? "out of memory"
                                       : what == READ     ? "run.ck: cannot read"
                                                          : "run.ck: cannot write");
}

static void add(specreg_context *ctx, sri_checkpoint *c, const char *key)
{
    CHECK_OK(ctx, sri_checkpoint_add(ctx, c, key, 2, &FINISHED, SCORE));
}

/* With `records` in the file, or without a file (-1). */
static void prepare(specreg_context *ctx, const char *path, int records)
{
    sri_checkpoint *c;
    unlink(path);
    if (records < 0)
        return;
    CHECK_OK(ctx, sri_checkpoint_open(ctx, path, PRINT, &c));
    for (int i = 0; i < records; i++)
        add(ctx, c, i ? "b" : "a");
    sri_checkpoint_free(c);
}

static void open_with_failures(specreg_context *ctx, kind what, int records)
{
    const char *path = kit_temp("run.ck");
    prepare(ctx, path, records);
    char *before = kit_read_file(path);
    for (int64_t k = 0;; k++) {
        sri_checkpoint *c;
        arm(what, k);
        const specreg_status st = sri_checkpoint_open(ctx, path, PRINT, &c);
        const bool failed = kit_disarm();
        if (st == SPECREG_OK) {
            sri_checkpoint_free(c);
            if (!failed)
                break;
            prepare(ctx, path, records); /* syncing the folder may fail without harm */
            continue;
        }
        CHECK(c == NULL);
        CHECK_EQ(kit_live_allocations(), 0);
        check_status(ctx, what, st);
        char *after = kit_read_file(path);
        CHECK_EQ(before == NULL, after == NULL);
        if (before)
            CHECK_STR(after, before);
        free(after);
    }
    free(before);
}

TEST(fault, opening_a_checkpoint_survives_every_failure)
{
    for (int records = -1; records <= 2; records++) {
        open_with_failures(ctx, ALLOCATION, records);
        open_with_failures(ctx, READ, records);
        open_with_failures(ctx, WRITE, records);
    }
}

static void add_with_failures(specreg_context *ctx, kind what)
{
    const char *path = kit_temp("run.ck");
    int64_t k = 0;
    for (;; k++) {
        sri_checkpoint *c;
        sri_score score[2];
        sri_finished finished;
        prepare(ctx, path, 1);
        CHECK_OK(ctx, sri_checkpoint_open(ctx, path, PRINT, &c));
        arm(what, k);
        const specreg_status st = sri_checkpoint_add(ctx, c, "x", 2, &FINISHED, SCORE);
        const bool failed = kit_disarm();
        CHECK_EQ(sri_checkpoint_find(c, "x", 2, &finished, score), !failed);
        if (failed)
            check_status(ctx, what, st);
        add(ctx, c, "y"); /* the next one finds all in order */
        sri_checkpoint_free(c);
        CHECK_OK(ctx, sri_checkpoint_open(ctx, path, PRINT, &c));
        CHECK_EQ(sri_checkpoint_find(c, "x", 2, &finished, score), !failed);
        CHECK(sri_checkpoint_find(c, "y", 2, &finished, score));
        CHECK(memcmp(score, SCORE, sizeof score) == 0);
        sri_checkpoint_free(c);
        if (!failed)
            break;
    }
    CHECK(k > 0);
}

TEST(fault, adding_to_a_checkpoint_survives_every_failure)
{
    add_with_failures(ctx, ALLOCATION);
    add_with_failures(ctx, WRITE);
}

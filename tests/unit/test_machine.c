/* engine/machine.h: rates, what costs take at them, and the file that keeps them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backend/threads.h"
#include "engine/machine.h"
#include "kit/job.h"
#include "kit/kit.h"

#include <jansson.h>

static bool same(const sri_rates *a, const sri_rates *b)
{
    bool equal = a->threads == b->threads;
    for (int i = 0; i < SRI_BLOCKS; i++)
        equal = equal && fabs(a->read[i] / b->read[i] - 1) < 1e-3;
    return equal && fabs(a->gemm / b->gemm - 1) < 1e-3 && fabs(a->values / b->values - 1) < 1e-3 &&
           fabs(a->scalar / b->scalar - 1) < 1e-3 && fabs(a->region / b->region - 1) < 1e-3;
}

TEST(machine, built_in_rates_are_plausible_and_grow_with_threads)
{
    (void)ctx;
    double before = 0;
    for (int threads = 1; threads <= 64; threads *= 2) {
        const sri_machine m = sri_machine_default(threads);
        CHECK(sri_rates_plausible(&m.one) && sri_rates_plausible(&m.all));
        CHECK_EQ(m.all.threads, threads);
        CHECK(!m.measured && m.all.gemm > before);
        before = m.all.gemm;
    }
}

TEST(machine, a_cost_takes_what_its_parts_take)
{
    (void)ctx;
    const sri_rates r =
        {.threads = 1, .gemm = 100, .read = {8, 4, 2, 1}, .values = 10, .scalar = 5, .region = 0.5};
    CHECK_NEAR(sri_rates_seconds(&r, &(sri_cost){.flops = 300}), 3, 1e-12);
    CHECK_NEAR(sri_rates_seconds(&r, &(sri_cost){.scalar = 10, .regions = 4}), 4, 1e-12);
    /* a small block is read from the caches, a large one from memory, others in between */
    CHECK_NEAR(sri_rates_seconds(&r, &(sri_cost){.traffic = 16, .working_set = 100}), 2, 1e-12);
    CHECK_NEAR(sri_rates_seconds(&r, &(sri_cost){.traffic = 16, .working_set = 1e12}), 16, 1e-12);
    CHECK_NEAR(sri_rates_seconds(&r, &(sri_cost){.traffic = 16, .working_set = sri_block_bytes[1]}),
               4, 1e-12);
    CHECK_NEAR(sri_rates_seconds(&r,
                                 &(sri_cost){.traffic = 16, .working_set = 2 * sri_block_bytes[0]}),
               3, 1e-12);
    /* what is done along the way is hidden, unless it is slower */
    CHECK_NEAR(sri_rates_seconds(&r, &(sri_cost){.traffic = 16, .overlapped_flops = 150}), 2,
               1e-12);
    CHECK_NEAR(sri_rates_seconds(&r, &(sri_cost){.traffic = 16, .overlapped_flops = 700}), 7,
               1e-12);
    CHECK_NEAR(sri_rates_value_seconds(&r, 20, 50), 2 + 10, 1e-12);
    /* lines that are gathered come from a block of their own */
    CHECK_NEAR(sri_rates_seconds(&r, &(sri_cost){.traffic = 16,
                                                 .working_set = 1e12,
                                                 .random_bytes = 16,
                                                 .random_working_set = 100}),
               16 + 2, 1e-12);
}

TEST(machine, a_measurement_gives_plausible_rates_and_leaves_the_threads_alone)
{
    sri_rates r;
    const int before = sri_region_threads();
    const double start = sri_clock();
    CHECK_OK(ctx, sri_rates_measure(ctx, 1, &r));
    CHECK(sri_clock() - start < 20); /* a tenth of a second, but who knows how busy it is here */
    CHECK(sri_rates_plausible(&r));
    CHECK_EQ(r.threads, 1);
    CHECK_EQ(sri_region_threads(), before);
}

/* A cache folder of its own, in the folder of the test. */
static void own_cache(char path[300], char file[400])
{
    char here[256];
    CHECK(getcwd(here, sizeof here) != NULL);
    snprintf(path, 300, "%s/cache_%ld", here, (long)getpid());
    snprintf(file, 400, "%s/specreg/machine.json", path);
    setenv("XDG_CACHE_HOME", path, 1);
    remove(file);
}

static void end_cache(const char *path, const char *file)
{
    char folder[400];
    snprintf(folder, sizeof folder, "%s/specreg", path);
    remove(file);
    rmdir(folder);
    rmdir(path);
    unsetenv("XDG_CACHE_HOME");
}

static bool exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

static void write_text(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    CHECK(f != NULL);
    fputs(text, f);
    fclose(f);
}

TEST(machine, is_measured_once_and_only_when_asked_to)
{
    char path[300], file[400];
    sri_machine m, again;
    own_cache(path, file);
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_NO, 2, &m));
    CHECK(!m.measured && !exists(path));
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_CACHED, 2, &m));
    CHECK(!m.measured && !exists(path));
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_AUTO, 2, &m));
    CHECK(m.measured && exists(file));
    CHECK(m.one.threads == 1 && m.all.threads == 2);
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_CACHED, 2, &again));
    CHECK(again.measured && same(&again.one, &m.one) && same(&again.all, &m.all));
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_NO, 2, &again));
    CHECK(!again.measured);
    /* another number of threads is another measurement, beside the first */
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_CACHED, 3, &again));
    CHECK(!again.measured);
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_AUTO, 3, &again));
    CHECK(again.measured && again.all.threads == 3);
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_CACHED, 2, &again));
    CHECK(again.measured && same(&again.all, &m.all));
    /* one thread is always known */
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_CACHED, 1, &again));
    CHECK(again.measured && same(&again.one, &again.all));
    end_cache(path, file);
}

/* The file with another value of one rate, which is taken over where it is good. */
static void change_rate(specreg_context *ctx, const char *file, const char *key, json_t *value,
                        bool good)
{
    sri_machine m;
    json_t *json = json_load_file(file, 0, NULL);
    json_t *rates = json_array_get(json_object_get(json, "rates"), 0);
    CHECK(json_object_set_new(rates, key, value) == 0);
    CHECK(json_dump_file(json, file, 0) == 0);
    json_decref(json);
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_CACHED, 1, &m));
    CHECK_EQ(m.measured, good);
}

TEST(machine, rates_read_back_and_bad_ones_do_not)
{
    char path[300], file[400];
    sri_machine m;
    own_cache(path, file);
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_AUTO, 1, &m));
    change_rate(ctx, file, "gemm", json_integer(0), false);
    change_rate(ctx, file, "gemm", json_string("fast"), false);
    change_rate(ctx, file, "gemm", json_real(1e11), true);
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_CACHED, 1, &m));
    CHECK_SAME(m.one.gemm, 1e11);
    change_rate(ctx, file, "read", json_pack("[f, f, f]", 1e10, 1e10, 1e10), false);
    change_rate(ctx, file, "read", json_real(1e10), false);
    end_cache(path, file);
}

TEST(machine, a_damaged_file_or_one_of_another_machine_is_as_good_as_none)
{
    static const char *const bad[] = {"", "{", "[1, 2]", "{\"specreg_machine\": 1}",
                                      "{\"specreg_machine\": 1, \"rates\": 7}"};
    char path[300], file[400];
    sri_machine m;
    own_cache(path, file);
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_AUTO, 1, &m));
    json_t *json = json_load_file(file, 0, NULL);
    CHECK(json != NULL);
    json_object_set_new(json, "cpu", json_string("another one"));
    CHECK(json_dump_file(json, file, 0) == 0);
    json_decref(json);
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_CACHED, 1, &m));
    CHECK(!m.measured);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_text(file, bad[i]);
        CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_CACHED, 1, &m));
        CHECK(!m.measured);
    }
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_AUTO, 1, &m));
    CHECK(m.measured);
    CHECK_OK(ctx, sri_machine_get(ctx, SRI_CALIBRATE_CACHED, 1, &m));
    CHECK(m.measured);
    end_cache(path, file);
}

/* Engines are compared by the rates that the job has. */
TEST(machine, the_choice_follows_the_rates)
{
    static const double t[1] = {200};
    static const sri_op_ops ops = {.name = "of costs alone"};
    sri_op op = {.ops = &ops, .n = 3000, .mass = 3000};
    sri_filter f;
    const sri_engine *engine;
    sri_machine m = sri_machine_default(1);
    CHECK_OK(ctx, sri_filter_parse(ctx, "landweber", &f));
    sri_job job = kit_job(&op, NULL, 1, &f, t, 1);
    job.request.memory = (int64_t)8 << 30;
    job.request.machine = &m;
    CHECK_OK(ctx, sri_engine_plan(ctx, "auto", &job, &engine, NULL));
    CHECK(engine == &sri_engine_krylov);
    for (int i = 0; i < SRI_BLOCKS; i++) /* as if every byte came from far away */
        m.one.read[i] = m.all.read[i] = 1e6;
    CHECK_OK(ctx, sri_engine_plan(ctx, "auto", &job, &engine, NULL));
    CHECK(engine != &sri_engine_krylov && engine != &sri_engine_iterate);
}

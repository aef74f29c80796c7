/* The rates in a file of the user's cache folder, so that they are measured once:
 *
 *     ${XDG_CACHE_HOME:-$HOME/.cache}/specreg/machine.json
 *  {"specreg_machine": 1, "cpu": ..., "vectors": ..., "blas": ..., "rates": [{"threads": 1,
 * ...}, ...]}
 *
 * cpu, vectors and blas say which machine it is: the folder may be shared by several. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "backend/threads.h"
#include "backend/vec.h"
#include "core/json.h"
#include "core/text.h"
#include "data/io/output.h"
#include "engine/machine.h"

enum { FORMAT = 1, LARGEST = 1 << 16 };
static const double LONGEST_REGION = 4e-6;

/* The processor's name as Linux has it, else the kind of machine. */
static void cpu_name(char name[256])
{
    struct utsname system;
    char line[512];
    snprintf(name, 256, "%s", uname(&system) == 0 ? system.machine : "?");
    FILE *f = fopen("/proc/cpuinfo", "re");
    while (f && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(name, 256, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (f)
        fclose(f);
}

static json_t *identity(void)
{
    char cpu[256];
    cpu_name(cpu);
    json_t *object = json_pack("{s:i, s:s, s:s}", "specreg_machine", FORMAT, "vectors",
                               sri_vec_best()->name, "blas", sri_blas_name());
    sri_json_put(&object, "cpu", sri_json_string(cpu));
    return object;
}

static bool is_this(const json_t *file, const json_t *id)
{
    static const char *const keys[] = {"specreg_machine", "cpu", "vectors", "blas"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!json_equal(json_object_get(file, keys[i]), json_object_get(id, keys[i])))
            return false;
    return true;
}

static json_t *rates_json(const sri_rates *rates)
{
    json_t *read = json_array();
    for (int i = 0; i < SRI_BLOCKS; i++)
        sri_json_add(&read, json_real(rates->read[i]));
    json_t *object =
        json_pack("{s:i, s:f, s:f, s:f, s:f}", "threads", rates->threads, "gemm", rates->gemm,
                  "values", rates->values, "scalar", rates->scalar, "region", rates->region);
    sri_json_put(&object, "read", read);
    return object;
}

static bool rates_from_json(const json_t *json, sri_rates *out)
{
    json_t *read = NULL;
    *out = (sri_rates){0};
    if (json_unpack((json_t *)json, "{s:i, s:F, s:F, s:F, s:F, s:o}", "threads", &out->threads,
                    "gemm", &out->gemm, "values", &out->values, "scalar", &out->scalar, "region",
                    &out->region, "read", &read) != 0 ||
        json_array_size(read) != SRI_BLOCKS)
        return false;
    for (int i = 0; i < SRI_BLOCKS; i++)
        out->read[i] = json_number_value(json_array_get(read, (size_t)i));
    return sri_rates_plausible(out);
}

/* The folder, and the file in it; empty where there is no home.  A relative XDG_CACHE_HOME does not
 * count, as its standard says. */
static specreg_status file_name(specreg_context *ctx, sri_buffer *folder, sri_buffer *file)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && cache[0] == '/')
        SRI_CALL(sri_buffer_print(ctx, folder, "%s/specreg", cache));
    else if (home && home[0] == '/')
        SRI_CALL(sri_buffer_print(ctx, folder, "%s/.cache/specreg", home));
    if (folder->data)
        SRI_CALL(sri_buffer_print(ctx, file, "%s/machine.json", folder->data));
    return SPECREG_OK;
}

static bool is_there(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size <= LARGEST;
}

/* What the file says of this machine; NULL: nothing. */
static json_t *load(const char *path, const json_t *id)
{
    json_t *file = json_load_file(path, 0, NULL);
    if (file && is_this(file, id))
        return file;
    json_decref(file);
    return NULL;
}

static bool find(const json_t *file, int threads, sri_rates *out)
{
    size_t i;
    json_t *entry;
    json_array_foreach (json_object_get(file, "rates"), i, entry) {
        if (rates_from_json(entry, out) && out->threads == threads)
            return true;
    }
    return false;
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    (void)mkdir(path, 0700);
}

/* Other numbers of threads that the file knows stay. */
static json_t *with_rates(const json_t *old, const json_t *id, const sri_machine *m)
{
    json_t *list = json_array(), *entry, *file = json_deep_copy(id);
    size_t i;
    sri_rates rates;
    sri_json_add(&list, rates_json(&m->one));
    if (m->all.threads > 1)
        sri_json_add(&list, rates_json(&m->all));
    json_array_foreach (json_object_get(old, "rates"), i, entry) {
        if (rates_from_json(entry, &rates) && rates.threads > 1 && rates.threads != m->all.threads)
            sri_json_add(&list, json_incref(entry));
    }
    sri_json_put(&file, "rates", list);
    return file;
}

static specreg_status save(specreg_context *ctx, char *folder, const char *path, const json_t *file)
{
    specreg_status st = SPECREG_OK;
    sri_output *out = NULL;
    char *text = json_dumps(file, JSON_INDENT(1) | JSON_REAL_PRECISION(4));
    SRI_REQUIRE(ctx, text, SPECREG_E_NOMEM, "out of memory");
    make_folders(folder);
    SRI_TRY(sri_output_open(ctx, path, &out));
    SRI_TRY(sri_output_write(ctx, out, text, strlen(text)));
    SRI_TRY(sri_output_write(ctx, out, "\n", 1));
    st = sri_output_commit(ctx, out);
    out = NULL;
done:
    sri_output_abandon(out);
    free(text);
    return st;
}

/* It is not the machine but others at work on it that make more threads slower than one, and
 * waiting for them long. */
static void no_slower(sri_rates *all, const sri_rates *one)
{
    all->region = fmin(all->region, LONGEST_REGION);
    all->gemm = fmax(all->gemm, one->gemm);
    all->values = fmax(all->values, one->values);
    all->scalar = fmax(all->scalar, one->scalar);
    for (int i = 0; i < SRI_BLOCKS; i++)
        all->read[i] = fmax(all->read[i], one->read[i]);
}

static specreg_status measure(specreg_context *ctx, int threads, sri_machine *out)
{
    SRI_CALL(sri_rates_measure(ctx, 1, &out->one));
    out->all = out->one;
    if (threads > 1) {
        SRI_CALL(sri_rates_measure(ctx, threads, &out->all));
        no_slower(&out->all, &out->one);
    }
    out->measured = sri_rates_plausible(&out->one) && sri_rates_plausible(&out->all);
    if (!out->measured)
        *out = sri_machine_default(threads);
    return SPECREG_OK;
}

specreg_status sri_machine_get(specreg_context *ctx, sri_calibrate how, int threads,
                               sri_machine *out)
{
    specreg_status st = SPECREG_OK;
    sri_buffer folder = {0}, path = {0};
    json_t *id = NULL, *file = NULL, *next = NULL;
    *out = sri_machine_default(threads);
    SRI_REQUIRE(ctx, how != SRI_CALIBRATE_AGAIN || !sri_threads_kept(), SPECREG_E_ARG,
                "calibrate=again measures with one thread and with all, threads=keep forbids that");
    if (how == SRI_CALIBRATE_AUTO && sri_threads_kept())
        how = SRI_CALIBRATE_CACHED;
    if (how == SRI_CALIBRATE_NO)
        return st;
    SRI_TRY(file_name(ctx, &folder, &path));
    if (how == SRI_CALIBRATE_CACHED && !is_there(path.data))
        goto done;
    id = identity();
    SRI_REQUIRE(ctx, id, SPECREG_E_NOMEM, "out of memory");
    file = is_there(path.data) ? load(path.data, id) : NULL;
    sri_machine known = {.measured = true};
    const bool found = find(file, 1, &known.one) && find(file, threads, &known.all);
    if (found && how != SRI_CALIBRATE_AGAIN) {
        *out = known;
    } else if (how != SRI_CALIBRATE_CACHED) {
        SRI_TRY(measure(ctx, threads, out));
        next = with_rates(file, id, out);
        if (out->measured && path.data && next &&
            save(ctx, folder.data, path.data, next) != SPECREG_OK)
            ctx->error[0] = '\0'; /* measured in vain, but measured */
    }
done:
    json_decref(next);
    json_decref(file);
    json_decref(id);
    sri_buffer_free(&path);
    sri_buffer_free(&folder);
    return st;
}

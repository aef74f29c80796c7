#include "sums/pass_checkpoint.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "sums/sums_file.h"

static const char PASS_MARK[] = "specregP";
static const double LEAST_SECONDS = 0.2, SHARE = 1.0 / 20;

static specreg_status belongs_elsewhere(specreg_context *ctx, const char *path)
{
    return sri_fail(ctx, SPECREG_E_FORMAT,
                    "%s: belongs to other data or options: remove it or name another file", path);
}

static specreg_status read_file(specreg_context *ctx, sri_pass_checkpoint *c, sri_sums *sums)
{
    specreg_status st = SPECREG_OK;
    sri_sums_reader r = {.from = NULL};
    sri_digest fingerprint;
    sri_sums found = {0};
    SRI_TRY(sri_begin_reading(ctx, c->path, PASS_MARK, "checkpoint", &r));
    SRI_TRY(sri_get(&r, &fingerprint, sizeof fingerprint));
    if (memcmp(&fingerprint, &c->fingerprint, sizeof fingerprint) != 0)
        SRI_TRY(belongs_elsewhere(ctx, c->path));
    SRI_TRY(sri_get_number(&r, 0, INT64_C(1) << 40, &c->blocks));
    SRI_TRY(sri_get(&r, &c->chain, sizeof c->chain));
    SRI_TRY(sri_get_sums(&r, &found));
    SRI_TRY(sri_end_reading(&r));
    if (!sri_sums_take(sums, &found))
        SRI_TRY(belongs_elsewhere(ctx, c->path));
done:
    sri_sums_free(&found);
    sri_stream_close(r.from);
    return st;
}

/* Whether there is a file; what is none, and cannot become one, is an error. */
static specreg_status look_for_file(specreg_context *ctx, const char *path, bool *found)
{
    struct stat info;
    *found = stat(path, &info) == 0;
    SRI_CHECK(ctx, *found || errno == ENOENT, SPECREG_E_IO, "%s: cannot read: %s", path,
              strerror(errno));
    SRI_CHECK(ctx, !*found || !S_ISDIR(info.st_mode), SPECREG_E_IO, "%s: is a directory", path);
    return strcmp(path, "-") != 0 && (!*found || S_ISREG(info.st_mode))
               ? SPECREG_OK
               : sri_fail(ctx, SPECREG_E_IO, "%s: a checkpoint must be a regular file", path);
}

specreg_status sri_pass_checkpoint_open(specreg_context *ctx, const char *path,
                                        sri_digest fingerprint, sri_sums *sums,
                                        sri_pass_checkpoint *out)
{
    specreg_status st = SPECREG_OK;
    bool found;
    *out = (sri_pass_checkpoint){.fingerprint = fingerprint};
    SRI_STRDUP(ctx, out->path, path);
    SRI_TRY(look_for_file(ctx, path, &found));
    SRI_TRY(found ? read_file(ctx, out, sums)
                  : sri_pass_checkpoint_write(ctx, out, sums, 0, (sri_digest){{0}}));
done:
    if (st != SPECREG_OK)
        sri_pass_checkpoint_free(out);
    return st;
}

bool sri_pass_checkpoint_due(const sri_pass_checkpoint *c)
{
    const double since = sri_clock() - c->wrote_at;
    return since > LEAST_SECONDS && since * SHARE > c->took;
}

specreg_status sri_pass_checkpoint_write(specreg_context *ctx, sri_pass_checkpoint *c,
                                         sri_sums *sums, int64_t blocks, sri_digest chain)
{
    const double start = sri_clock();
    sri_sums_writer w;
    SRI_CALL(sri_sums_close(ctx, sums));
    SRI_CALL(sri_begin_writing(ctx, c->path, PASS_MARK, &w));
    sri_put(&w, &c->fingerprint, sizeof c->fingerprint);
    sri_put_number(&w, blocks);
    sri_put(&w, &chain, sizeof chain);
    sri_put_sums(&w, sums);
    SRI_CALL(sri_end_writing(&w));
    c->wrote_at = sri_clock();
    c->took = c->wrote_at - start;
    return SPECREG_OK;
}

void sri_pass_checkpoint_free(sri_pass_checkpoint *c)
{
    sri_free(c->path);
    *c = (sri_pass_checkpoint){0};
}

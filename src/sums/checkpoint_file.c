#include "sums/checkpoint_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"

static const double LEAST_SECONDS = 0.2, SHARE = 1.0 / 20;

specreg_status sri_checkpoint_elsewhere(specreg_context *ctx, const char *path)
{
    return sri_fail(ctx, SPECREG_E_FORMAT,
                    "%s: belongs to other data or options: remove it or name another file", path);
}

specreg_status sri_checkpoint_look(specreg_context *ctx, const char *path, bool *found)
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

bool sri_checkpoint_due(const sri_checkpoint_file *f)
{
    const double since = sri_clock() - f->wrote_at;
    return since > LEAST_SECONDS && since * SHARE > f->took;
}

specreg_status sri_checkpoint_read(specreg_context *ctx, const sri_checkpoint_file *f,
                                   const char *mark, sri_sums_reader *r)
{
    sri_digest fingerprint;
    SRI_CALL(sri_begin_reading(ctx, f->path, mark, "checkpoint", r));
    SRI_CALL(sri_get(r, &fingerprint, sizeof fingerprint));
    return memcmp(&fingerprint, &f->fingerprint, sizeof fingerprint) == 0
               ? SPECREG_OK
               : sri_checkpoint_elsewhere(ctx, f->path);
}

specreg_status sri_checkpoint_write(specreg_context *ctx, sri_checkpoint_file *f, const char *mark,
                                    sri_sums_writer *w)
{
    f->wrote_at = sri_clock();
    SRI_CALL(sri_begin_writing(ctx, f->path, mark, w));
    sri_put(w, &f->fingerprint, sizeof f->fingerprint);
    return SPECREG_OK;
}

specreg_status sri_checkpoint_written(sri_checkpoint_file *f, sri_sums_writer *w)
{
    const double start = f->wrote_at;
    SRI_CALL(sri_end_writing(w));
    f->wrote_at = sri_clock();
    f->took = f->wrote_at - start;
    return SPECREG_OK;
}

void sri_checkpoint_file_free(sri_checkpoint_file *f)
{
    sri_free(f->path);
    *f = (sri_checkpoint_file){0};
}

#include "sums/pass_checkpoint.h"

#include "core/memory.h"

static const char PASS_MARK[] = "specregP";

static specreg_status read_file(specreg_context *ctx, sri_pass_checkpoint *c, sri_sums *sums)
{
    specreg_status st = SPECREG_OK;
    sri_sums_reader r = {.from = NULL};
    sri_sums found = {0};
    SRI_TRY(sri_checkpoint_read(ctx, &c->file, PASS_MARK, &r));
    SRI_TRY(sri_get_number(&r, 0, INT64_C(1) << 40, &c->blocks));
    SRI_TRY(sri_get(&r, &c->chain, sizeof c->chain));
    SRI_TRY(sri_get_sums(&r, &found));
    SRI_TRY(sri_end_reading(&r));
    if (!sri_sums_take(sums, &found))
        SRI_TRY(sri_checkpoint_elsewhere(ctx, c->file.path));
done:
    sri_sums_free(&found);
    sri_stream_close(r.from);
    return st;
}

specreg_status sri_pass_checkpoint_open(specreg_context *ctx, const char *path,
                                        sri_digest fingerprint, sri_sums *sums,
                                        sri_pass_checkpoint *out)
{
    specreg_status st = SPECREG_OK;
    bool found;
    *out = (sri_pass_checkpoint){.file.fingerprint = fingerprint};
    SRI_STRDUP(ctx, out->file.path, path);
    SRI_TRY(sri_checkpoint_look(ctx, path, &found));
    SRI_TRY(found ? read_file(ctx, out, sums)
                  : sri_pass_checkpoint_write(ctx, out, sums, 0, (sri_digest){{0}}));
done:
    if (st != SPECREG_OK)
        sri_pass_checkpoint_free(out);
    return st;
}

specreg_status sri_pass_checkpoint_write(specreg_context *ctx, sri_pass_checkpoint *c,
                                         sri_sums *sums, int64_t blocks, sri_digest chain)
{
    sri_sums_writer w;
    SRI_CALL(sri_sums_close(ctx, sums));
    SRI_CALL(sri_checkpoint_write(ctx, &c->file, PASS_MARK, &w));
    sri_put_number(&w, blocks);
    sri_put(&w, &chain, sizeof chain);
    sri_put_sums(&w, sums);
    return sri_checkpoint_written(&c->file, &w);
}

void sri_pass_checkpoint_free(sri_pass_checkpoint *c)
{
    sri_checkpoint_file_free(&c->file);
    *c = (sri_pass_checkpoint){0};
}

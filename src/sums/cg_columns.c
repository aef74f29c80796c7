#include "sums/cg_columns.h"

#include <string.h>

#include "core/memory.h"

static const char COLUMNS_MARK[] = "specregG";

/* Of all that the columns depend on: the question, and the rows by what the first pass made of
 * them. */
static sri_digest fingerprint(const sri_conjugate_question *q, const sri_products *p)
{
    const sri_values *path = &q->sums->path;
    const int64_t order = sri_products_order(p);
    const int64_t width = p->source->at.T * p->source->at.r;
    sri_digest d = q->fingerprint;
    sri_digest_add(&d, path->v, (size_t)path->count * sizeof *path->v);
    for (int64_t k = 0; k < path->count; k++) {
        const sri_systems of = q->sums->filter.ops->resolvents(&q->sums->filter, path->v[k]);
        sri_digest_add(&d, &of.lambda, sizeof of.lambda);
        sri_digest_add(&d, &of.order, sizeof of.order);
    }
    const sri_coupling *coupling = q->sums->coupling;
    if (coupling)
        sri_digest_add(&d, coupling->a, (size_t)coupling->T * sizeof *coupling->a);
    sri_digest_add(&d, &q->residual, sizeof q->residual);
    sri_digest_add(&d, p->moment, (size_t)(p->sets * order * order) * sizeof *p->moment);
    sri_digest_add(&d, p->h, (size_t)(p->sets * width) * sizeof *p->h);
    return d;
}

specreg_status sri_cg_checkpoint_open(specreg_context *ctx, const sri_conjugate_question *q,
                                      const sri_products *products, sri_cg_checkpoint *out)
{
    specreg_status st = SPECREG_OK;
    bool found;
    *out = (sri_cg_checkpoint){.file.fingerprint = fingerprint(q, products)};
    out->progress.passes = products->passes;
    SRI_STRDUP(ctx, out->file.path, q->checkpoint);
    SRI_TRY(sri_checkpoint_look(ctx, q->checkpoint, &found));
    if (!found) {
        SRI_TRY(sri_cg_keep(ctx, out, NULL, 0, NULL));
        goto done;
    }
    SRI_TRY(sri_checkpoint_read(ctx, &out->file, COLUMNS_MARK, &out->reader));
    SRI_TRY(sri_get(&out->reader, &out->progress, sizeof out->progress));
    out->goes_on = out->progress.passes > products->passes;
done:
    if (st != SPECREG_OK)
        sri_cg_checkpoint_free(out);
    return st;
}

static int64_t path_bytes(const sri_sums_path *path)
{
    return path->width * path->count * path->T * (int64_t)sizeof *path->W;
}

specreg_status sri_cg_restore(specreg_context *ctx, sri_cg_checkpoint *c, sri_cg_columns *columns,
                              int64_t sets, sri_sums_path **path)
{
    sri_sums_reader *r = &c->reader;
    c->goes_on = false;
    for (int64_t s = 0; c->progress.first > 0 && s < sets; s++)
        SRI_CALL(sri_get(r, path[s]->W, path_bytes(path[s])));
    for (int64_t k = 0; columns && k < columns->count; k++) {
        sri_cg_column *column = &columns->column[k];
        double *const vector[] = {column->b, column->x,      column->r,
                                  column->p, column->before, column->kept};
        SRI_CALL(sri_get(r, &column->at, sizeof column->at));
        for (int i = 0; i < 6; i++)
            SRI_CALL(sri_get(r, vector[i], columns->r * (int64_t)sizeof *vector[i]));
    }
    sri_log(ctx, "checkpoint: goes on after %lld passes over the rows",
            (long long)c->progress.passes);
    return sri_end_reading(r);
}

specreg_status sri_cg_keep(specreg_context *ctx, sri_cg_checkpoint *c,
                           const sri_cg_columns *columns, int64_t sets, sri_sums_path **path)
{
    sri_sums_writer w;
    SRI_CALL(sri_checkpoint_write(ctx, &c->file, COLUMNS_MARK, &w));
    sri_put(&w, &c->progress, sizeof c->progress);
    for (int64_t s = 0; c->progress.first > 0 && s < sets; s++)
        sri_put(&w, path[s]->W, path_bytes(path[s]));
    for (int64_t k = 0; columns && k < columns->count; k++) {
        const sri_cg_column *column = &columns->column[k];
        const double *const vector[] = {column->b, column->x,      column->r,
                                        column->p, column->before, column->kept};
        sri_put(&w, &column->at, sizeof column->at);
        for (int i = 0; i < 6; i++)
            sri_put(&w, vector[i], columns->r * (int64_t)sizeof *vector[i]);
    }
    return sri_checkpoint_written(&c->file, &w);
}

void sri_cg_checkpoint_free(sri_cg_checkpoint *c)
{
    sri_stream_close(c->reader.from);
    sri_checkpoint_file_free(&c->file);
    *c = (sri_cg_checkpoint){.goes_on = false};
}

#include "data/writer.h"

#include "core/memory.h"
#include "data/io/format.h"

enum { MOST_HELD = 1 << 20 };

struct sri_writer {
    sri_output *output;
    const sri_format *format;
    specreg_table **part; /* rows that are not written yet */
    int64_t parts, capacity;
    int64_t rows, cols, written;
};

specreg_status sri_writer_open(specreg_context *ctx, const char *path, sri_writer **out)
{
    specreg_status st = SPECREG_OK;
    sri_writer *w = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, w, 1, 1);
    SRI_TRY(sri_format_to_write(ctx, path, &w->format));
    SRI_TRY(sri_output_open(ctx, path, &w->output));
    SRI_TRY(sri_output_compress(ctx, w->output));
    SRI_MOVE(*out, w);
done:
    sri_writer_abandon(w);
    return st;
}

/* Whether rows can be written before all are there. */
static bool can_append(const sri_writer *w)
{
    return w->format->append && (!w->format->finish || sri_output_is_plain(w->output));
}

static void free_parts(sri_writer *w)
{
    for (int64_t i = 0; i < w->parts; i++)
        specreg_table_free(w->part[i]);
    w->parts = 0;
}

static specreg_status flush(specreg_context *ctx, sri_writer *w)
{
    for (int64_t i = 0; i < w->parts; i++) {
        SRI_CALL(w->format->append(ctx, w->part[i], w->output, w->written == 0));
        w->written += w->part[i]->rows;
        w->cols = specreg_table_cols(w->part[i]);
    }
    free_parts(w);
    return SPECREG_OK;
}

specreg_status sri_writer_add(specreg_context *ctx, sri_writer *w, specreg_table **t)
{
    SRI_CALL(SRI_GROW(ctx, w->part, w->capacity, w->parts + 1));
    w->rows += (*t)->rows;
    SRI_MOVE(w->part[w->parts++], *t);
    if (!can_append(w) || (!sri_output_is_file(w->output) && w->rows < MOST_HELD))
        return SPECREG_OK;
    return flush(ctx, w);
}

int64_t sri_writer_rows(const sri_writer *w)
{
    return w->rows;
}

/* All rows at once. */
static specreg_status write_whole(specreg_context *ctx, sri_writer *w)
{
    specreg_table *all = NULL;
    if (w->parts == 1)
        return w->format->write(ctx, w->part[0], w->output);
    SRI_CALL(sri_table_join(ctx, w->part, w->parts, &all));
    const specreg_status st = w->format->write(ctx, all, w->output);
    specreg_table_free(all);
    return st;
}

specreg_status sri_writer_commit(specreg_context *ctx, sri_writer *w)
{
    specreg_status st = SPECREG_OK;
    sri_output *output = NULL;
    if (w->written == 0 && w->parts > 0) {
        SRI_TRY(write_whole(ctx, w));
    } else {
        SRI_TRY(flush(ctx, w));
        if (w->format->finish)
            SRI_TRY(w->format->finish(ctx, w->rows, w->cols, w->output));
    }
    SRI_MOVE(output, w->output);
    st = sri_output_commit(ctx, output);
done:
    sri_writer_abandon(w);
    return st;
}

void sri_writer_abandon(sri_writer *w)
{
    if (!w)
        return;
    free_parts(w);
    sri_free(w->part);
    sri_output_abandon(w->output);
    sri_free(w);
}

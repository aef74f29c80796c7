#include "model/row_parts.h"

#include <string.h>

#include "core/memory.h"

enum { ROWS = 2 * SRI_BLOCK_ROWS, LEAST = SRI_BLOCK_ROWS };

struct sri_row_parts {
    char *name;
    sri_blocks *blocks;   /* NULL: all was read at once ... */
    specreg_table *whole; /* ... and is this, until it is given */
    specreg_table *ahead; /* the next part, where it was read already */
    bool ended;           /* nothing comes after that */
    int64_t total;        /* rows; -1: not known */
    int64_t read;         /* rows that were given */
    double seconds;       /* that reading took */
};

static specreg_status open_whole(specreg_context *ctx, const specreg_model *model,
                                 const char *const *paths, int64_t count,
                                 const specreg_options *options, sri_row_parts *p)
{
    SRI_CHECK(ctx, count == 1 && !sri_path_is_pattern(paths[0]), SPECREG_E_ARG,
              "documents and rows that go with --features-file must be in one file");
    SRI_CALL(specreg_table_read_for(ctx, model, paths[0], options, &p->whole));
    p->total = p->whole->rows;
    return SPECREG_OK;
}

static specreg_status open_blocks(specreg_context *ctx, const char *const *paths, int64_t count,
                                  const specreg_options *options, sri_row_parts *p)
{
    SRI_CALL(sri_blocks_open(ctx, paths, count, options, &p->blocks));
    sri_blocks_read_once(p->blocks);
    p->total = sri_blocks_rows(p->blocks);
    return SPECREG_OK;
}

specreg_status sri_row_parts_open(specreg_context *ctx, const specreg_model *model,
                                  const char *const *paths, int64_t count,
                                  const specreg_options *options, sri_row_parts **out)
{
    specreg_status st = SPECREG_OK;
    const bool is_whole =
        model->encoding.vocabulary || *sri_option_value(options, SRI_OPT_FEATURES_FILE) != '\0';
    sri_row_parts *p = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, p, 1, 1);
    SRI_REQUIRE(ctx, count > 0 && paths[0], SPECREG_E_ARG, "there are no files to read");
    SRI_STRDUP(ctx, p->name, strcmp(paths[0], "-") == 0 ? "stdin" : paths[0]);
    const double start = sri_clock();
    SRI_TRY(is_whole ? open_whole(ctx, model, paths, count, options, p)
                     : open_blocks(ctx, paths, count, options, p));
    p->seconds = sri_clock() - start;
    SRI_MOVE(*out, p);
done:
    sri_row_parts_free(p);
    return st;
}

/* The next rows, without looking at how many they are. */
static specreg_status read_next(specreg_context *ctx, sri_row_parts *p, specreg_table **out)
{
    int64_t first;
    *out = NULL;
    if (p->ahead) {
        SRI_MOVE(*out, p->ahead);
        return SPECREG_OK;
    }
    if (p->ended)
        return SPECREG_OK;
    if (p->whole) {
        SRI_MOVE(*out, p->whole);
        p->ended = true;
        return SPECREG_OK;
    }
    SRI_CALL(sri_blocks_next(ctx, p->blocks, ROWS, &first, out));
    p->ended = !*out || (*out)->rows < ROWS;
    return SPECREG_OK;
}

/* A few rows at the end go with the part before them. */
static specreg_status add_end(specreg_context *ctx, sri_row_parts *p, specreg_table **t)
{
    if (!*t || p->ended)
        return SPECREG_OK;
    SRI_CALL(read_next(ctx, p, &p->ahead));
    if (!p->ahead || p->ahead->rows >= LEAST)
        return SPECREG_OK;
    specreg_table *const both[] = {*t, p->ahead};
    specreg_table *joined;
    SRI_CALL(sri_table_join(ctx, both, 2, &joined));
    specreg_table_free(*t);
    specreg_table_free(p->ahead);
    p->ahead = NULL;
    *t = joined;
    return SPECREG_OK;
}

specreg_status sri_row_parts_next(specreg_context *ctx, sri_row_parts *p, int64_t *before,
                                  specreg_table **out)
{
    *before = p->read;
    SRI_CALL(p->total > 0 ? sri_progress(ctx, p->read) : sri_poll(ctx));
    const double start = sri_clock();
    SRI_CALL(read_next(ctx, p, out));
    SRI_CALL(add_end(ctx, p, out));
    p->seconds += sri_clock() - start;
    p->read += *out ? (*out)->rows : 0;
    return SPECREG_OK;
}

specreg_status sri_row_parts_stage(specreg_context *ctx, sri_row_parts *p, const char *stage)
{
    return sri_stage(ctx, stage, p->total > 0 ? p->total : 1);
}

const char *sri_row_parts_name(const sri_row_parts *p)
{
    return p->name;
}

double sri_row_parts_seconds(const sri_row_parts *p)
{
    return p->seconds;
}

void sri_row_parts_free(sri_row_parts *p)
{
    if (!p)
        return;
    sri_blocks_free(p->blocks);
    specreg_table_free(p->whole);
    specreg_table_free(p->ahead);
    sri_free(p->name);
    sri_free(p);
}

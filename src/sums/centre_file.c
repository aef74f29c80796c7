/* Centres that a file lists: the number of a row of the data on each line, from 1 on. */
#include <stdlib.h>

#include "core/memory.h"
#include "data/blocks.h"
#include "data/io/stream.h"
#include "data/text/lines.h"
#include "sums/centre_rules.h"

typedef struct list {
    char *text;
    sri_lines lines;
} list;

static specreg_status open_list(specreg_context *ctx, const char *file, list *out)
{
    specreg_status st = SPECREG_OK;
    sri_stream *stream = NULL;
    size_t size;
    *out = (list){0};
    SRI_TRY(sri_stream_open(ctx, file, &stream));
    SRI_TRY(sri_stream_slurp(ctx, stream, &out->text, &size));
    out->lines = (sri_lines){.ctx = ctx, .name = file, .at = out->text, .end = out->text + size};
done:
    sri_stream_close(stream);
    return st;
}

/* The next number, from 1 on; *number 0: there are no more.  Empty lines are nothing. */
static specreg_status next_number(list *l, int64_t *number)
{
    double value;
    *number = 0;
    while (sri_lines_next(&l->lines)) {
        const char *text = l->lines.text;
        size_t length = l->lines.length;
        for (; length && (text[length - 1] == '\r' || text[length - 1] == ' '); length--)
            ;
        for (; length && *text == ' '; length--)
            text++;
        if (!length)
            continue;
        if (!sri_take_whole(&text, &length, 1, &value) || length)
            return sri_lines_broken(&l->lines, "this is not the number of a row, 1 or more");
        *number = (int64_t)value;
        return SPECREG_OK;
    }
    return SPECREG_OK;
}

specreg_status sri_centres_count(specreg_context *ctx, const char *file, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    list l;
    int64_t number = 1;
    *count = -1;
    SRI_TRY(open_list(ctx, file, &l));
    for (; number; ++*count)
        SRI_TRY(next_number(&l, &number));
    SRI_REQUIRE(ctx, *count > 0, SPECREG_E_FORMAT, "%s: there are no rows in it", file);
done:
    sri_free(l.text);
    return st;
}

specreg_status sri_centres_listed(specreg_context *ctx, const sri_approx *approx, int64_t **row,
                                  int64_t *count)
{
    specreg_status st = SPECREG_OK;
    list l = {0};
    int64_t capacity = 0, number;
    *row = NULL;
    *count = 0;
    if (!approx->file)
        return st;
    SRI_TRY(open_list(ctx, approx->file, &l));
    for (;;) {
        SRI_TRY(next_number(&l, &number));
        if (!number || (approx->m && *count == approx->m))
            break;
        SRI_TRY(SRI_GROW(ctx, *row, capacity, *count + 1));
        (*row)[(*count)++] = number - 1;
    }
    if (*count)
        qsort(*row, (size_t)*count, sizeof **row, sri_by_number);
done:
    sri_free(l.text);
    return st;
}

/* The place of a row, whose numbers ascend; -1: it is not there. */
static int64_t place_of(const sri_centre_pool *pool, int64_t number)
{
    int64_t low = 0, high = pool->points->n;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (pool->number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pool->points->n && pool->number[low] == number ? low : -1;
}

specreg_status sri_centres_file(specreg_context *ctx, const sri_centre_pool *pool, int64_t m,
                                int64_t *row, int64_t *count)
{
    specreg_status st = SPECREG_OK;
    list l;
    int64_t number, *line = NULL; /* of each row of the pool: the line that it is on */
    SRI_TRY(open_list(ctx, pool->file, &l));
    SRI_CALLOC(ctx, line, pool->points->n, 1);
    for (*count = 0; *count < m; ++*count) {
        SRI_TRY(next_number(&l, &number));
        SRI_REQUIRE(ctx, number, SPECREG_E_ARG, "%s: it lists %lld rows, but m=%lld", pool->file,
                    (long long)*count, (long long)m);
        const int64_t at = place_of(pool, number - 1);
        SRI_REQUIRE(ctx, at >= 0, SPECREG_E_FORMAT,
                    "%s:%lld: row %lld is not among the rows of the data, or was left out as "
                    "incomplete",
                    pool->file, (long long)l.lines.line, (long long)number);
        SRI_REQUIRE(ctx, !line[at], SPECREG_E_FORMAT, "%s:%lld: row %lld is on line %lld already",
                    pool->file, (long long)l.lines.line, (long long)number, (long long)line[at]);
        line[at] = l.lines.line;
        row[*count] = at;
    }
done:
    sri_free(line);
    sri_free(l.text);
    return st;
}

/* Given splits: each line of a file lists the rows that train, 0-based; the others validate. */
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/stream.h"
#include "select/rule.h"

static specreg_status read_all(specreg_context *ctx, const char *path, sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    sri_stream *stream = NULL;
    char chunk[65536];
    size_t got;
    SRI_TRY(sri_stream_open(ctx, path, &stream));
    do {
        SRI_TRY(sri_stream_read(ctx, stream, chunk, sizeof chunk, &got));
        SRI_TRY(sri_buffer_add(ctx, out, chunk, got));
    } while (got > 0);
done:
    sri_stream_close(stream);
    return st;
}

/* A file of splits, line by line. */
typedef struct split_file {
    const char *path;
    int64_t line; /* the number of this one                                            */
    const sri_problem_rows *rows;
    int64_t n;    /* rows of the table that are used: rows->keep                        */
    bool *trains; /* of all rows of the table; those that are not used are in neither part */
    int64_t capacity;
    sri_splits *out;
} split_file;

/* Marks the rows that a line lists. */
static specreg_status parse_line(specreg_context *ctx, const split_file *f, char *line)
{
    static const char blanks[] = " \t\r,";
    const int64_t n = f->rows->table_rows;
    char *rest = NULL;
    memset(f->trains, 0, (size_t)n * sizeof *f->trains);
    for (char *word = strtok_r(line, blanks, &rest); word; word = strtok_r(NULL, blanks, &rest)) {
        char *end;
        const long long row = strtoll(word, &end, 10);
        if (*end || end == word || row < 0 || row >= n)
            return sri_fail(ctx, SPECREG_E_FORMAT,
                            "%s:%lld: '%s' is not the number of a row, 0 to %lld", f->path,
                            (long long)f->line, word, (long long)n - 1);
        if (f->trains[row])
            return sri_fail(ctx, SPECREG_E_FORMAT, "%s:%lld: row %lld is listed twice", f->path,
                            (long long)f->line, row);
        f->trains[row] = true;
    }
    return SPECREG_OK;
}

static specreg_status add_split(specreg_context *ctx, split_file *f)
{
    sri_splits *out = f->out;
    SRI_CALL(sri_grow(ctx, (void **)&out->split, &f->capacity, out->count + 1, sizeof *out->split));
    sri_split *s = &out->split[out->count++];
    *s = (sri_split){0};
    SRI_NEW(ctx, s->train, f->n, 1);
    SRI_NEW(ctx, s->validate, f->n, 1);
    for (int64_t i = 0; i < f->n; i++)
        if (f->trains[f->rows->keep[i]])
            s->train[s->n_train++] = i;
        else
            s->validate[s->n_validate++] = i;
    SRI_CHECK(ctx, s->n_train && s->n_validate, SPECREG_E_FORMAT, "%s:%lld: no row is left to %s",
              f->path, (long long)f->line, s->n_train ? "validate" : "train");
    return SPECREG_OK;
}

specreg_status sri_splits_read(specreg_context *ctx, const char *path, const sri_problem *problem,
                               sri_splits *out)
{
    specreg_status st = SPECREG_OK;
    sri_buffer text = {0};
    split_file f = {.path = path, .rows = &problem->rows, .n = problem->n, .out = out};
    *out = (sri_splits){0};
    SRI_TRY(read_all(ctx, path, &text));
    SRI_ALLOC(ctx, f.trains, problem->rows.table_rows, 1);
    for (char *line = text.data, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        f.line++;
        if (line[strspn(line, " \t\r")] == '\0')
            continue;
        SRI_TRY(parse_line(ctx, &f, line));
        SRI_TRY(add_split(ctx, &f));
    }
    SRI_REQUIRE(ctx, out->count > 0, SPECREG_E_FORMAT, "%s: has no splits", path);
done:
    sri_free(f.trains);
    sri_buffer_free(&text);
    if (st != SPECREG_OK)
        sri_splits_free(out);
    return st;
}

static specreg_status splits(specreg_context *ctx, const sri_rule *self, const sri_problem *problem,
                             sri_splits *out)
{
    return sri_splits_read(ctx, self->path, problem, out);
}

/* Each split is a repeat with one fold, the rows that validate; the others are in none. */
static int64_t folds(const sri_rule *self, const sri_problem *problem)
{
    (void)self, (void)problem;
    return 1;
}

const sri_rule_ops sri_rule_splits = {
    .name = "splits",
    .title = "the given splits",
    .takes_path = true,
    .score = sri_folds_score,
    .trials = sri_rule_trials,
    .splits = splits,
    .numbers_rows = true,
    .folds = folds,
    .need = SRI_NEED_FOLDS,
};

/* Files as one table in blocks: names and patterns, one file after the other, what can be read only
 * once, and whether anything changed between two readings. */
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/format.h"
#include "data/io/labelled.h"
#include "data/io/spool.h"

/* The rows that column types are found by, at least. */
enum { FIRST_LOOK = SRI_BLOCK_ROWS };

typedef struct file {
    char *path;
    bool is_regular;  /* it may be opened again                          */
    struct stat seen; /* when it was opened first; st_ino 0: it was not  */
    int copy;         /* of what can be read only once; -1: none         */
    int64_t rows;     /* -1: not known                                   */
} file;

typedef struct files {
    specreg_options *options;
    file *file;
    int64_t count, capacity;
    char *name; /* of all of them, as they were asked for; NULL: there is one */
    bool once;
    int64_t current;       /* the file that is read */
    sri_content content;   /* of it, where it is open */
    sri_row_source source; /* its rows; no kind: it is not open */
    int64_t read;          /* its rows that were read */
    specreg_table *like;   /* no rows: what the columns are; NULL: nobody looked yet */
    specreg_table *held;   /* rows that were read and not given */
    int64_t width;         /* of the sparse block, as far as it was read */
} files;

/* --------------------------------------------------------------------------- the list */

static specreg_status add_file(specreg_context *ctx, files *f, const char *path)
{
    struct stat info;
    SRI_CALL(SRI_GROW(ctx, f->file, f->capacity, f->count + 1));
    file *added = &f->file[f->count];
    *added = (file){.copy = -1, .rows = -1};
    SRI_NEW_TEXT(ctx, added->path, path);
    f->count++;
    /* What is not there, or a folder, is said when it is opened.  "file.h5:/name" is not there. */
    added->is_regular = strcmp(path, "-") != 0 &&
                        (stat(path, &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode));
    return SPECREG_OK;
}

static specreg_status add_matches(specreg_context *ctx, files *f, const char *pattern)
{
    glob_t found = {0};
    const int code = glob(pattern, 0, NULL, &found);
    specreg_status st = SPECREG_OK;
    SRI_REQUIRE(ctx, code != GLOB_NOMATCH, SPECREG_E_IO, "%s: no file has such a name", pattern);
    SRI_REQUIRE(ctx, code != GLOB_NOSPACE, SPECREG_E_NOMEM, "out of memory");
    SRI_REQUIRE(ctx, code == 0, SPECREG_E_IO, "%s: cannot read the folder", pattern);
    for (size_t i = 0; i < found.gl_pathc; i++)
        SRI_TRY(add_file(ctx, f, found.gl_pathv[i]));
done:
    globfree(&found);
    return st;
}

bool sri_path_is_pattern(const char *path)
{
    return strpbrk(path, "*?[") && access(path, F_OK) != 0;
}

static specreg_status list_files(specreg_context *ctx, const char *const *paths, int64_t count,
                                 files *f)
{
    int pipes = 0;
    SRI_CHECK(ctx, count > 0, SPECREG_E_ARG, "there are no files to read");
    for (int64_t i = 0; i < count; i++) {
        SRI_CALL(sri_path_is_pattern(paths[i]) ? add_matches(ctx, f, paths[i])
                                               : add_file(ctx, f, paths[i]));
        pipes += strcmp(paths[i], "-") == 0;
    }
    SRI_CHECK(ctx, pipes < 2, SPECREG_E_ARG, "standard input (-) can be read only once");
    return SPECREG_OK;
}

/* --------------------------------------------------------------------------- one file */

/* A file that is opened again, or that was read to its end, must be what it was. */
static specreg_status check_same(specreg_context *ctx, file *f)
{
    struct stat now;
    if (!f->is_regular || stat(f->path, &now) != 0)
        return SPECREG_OK; /* whoever opens it says so */
    if (f->seen.st_ino == 0)
        f->seen = now;
    SRI_CHECK(ctx,
              now.st_size == f->seen.st_size && now.st_ino == f->seen.st_ino &&
                  now.st_mtim.tv_sec == f->seen.st_mtim.tv_sec &&
                  now.st_mtim.tv_nsec == f->seen.st_mtim.tv_nsec,
              SPECREG_E_IO, "%s: changed while it was being read", f->path);
    return SPECREG_OK;
}

static void close_file(files *f)
{
    sri_row_source_close(&f->source);
    sri_content_close(&f->content);
    f->read = 0;
}

/* A format that cannot be read by rows is read as a whole. */
static specreg_status open_whole(specreg_context *ctx, files *f)
{
    const sri_content *c = &f->content;
    specreg_table *t = NULL;
    SRI_CALL(c->format->read(ctx, c->stream, c->file, c->inner, f->options, &t));
    const specreg_status st = sri_row_source_of_table(ctx, t, t, &f->source);
    if (st != SPECREG_OK)
        specreg_table_free(t);
    return st;
}

static specreg_status open_file(specreg_context *ctx, files *f, int64_t which)
{
    file *now = &f->file[which];
    close_file(f);
    SRI_CALL(check_same(ctx, now));
    if (!now->is_regular && now->copy < 0 && !f->once)
        SRI_CALL(sri_spool(ctx, now->path, &now->copy));
    SRI_CALL(sri_content_open(ctx, now->path, now->copy, f->options, &f->content));
    const sri_content *c = &f->content;
    if (c->format->open)
        SRI_CALL(c->format->open(ctx, c->stream, f->options, f->like, &f->source));
    if (c->format->open_array)
        SRI_CALL(c->format->open_array(ctx, c->stream, c->inner, &f->source));
    if (!f->source.kind)
        SRI_CALL(open_whole(ctx, f));
    if (f->source.kind->rows)
        now->rows = f->source.kind->rows(f->source.state);
    return SPECREG_OK;
}

/* ---------------------------------------------------------------------------- columns */

static specreg_status fail_columns(specreg_context *ctx, const specreg_table *t,
                                   const specreg_table *like)
{
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s: has %lld column%s, %s has %lld", t->source,
                    (long long)t->n_columns, t->n_columns == 1 ? "" : "s", like->source,
                    (long long)like->n_columns);
}

/* A column of a later file is as in the first one; texts may look like numbers. */
static specreg_status match_column(specreg_context *ctx, const specreg_table *like, int64_t col,
                                   specreg_table *t)
{
    const sri_column *expected = &like->column[col];
    sri_column *c = &t->column[col];
    if (!t->has_header && like->has_header)
        SRI_CALL(sri_table_set_name(ctx, t, col, expected->name, strlen(expected->name)));
    SRI_CHECK(ctx, strcmp(c->name, expected->name) == 0, SPECREG_E_FORMAT,
              "%s: column %lld is named '%s', in %s '%s'", t->source, (long long)col + 1, c->name,
              like->source, expected->name);
    if (expected->is_text)
        return sri_table_make_text(ctx, t, col);
    SRI_CHECK(ctx, !c->is_text, SPECREG_E_FORMAT, "%s: column '%s' holds texts, in %s numbers",
              t->source, c->name, like->source);
    return SPECREG_OK;
}

static specreg_status match_columns(specreg_context *ctx, files *f, specreg_table *t)
{
    const specreg_table *like = f->like;
    if (!like)
        return specreg_table_select(ctx, t, NULL, 0, &f->like);
    if (t->n_columns != like->n_columns)
        return fail_columns(ctx, t, like);
    SRI_CHECK(ctx, !t->sparse == !like->sparse, SPECREG_E_FORMAT, "%s: is %s, %s is %s", t->source,
              t->sparse ? "sparse" : "dense", like->source, like->sparse ? "sparse" : "dense");
    for (int64_t j = 0; j < t->n_columns; j++)
        SRI_CALL(match_column(ctx, like, j, t));
    t->has_header = like->has_header;
    return SPECREG_OK;
}

/* ------------------------------------------------------------------------------- rows */

/* What every table of the file gets before it is given. */
static specreg_status finish(specreg_context *ctx, files *f, specreg_table *t)
{
    SRI_CALL(sri_content_finish(ctx, &f->content, f->file[f->current].path, f->options, t));
    SRI_CALL(match_columns(ctx, f, t));
    if (!t->sparse)
        return SPECREG_OK;
    f->width = t->sparse->p > f->width ? t->sparse->p : f->width;
    return sri_table_widen(ctx, t, f->width);
}

/* Some rows of the file that is read, or of the next one: at most so many, but enough for a first
 * look; NULL after the last file. */
static specreg_status read_some(specreg_context *ctx, files *f, int64_t rows, specreg_table **out)
{
    const int64_t most = f->like || rows > FIRST_LOOK ? rows : FIRST_LOOK;
    for (*out = NULL; f->current < f->count;) {
        if (!f->source.kind)
            SRI_CALL(open_file(ctx, f, f->current));
        SRI_CALL(f->source.kind->next(ctx, f->source.state, most, out));
        if (*out) {
            f->read += (*out)->rows;
            return finish(ctx, f, *out);
        }
        f->file[f->current].rows = f->read;
        SRI_CALL(check_same(ctx, &f->file[f->current]));
        close_file(f);
        f->current++;
    }
    return SPECREG_OK;
}

/* The first `rows` rows of a table, which is given up; the others are held. */
static specreg_status cut(specreg_context *ctx, files *f, int64_t rows, specreg_table **t)
{
    specreg_status st = SPECREG_OK;
    specreg_table *whole = *t, *first = NULL;
    int64_t *row = NULL;
    SRI_ALLOC(ctx, row, whole->rows, 1);
    for (int64_t i = 0; i < whole->rows; i++)
        row[i] = i;
    SRI_TRY(specreg_table_select(ctx, whole, row, rows, &first));
    SRI_TRY(specreg_table_select(ctx, whole, row + rows, whole->rows - rows, &f->held));
    specreg_table_free(whole);
    *t = first;
done:
    if (st != SPECREG_OK)
        specreg_table_free(first);
    sri_free(row);
    return st;
}

/* Tables that have `rows` rows together, or all that are left. */
typedef struct pieces {
    specreg_table **piece;
    int64_t count, capacity, rows;
} pieces;

static void free_pieces(pieces *p)
{
    for (int64_t i = 0; i < p->count; i++)
        specreg_table_free(p->piece[i]);
    sri_free(p->piece);
}

static specreg_status join_pieces(specreg_context *ctx, pieces *p, specreg_table **out)
{
    if (p->count > 1)
        return sri_table_join(ctx, p->piece, p->count, out);
    if (p->count == 1)
        SRI_MOVE(*out, p->piece[0]);
    return SPECREG_OK;
}

static specreg_status add_piece(specreg_context *ctx, files *f, int64_t rows, pieces *p, bool *ends)
{
    SRI_CALL(SRI_GROW(ctx, p->piece, p->capacity, p->count + 1));
    specreg_table **t = &p->piece[p->count];
    *t = NULL;
    if (f->held)
        SRI_MOVE(*t, f->held);
    else {
        const specreg_status st = read_some(ctx, f, rows - p->rows, t);
        p->count += *t != NULL; /* also where it is not as it should be: it must be freed */
        SRI_CALL(st);
        p->count -= *t != NULL;
    }
    *ends = !*t;
    if (*ends)
        return SPECREG_OK;
    p->count++;
    if ((*t)->rows > rows - p->rows)
        SRI_CALL(cut(ctx, f, rows - p->rows, t));
    p->rows += (*t)->rows;
    return SPECREG_OK;
}

static specreg_status gather_rows(specreg_context *ctx, files *f, int64_t rows, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    pieces p = {0};
    bool ends = false;
    while (p.rows < rows && !ends)
        SRI_TRY(add_piece(ctx, f, rows, &p, &ends));
    SRI_TRY(join_pieces(ctx, &p, out));
done:
    free_pieces(&p);
    return st;
}

/* Within what a table may take. */
static specreg_status next_rows(specreg_context *ctx, void *state, int64_t rows,
                                specreg_table **out)
{
    files *f = state;
    int64_t memory;
    *out = NULL;
    SRI_CALL(sri_read_limit(ctx, f->options, &memory));
    const sri_memory_scope outer = sri_memory_begin(ctx, memory);
    const specreg_status st = gather_rows(ctx, f, rows, out);
    sri_memory_end(ctx, outer);
    return st;
}

static specreg_status back_to_first(specreg_context *ctx, void *state)
{
    files *f = state;
    const bool started = f->source.kind || f->current > 0 || f->held;
    for (int64_t i = 0; started && i < f->count; i++)
        SRI_CHECK(ctx, f->file[i].is_regular || f->file[i].copy >= 0, SPECREG_E_IO,
                  "%s: cannot be read twice", f->file[i].path);
    close_file(f);
    specreg_table_free(f->held);
    f->held = NULL;
    f->current = 0;
    return SPECREG_OK;
}

static int64_t count_rows(const void *state)
{
    const files *f = state;
    int64_t rows = 0;
    for (int64_t i = 0; i < f->count; i++) {
        if (f->file[i].rows < 0)
            return -1;
        rows += f->file[i].rows;
    }
    return rows;
}

/* ------------------------------------------------------------------------ single rows */

/* Those of one file: row[0..count) are numbers over all files, `before` of them in earlier ones. */
static specreg_status pick_in_file(specreg_context *ctx, files *f, const int64_t *row,
                                   int64_t count, int64_t before, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    int64_t *own = NULL;
    SRI_ALLOC(ctx, own, count, 1);
    for (int64_t i = 0; i < count; i++)
        own[i] = row[i] - before;
    SRI_TRY(open_file(ctx, f, f->current));
    if (f->source.kind->pick)
        SRI_TRY(f->source.kind->pick(ctx, f->source.state, own, count, out));
    if (*out)
        SRI_TRY(finish(ctx, f, *out));
done:
    sri_free(own);
    return st;
}

static specreg_status pick_rows(specreg_context *ctx, files *f, const int64_t *row, int64_t count,
                                pieces *p)
{
    int64_t before = 0, done = 0;
    SRI_CALL(SRI_GROW(ctx, p->piece, p->capacity, f->count));
    for (f->current = 0; f->current < f->count; before += f->file[f->current++].rows) {
        const int64_t first = done;
        while (done < count && row[done] < before + f->file[f->current].rows)
            done++;
        if (first == done && f->current < f->count - 1)
            continue;
        p->piece[p->count] = NULL;
        const specreg_status st =
            pick_in_file(ctx, f, row + first, done - first, before, &p->piece[p->count]);
        if (!p->piece[p->count])
            return st;
        p->count++;
        p->rows += done - first;
        SRI_CALL(st);
    }
    return SPECREG_OK;
}

static specreg_status pick(specreg_context *ctx, void *state, const int64_t *row, int64_t count,
                           specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    files *f = state;
    pieces p = {0};
    *out = NULL;
    SRI_TRY(back_to_first(ctx, f));
    SRI_TRY(pick_rows(ctx, f, row, count, &p));
    if (p.rows == count)
        SRI_TRY(join_pieces(ctx, &p, out));
    SRI_TRY(back_to_first(ctx, f));
done:
    free_pieces(&p);
    return st;
}

/* ---------------------------------------------------------------------------- opening */

static void read_once(void *state)
{
    ((files *)state)->once = true;
}

static void free_files(void *state)
{
    files *f = state;
    if (!f)
        return;
    close_file(f);
    for (int64_t i = 0; i < f->count; i++) {
        if (f->file[i].copy > STDERR_FILENO)
            close(f->file[i].copy);
        sri_free(f->file[i].path);
    }
    sri_free(f->file);
    sri_free(f->name);
    specreg_table_free(f->held);
    specreg_table_free(f->like);
    specreg_options_free(f->options);
    sri_free(f);
}

static const char *name_of(const void *state)
{
    return ((const files *)state)->name;
}

static const sri_blocks_kind several = {
    next_rows, back_to_first, count_rows, pick, read_once, free_files, name_of,
};

/* The first few names or patterns, and how many more there are. */
static specreg_status make_name(specreg_context *ctx, const char *const *paths, int64_t count,
                                files *f)
{
    enum { NAMED = 3 };
    specreg_status st = SPECREG_OK;
    sri_buffer name = {0};
    if (f->count < 2)
        return st;
    for (int64_t i = 0; i < count && i < NAMED; i++)
        SRI_TRY(sri_buffer_print(ctx, &name, "%s%s", i ? ", " : "", paths[i]));
    if (count > NAMED)
        SRI_TRY(sri_buffer_print(ctx, &name, " and %lld more", (long long)(count - NAMED)));
    f->name = name.data;
    name.data = NULL;
done:
    sri_buffer_free(&name);
    return st;
}

/* Looks at the beginning of every file that can be opened again: what cannot be read, or differs
 * from the first one, is said before work begins.  A single one stays open. */
static specreg_status look(specreg_context *ctx, files *f)
{
    for (int64_t i = 0; i < f->count; i++)
        if (!f->file[i].is_regular)
            return SPECREG_OK;
    for (int64_t i = 0; i < f->count; i++) {
        f->current = i;
        SRI_CALL(open_file(ctx, f, i));
        SRI_CALL(f->source.kind->next(ctx, f->source.state, FIRST_LOOK, &f->held));
        f->read = f->held ? f->held->rows : 0;
        if (f->held)
            SRI_CALL(finish(ctx, f, f->held));
        if (f->count > 1)
            SRI_CALL(back_to_first(ctx, f));
    }
    return SPECREG_OK;
}

specreg_status sri_blocks_open(specreg_context *ctx, const char *const *paths, int64_t count,
                               const specreg_options *options, sri_blocks **out)
{
    specreg_status st = SPECREG_OK;
    files *f = NULL;
    *out = NULL;
    SRI_CALLOC(ctx, f, 1, 1);
    SRI_TRY(sri_options_copy(ctx, options, &f->options));
    SRI_TRY(list_files(ctx, paths, count, f));
    SRI_TRY(make_name(ctx, paths, count, f));
    SRI_TRY(look(ctx, f));
    const sri_row_source source = {&several, f};
    f = NULL;
    SRI_TRY(sri_blocks_new(ctx, source, NULL, out));
    if (*sri_labels_file(options))
        SRI_TRY(sri_blocks_with_labels(ctx, out, options));
done:
    if (st != SPECREG_OK) {
        sri_blocks_free(*out);
        *out = NULL;
    }
    free_files(f);
    return st;
}

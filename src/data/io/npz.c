/* NPZ: a zip archive of NPY files.  X (or x, data) are the features, y (or target, label) the
 * targets.  What SciPy saves of a sparse matrix (data, indices, indptr, shape, format) is read
 * too, with the targets beside it. */
#include <string.h>

#include "core/arena.h"
#include "data/io/npy.h"

static bool npz_sniff(const char *head, size_t length)
{
    return length >= 4 && memcmp(head, "PK\x03\x04", 4) == 0;
}

#if SPECREG_HAVE_ZIP
#include "data/io/zip_library.h"

static specreg_status fail_zip(specreg_context *ctx, const char *name, zip_error_t *error)
{
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s: is not a readable NPZ file: %s", name,
                    sri_zip->error_strerror(error));
}

/* --------------------------------------------------------------------------------- reading */

/* A plain file is read where it lies; anything else is taken into memory first, because zip
 * archives are read from their end: `bytes` is freed after the archive. */
static specreg_status open_archive(specreg_context *ctx, sri_stream *stream, char **bytes,
                                   zip_t **out)
{
    specreg_status st = SPECREG_OK;
    const char *name = sri_stream_name(stream), *path = sri_stream_path(stream);
    zip_error_t error;
    zip_source_t *source = NULL;
    SRI_CALL(sri_zip_load(ctx, name));
    sri_zip->error_init(&error);
    if (path) {
        source = sri_zip->source_file_create(path, 0, -1, &error);
    } else {
        size_t size;
        SRI_TRY(sri_stream_slurp(ctx, stream, bytes, &size));
        source = sri_zip->source_buffer_create(*bytes, size, 0, &error);
    }
    *out = source ? sri_zip->open_from_source(source, ZIP_RDONLY, &error) : NULL;
    if (!*out) {
        st = fail_zip(ctx, name, &error);
        sri_zip->source_free(source);
    }
done:
    sri_zip->error_fini(&error);
    return st;
}

/* The entry `name` or `name.npy`; -1 for none. */
static int64_t locate(zip_t *archive, const char *name)
{
    char entry[256];
    const int64_t found = sri_zip->name_locate(archive, name, 0);
    if (found >= 0 || strlen(name) > 200)
        return found;
    strcpy(entry, name);
    return sri_zip->name_locate(archive, strcat(entry, ".npy"), 0);
}

static int64_t locate_first(zip_t *archive, const char *const *names)
{
    int64_t found = -1;
    for (; *names && found < 0; names++)
        found = locate(archive, *names);
    return found;
}

typedef struct entry {
    zip_file_t *file;
    const char *name;
} entry;

static int64_t entry_read(specreg_context *ctx, void *payload, void *buffer, size_t size)
{
    entry *e = payload;
    const int64_t n = sri_zip->fread(e->file, buffer, size);
    if (n < 0)
        sri_fail(ctx, SPECREG_E_FORMAT, "%s: the zip data are corrupt: %s", e->name,
                 sri_zip->file_strerror(e->file));
    return n;
}

static specreg_status read_entry(specreg_context *ctx, zip_t *archive, int64_t which,
                                 const char *file, sri_array *out)
{
    specreg_status st = SPECREG_OK;
    sri_stream *stream = NULL;
    sri_buffer name = {0};
    entry e = {0};
    SRI_TRY(sri_buffer_print(ctx, &name, "%s:%s", file,
                             sri_zip->get_name(archive, (uint64_t)which, 0)));
    e.name = name.data;
    e.file = sri_zip->fopen_index(archive, (uint64_t)which, 0);
    SRI_REQUIRE(ctx, e.file, SPECREG_E_FORMAT, "%s: cannot be read: %s", e.name,
                sri_zip->strerror(archive));
    SRI_TRY(sri_stream_from_source(ctx, e.name, entry_read, &e, &stream));
    SRI_TRY(sri_npy_read(ctx, stream, out));
    char tail[64];
    size_t got; /* libzip compares the checksum when it meets the end */
    SRI_TRY(sri_stream_read(ctx, stream, tail, sizeof tail, &got));
done:
    if (st != SPECREG_OK)
        sri_array_free(out);
    sri_stream_close(stream);
    if (e.file)
        sri_zip->fclose(e.file);
    sri_buffer_free(&name);
    return st;
}

static const char *const y_names[] = {"y", "Y", "target", "label", "labels", NULL};

static specreg_status fail_no_features(specreg_context *ctx, zip_t *archive, const char *file)
{
    char list[512] = "";
    for (int64_t i = 0; i < sri_zip->get_num_entries(archive, 0); i++) {
        const char *name = sri_zip->get_name(archive, (uint64_t)i, 0);
        if (name && strlen(list) + strlen(name) + 2 < sizeof list)
            strcat(strcat(list, " "), name);
    }
    return sri_fail(ctx, SPECREG_E_FORMAT, "%s: has no array X, x or data (it has:%s)", file, list);
}

/* Which entries are the features and the targets; *y is -1 for none. */
static specreg_status find_arrays(specreg_context *ctx, zip_t *archive, const char *inner,
                                  const char *file, int64_t *x, int64_t *y)
{
    static const char *const x_names[] = {"X", "x", "data", NULL};
    specreg_status st = SPECREG_OK;
    *y = -1;
    if (inner) {
        *x = locate(archive, inner + (*inner == '/'));
        SRI_REQUIRE(ctx, *x >= 0, SPECREG_E_FORMAT, "%s: has no array '%s'", file, inner);
        return SPECREG_OK;
    }
    *x = locate_first(archive, x_names);
    *y = locate_first(archive, y_names);
    if (*x < 0 && sri_zip->get_num_entries(archive, 0) == 1)
        *x = 0; /* the only one */
    if (*x < 0)
        st = fail_no_features(ctx, archive, file);
    if (*x == *y)
        *y = -1;
done:
    return st;
}

/* Whether the matrix lies row by row: `format` is a single text, at the end of its entry. */
static bool is_csr(zip_t *archive)
{
    char text[512];
    const int64_t which = locate(archive, "format");
    zip_file_t *file = which < 0 ? NULL : sri_zip->fopen_index(archive, (uint64_t)which, 0);
    const int64_t n = file ? sri_zip->fread(file, text, sizeof text) : 0;
    if (file)
        sri_zip->fclose(file);
    int64_t last = n - 1; /* texts of 4 bytes a letter have zeros between */
    char word[4] = "";
    for (int k = 2; k >= 0; k--) {
        while (last >= 0 && text[last] == '\0')
            last--;
        word[k] = last >= 0 ? text[last--] : '?';
    }
    return n <= 0 || strcmp(word, "csr") == 0;
}

/* The matrix of SciPy's save_npz, and targets, where there are some. */
static specreg_status read_sparse(specreg_context *ctx, zip_t *archive, const char *file,
                                  specreg_table **out)
{
    static const char *const name[4] = {"data", "indices", "indptr", "shape"};
    specreg_status st = SPECREG_OK;
    sri_array part[4] = {{0}}, Y = {0};
    const int64_t y = locate_first(archive, y_names);
    SRI_REQUIRE(ctx, is_csr(archive), SPECREG_E_FORMAT,
                "%s: holds a sparse matrix that does not lie row by row: save it with tocsr()",
                file);
    for (int i = 0; i < 4; i++) {
        const int64_t which = locate(archive, name[i]);
        SRI_REQUIRE(ctx, which >= 0, SPECREG_E_FORMAT, "%s: the sparse matrix has no array %s",
                    file, name[i]);
        SRI_TRY(read_entry(ctx, archive, which, file, &part[i]));
    }
    if (y >= 0)
        SRI_TRY(read_entry(ctx, archive, y, file, &Y));
    SRI_TRY(sri_table_from_csr(ctx, file, &part[0], &part[1], &part[2], &part[3],
                               y >= 0 ? &Y : NULL, out));
done:
    sri_array_free(&Y);
    for (int i = 0; i < 4; i++)
        sri_array_free(&part[i]);
    return st;
}

static specreg_status npz_read(specreg_context *ctx, sri_stream *stream, const char *path,
                               const char *inner, const specreg_options *options,
                               specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const char *file = sri_stream_name(stream);
    char *bytes = NULL;
    zip_t *archive = NULL;
    sri_array X = {0}, Y = {0};
    int64_t x = -1, y = -1;
    (void)path;
    (void)options;
    *out = NULL;
    SRI_TRY(open_archive(ctx, stream, &bytes, &archive));
    if (!inner && locate(archive, "indptr") >= 0) {
        st = read_sparse(ctx, archive, file, out);
        goto done;
    }
    SRI_TRY(find_arrays(ctx, archive, inner, file, &x, &y));
    SRI_TRY(read_entry(ctx, archive, x, file, &X));
    if (y >= 0)
        SRI_TRY(read_entry(ctx, archive, y, file, &Y));
    SRI_TRY(sri_table_from_pair(ctx, file, &X, y >= 0 ? &Y : NULL, out));
done:
    sri_array_free(&Y);
    sri_array_free(&X);
    if (archive)
        sri_zip->discard(archive);
    sri_free(bytes);
    return st;
}

/* --------------------------------------------------------------------------------- writing */

/* Adds an array of the given columns; its bytes lie in `scratch` until the archive is closed. */
static specreg_status add_array(specreg_context *ctx, zip_t *archive, sri_arena *scratch,
                                const char *name, const specreg_table *t, const int64_t *col,
                                int64_t count, bool flat)
{
    specreg_status st = SPECREG_OK;
    sri_buffer head = {0};
    char *bytes = NULL;
    SRI_TRY(sri_npy_header(ctx, t->rows, flat ? -1 : count, &head));
    const size_t numbers = (size_t)t->rows * (size_t)count * sizeof(double);
    SRI_SCRATCH(ctx, scratch, bytes, head.length + (int64_t)numbers, 1);
    memcpy(bytes, head.data, (size_t)head.length); /* 128 bytes: the numbers are aligned */
    SRI_TRY(sri_array_fill(ctx, t, col, count, (double *)(void *)(bytes + head.length)));
    zip_source_t *source =
        sri_zip->source_buffer(archive, bytes, (uint64_t)head.length + numbers, 0);
    SRI_REQUIRE(ctx, source, SPECREG_E_NOMEM, "out of memory");
    const int64_t at = sri_zip->file_add(archive, name, source, ZIP_FL_ENC_UTF_8);
    if (at < 0)
        sri_zip->source_free(source);
    SRI_REQUIRE(ctx, at >= 0, SPECREG_E_NOMEM, "cannot add %s: %s", name,
                sri_zip->strerror(archive));
    sri_zip->set_file_compression(archive, (uint64_t)at, ZIP_CM_STORE, 0);
    sri_zip->file_set_dostime(archive, (uint64_t)at, 0, 0x21, 0); /* 1980: same data, same bytes */
done:
    sri_buffer_free(&head);
    return st;
}

/* The archive that was written into a memory source goes to the output. */
static specreg_status put_archive(specreg_context *ctx, zip_source_t *memory, sri_output *output)
{
    enum { PIECE = 1 << 17 };
    specreg_status st = SPECREG_OK;
    char *piece = NULL;
    int64_t n = 0;
    SRI_ALLOC(ctx, piece, PIECE, 1);
    SRI_REQUIRE(ctx, sri_zip->source_open(memory) == 0, SPECREG_E_IO, "%s: cannot write: %s",
                sri_output_name(output), sri_zip->error_strerror(sri_zip->source_error(memory)));
    while (st == SPECREG_OK && (n = sri_zip->source_read(memory, piece, PIECE)) > 0)
        st = sri_output_write(ctx, output, piece, (size_t)n);
    sri_zip->source_close(memory);
    SRI_REQUIRE(ctx, st != SPECREG_OK || n == 0, SPECREG_E_IO, "%s: cannot write: zip failed",
                sri_output_name(output));
done:
    sri_free(piece);
    return st;
}

static specreg_status npz_write(specreg_context *ctx, const specreg_table *t, sri_output *output)
{
    specreg_status st = SPECREG_OK;
    const char *file = sri_output_name(output);
    zip_error_t error;
    zip_source_t *memory = NULL;
    zip_t *archive = NULL;
    sri_arena scratch = {0};
    sri_array_parts parts = {0};
    SRI_CALL(sri_zip_load(ctx, file));
    sri_zip->error_init(&error);
    SRI_TRY(sri_array_split(ctx, t, file, &parts));
    SRI_REQUIRE(ctx, !parts.y_is_text, SPECREG_E_ARG,
                "%s: column '%s' is text, which NPZ files written here cannot hold", file,
                t->column[parts.y[0]].name);
    memory = sri_zip->source_buffer_create(NULL, 0, 0, &error);
    SRI_REQUIRE(ctx, memory, SPECREG_E_NOMEM, "%s: out of memory", file);
    archive = sri_zip->open_from_source(memory, ZIP_TRUNCATE, &error);
    SRI_REQUIRE(ctx, archive, SPECREG_E_NOMEM, "%s: %s", file, sri_zip->error_strerror(&error));
    sri_zip->source_keep(memory); /* closing the archive gives up one hold */
    SRI_TRY(add_array(ctx, archive, &scratch, "X.npy", t, parts.x, parts.p, false));
    if (parts.T > 0)
        SRI_TRY(add_array(ctx, archive, &scratch, "y.npy", t, parts.y, parts.T, parts.T == 1));
    SRI_REQUIRE(ctx, sri_zip->close(archive) == 0, SPECREG_E_NOMEM, "%s: %s", file,
                sri_zip->strerror(archive));
    archive = NULL;
    SRI_TRY(put_archive(ctx, memory, output));
done:
    if (archive)
        sri_zip->discard(archive);
    sri_zip->source_free(memory);
    sri_zip->error_fini(&error);
    sri_arena_free(&scratch);
    sri_array_parts_free(&parts);
    return st;
}

#else

static specreg_status npz_read(specreg_context *ctx, sri_stream *stream, const char *path,
                               const char *inner, const specreg_options *options,
                               specreg_table **out)
{
    (void)path, (void)inner, (void)options;
    *out = NULL;
    return sri_fail(ctx, SPECREG_E_UNAVAILABLE, "%s: this build has no NPZ (it needs libzip)",
                    sri_stream_name(stream));
}

static specreg_status npz_write(specreg_context *ctx, const specreg_table *t, sri_output *output)
{
    (void)t;
    return sri_fail(ctx, SPECREG_E_UNAVAILABLE, "%s: this build has no NPZ (it needs libzip)",
                    sri_output_name(output));
}

#endif

const sri_format sri_format_npz = {
    .name = "npz",
    .extensions = "npz",
    .many_arrays = true,
    .sniff = npz_sniff,
    .read = npz_read,
    .write = npz_write,
};

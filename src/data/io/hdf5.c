/* HDF5: a dataset, or a group with datasets X (x, data) and y (target, label), read to a table. */
#include <string.h>

#include "data/io/format.h"

static bool hdf5_sniff(const char *head, size_t length)
{
    return length >= 8 && memcmp(head, "\x89HDF\r\n\x1a\n", 8) == 0;
}

#if SPECREG_HAVE_HDF5
#include <pthread.h>

#include "core/memory.h"
#include "data/io/hdf5.h"

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void sri_hdf5_enter(sri_hdf5_quiet *before)
{
    pthread_mutex_lock(&one_at_a_time);
    H5Eget_auto2(H5E_DEFAULT, &before->print, &before->payload);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

void sri_hdf5_leave(const sri_hdf5_quiet *before)
{
    H5Eset_auto2(H5E_DEFAULT, before->print, before->payload);
    pthread_mutex_unlock(&one_at_a_time);
}

/* ------------------------------------------------------------------------------- shapes */

typedef struct dataset {
    hid_t id, space, type;
    int dims;
    int64_t rows, cols; /* cols is 1 for one dimension */
    char *name;         /* "file.h5:/X" for messages   */
} dataset;

static void close_dataset(dataset *d)
{
    if (d->type > 0)
        H5Tclose(d->type);
    if (d->space > 0)
        H5Sclose(d->space);
    if (d->id > 0)
        H5Dclose(d->id);
    sri_free(d->name);
    *d = (dataset){0};
}

/* The file may promise any size and store none of it: refuse what cannot fit. */
static specreg_status check_size(specreg_context *ctx, const dataset *d, int64_t item)
{
    int64_t bytes;
    char text[32];
    if (__builtin_mul_overflow(d->rows, d->cols, &bytes) ||
        __builtin_mul_overflow(bytes, item, &bytes))
        return sri_fail(ctx, SPECREG_E_FORMAT, "%s: has an impossible shape: %lld x %lld", d->name,
                        (long long)d->rows, (long long)d->cols);
    if (bytes > sri_memory_available())
        return sri_fail(ctx, SPECREG_E_NOMEM, "%s: needs %s of memory, which is not free", d->name,
                        sri_bytes_text((double)bytes, text));
    return SPECREG_OK;
}

/* Opens a dataset of one or two dimensions. `id` is taken over. */
static specreg_status open_dataset(specreg_context *ctx, hid_t id, const char *file, dataset *d)
{
    specreg_status st = SPECREG_OK;
    hsize_t shape[H5S_MAX_RANK];
    char path[256] = "";
    *d = (dataset){.id = id};
    H5Iget_name(id, path, sizeof path);
    const size_t size = strlen(file) + strlen(path) + 2;
    SRI_ALLOC(ctx, d->name, (int64_t)size, 1);
    strcat(strcat(strcpy(d->name, file), ":"), path);
    d->space = H5Dget_space(id);
    d->type = H5Dget_type(id);
    SRI_REQUIRE(ctx, d->space > 0 && d->type > 0, SPECREG_E_FORMAT, "%s: cannot be read", d->name);
    d->dims = H5Sget_simple_extent_ndims(d->space);
    SRI_REQUIRE(ctx, d->dims == 1 || d->dims == 2, SPECREG_E_FORMAT,
                "%s: has %d dimensions, expected 1 or 2", d->name, d->dims);
    H5Sget_simple_extent_dims(d->space, shape, NULL);
    SRI_REQUIRE(ctx, shape[0] > 0 && (d->dims == 1 || shape[1] > 0), SPECREG_E_FORMAT,
                "%s: has no %s", d->name, shape[0] > 0 ? "columns" : "rows");
    SRI_REQUIRE(ctx, shape[0] < INT64_MAX && (d->dims == 1 || shape[1] < INT64_MAX),
                SPECREG_E_FORMAT, "%s: has an impossible shape", d->name);
    d->rows = (int64_t)shape[0];
    d->cols = d->dims == 1 ? 1 : (int64_t)shape[1];
done:
    return st;
}

/* ------------------------------------------------------------------------------- texts */

static specreg_status put_text(specreg_context *ctx, const dataset *d, int64_t row,
                               const char *text, size_t length, sri_array *out)
{
    out->code[row] = -1;
    if (sri_is_missing(text, length))
        return SPECREG_OK;
    const specreg_status st = sri_texts_code(ctx, &out->texts, text, length, &out->code[row]);
    if (st == SPECREG_E_FORMAT)
        sri_fail_at(ctx, st, "%s: row %lld", d->name, (long long)row + 1);
    return st;
}

/* Texts of varying length: HDF5 allocates each. */
static specreg_status read_varying(specreg_context *ctx, const dataset *d, sri_array *out)
{
    specreg_status st = SPECREG_OK;
    char **text = NULL;
    hid_t type = H5Tcopy(d->type); /* char * in memory */
    bool filled = false;
    SRI_TRY(check_size(ctx, d, sizeof *text));
    SRI_CALLOC(ctx, text, d->rows, 1);
    filled = H5Dread(d->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0;
    SRI_REQUIRE(ctx, filled, SPECREG_E_FORMAT, "%s: cannot be read", d->name);
    for (int64_t i = 0; i < d->rows; i++)
        SRI_TRY(put_text(ctx, d, i, text[i] ? text[i] : "", text[i] ? strlen(text[i]) : 0, out));
done:
    if (filled)
        H5Dvlen_reclaim(type, d->space, H5P_DEFAULT, text);
    sri_free(text);
    if (type > 0)
        H5Tclose(type);
    return st;
}

static specreg_status read_fixed(specreg_context *ctx, const dataset *d, sri_array *out)
{
    specreg_status st = SPECREG_OK;
    const size_t size = H5Tget_size(d->type);
    const char padding = H5Tget_strpad(d->type) == H5T_STR_SPACEPAD ? ' ' : '\0';
    char *text = NULL;
    SRI_REQUIRE(ctx, size > 0 && size < 1 << 20, SPECREG_E_FORMAT, "%s: its texts are too long",
                d->name);
    SRI_TRY(check_size(ctx, d, (int64_t)size));
    SRI_CALLOC(ctx, text, d->rows, (int64_t)size);
    SRI_REQUIRE(ctx, H5Dread(d->id, d->type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0,
                SPECREG_E_FORMAT, "%s: cannot be read", d->name);
    for (int64_t i = 0; i < d->rows; i++) {
        const char *item = text + (size_t)i * size;
        size_t length = strnlen(item, size);
        while (length > 0 && item[length - 1] == padding)
            length--;
        SRI_TRY(put_text(ctx, d, i, item, length, out));
    }
done:
    sri_free(text);
    return st;
}

/* -------------------------------------------------------------------------------- arrays */

static specreg_status read_array(specreg_context *ctx, const dataset *d, sri_array *out)
{
    specreg_status st = SPECREG_OK;
    const H5T_class_t class = H5Tget_class(d->type);
    *out = (sri_array){.rows = d->rows, .cols = d->cols, .dims = d->dims};
    if (class == H5T_STRING) {
        SRI_REQUIRE(ctx, d->dims == 1, SPECREG_E_FORMAT,
                    "%s: holds texts in two dimensions, which are not read", d->name);
        SRI_TRY(check_size(ctx, d, sizeof *out->code));
        SRI_ALLOC(ctx, out->code, d->rows, 1);
        SRI_TRY(H5Tis_variable_str(d->type) > 0 ? read_varying(ctx, d, out)
                                                : read_fixed(ctx, d, out));
        return SPECREG_OK;
    }
    SRI_REQUIRE(ctx, class == H5T_INTEGER || class == H5T_FLOAT || class == H5T_ENUM,
                SPECREG_E_FORMAT, "%s: holds neither numbers nor texts", d->name);
    SRI_TRY(check_size(ctx, d, sizeof(double)));
    SRI_ALLOC(ctx, out->numbers, d->rows, d->cols);
    SRI_REQUIRE(ctx,
                H5Dread(d->id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out->numbers) >= 0,
                SPECREG_E_FORMAT,
                "%s: cannot be read: damaged, or compressed in a way this build does not know",
                d->name);
done:
    if (st != SPECREG_OK)
        sri_array_free(out);
    return st;
}

/* The dataset of that name in a group, or -1. */
static hid_t find_dataset(hid_t group, const char *name)
{
    if (H5Lexists(group, name, H5P_DEFAULT) <= 0)
        return -1;
    const hid_t id = H5Oopen(group, name, H5P_DEFAULT);
    if (id > 0 && H5Iget_type(id) == H5I_DATASET)
        return id;
    if (id > 0)
        H5Oclose(id);
    return -1;
}

static hid_t find_first(hid_t group, const char *const *names)
{
    hid_t id = -1;
    for (; *names && id < 0; names++)
        id = find_dataset(group, *names);
    return id;
}

/* The dataset of a group that has nothing else; its name list otherwise. */
static hid_t find_only(hid_t group, char *list, size_t size)
{
    H5G_info_t info;
    hid_t only = -1;
    int found = 0;
    if (H5Gget_info(group, &info) < 0)
        return -1;
    for (hsize_t i = 0; i < info.nlinks && i < 100; i++) {
        char name[128];
        if (H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name,
                               H5P_DEFAULT) < 0)
            continue;
        if (strlen(list) + strlen(name) + 2 < size)
            strcat(strcat(list, " "), name);
        const hid_t id = find_dataset(group, name);
        if (id < 0)
            continue;
        if (found++ == 0)
            only = id;
        else
            H5Dclose(id);
    }
    if (found > 1) {
        H5Dclose(only);
        only = -1;
    }
    return only;
}

/* ---------------------------------------------------------------------------------- tables */

/* Names from the dataset `columns` of the group, when it has one for each column. */
static specreg_status read_names(specreg_context *ctx, hid_t group, const char *file,
                                 specreg_table *t)
{
    specreg_status st = SPECREG_OK;
    dataset d = {0};
    sri_array names = {0};
    const hid_t id = find_dataset(group, "columns");
    if (id < 0)
        return SPECREG_OK;
    SRI_TRY(open_dataset(ctx, id, file, &d));
    if (d.dims != 1 || d.rows != t->n_columns || H5Tget_class(d.type) != H5T_STRING)
        goto done;
    SRI_TRY(read_array(ctx, &d, &names));
    if (names.texts.count != t->n_columns)
        goto done; /* not all different: of no use */
    for (int64_t j = 0; j < t->n_columns; j++)
        SRI_TRY(sri_table_set_name(ctx, t, j, names.texts.text[j], strlen(names.texts.text[j])));
    t->has_header = true;
done:
    sri_array_free(&names);
    close_dataset(&d);
    return st;
}

static specreg_status read_one(specreg_context *ctx, hid_t id, const char *file, sri_array *out)
{
    dataset d = {0};
    specreg_status st = open_dataset(ctx, id, file, &d);
    if (st == SPECREG_OK)
        st = read_array(ctx, &d, out);
    close_dataset(&d);
    return st;
}

static specreg_status read_group(specreg_context *ctx, hid_t group, const char *file,
                                 specreg_table **out)
{
    static const char *const x_names[] = {"X", "x", "data", NULL};
    static const char *const y_names[] = {"y", "Y", "target", "label", "labels", NULL};
    specreg_status st = SPECREG_OK;
    sri_array X = {0}, Y = {0};
    char list[512] = "";
    hid_t x = find_first(group, x_names), y = find_first(group, y_names);
    const bool has_y = y > 0 && x > 0;
    if (x < 0) {
        if (y > 0)
            H5Dclose(y);
        y = -1;
        x = find_only(group, list, sizeof list);
    }
    SRI_REQUIRE(ctx, x > 0, SPECREG_E_FORMAT,
                "%s: has no dataset X, x or data (it has:%s); name one as in %s:/name", file, list,
                file);
    st = read_one(ctx, x, file, &X);
    if (st == SPECREG_OK && has_y) {
        st = read_one(ctx, y, file, &Y);
        y = -1;
    }
    if (st == SPECREG_OK)
        st = sri_table_from_pair(ctx, file, &X, has_y ? &Y : NULL, out);
    if (st == SPECREG_OK)
        st = read_names(ctx, group, file, *out);
done:
    if (y > 0)
        H5Dclose(y);
    sri_array_free(&Y);
    sri_array_free(&X);
    return st;
}

/* ----------------------------------------------------------------------------------- files */

/* A plain file is opened by its path; anything else (stdin, .gz) as an image in memory. */
static specreg_status open_file(specreg_context *ctx, sri_stream *stream, hid_t *file)
{
    specreg_status st = SPECREG_OK;
    const char *name = sri_stream_name(stream);
    char *data = NULL;
    size_t size;
    hid_t access = -1;
    if (sri_stream_path(stream)) {
        *file = H5Fopen(sri_stream_path(stream), H5F_ACC_RDONLY, H5P_DEFAULT);
    } else {
        SRI_TRY(sri_stream_slurp(ctx, stream, &data, &size));
        SRI_REQUIRE(ctx, size > 0, SPECREG_E_FORMAT, "%s: is empty", name);
        access = H5Pcreate(H5P_FILE_ACCESS);
        if (H5Pset_fapl_core(access, 1 << 20, 0) >= 0 && H5Pset_file_image(access, data, size) >= 0)
            *file = H5Fopen(SRI_HDF5_NO_FILE, H5F_ACC_RDONLY, access);
    }
    SRI_REQUIRE(ctx, *file > 0, SPECREG_E_FORMAT, "%s: is not an HDF5 file, or is damaged", name);
done:
    if (access > 0)
        H5Pclose(access);
    sri_free(data);
    return st;
}

static specreg_status hdf5_read(specreg_context *ctx, sri_stream *stream, const char *path,
                                const char *inner, const specreg_options *options,
                                specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    const char *name = sri_stream_name(stream);
    sri_hdf5_quiet before;
    hid_t file = -1, object = -1;
    sri_array X = {0};
    (void)path;
    (void)options;
    *out = NULL;
    sri_hdf5_enter(&before);
    SRI_TRY(open_file(ctx, stream, &file));
    object = H5Oopen(file, inner && *inner ? inner : "/", H5P_DEFAULT);
    SRI_REQUIRE(ctx, object > 0, SPECREG_E_FORMAT, "%s: has no dataset or group '%s'", name, inner);
    if (H5Iget_type(object) == H5I_DATASET) {
        st = read_one(ctx, object, name, &X);
        object = -1;
        if (st == SPECREG_OK)
            st = sri_table_from_pair(ctx, name, &X, NULL, out);
    } else {
        st = read_group(ctx, object, name, out);
    }
done:
    sri_array_free(&X);
    if (object > 0)
        H5Oclose(object);
    if (file > 0)
        H5Fclose(file);
    sri_hdf5_leave(&before);
    if (st != SPECREG_OK) {
        specreg_table_free(*out);
        *out = NULL;
    }
    return st;
}

#else

static specreg_status hdf5_read(specreg_context *ctx, sri_stream *stream, const char *path,
                                const char *inner, const specreg_options *options,
                                specreg_table **out)
{
    (void)path, (void)inner, (void)options;
    *out = NULL;
    return sri_fail(ctx, SPECREG_E_UNAVAILABLE, "%s: this build has no HDF5",
                    sri_stream_name(stream));
}

static specreg_status sri_hdf5_write(specreg_context *ctx, const specreg_table *t,
                                     sri_output *output)
{
    (void)t;
    return sri_fail(ctx, SPECREG_E_UNAVAILABLE, "%s: this build has no HDF5",
                    sri_output_name(output));
}

#endif

const sri_format sri_format_hdf5 = {
    .name = "hdf5",
    .extensions = "h5 hdf5 hdf he5",
    .many_arrays = true,
    .sniff = hdf5_sniff,
    .read = hdf5_read,
    .write = sri_hdf5_write,
};

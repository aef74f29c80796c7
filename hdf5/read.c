/* An HDF5 file to records: a dataset, or a group with datasets X (x, data) and y (target, label).
 * Datasets are read some rows at a time, so that this process stays small. */
#include <stdio.h>
#include <string.h>

#include "helper.h"
#include "specreg/specreg.h"

enum { BLOCK_BYTES = 8 << 20 };

typedef struct dataset {
    hid_t id, space, type;
    int dims;
    int64_t rows, cols; /* cols is 1 for one dimension */
    int64_t block;      /* rows that are read at once  */
    bool texts, varying;
    size_t item;     /* bytes of a number or a text */
    char name[4096]; /* "file.h5:/X" for messages   */
} dataset;

static hid_t no_external_links; /* how links are followed: not into other files */

static herr_t refuse_link(const char *parent, const char *group, const char *file,
                          const char *object, unsigned *flags, hid_t access, void *payload)
{
    (void)parent, (void)group, (void)file, (void)object, (void)flags, (void)access, (void)payload;
    return -1;
}

/* Chunks are decompressed once where a block is made of whole ones.  What a file may point to
 * outside itself is not followed: it could be any file of the user. */
static int64_t chunk_rows(const dataset *d)
{
    hsize_t shape[H5S_MAX_RANK];
    int64_t rows = 1;
    const hid_t how = H5Dget_create_plist(d->id);
    const H5D_layout_t layout = how > 0 ? H5Pget_layout(how) : H5D_LAYOUT_ERROR;
    if (layout == H5D_VIRTUAL || (layout == H5D_CONTIGUOUS && H5Pget_external_count(how) > 0))
        fail(SPECREG_E_FORMAT, "%s: keeps its values in other files, which are not opened",
             d->name);
    if (layout == H5D_CHUNKED && H5Pget_chunk(how, d->dims, shape) > 0 && shape[0] > 0)
        rows = shape[0] < (hsize_t)d->rows ? (int64_t)shape[0] : d->rows;
    if (how > 0)
        H5Pclose(how);
    return rows;
}

/* Opens a dataset of one or two dimensions. */
static void open_dataset(hid_t id, const char *file, dataset *d)
{
    hsize_t shape[H5S_MAX_RANK];
    char path[1024] = "";
    H5Iget_name(id, path, sizeof path);
    d->id = id;
    snprintf(d->name, sizeof d->name, "%s:%s", file, path);
    d->space = H5Dget_space(id);
    d->type = H5Dget_type(id);
    if (d->space <= 0 || d->type <= 0)
        fail(SPECREG_E_FORMAT, "%s: cannot be read", d->name);
    d->dims = H5Sget_simple_extent_ndims(d->space);
    if (d->dims != 1 && d->dims != 2)
        fail(SPECREG_E_FORMAT, "%s: has %d dimensions, expected 1 or 2", d->name, d->dims);
    H5Sget_simple_extent_dims(d->space, shape, NULL);
    if (shape[0] == 0 || (d->dims == 2 && shape[1] == 0))
        fail(SPECREG_E_FORMAT, "%s: has no %s", d->name, shape[0] > 0 ? "columns" : "rows");
    if (shape[0] >= INT64_MAX || (d->dims == 2 && shape[1] >= INT64_MAX))
        fail(SPECREG_E_FORMAT, "%s: has an impossible shape", d->name);
    d->rows = (int64_t)shape[0];
    d->cols = d->dims == 1 ? 1 : (int64_t)shape[1];
    d->block = chunk_rows(d);
}

/* How many rows of `bytes` each are read at once. */
static int64_t rows_at_once(const dataset *d, double bytes)
{
    const double fit = BLOCK_BYTES / bytes;
    const int64_t blocks = fit > (double)d->block ? (int64_t)(fit / (double)d->block) : 1;
    return blocks > d->rows / d->block ? d->rows : blocks * d->block;
}

/* Reads rows first .. first + count of the dataset. */
static bool read_rows(const dataset *d, hid_t type, int64_t first, int64_t count, void *out)
{
    const hsize_t start[2] = {(hsize_t)first, 0};
    const hsize_t shape[2] = {(hsize_t)count, (hsize_t)d->cols};
    const hid_t memory = H5Screate_simple(d->dims, shape, NULL);
    const bool good =
        memory > 0 &&
        H5Sselect_hyperslab(d->space, H5S_SELECT_SET, start, NULL, shape, NULL) >= 0 &&
        H5Dread(d->id, type, memory, d->space, H5P_DEFAULT, out) >= 0;
    if (memory > 0)
        H5Sclose(memory);
    return good;
}

static void send_text(const dataset *d, const char *text, size_t length)
{
    const int32_t n = (int32_t)length;
    if (length >= WIRE_LONGEST_TEXT)
        fail(SPECREG_E_FORMAT, "%s: its texts are too long", d->name);
    send_bytes(&n, sizeof n);
    send_bytes(text, length);
}

/* `count` texts as HDF5 gives them: pointers, or items of `size` bytes. */
static void send_texts(const dataset *d, const char *items, size_t size, int64_t count,
                       bool varying)
{
    const char padding = H5Tget_strpad(d->type) == H5T_STR_SPACEPAD ? ' ' : '\0';
    for (int64_t i = 0; i < count; i++) {
        const char *text = items + (size_t)i * size;
        if (varying) {
            memcpy((void *)&text, text, sizeof(char *));
            send_text(d, text, text ? strlen(text) : 0);
            continue;
        }
        size_t length = strnlen(text, size);
        while (length > 0 && text[length - 1] == padding)
            length--;
        send_text(d, text, length);
    }
}

/* HDF5 converts numbers to doubles; texts stay what they are. */
static void find_kind(dataset *d)
{
    const H5T_class_t class = H5Tget_class(d->type);
    d->texts = class == H5T_STRING;
    d->varying = d->texts && H5Tis_variable_str(d->type) > 0;
    d->item = d->varying ? sizeof(char *) : d->texts ? H5Tget_size(d->type) : sizeof(double);
    if (d->texts && d->dims != 1)
        fail(SPECREG_E_FORMAT, "%s: holds texts in two dimensions, which are not read", d->name);
    if (!d->texts && class != H5T_INTEGER && class != H5T_FLOAT && class != H5T_ENUM)
        fail(SPECREG_E_FORMAT, "%s: holds neither numbers nor texts", d->name);
    if (d->item == 0 || d->item >= WIRE_LONGEST_TEXT)
        fail(SPECREG_E_FORMAT, "%s: its texts are too long", d->name);
}

static double row_bytes(const dataset *d)
{
    return (double)d->item * (double)d->cols;
}

static void send_shape(const dataset *d, enum wire_role role, int64_t rows)
{
    send_head((wire_head){.role = (char)role,
                          .kind = d->texts ? WIRE_TEXTS : WIRE_NUMBERS,
                          .dims = (int16_t)d->dims,
                          .rows = rows,
                          .cols = d->cols},
              d->name);
}

/* Rows first .. first + count - 1, which `block` has room for. */
static void send_rows(const dataset *d, int64_t first, int64_t count, char *block)
{
    allow_seconds(0.5 + row_bytes(d) * (double)count / 1e7);
    if (!read_rows(d, d->texts ? d->type : H5T_NATIVE_DOUBLE, first, count, block))
        fail(SPECREG_E_FORMAT,
             "%s: cannot be read: damaged, or compressed in a way this build does not know",
             d->name);
    if (d->texts)
        send_texts(d, block, d->item, count, d->varying);
    else
        send_bytes(block, (size_t)count * (size_t)d->cols * d->item);
}

static void send_dataset(dataset *d, enum wire_role role)
{
    find_kind(d);
    send_shape(d, role, d->rows);
    const int64_t step = rows_at_once(d, row_bytes(d));
    char *block = take_memory((size_t)step, (size_t)d->cols * d->item);
    for (int64_t i = 0; i < d->rows; i += step)
        send_rows(d, i, d->rows - i < step ? d->rows - i : step, block);
}

/* All columns, some rows at a time; y may be NULL. */
static void send_pieces(dataset *x, dataset *y)
{
    dataset *const both[] = {x, y};
    char *block[2];
    find_kind(x);
    if (y)
        find_kind(y);
    if (y && y->rows != x->rows)
        fail(SPECREG_E_FORMAT, "%s: has %lld rows, %s %lld", x->name, (long long)x->rows, y->name,
             (long long)y->rows);
    const int64_t step = rows_at_once(x, row_bytes(x) + (y ? row_bytes(y) : 0));
    for (int k = 0; k < 2 && both[k]; k++)
        block[k] = take_memory((size_t)step, (size_t)both[k]->cols * both[k]->item);
    for (int64_t i = 0; i < x->rows; i += step) {
        const int64_t count = x->rows - i < step ? x->rows - i : step;
        for (int k = 0; k < 2 && both[k]; k++) {
            send_shape(both[k], k ? WIRE_Y : WIRE_X, count);
            send_rows(both[k], i, count, block[k]);
        }
        send_head((wire_head){.role = WIRE_PIECE, .kind = WIRE_BYTES, .dims = 1}, "");
    }
}

/* Inputs and targets; y -1: there are none. */
static void send_objects(hid_t x, hid_t y, const char *file, bool in_pieces)
{
    dataset inputs = {0}, targets = {0};
    open_dataset(x, file, &inputs);
    if (y > 0)
        open_dataset(y, file, &targets);
    if (in_pieces) {
        send_pieces(&inputs, y > 0 ? &targets : NULL);
        return;
    }
    send_dataset(&inputs, WIRE_X);
    if (y > 0)
        send_dataset(&targets, WIRE_Y);
}

/* The object itself if it is a dataset, or -1. */
static hid_t as_dataset(hid_t id)
{
    return id > 0 && H5Iget_type(id) == H5I_DATASET ? id : -1;
}

/* The dataset of that name in a group, or -1.  One that is there and cannot be opened is not passed
 * over: the table would lack a part. */
static hid_t find_dataset(hid_t group, const char *name, const char *file)
{
    const htri_t exists = H5Lexists(group, name, no_external_links);
    if (exists == 0)
        return -1;
    const hid_t id = exists > 0 ? H5Oopen(group, name, no_external_links) : -1;
    if (id <= 0)
        fail(SPECREG_E_FORMAT,
             "%s:/%s: cannot be opened: it is damaged or elsewhere, or memory is short", file,
             name);
    return as_dataset(id);
}

static hid_t find_first(hid_t group, const char *const *names, const char *file)
{
    hid_t id = -1;
    for (; *names && id < 0; names++)
        id = find_dataset(group, *names, file);
    return id;
}

/* The dataset of a group that has no other one; else -1, and the names of what it has. */
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
                               no_external_links) < 0)
            continue;
        if (strlen(list) + strlen(name) + 2 < size)
            strcat(strcat(list, " "), name);
        const hid_t id = as_dataset(H5Oopen(group, name, no_external_links));
        if (id > 0 && found++ == 0)
            only = id;
    }
    return found == 1 ? only : -1;
}

/* The names of columns, where there are some. */
static void send_names(hid_t group, const char *file)
{
    dataset names = {0};
    const hid_t id = find_dataset(group, "columns", file);
    if (id < 0)
        return;
    open_dataset(id, file, &names);
    if (names.dims == 1 && H5Tget_class(names.type) == H5T_STRING)
        send_dataset(&names, WIRE_COLUMNS);
}

static void send_group(hid_t group, const char *file, bool in_pieces)
{
    static const char *const x_names[] = {"X", "x", "data", NULL};
    static const char *const y_names[] = {"y", "Y", "target", "label", "labels", NULL};
    char list[512] = "";
    hid_t x = find_first(group, x_names, file), y = -1;
    if (x > 0)
        y = find_first(group, y_names, file);
    else
        x = find_only(group, list, sizeof list);
    if (x < 0)
        fail(SPECREG_E_FORMAT,
             "%s: has no dataset X, x or data (it has:%s); name one as in %s:/name", file, list,
             file);
    if (in_pieces)
        send_names(group, file);
    send_objects(x, y, file, in_pieces);
    if (!in_pieces)
        send_names(group, file);
}

/* A file that is not a plain one on disk comes as an image. */
static hid_t open_image(void)
{
    wire_head head;
    receive_bytes(&head, sizeof head);
    char *image = take_memory((size_t)head.rows, 1);
    receive_bytes(image, (size_t)head.rows);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (H5Pset_fapl_core(access, 1 << 20, 0) < 0 ||
        H5Pset_file_image(access, image, (size_t)head.rows) < 0)
        return -1;
    return H5Fopen(FILE_IN_MEMORY, H5F_ACC_RDONLY, access);
}

void read_table(const char *name, const char *path, const char *inner, bool in_pieces)
{
    const hid_t file =
        strcmp(path, "-") == 0 ? open_image() : H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file <= 0)
        fail(SPECREG_E_FORMAT, "%s: is not an HDF5 file, or is damaged", name);
    no_external_links = H5Pcreate(H5P_LINK_ACCESS);
    if (no_external_links <= 0 || H5Pset_elink_cb(no_external_links, refuse_link, NULL) < 0)
        fail(SPECREG_E_NOMEM, "%s: out of memory", name);
    const hid_t object = H5Oopen(file, *inner ? inner : "/", no_external_links);
    if (object <= 0)
        fail(SPECREG_E_FORMAT, "%s: has no dataset or group '%s'", name, inner);
    if (H5Iget_type(object) == H5I_DATASET)
        send_objects(object, -1, name, in_pieces);
    else
        send_group(object, name, in_pieces);
}

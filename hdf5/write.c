/* A table that comes as records to an HDF5 file: /X, /y and the names of the columns in /columns.
 * The file is made in memory and sent. */
#include <stdlib.h>

#include "helper.h"
#include "specreg/specreg.h"

/* Without times, so that the same table gives the same bytes. */
static hid_t make_dataset(hid_t file, const char *name, hid_t type, const wire_head *head)
{
    const hsize_t shape[2] = {(hsize_t)head->rows, (hsize_t)head->cols};
    const hid_t space = H5Screate_simple(head->dims, shape, NULL);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (space <= 0 || how <= 0 || H5Pset_obj_track_times(how, 0) < 0)
        return -1;
    return H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
}

static void write_dataset(hid_t id, hid_t type, const char *name, const void *data)
{
    if (id <= 0 || H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0)
        fail(SPECREG_E_NOMEM, "HDF5 cannot make the dataset %s", name);
    if (H5Dclose(id) < 0)
        fail(SPECREG_E_NOMEM, "HDF5 cannot make the dataset %s", name);
}

static void receive_numbers(hid_t file, const char *name, const wire_head *head)
{
    double *numbers = take_memory((size_t)head->rows, (size_t)head->cols * sizeof *numbers);
    receive_bytes(numbers, (size_t)head->rows * (size_t)head->cols * sizeof *numbers);
    const hid_t id = make_dataset(file, name, H5T_IEEE_F64LE, head);
    write_dataset(id, H5T_NATIVE_DOUBLE, name, numbers);
    free(numbers);
}

/* UTF-8 texts of varying length. */
static void receive_texts(hid_t file, const char *name, const wire_head *head)
{
    char **text = take_memory((size_t)head->rows, sizeof *text);
    for (int64_t i = 0; i < head->rows; i++) {
        int32_t length;
        receive_bytes(&length, sizeof length);
        text[i] = take_memory((size_t)length + 1, 1);
        receive_bytes(text[i], (size_t)length);
    }
    const hid_t type = H5Tcopy(H5T_C_S1);
    hid_t id = -1;
    if (type > 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        id = make_dataset(file, name, type, head);
    write_dataset(id, type, name, text);
}

static void send_image(hid_t file)
{
    const bool complete = H5Fflush(file, H5F_SCOPE_LOCAL) >= 0;
    const ssize_t size = complete ? H5Fget_file_image(file, NULL, 0) : -1;
    char *image = take_memory(size > 0 ? (size_t)size : 1, 1);
    if (size <= 0 || H5Fget_file_image(file, image, (size_t)size) != size)
        fail(SPECREG_E_NOMEM, "HDF5 cannot make the file");
    send_head(
        (wire_head){.role = WIRE_IMAGE, .kind = WIRE_BYTES, .dims = 1, .rows = size, .cols = 1},
        "");
    send_bytes(image, (size_t)size);
}

void write_table(void)
{
    wire_head head;
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = -1;
    allow_seconds(0); /* the table is sound: its size alone says how long this takes */
    if (access > 0 && H5Pset_fapl_core(access, 1 << 20, 0) >= 0) /* 0: never goes to disk */
        file = H5Fcreate(FILE_IN_MEMORY, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (file <= 0)
        fail(SPECREG_E_NOMEM, "HDF5 cannot make a file in memory");
    for (receive_bytes(&head, sizeof head); head.role != WIRE_END;
         receive_bytes(&head, sizeof head)) {
        const char *name = head.role == WIRE_X ? "X" : head.role == WIRE_Y ? "y" : "columns";
        if (head.kind == WIRE_NUMBERS)
            receive_numbers(file, name, &head);
        else
            receive_texts(file, name, &head);
    }
    send_image(file);
}

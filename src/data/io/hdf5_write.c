/* HDF5 from a table: /X, /y and the names of their columns in /columns.  The file is made in
 * memory and its image goes through the output like any other. */
typedef int sri_hdf5_write_is_empty_without_hdf5;

#if SPECREG_HAVE_HDF5

#include "core/memory.h"
#include "data/io/hdf5.h"

/* Without times, so that the same table gives the same bytes. */
static hid_t make_dataset(hid_t file, const char *name, hid_t type, int dims, const hsize_t *shape)
{
    hid_t id = -1;
    const hid_t space = H5Screate_simple(dims, shape, NULL);
    const hid_t how = H5Pcreate(H5P_DATASET_CREATE);
    if (space > 0 && how > 0 && H5Pset_obj_track_times(how, 0) >= 0)
        id = H5Dcreate2(file, name, type, space, H5P_DEFAULT, how, H5P_DEFAULT);
    if (how > 0)
        H5Pclose(how);
    if (space > 0)
        H5Sclose(space);
    return id;
}

static specreg_status put_numbers(specreg_context *ctx, hid_t file, const char *name,
                                  const specreg_table *t, const int64_t *col, int64_t count,
                                  int dims)
{
    specreg_status st = SPECREG_OK;
    const hsize_t shape[2] = {(hsize_t)t->rows, (hsize_t)count};
    double *numbers = NULL;
    hid_t id = -1;
    SRI_ALLOC(ctx, numbers, t->rows, count);
    SRI_TRY(sri_array_fill(ctx, t, col, count, numbers));
    id = make_dataset(file, name, H5T_IEEE_F64LE, dims, shape);
    SRI_REQUIRE(ctx,
                id > 0 &&
                    H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0,
                SPECREG_E_NOMEM, "HDF5 cannot make the dataset %s", name);
done:
    if (id > 0)
        H5Dclose(id);
    sri_free(numbers);
    return st;
}

/* UTF-8 texts of varying length. */
static specreg_status put_texts(specreg_context *ctx, hid_t file, const char *name,
                                const char **text, int64_t count)
{
    specreg_status st = SPECREG_OK;
    const hsize_t shape[1] = {(hsize_t)count};
    hid_t id = -1;
    const hid_t type = H5Tcopy(H5T_C_S1);
    if (type > 0 && H5Tset_size(type, H5T_VARIABLE) >= 0 && H5Tset_cset(type, H5T_CSET_UTF8) >= 0)
        id = make_dataset(file, name, type, 1, shape);
    SRI_REQUIRE(ctx, id > 0 && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0,
                SPECREG_E_NOMEM, "HDF5 cannot make the dataset %s", name);
done:
    if (id > 0)
        H5Dclose(id);
    if (type > 0)
        H5Tclose(type);
    return st;
}

static specreg_status put_labels(specreg_context *ctx, hid_t file, const specreg_table *t,
                                 int64_t col)
{
    const char **text = sri_alloc(ctx, t->rows, 1, sizeof *text);
    if (!text)
        return SPECREG_E_NOMEM;
    for (int64_t i = 0; i < t->rows; i++) {
        text[i] = specreg_table_text(t, i, col);
        if (!text[i])
            text[i] = ""; /* missing */
    }
    const specreg_status st = put_texts(ctx, file, "y", text, t->rows);
    sri_free(text);
    return st;
}

static specreg_status put_names(specreg_context *ctx, hid_t file, const specreg_table *t,
                                const sri_array_parts *parts)
{
    const char **name = sri_alloc(ctx, parts->p + parts->T, 1, sizeof *name);
    if (!name)
        return SPECREG_E_NOMEM;
    for (int64_t j = 0; j < parts->p + parts->T; j++) {
        name[j] = specreg_table_name(t, j < parts->p ? parts->x[j] : parts->y[j - parts->p]);
        if (!name[j])
            name[j] = "";
    }
    const specreg_status st = put_texts(ctx, file, "columns", name, parts->p + parts->T);
    sri_free(name);
    return st;
}

/* The bytes of the file to the output. */
static specreg_status put_image(specreg_context *ctx, hid_t file, sri_output *output)
{
    specreg_status st = SPECREG_OK;
    char *image = NULL;
    H5Fflush(file, H5F_SCOPE_LOCAL);
    const ssize_t size = H5Fget_file_image(file, NULL, 0);
    SRI_REQUIRE(ctx, size > 0, SPECREG_E_NOMEM, "HDF5 cannot make the file");
    SRI_ALLOC(ctx, image, size, 1);
    SRI_REQUIRE(ctx, H5Fget_file_image(file, image, (size_t)size) == size, SPECREG_E_NOMEM,
                "HDF5 cannot make the file");
    SRI_TRY(sri_output_write(ctx, output, image, (size_t)size));
done:
    sri_free(image);
    return st;
}

specreg_status sri_hdf5_write(specreg_context *ctx, const specreg_table *t, sri_output *output)
{
    specreg_status st = SPECREG_OK;
    const char *name = sri_output_name(output);
    sri_array_parts parts = {0};
    sri_hdf5_quiet before;
    hid_t file = -1, access = -1;
    sri_hdf5_enter(&before);
    SRI_TRY(sri_array_split(ctx, t, name, &parts));
    access = H5Pcreate(H5P_FILE_ACCESS);
    if (access > 0 && H5Pset_fapl_core(access, 1 << 20, 0) >= 0) /* 0: never goes to disk */
        file = H5Fcreate(SRI_HDF5_NO_FILE, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    SRI_REQUIRE(ctx, file > 0, SPECREG_E_NOMEM, "%s: HDF5 cannot make a file in memory", name);
    SRI_TRY(put_numbers(ctx, file, "X", t, parts.x, parts.p, 2));
    if (parts.y_is_text)
        SRI_TRY(put_labels(ctx, file, t, parts.y[0]));
    else if (parts.T > 0)
        SRI_TRY(put_numbers(ctx, file, "y", t, parts.y, parts.T, parts.T == 1 ? 1 : 2));
    SRI_TRY(put_names(ctx, file, t, &parts));
    SRI_TRY(put_image(ctx, file, output));
done:
    if (file > 0)
        H5Fclose(file);
    if (access > 0)
        H5Pclose(access);
    sri_array_parts_free(&parts);
    sri_hdf5_leave(&before);
    return st;
}
#endif

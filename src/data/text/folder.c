/* A folder of documents: its sub-folders are the classes. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"
#include "core/text.h"
#include "data/io/stream.h"
#include "data/text/documents.h"

bool sri_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

/* The paths of what is in a folder but names that begin with '.', in the order of their bytes. */
typedef struct listing {
    char **path;
    int64_t count, capacity;
} listing;

static void listing_free(listing *l)
{
    sri_free_list(l->path, l->count);
    *l = (listing){0};
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static specreg_status list(specreg_context *ctx, const char *folder, listing *out)
{
    specreg_status st = SPECREG_OK;
    const struct dirent *entry;
    DIR *dir = opendir(folder);
    *out = (listing){0};
    SRI_REQUIRE(ctx, dir, SPECREG_E_IO, "%s: cannot read: %s", folder, strerror(errno));
    while (errno = 0, (entry = readdir(dir))) {
        sri_buffer path = {0};
        if (entry->d_name[0] == '.')
            continue;
        SRI_TRY(SRI_GROW(ctx, out->path, out->capacity, out->count + 1));
        SRI_TRY(sri_buffer_print(ctx, &path, "%s/%s", folder, entry->d_name));
        out->path[out->count++] = path.data;
    }
    SRI_REQUIRE(ctx, errno == 0, SPECREG_E_IO, "%s: cannot read: %s", folder, strerror(errno));
    if (out->count)
        qsort(out->path, (size_t)out->count, sizeof *out->path, by_bytes);
done:
    if (dir)
        closedir(dir);
    if (st != SPECREG_OK)
        listing_free(out);
    return st;
}

static specreg_status add_file(specreg_context *ctx, sri_documents *d, const char *path,
                               const char *label)
{
    specreg_status st = SPECREG_OK;
    struct stat info;
    sri_stream *stream = NULL;
    char *data = NULL;
    size_t size;
    SRI_REQUIRE(ctx, stat(path, &info) == 0, SPECREG_E_IO, "%s: cannot read: %s", path,
                strerror(errno));
    SRI_REQUIRE(ctx, !S_ISDIR(info.st_mode), SPECREG_E_FORMAT,
                "%s: is a folder inside a class: documents are files", path);
    SRI_REQUIRE(ctx, S_ISREG(info.st_mode), SPECREG_E_FORMAT, "%s: is not a regular file", path);
    SRI_TRY(sri_stream_open(ctx, path, &stream));
    SRI_TRY(sri_stream_slurp(ctx, stream, &data, &size));
    SRI_TRY(sri_documents_add(ctx, d, path, label, label ? strlen(label) : 0, data, size));
done:
    sri_free(data);
    sri_stream_close(stream);
    return st;
}

static specreg_status add_files(specreg_context *ctx, sri_documents *d, const char *folder,
                                const char *label)
{
    specreg_status st = SPECREG_OK;
    listing files = {0};
    SRI_TRY(list(ctx, folder, &files));
    for (int64_t i = 0; i < files.count; i++) {
        SRI_TRY(sri_poll(ctx));
        SRI_TRY(add_file(ctx, d, files.path[i], label));
    }
done:
    listing_free(&files);
    return st;
}

/* Every sub-folder a class; files beside them are none of the documents. */
static specreg_status add_classes(specreg_context *ctx, sri_documents *d, const listing *inside)
{
    for (int64_t i = 0; i < inside->count; i++)
        if (sri_is_folder(inside->path[i]))
            SRI_CALL(add_files(ctx, d, inside->path[i], strrchr(inside->path[i], '/') + 1));
        else
            sri_log(ctx, "%s: is ignored: the documents lie in the folders beside it",
                    inside->path[i]);
    return SPECREG_OK;
}

specreg_status sri_documents_folder(specreg_context *ctx, const char *path, specreg_table **out)
{
    specreg_status st = SPECREG_OK;
    listing inside = {0};
    sri_documents d = {0};
    bool labelled = false; /* there are folders */
    *out = NULL;
    SRI_TRY(list(ctx, path, &inside));
    SRI_REQUIRE(ctx, inside.count > 0, SPECREG_E_FORMAT, "%s: is an empty directory", path);
    for (int64_t i = 0; i < inside.count && !labelled; i++)
        labelled = sri_is_folder(inside.path[i]);
    SRI_TRY(sri_documents_start(ctx, path, labelled, &d));
    SRI_TRY(labelled ? add_classes(ctx, &d, &inside) : add_files(ctx, &d, path, NULL));
    SRI_REQUIRE(ctx, d.t->rows > 0, SPECREG_E_FORMAT, "%s: has no documents in its folders", path);
    *out = sri_documents_finish(&d);
done:
    sri_documents_free(&d);
    listing_free(&inside);
    return st;
}

/* libzip, loaded when the first NPZ file comes: who reads other files needs neither it nor what it
 * stands on.  sri_zip->close is zip_close, and so on. */
#ifndef SRI_DATA_IO_ZIP_LIBRARY_H
#define SRI_DATA_IO_ZIP_LIBRARY_H

#include <zip.h>

#include "core/context.h"

#define SRI_ZIP_CALLS(X)    \
    X(close)                \
    X(discard)              \
    X(error_fini)           \
    X(error_init)           \
    X(error_strerror)       \
    X(fclose)               \
    X(file_add)             \
    X(file_set_dostime)     \
    X(file_strerror)        \
    X(fopen_index)          \
    X(fread)                \
    X(get_name)             \
    X(get_num_entries)      \
    X(name_locate)          \
    X(open_from_source)     \
    X(set_file_compression) \
    X(source_buffer)        \
    X(source_buffer_create) \
    X(source_close)         \
    X(source_error)         \
    X(source_file_create)   \
    X(source_free)          \
    X(source_keep)          \
    X(source_open)          \
    X(source_read)          \
    X(strerror)

typedef struct sri_zip_calls {
#define X(name) __typeof__(zip_##name) *name;
    SRI_ZIP_CALLS(X)
#undef X
} sri_zip_calls;

/* To be used once loading has succeeded. */
extern const sri_zip_calls *const sri_zip;
/* `file` is for the message where the library cannot be loaded. */
specreg_status sri_zip_load(specreg_context *ctx, const char *file);

#endif

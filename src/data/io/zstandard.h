/* libzstd, or functions that compress nothing in a build without it, which tells so by
 * SRI_REQUIRE_ZSTD before it would call them. */
#ifndef SRI_DATA_IO_ZSTANDARD_H
#define SRI_DATA_IO_ZSTANDARD_H

#if SPECREG_HAVE_ZSTD
#include <zstd.h>
#define SRI_REQUIRE_ZSTD(ctx, name) ((void)0)
#else
#include <stddef.h>
#define SRI_REQUIRE_ZSTD(ctx, name)                                                               \
    SRI_CHECK(ctx, false, SPECREG_E_UNAVAILABLE, "%s: this build has no zstd (it needs libzstd)", \
              name)
#define ZSTD_e_continue 0
#define ZSTD_e_end 1
#define ZSTD_createDStream() NULL
#define ZSTD_createCStream() NULL
#define ZSTD_freeDStream(stream) ((void)(stream))
#define ZSTD_freeCStream(stream) ((void)(stream))
#define ZSTD_isError(code) ((code) != 0)
#define ZSTD_getErrorName(code) "no zstd"
#define ZSTD_decompressStream(stream, out, in) ((void)(out), (void)(in), (size_t)1)
#define ZSTD_compressStream2(stream, out, in, end) ((void)(out), (void)(in), (void)(end), (size_t)1)
typedef struct ZSTD_stream ZSTD_DStream, ZSTD_CStream;
typedef struct ZSTD_inBuffer {
    const void *src;
    size_t size, pos;
} ZSTD_inBuffer;
typedef struct ZSTD_outBuffer {
    void *dst;
    size_t size, pos;
} ZSTD_outBuffer;
#endif

#endif

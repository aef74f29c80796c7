/* Memory that other libraries write, for the memory sanitizer: it follows only code that is
 * compiled for it. */
#ifndef SPECREG_CORE_WRITTEN_H
#define SPECREG_CORE_WRITTEN_H

#include <stddef.h>

#ifdef __has_feature
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define SRI_MEMORY_SANITIZER 1
#endif
#endif

/* A library has written these bytes. */
static inline void sri_written(const void *bytes, size_t size)
{
#ifdef SRI_MEMORY_SANITIZER
    __msan_unpoison(bytes, size);
#else
    (void)bytes, (void)size;
#endif
}

#endif

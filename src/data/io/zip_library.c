#if SPECREG_HAVE_ZIP
#include "data/io/zip_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

/* Filled once, and never changed afterwards. */
static sri_zip_calls calls;
const sri_zip_calls *const sri_zip = &calls;
static char problem[256];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void)
{
    void *library = dlopen(SPECREG_ZIP_SONAME, RTLD_NOW | RTLD_LOCAL);
    const char *missing = library ? NULL : dlerror();
#define X(name)                                               \
    if (library && !missing) {                                \
        *(void **)&calls.name = dlsym(library, "zip_" #name); \
        missing = calls.name ? NULL : "it lacks zip_" #name;  \
    }
    SRI_ZIP_CALLS(X)
#undef X
    if (missing)
        snprintf(problem, sizeof problem, "%s", missing);
}

specreg_status sri_zip_load(specreg_context *ctx, const char *file)
{
    pthread_once(&once, load);
    SRI_CHECK(ctx, !*problem, SPECREG_E_UNAVAILABLE,
              "%s: NPZ files need libzip, which cannot be loaded: %s", file, problem);
    return SPECREG_OK;
}
#endif

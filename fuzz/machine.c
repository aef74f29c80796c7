/* The file of the computer's speed on arbitrary bytes: a file that cannot be understood is as good
 * as none, and a plan is made. */
#include <sys/stat.h>

#include "use.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[] = "/tmp/specreg-fuzz-XXXXXX", path[64];
    if (!*path) {
        if (!mkdtemp(folder) || setenv("XDG_CACHE_HOME", folder, 1) != 0)
            abort();
        snprintf(path, sizeof path, "%s/specreg", folder);
        mkdir(path, 0700);
        strcat(path, "/machine.json");
    }
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        abort();
    specreg_context *ctx = fuzz_context();
    specreg_options *o = fuzz_options(ctx);
    specreg_table *t = fuzz_table(ctx, 1);
    char *json = NULL;
    fuzz_set(ctx, o, "calibrate", "cached");
    if (specreg_plan(ctx, t, o, &json) != SPECREG_OK)
        abort();
    specreg_string_free(json);
    specreg_table_free(t);
    specreg_options_free(o);
    specreg_context_free(ctx);
    return 0;
}

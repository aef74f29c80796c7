/* Options of arbitrary text, a line for each as in `kernel rbf:sigma=2`: the plan of a small fit
 * refuses them with a text or is made. */
#include "use.h"

/* Options that name files have targets of their own, or write. */
static int is_left_out(const char *name)
{
    static const char *const names[] = {"checkpoint", "calibrate", "memory", "threads", "format"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return 1;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    specreg_context *ctx = fuzz_context();
    specreg_options *o = fuzz_options(ctx);
    char *text = malloc(size + 1), *rest = NULL, *json = NULL;
    if (!text)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *value = strchr(line, ' ');
        if (value)
            *value++ = '\0';
        if (!is_left_out(line) &&
            specreg_options_set(ctx, o, line, value ? value : "") != SPECREG_OK)
            fuzz_refused(ctx, SPECREG_E_ARG);
    }
    specreg_table *t = fuzz_table(ctx, 1);
    const specreg_status st = specreg_plan(ctx, t, o, &json);
    if (st == SPECREG_OK)
        specreg_string_free(json);
    else
        fuzz_refused(ctx, st);
    specreg_table_free(t);
    specreg_options_free(o);
    free(text);
    specreg_context_free(ctx);
    return 0;
}

/* Models for others: the formats by name. */
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "export/plain.h"

static const struct {
    const char *name, *ending; /* of file names, which tell the format where nobody says it */
    specreg_status (*write)(specreg_context *ctx, const specreg_model *model, const char *path);
} formats[] = {
    {"onnx", ".onnx", sri_export_onnx},
    {"libsvm", ".model", sri_export_libsvm},
    {"c", ".c", sri_export_c},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), wanted = strlen(ending);
    return length > wanted && strcmp(text + length - wanted, ending) == 0;
}

static specreg_status choose(specreg_context *ctx, const char *format, const char *path, int *out)
{
    const char *known[FORMATS];
    for (*out = 0; !format && *out < FORMATS; ++*out)
        if (ends_with(path, formats[*out].ending))
            return SPECREG_OK;
    SRI_CHECK(ctx, format, SPECREG_E_ARG,
              "%s: the name does not tell the format: onnx, libsvm or c?", path);
    for (int i = 0; i < FORMATS; i++)
        known[i] = formats[i].name;
    return sri_choose_known(ctx, "format", format, known, FORMATS, out);
}

specreg_status specreg_model_export(specreg_context *ctx, const specreg_model *model,
                                    const char *format, const char *path)
{
    SRI_ARGS(ctx, model, path);
    int which;
    SRI_CALL(choose(ctx, format, path, &which));
    const sri_memory_scope outer = sri_memory_begin(ctx, sri_memory_available());
    const specreg_status st = formats[which].write(ctx, model, path);
    sri_memory_end(ctx, outer);
    return st;
}

#include "core/options.h"

#include <string.h>

#include "core/filters.h"
#include "core/measures.h"
#include "core/memory.h"
#include "core/text.h"

static const specreg_option_info table[SRI_OPT_COUNT] = {
#define OPTION(id, name, value, argument, scope, help) {name, value, argument, help, scope},
#define HELP_WORDS(id, words) words
#include "core/options.def"
#undef HELP_WORDS
#undef OPTION
};

const specreg_option_info *specreg_option_at(int index)
{
    return index >= 0 && index < SRI_OPT_COUNT ? &table[index] : NULL;
}

specreg_status specreg_options_new(specreg_context *ctx, specreg_options **out)
{
    SRI_ARGS(ctx, out);
    *out = sri_calloc(ctx, 1, 1, sizeof **out);
    return *out ? SPECREG_OK : SPECREG_E_NOMEM;
}

void specreg_options_free(specreg_options *options)
{
    for (int i = 0; options && i < SRI_OPT_COUNT; i++)
        sri_free(options->value[i]);
    sri_free(options);
}

specreg_status sri_options_copy(specreg_context *ctx, const specreg_options *options,
                                specreg_options **out)
{
    specreg_status st = SPECREG_OK;
    SRI_TRY(specreg_options_new(ctx, out));
    for (int i = 0; options && i < SRI_OPT_COUNT; i++)
        SRI_TRY(specreg_options_set(ctx, *out, table[i].name, options->value[i]));
done:
    if (st != SPECREG_OK) {
        specreg_options_free(*out);
        *out = NULL;
    }
    return st;
}

int sri_option_index(const char *name)
{
    for (int i = 0; name && i < SRI_OPT_COUNT; i++)
        if (strcmp(table[i].name, name) == 0)
            return i;
    return -1;
}

specreg_status specreg_options_set(specreg_context *ctx, specreg_options *options, const char *name,
                                   const char *value)
{
    SRI_ARGS(ctx, options, name);
    const int i = sri_option_index(name);
    if (i < 0) {
        const char *names[SRI_OPT_COUNT];
        for (int k = 0; k < SRI_OPT_COUNT; k++)
            names[k] = table[k].name;
        return sri_fail_unknown(ctx, "option", name, names, SRI_OPT_COUNT);
    }
    char *copy = value ? sri_strdup(ctx, value) : NULL;
    if (value && !copy)
        return SPECREG_E_NOMEM;
    sri_free(options->value[i]);
    options->value[i] = copy;
    return SPECREG_OK;
}

const char *sri_option_value(const specreg_options *options, sri_option which)
{
    return options && options->value[which] ? options->value[which] : table[which].default_value;
}

const char *specreg_options_get(const specreg_options *options, const char *name)
{
    const int i = sri_option_index(name);
    return i < 0 ? NULL : sri_option_value(options, (sri_option)i);
}

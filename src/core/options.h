/* Options by name, from the one table in options.def. */
#ifndef SRI_CORE_OPTIONS_H
#define SRI_CORE_OPTIONS_H

#include "core/context.h"

typedef enum sri_option {
#define OPTION(id, name, value, argument, scope, help) SRI_OPT_##id,
#include "core/options.def"
#undef OPTION
    SRI_OPT_COUNT
} sri_option;

struct specreg_options {
    char *value[SRI_OPT_COUNT]; /* NULL: default */
};

/* A copy to change. */
specreg_status sri_options_copy(specreg_context *ctx, const specreg_options *options,
                                specreg_options **out);
/* The number of an option; -1: there is none of that name. */
int sri_option_index(const char *name);
/* The value in force; options may be NULL. */
const char *sri_option_value(const specreg_options *options, sri_option which);

#endif

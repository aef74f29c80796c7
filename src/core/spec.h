/* The little language of choices: `name:key=value,key={1,2},positional`. */
#ifndef SRI_CORE_SPEC_H
#define SRI_CORE_SPEC_H

#include "core/context.h"

enum { SRI_SPEC_MAX = 64 };

typedef struct sri_spec_arg {
    char *key; /* NULL: positional */
    char *value;
} sri_spec_arg;

typedef struct sri_spec {
    char *name; /* "" when the text has none, as in "lambda=0.1"            */
    char *rest; /* everything after the first ':', as it was written         */
    int count;
    sri_spec_arg arg[SRI_SPEC_MAX];
} sri_spec;

/* `what` names the option in messages.  Pairs are split at commas outside braces. */
specreg_status sri_spec_parse(specreg_context *ctx, const char *what, const char *text,
                              sri_spec *out);
void sri_spec_free(sri_spec *spec);

/* A list of numbers: `0.5`, `{0.5,1,2}`, `log:from:to:count`, `lin:from:to:count`,
 * `from:to` (all integers), or `auto` (then count is 0). */
typedef struct sri_values {
    double *v;
    int64_t count;
} sri_values;
specreg_status sri_values_parse(specreg_context *ctx, const char *what, const char *text,
                                sri_values *out);
specreg_status sri_values_copy(specreg_context *ctx, const sri_values *values, sri_values *out);
void sri_values_free(sri_values *values);

/* One finite number; `what` names it in the message. */
specreg_status sri_number_parse(specreg_context *ctx, const char *what, const char *text,
                                double *out);
/* "8G", "512M", "1.5GiB", plain bytes. */
specreg_status sri_size_parse(specreg_context *ctx, const char *what, const char *text,
                              int64_t *out);

#endif

/* Features that are not penalised as text: what they are, and their coefficients. */
#include <string.h>

#include "cli.h"

enum { MOST = 12 };

/* A name, with coefficients where they are known. */
static void show_one(const json_t *one, bool first)
{
    const char *name = json_is_string(one) ? json_string_value(one) : cli_get_text(one, "name");
    const json_t *values = cli_get(one, "values");
    printf("%s%s", first ? "" : ", ", name ? name : "?");
    for (size_t t = 0; t < json_array_size(values); t++)
        printf(" %.6g", json_number_value(json_array_get(values, t)));
}

void cli_show_features(const json_t *record)
{
    const json_t *features = cli_get(record, "features"), *all = cli_get(features, "coefficients");
    const json_t *dropped = cli_get(features, "dropped");
    const char *variant = cli_get_text(features, "variant");
    if (!all)
        all = cli_get(features, "names");
    const size_t count = json_array_size(all);
    if (!count)
        return;
    cli_label("features");
    for (size_t k = 0; k < count && k < MOST; k++)
        show_one(json_array_get(all, k), k == 0);
    if (count > MOST)
        printf(", ... (%zu of them)", count);
    printf("; not penalised%s", variant && strcmp(variant, "paper") == 0 ? ", variant paper" : "");
    if (json_array_size(dropped))
        printf("; %zu left out, which depend on others", json_array_size(dropped));
    putchar('\n');
}

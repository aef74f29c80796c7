/* Outputs that train on the rows of the same classes. */
#include "coding/groups.h"

#include <string.h>

static bool trains(const sri_coding *c, int64_t class, int64_t t)
{
    return c->word[class * c->width + t] != 0;
}

static bool same_classes(const sri_coding *c, int64_t s, int64_t t)
{
    for (int64_t class = 0; class < c->n_classes; class ++)
        if (trains(c, class, s) != trains(c, class, t))
            return false;
    return true;
}

/* The outputs from t on that train on its classes; none where one before it does. */
static specreg_status fill_group(specreg_context *ctx, sri_arena *memory, const sri_coding *c,
                                 int64_t t, sri_output_group *g)
{
    *g = (sri_output_group){.count = 0};
    for (int64_t s = 0; s < t; s++)
        if (same_classes(c, s, t))
            return SPECREG_OK;
    SRI_ARENA_NEW(ctx, memory, g->output, c->width - t, 1);
    SRI_ARENA_NEW(ctx, memory, g->trains, c->n_classes, 1);
    for (int64_t s = t; s < c->width; s++)
        if (same_classes(c, s, t))
            g->output[g->count++] = s;
    for (int64_t class = 0; class < c->n_classes; class ++)
        g->trains[class] = trains(c, class, t);
    return SPECREG_OK;
}

specreg_status sri_coding_groups(specreg_context *ctx, sri_arena *memory, const sri_coding *coding,
                                 sri_output_group **out, int64_t *count)
{
    *count = 0;
    SRI_ARENA_NEW(ctx, memory, *out, coding->width, 1);
    for (int64_t t = 0; t < coding->width; t++) {
        SRI_CALL(fill_group(ctx, memory, coding, t, &(*out)[*count]));
        *count += (*out)[*count].count > 0;
    }
    return SPECREG_OK;
}

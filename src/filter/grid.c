/* A filter whose parameters are lists, `iterated:order={1,2,4}`, stands for all their settings. */
#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "filter/filter.h"

enum { MOST_SETTINGS = 200 };

/* The values of a key, as texts: words and numbers are one, {a,b} and ranges are several. */
typedef struct values {
    char **text;
    int64_t count, capacity;
} values;

static void values_free(values *v)
{
    for (int64_t i = 0; i < v->count; i++)
        sri_free(v->text[i]);
    sri_free(v->text);
    *v = (values){0};
}

static specreg_status add_text(specreg_context *ctx, values *v, const char *text, size_t length)
{
    SRI_CALL(sri_grow(ctx, (void **)&v->text, &v->capacity, v->count + 1, sizeof *v->text));
    v->text[v->count] = sri_strndup(ctx, text, length);
    return v->text[v->count++] ? SPECREG_OK : SPECREG_E_NOMEM;
}

static specreg_status read_braces(specreg_context *ctx, const char *what, const char *text,
                                  values *out)
{
    const size_t length = strlen(text);
    if (length < 3 || strcspn(text, "}") != length - 1)
        return sri_fail(ctx, SPECREG_E_ARG, "%s: '%s': write a list as {1,2,3}", what, text);
    for (const char *s = text + 1;;) {
        s += strspn(s, " \t");
        const size_t size = strcspn(s, ",}");
        size_t end = size;
        while (end && (s[end - 1] == ' ' || s[end - 1] == '\t'))
            end--;
        if (end == 0)
            return sri_fail(ctx, SPECREG_E_ARG, "%s: '%s': write a list as {1,2,3}", what, text);
        SRI_CALL(add_text(ctx, out, s, end));
        if (s[size] == '}')
            return SPECREG_OK;
        s += size + 1;
    }
}

static specreg_status read_values(specreg_context *ctx, const char *what, const char *text,
                                  values *out)
{
    specreg_status st = SPECREG_OK;
    sri_values range = {0};
    char number[32];
    if (text[0] == '{')
        return read_braces(ctx, what, text, out);
    if (!strchr(text, ':'))
        return add_text(ctx, out, text, strlen(text));
    SRI_TRY(sri_values_parse(ctx, what, text, &range));
    for (int64_t i = 0; i < range.count && i <= MOST_SETTINGS; i++) {
        sri_format_double(range.v[i], number);
        SRI_TRY(add_text(ctx, out, number, strlen(number)));
    }
done:
    sri_values_free(&range);
    return st;
}

/* All settings, the last list fastest. */
static specreg_status set_all(specreg_context *ctx, const sri_spec *spec, const values *list,
                              int64_t count, sri_filter_grid *out)
{
    SRI_NEW(ctx, out->at, count, 1);
    for (int64_t i = 0; i < count; i++) {
        sri_filter *filter = &out->at[i];
        SRI_CALL(sri_filter_find(ctx, spec->name, filter));
        int64_t later = count;
        for (int k = 0; k < spec->count; k++) {
            later /= list[k].count; /* settings for each value of this list */
            SRI_CALL(sri_filter_set(ctx, filter, spec->arg[k].key,
                                    list[k].text[i / later % list[k].count]));
        }
        SRI_CALL(sri_filter_check_step(ctx, filter));
    }
    out->count = count;
    return SPECREG_OK;
}

static specreg_status check_different(specreg_context *ctx, const sri_filter_grid *grid,
                                      const char *text)
{
    for (int64_t i = 1; i < grid->count; i++)
        for (int64_t j = 0; j < i; j++)
            if (sri_filter_same(&grid->at[i], &grid->at[j]))
                return sri_fail(ctx, SPECREG_E_ARG, "filter '%s': a list has a value twice", text);
    return SPECREG_OK;
}

specreg_status sri_filter_grid_parse(specreg_context *ctx, const char *text, sri_filter_grid *out)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    values list[SRI_SPEC_MAX] = {{0}};
    sri_filter first;
    int64_t count = 1;
    *out = (sri_filter_grid){0};
    SRI_TRY(sri_spec_parse(ctx, "filter", text, &spec));
    SRI_TRY(sri_filter_find(ctx, spec.name, &first));
    for (int i = 0; i < spec.count; i++) {
        char what[96];
        snprintf(what, sizeof what, "filter %.40s: %.40s", spec.name,
                 spec.arg[i].key ? spec.arg[i].key : "");
        SRI_TRY(read_values(ctx, what, spec.arg[i].value, &list[i]));
        count *= list[i].count;
        SRI_REQUIRE(ctx, count <= MOST_SETTINGS, SPECREG_E_ARG,
                    "filter: these lists make more than %d settings", MOST_SETTINGS);
    }
    SRI_TRY(set_all(ctx, &spec, list, count, out));
    SRI_TRY(check_different(ctx, out, text));
done:
    for (int i = 0; i < SRI_SPEC_MAX; i++)
        values_free(&list[i]);
    sri_spec_free(&spec);
    if (st != SPECREG_OK)
        sri_filter_grid_free(out);
    return st;
}

specreg_status sri_filter_grid_path(specreg_context *ctx, sri_filter_grid *grid, const char *text,
                                    sri_values *out, bool *is_auto)
{
    SRI_CALL(sri_path_parse(ctx, &grid->at[0], text, out, is_auto));
    for (int64_t i = 1; i < grid->count; i++) { /* the same path, to be checked against each */
        sri_values again;
        bool again_auto;
        SRI_CALL(sri_path_parse(ctx, &grid->at[i], text, &again, &again_auto));
        sri_values_free(&again);
    }
    return SPECREG_OK;
}

void sri_filter_grid_free(sri_filter_grid *grid)
{
    sri_free(grid->at);
    *grid = (sri_filter_grid){0};
}

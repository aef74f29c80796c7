#include "core/context.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/memory.h"

const char *specreg_version(void)
{
    return SPECREG_VERSION;
}

const char *specreg_status_string(specreg_status status)
{
    switch (status) {
#define X(name, value, text) \
    case name:               \
        return text;
        SPECREG_STATUS_LIST(X)
#undef X
    default:
        return "unknown status";
    }
}

void specreg_string_free(char *text)
{
    sri_free(text);
}

specreg_status specreg_context_new(specreg_context **out)
{
    return specreg_context_new_with(NULL, out);
}

specreg_status specreg_context_new_with(const specreg_allocator *allocator, specreg_context **out)
{
    specreg_context first = {.stage = ""};
    if (!out)
        return SPECREG_E_ARG;
    *out = NULL;
    if (allocator && (!allocator->allocate || !allocator->release))
        return SPECREG_E_ARG;
    if (allocator)
        first.allocator = *allocator;
    *out = sri_alloc(&first, 1, 1, sizeof **out);
    if (!*out)
        return SPECREG_E_NOMEM;
    **out = first;
    return SPECREG_OK;
}

void sri_registration_free(sri_registration *list)
{
    while (list) {
        sri_registration *next = list->next;
        for (int i = 0; list->params && i < list->n_params; i++)
            sri_free((char *)list->params[i].name);
        sri_free((void *)list->params);
        sri_free((char *)list->name);
        sri_free(list);
        list = next;
    }
}

void specreg_bytes_free(void *bytes)
{
    sri_free(bytes);
}

void specreg_context_free(specreg_context *ctx)
{
    if (!ctx)
        return;
    sri_registration_free(ctx->kernels);
    sri_registration_free(ctx->filters);
    sri_registration_free(ctx->maps);
    sri_free(ctx);
}

const char *specreg_last_error(const specreg_context *ctx)
{
    return ctx ? ctx->error : "no context";
}

void specreg_set_progress(specreg_context *ctx, specreg_progress_fn *fn, void *payload)
{
    if (!ctx)
        return;
    ctx->progress = fn;
    ctx->progress_payload = payload;
}

void specreg_set_log(specreg_context *ctx, specreg_log_fn *fn, void *payload)
{
    if (!ctx)
        return;
    ctx->log = fn;
    ctx->log_payload = payload;
}

/* An error is one line: whatever a file contained, no control character gets through. */
static void one_line(char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 32 || *text == 127)
            *text = '?';
}

specreg_status sri_fail(specreg_context *ctx, specreg_status code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(ctx->error, sizeof ctx->error, format, args);
    va_end(args);
    one_line(ctx->error);
    return code;
}

specreg_status sri_check_given(specreg_context *ctx, const char *call, const char *names,
                               const void *const *given, size_t count)
{
    if (!ctx)
        return SPECREG_E_ARG; /* there is no place for a text */
    for (size_t i = 0; i < count; i++, names += strcspn(names, " ") + 1)
        if (!given[i])
            return sri_fail(ctx, SPECREG_E_ARG, "%s: %.*s is NULL", call, (int)strcspn(names, ","),
                            names);
    return SPECREG_OK;
}

specreg_status sri_fail_at(specreg_context *ctx, specreg_status code, const char *format, ...)
{
    char prefix[512], text[sizeof prefix + 2 + sizeof ctx->error];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    snprintf(text, sizeof text, "%s: %s", prefix, ctx->error);
    text[sizeof ctx->error - 1] = '\0';
    memcpy(ctx->error, text, sizeof ctx->error);
    one_line(ctx->error);
    return code;
}

void sri_log(specreg_context *ctx, const char *format, ...)
{
    if (!ctx->log)
        return;
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    one_line(line);
    ctx->log(line, ctx->log_payload);
}

double sri_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

specreg_status sri_stage(specreg_context *ctx, const char *stage, int64_t steps)
{
    ctx->stage = stage;
    ctx->stage_steps = steps;
    ctx->stage_part = ctx->part;
    ctx->stage_parts = ctx->parts;
    ctx->stage_start = sri_clock();
    return sri_progress(ctx, 0);
}

specreg_status sri_progress(specreg_context *ctx, int64_t step)
{
    ctx->stage_step = step;
    if (!ctx->progress)
        return SPECREG_OK;
    const specreg_progress p = {ctx->stage, ctx->stage_part * ctx->stage_steps + step,
                                (ctx->stage_parts ? ctx->stage_parts : 1) * ctx->stage_steps,
                                sri_clock() - ctx->stage_start};
    if (ctx->progress(&p, ctx->progress_payload))
        return sri_fail(ctx, SPECREG_E_CANCELLED, "cancelled");
    return SPECREG_OK;
}

void sri_stage_part(specreg_context *ctx, int64_t part, int64_t parts)
{
    ctx->part = part;
    ctx->parts = parts;
}

sri_stage_round sri_stage_inner(specreg_context *ctx, int64_t part, int64_t parts)
{
    const sri_stage_round before = {ctx->part, ctx->parts};
    sri_stage_part(ctx, before.part * parts + part, (before.parts ? before.parts : 1) * parts);
    return before;
}

void sri_stage_outer(specreg_context *ctx, sri_stage_round before)
{
    sri_stage_part(ctx, before.part, before.parts);
}

specreg_status sri_poll(specreg_context *ctx)
{
    return sri_progress(ctx, ctx->stage_step);
}

const sri_registration *sri_registered(const sri_registration *list, const char *name)
{
    while (list && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

enum { MAX_USER_PARAMS = 6 };

static bool is_name(const char *s)
{
    for (const char *c = s; *c; c++)
        if (!(isalnum((unsigned char)*c) || *c == '_' || *c == '-'))
            return false;
    return isalpha((unsigned char)*s);
}

specreg_status sri_register(specreg_context *ctx, sri_registration **list, const char *what,
                            const sri_registration *def)
{
    specreg_status st = SPECREG_OK;
    const char *name = def->name;
    sri_registration *r = NULL;
    specreg_param_def *params;
    SRI_REQUIRE(ctx, name && is_name(name), SPECREG_E_ARG,
                "a %s's name must be letters, digits, '_' or '-', beginning with a letter", what);
    SRI_REQUIRE(ctx, !sri_registered(*list, name), SPECREG_E_ARG, "%s '%s' is registered already",
                what, name);
    SRI_REQUIRE(ctx,
                def->n_params >= 0 && def->n_params <= MAX_USER_PARAMS &&
                    (def->params || !def->n_params),
                SPECREG_E_ARG, "%s '%s': from 0 to %d parameters", what, name,
                (int)MAX_USER_PARAMS);
    SRI_CALLOC(ctx, r, 1, 1);
    r->payload = def->payload;
    r->function = def->function;
    r->block = def->block;
    r->of_steps = def->of_steps;
    r->columns = def->columns;
    r->is_matrix = def->is_matrix;
    r->outputs = def->outputs;
    SRI_STRDUP(ctx, r->name, name);
    SRI_CALLOC(ctx, params, def->n_params, 1);
    r->params = params;
    for (; r->n_params < def->n_params; r->n_params++) {
        params[r->n_params].default_value = def->params[r->n_params].default_value;
        SRI_STRDUP(ctx, params[r->n_params].name, def->params[r->n_params].name);
    }
    r->next = *list;
    *list = r;
    return SPECREG_OK;
done:
    sri_registration_free(r);
    return st;
}

specreg_status sri_registration_copy(specreg_context *ctx, const sri_registration *from,
                                     sri_registration **out)
{
    *out = NULL;
    if (!from)
        return SPECREG_OK;
    sri_registration named = *from;
    named.payload = NULL;
    named.function = NULL;
    return sri_register(ctx, out, "", &named);
}

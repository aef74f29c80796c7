/* The list of codings, and codings as text. */
#include <stdio.h>
#include <string.h>

#include "coding/coding.h"
#include "core/memory.h"
#include "core/spec.h"
#include "core/text.h"

/* To add a coding: one file, one line here, one in coding.h. */
static const sri_coding_ops *const codings[] = {
    &sri_coding_ova, &sri_coding_ovo,    &sri_coding_ab,    &sri_coding_simplex,
    &sri_coding_bch, &sri_coding_random, &sri_coding_dense, &sri_coding_file,
};
enum { N_CODINGS = sizeof codings / sizeof codings[0] };

const char *const sri_decodings[SRI_DECODINGS] = {[SRI_DECODE_SQUARED] = "squared",
                                                  [SRI_DECODE_HAMMING] = "hamming",
                                                  [SRI_DECODE_LOSS] = "loss",
                                                  [SRI_DECODE_VOTES] = "votes",
                                                  [SRI_DECODE_MAJORITY] = "majority"};

static const sri_coding_ops *find(const char *name)
{
    for (int i = 0; i < N_CODINGS; i++)
        if (strcmp(codings[i]->name, name) == 0)
            return codings[i];
    return NULL;
}

bool sri_decoding_named(const char *name, sri_decoding *out)
{
    for (int i = 0; i < SRI_DECODINGS; i++)
        if (strcmp(sri_decodings[i], name) == 0) {
            *out = (sri_decoding)i;
            return true;
        }
    return false;
}

static void set_defaults(const sri_coding_ops *ops, sri_coding_spec *out)
{
    *out = (sri_coding_spec){.ops = ops};
    for (int i = 0; i < ops->n_params; i++)
        out->param[i] = ops->params[i].value;
}

bool sri_coding_named(const char *name, sri_coding_spec *out)
{
    const sri_coding_ops *ops = find(name);
    if (ops)
        set_defaults(ops, out);
    return ops != NULL;
}

void sri_coding_spec_free(sri_coding_spec *spec)
{
    sri_free(spec->file);
    *spec = (sri_coding_spec){0};
}

static bool is_key(const sri_spec_arg *arg, const char *key)
{
    return arg->key && strcmp(arg->key, key) == 0;
}

static specreg_status set_param(specreg_context *ctx, const sri_spec_arg *arg, int which,
                                sri_coding_spec *spec)
{
    const sri_param *p = &spec->ops->params[which];
    char what[64], key[96];
    snprintf(what, sizeof what, "coding: %s", spec->ops->name);
    snprintf(key, sizeof key, "%s: %s", what, p->name);
    const specreg_status st = sri_number_parse(ctx, key, arg->value, &spec->param[which]);
    return st == SPECREG_OK ? sri_param_check(ctx, what, p, spec->param[which]) : st;
}

/* key=value, or a value alone, which is the first parameter's. */
static specreg_status set_arg(specreg_context *ctx, const sri_spec_arg *arg, sri_coding_spec *spec)
{
    const sri_coding_ops *ops = spec->ops;
    const char *known[SRI_CODING_PARAMS + 2];
    char what[64];
    int n = 0;
    if (!ops->n_params && !ops->signs)
        return sri_fail(ctx, SPECREG_E_ARG, "coding: %s takes no parameters", ops->name);
    for (; n < ops->n_params; n++) {
        known[n] = ops->params[n].name;
        if (arg->key ? strcmp(arg->key, known[n]) == 0 : n == 0)
            return set_param(ctx, arg, n, spec);
    }
    if (ops->takes_file && is_key(arg, "file")) {
        sri_free(spec->file);
        SRI_NEW_TEXT(ctx, spec->file, arg->value);
        return SPECREG_OK;
    }
    if (ops->takes_file)
        known[n++] = "file";
    if (ops->signs && is_key(arg, "decode")) {
        return sri_decoding_named(arg->value, &spec->decoding)
                   ? SPECREG_OK
                   : sri_fail_unknown(ctx, "decode", arg->value, sri_decodings, SRI_DECODINGS);
    }
    if (ops->signs)
        known[n++] = "decode";
    snprintf(what, sizeof what, "parameter of coding %s", ops->name);
    return sri_fail_unknown(ctx, what, arg->key ? arg->key : arg->value, known, n);
}

static bool same_key(const sri_coding_spec *spec, const sri_spec_arg *a, const sri_spec_arg *b)
{
    const char *first = spec->ops->n_params ? spec->ops->params[0].name : "";
    return strcmp(a->key ? a->key : first, b->key ? b->key : first) == 0;
}

specreg_status sri_coding_parse(specreg_context *ctx, const char *text, sri_coding_spec *out)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    *out = (sri_coding_spec){0};
    SRI_TRY(sri_spec_parse(ctx, "coding", text, &spec));
    const sri_coding_ops *ops = find(spec.name);
    if (!ops) {
        const char *known[N_CODINGS];
        for (int i = 0; i < N_CODINGS; i++)
            known[i] = codings[i]->name;
        st = sri_fail_unknown(ctx, "coding", *spec.name ? spec.name : text, known, N_CODINGS);
        goto done;
    }
    set_defaults(ops, out);
    for (int i = 0; i < spec.count; i++) {
        SRI_TRY(set_arg(ctx, &spec.arg[i], out));
        for (int k = 0; k < i; k++)
            SRI_REQUIRE(ctx, !same_key(out, &spec.arg[k], &spec.arg[i]), SPECREG_E_ARG,
                        "coding: %s: %s is given twice", ops->name,
                        spec.arg[i].key ? spec.arg[i].key : ops->params[0].name);
    }
    SRI_REQUIRE(ctx, !ops->takes_file || out->file, SPECREG_E_ARG,
                "coding: %s needs file=FILE, a row of -1, 1 and 0 for each class", ops->name);
    if (ops->check)
        SRI_TRY(ops->check(ctx, out));
done:
    if (st != SPECREG_OK)
        sri_coding_spec_free(out);
    sri_spec_free(&spec);
    return st;
}

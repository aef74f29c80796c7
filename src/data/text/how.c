/* The options --text and --plsa: key=value,key=value, where each key sets a field of a struct. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/spec.h"
#include "data/text/plsa.h"
#include "data/text/vocabulary.h"
#include "data/text/words.h"

typedef struct key {
    const char *name;
    size_t offset; /* of its field: an enum, a double where there is a range, int64_t   */
    const char *const
        *names;        /* of an enum's values, of which there are two or three; NULL: none  */
    double low, high;  /* ends of the range of a number                                     */
    const char *range; /* of a number that need not be whole                                */
} key;

typedef struct option {
    const char *name, *part, *example;
    const key *keys;
    int count;
} option;

static const char *const answers[] = {"no", "yes", NULL};
static const char *const chooses[] = {"auto", "mi", "frequency"};
static const char *const tfs[] = {"count", "binary", "log"};
static const char *const norms[] = {"l2", "l1", "none"};

#define AT(field) offsetof(sri_text_how, field)
static const key text_keys[] = {
    {"words", AT(words), NULL, 1, INT32_MAX - 1, NULL},
    {"min-docs", AT(min_docs), NULL, 1, INT32_MAX - 1, NULL},
    {"choose", AT(choose), chooses, 0, 0, NULL},
    {"tf", AT(tf), tfs, 0, 0, NULL},
    {"tfidf", AT(tfidf), answers, 0, 0, NULL},
    {"norm", AT(norm), norms, 0, 0, NULL},
    {"min-length", AT(shortest), NULL, 1, SRI_WORD_MAX, NULL},
    {"max-length", AT(longest), NULL, 1, SRI_WORD_MAX, NULL},
};
#undef AT
#define AT(field) offsetof(sri_plsa_how, field)
static const key plsa_keys[] = {
    {"topics", AT(topics), NULL, 1, 1000000, NULL},
    {"sweeps", AT(sweeps), NULL, 1, 1000000, NULL},
    {"held-out", AT(held_out), NULL, 0, 1 - DBL_EPSILON / 2, "a number from 0 to below 1"},
    {"temper", AT(temper), NULL, DBL_TRUE_MIN, 1, "a number above 0 and up to 1"},
};
#undef AT
enum { TEXT_KEYS = sizeof text_keys / sizeof(key), PLSA_KEYS = sizeof plsa_keys / sizeof(key) };

static const option text_option = {"text", "part of --text", "words=2000,norm=l2", text_keys,
                                   TEXT_KEYS};
static const option plsa_option = {"plsa", "part of --plsa", "topics=10,sweeps=50", plsa_keys,
                                   PLSA_KEYS};

static bool is_words(const key *k)
{
    return k == &text_keys[0]; /* the only one that takes `all` */
}

static specreg_status set_number(specreg_context *ctx, const option *o, const key *k,
                                 const char *text, void *field)
{
    double x = k->high;
    char whole[64];
    const bool number =
        (is_words(k) && strcmp(text, "all") == 0) || sri_parse_double(text, strlen(text), &x);
    snprintf(whole, sizeof whole, "a whole number from 1 to %.0f", k->high);
    SRI_CHECK(ctx, number && x >= k->low && x <= k->high && (k->range || x == floor(x)),
              SPECREG_E_ARG, "%s: %s must be %s, not '%s'", o->name, k->name,
              k->range ? k->range : whole, text);
    if (k->range)
        *(double *)field = x;
    else
        *(int64_t *)field = (int64_t)x;
    return SPECREG_OK;
}

static specreg_status set(specreg_context *ctx, const option *o, const sri_spec_arg *arg, void *out)
{
    const char *names[TEXT_KEYS];
    int which, value;
    for (int i = 0; i < o->count; i++)
        names[i] = o->keys[i].name;
    SRI_CALL(sri_choose_known(ctx, o->part, arg->key, names, o->count, &which));
    const key *k = &o->keys[which];
    void *field = (char *)out + k->offset;
    if (!k->names)
        return set_number(ctx, o, k, arg->value, field);
    SRI_CALL(
        sri_choose_known(ctx, k->name, arg->value, k->names, k->names == answers ? 2 : 3, &value));
    *(int *)field = value;
    return SPECREG_OK;
}

static specreg_status parse(specreg_context *ctx, const option *o, const char *text, void *out)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    SRI_TRY(sri_spec_parse(ctx, o->name, text, &spec));
    SRI_REQUIRE(ctx,
                (!*spec.name && spec.count > 0) ||
                    (strcmp(spec.name, "auto") == 0 && spec.count == 0),
                SPECREG_E_ARG, "%s '%s': write key=value,key=value, such as %s", o->name, text,
                o->example);
    for (int i = 0; i < spec.count; i++) {
        SRI_REQUIRE(ctx, spec.arg[i].key, SPECREG_E_ARG, "%s: '%s' is not key=value", o->name,
                    spec.arg[i].value);
        SRI_TRY(set(ctx, o, &spec.arg[i], out));
    }
done:
    sri_spec_free(&spec);
    return st;
}

static specreg_status print(specreg_context *ctx, const option *o, const void *how, sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    for (int i = 0; i < o->count && st == SPECREG_OK; i++) {
        const key *k = &o->keys[i];
        const void *field = (const char *)how + k->offset;
        const double x = k->names   ? *(const int *)field
                         : k->range ? *(const double *)field
                                    : (double)*(const int64_t *)field;
        char number[32];
        st = sri_buffer_print(ctx, out, "%s%s=%s", i ? "," : "", k->name,
                              k->names                      ? k->names[(int)x]
                              : is_words(k) && x == k->high ? "all"
                                                            : sri_format_double(x, number));
    }
    return st;
}

specreg_status sri_text_how_parse(specreg_context *ctx, const char *text, sri_text_how *out)
{
    *out = (sri_text_how){5000, 3, SRI_CHOOSE_AUTO, SRI_TF_COUNT, SRI_YES, SRI_NORM_L2, 2, 25};
    SRI_CALL(parse(ctx, &text_option, text, out));
    SRI_CHECK(ctx, out->shortest <= out->longest, SPECREG_E_ARG,
              "text: min-length=%d is more than max-length=%d", (int)out->shortest,
              (int)out->longest);
    return SPECREG_OK;
}

specreg_status sri_text_how_print(specreg_context *ctx, const sri_text_how *how, sri_buffer *out)
{
    return print(ctx, &text_option, how, out);
}

specreg_status sri_plsa_how_parse(specreg_context *ctx, const char *text, sri_plsa_how *out)
{
    *out = (sri_plsa_how){.topics = 10, .sweeps = 50, .held_out = 0, .temper = 0.9};
    return parse(ctx, &plsa_option, text, out);
}

specreg_status sri_plsa_how_print(specreg_context *ctx, const sri_plsa_how *how, sri_buffer *out)
{
    return print(ctx, &plsa_option, how, out);
}

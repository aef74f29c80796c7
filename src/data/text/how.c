/* The options of --text. */
#include <math.h>
#include <string.h>

#include "core/memory.h"
#include "core/spec.h"
#include "data/text/vocabulary.h"
#include "data/text/words.h"

static const sri_text_how defaults = {.words = 5000,
                                      .min_docs = 3,
                                      .choose = SRI_CHOOSE_AUTO,
                                      .tf = SRI_TF_COUNT,
                                      .tfidf = true,
                                      .norm = SRI_NORM_L2,
                                      .shortest = 2,
                                      .longest = 25};

static const char *const keys[] = {"words", "min-docs", "choose",     "tf",
                                   "tfidf", "norm",     "min-length", "max-length"};
enum { WORDS, MIN_DOCS, CHOOSE, TF, TFIDF, NORM, MIN_LENGTH, MAX_LENGTH, KEYS };
static const char *const chooses[] = {"auto", "mi", "frequency"};
static const char *const tfs[] = {"count", "binary", "log"};
static const char *const norms[] = {"l2", "l1", "none"};
static const char *const answers[] = {"no", "yes"};

static specreg_status whole(specreg_context *ctx, const char *key, const char *text, double most,
                            double *out)
{
    specreg_status st = SPECREG_OK;
    SRI_REQUIRE(ctx,
                sri_parse_double(text, strlen(text), out) && *out >= 1 && *out <= most &&
                    *out == floor(*out),
                SPECREG_E_ARG, "text: %s must be a whole number from 1 to %.0f, not '%s'", key,
                most, text);
done:
    return st;
}

static specreg_status set(specreg_context *ctx, const char *key, const char *value,
                          sri_text_how *how)
{
    specreg_status st = SPECREG_OK;
    double number = 0;
    int which, i = 0;
    SRI_TRY(sri_choose_known(ctx, "part of --text", key, keys, KEYS, &which));
    if (which == WORDS && strcmp(value, "all") == 0)
        number = INT32_MAX - 1;
    else if (which == WORDS || which == MIN_DOCS)
        SRI_TRY(whole(ctx, key, value, INT32_MAX - 1, &number));
    else if (which == MIN_LENGTH || which == MAX_LENGTH)
        SRI_TRY(whole(ctx, key, value, SRI_WORD_MAX, &number));
    else if (which == CHOOSE)
        SRI_TRY(sri_choose_known(ctx, "choose", value, chooses, 3, &i));
    else if (which == TF)
        SRI_TRY(sri_choose_known(ctx, "tf", value, tfs, 3, &i));
    else if (which == NORM)
        SRI_TRY(sri_choose_known(ctx, "norm", value, norms, 3, &i));
    else
        SRI_TRY(sri_choose_known(ctx, "tfidf", value, answers, 2, &i));
    switch (which) {
    case WORDS:
        how->words = (int64_t)number;
        break;
    case MIN_DOCS:
        how->min_docs = (int64_t)number;
        break;
    case MIN_LENGTH:
        how->shortest = (int)number;
        break;
    case MAX_LENGTH:
        how->longest = (int)number;
        break;
    case CHOOSE:
        how->choose = (sri_choose)i;
        break;
    case TF:
        how->tf = (sri_tf)i;
        break;
    case NORM:
        how->norm = (sri_text_norm)i;
        break;
    default:
        how->tfidf = i == 1;
    }
done:
    return st;
}

specreg_status sri_text_how_parse(specreg_context *ctx, const char *text, sri_text_how *out)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    *out = defaults;
    SRI_TRY(sri_spec_parse(ctx, "text", text, &spec));
    SRI_REQUIRE(ctx,
                (!*spec.name && spec.count > 0) ||
                    (strcmp(spec.name, "auto") == 0 && spec.count == 0),
                SPECREG_E_ARG, "text '%s': write key=value,key=value, such as words=2000,norm=l2",
                text);
    for (int i = 0; i < spec.count; i++) {
        SRI_REQUIRE(ctx, spec.arg[i].key, SPECREG_E_ARG, "text: '%s' is not key=value",
                    spec.arg[i].value);
        SRI_TRY(set(ctx, spec.arg[i].key, spec.arg[i].value, out));
    }
    SRI_REQUIRE(ctx, out->shortest <= out->longest, SPECREG_E_ARG,
                "text: min-length=%d is more than max-length=%d", out->shortest, out->longest);
done:
    sri_spec_free(&spec);
    return st;
}

specreg_status sri_text_how_print(specreg_context *ctx, const sri_text_how *how, sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    if (how->words == INT32_MAX - 1)
        SRI_TRY(sri_buffer_print(ctx, out, "words=all"));
    else
        SRI_TRY(sri_buffer_print(ctx, out, "words=%lld", (long long)how->words));
    SRI_TRY(sri_buffer_print(ctx, out,
                             ",min-docs=%lld,choose=%s,tf=%s,tfidf=%s,norm=%s,min-length=%d,"
                             "max-length=%d",
                             (long long)how->min_docs, chooses[how->choose], tfs[how->tf],
                             answers[how->tfidf], norms[how->norm], how->shortest, how->longest));
done:
    return st;
}

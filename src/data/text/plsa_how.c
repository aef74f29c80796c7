/* The options of --plsa. */
#include <math.h>
#include <string.h>

#include "core/spec.h"
#include "data/text/plsa.h"

static const sri_plsa_how defaults = {.topics = 10, .sweeps = 50, .held_out = 0, .temper = 0.9};

static const char *const keys[] = {"topics", "sweeps", "held-out", "temper"};
enum { TOPICS, SWEEPS, HELD_OUT, TEMPER, KEYS };

static specreg_status whole(specreg_context *ctx, const char *key, const char *text, int64_t *out)
{
    enum { MOST = 1000000 };
    specreg_status st = SPECREG_OK;
    double number;
    SRI_REQUIRE(ctx,
                sri_parse_double(text, strlen(text), &number) && number >= 1 && number <= MOST &&
                    number == floor(number),
                SPECREG_E_ARG, "plsa: %s must be a whole number from 1 to %d, not '%s'", key, MOST,
                text);
    *out = (int64_t)number;
done:
    return st;
}

static specreg_status set(specreg_context *ctx, const char *key, const char *text,
                          sri_plsa_how *how)
{
    specreg_status st = SPECREG_OK;
    const size_t length = strlen(text);
    int which;
    SRI_TRY(sri_choose_known(ctx, "part of --plsa", key, keys, KEYS, &which));
    switch (which) {
    case TOPICS:
        return whole(ctx, key, text, &how->topics);
    case SWEEPS:
        return whole(ctx, key, text, &how->sweeps);
    case HELD_OUT:
        SRI_REQUIRE(ctx,
                    sri_parse_double(text, length, &how->held_out) && how->held_out >= 0 &&
                        how->held_out < 1,
                    SPECREG_E_ARG, "plsa: held-out must be a number from 0 to below 1, not '%s'",
                    text);
        break;
    default:
        SRI_REQUIRE(ctx,
                    sri_parse_double(text, length, &how->temper) && how->temper > 0 &&
                        how->temper <= 1,
                    SPECREG_E_ARG, "plsa: temper must be a number above 0 and up to 1, not '%s'",
                    text);
    }
done:
    return st;
}

specreg_status sri_plsa_how_parse(specreg_context *ctx, const char *text, sri_plsa_how *out)
{
    specreg_status st = SPECREG_OK;
    sri_spec spec = {0};
    *out = defaults;
    SRI_TRY(sri_spec_parse(ctx, "plsa", text, &spec));
    SRI_REQUIRE(ctx,
                (!*spec.name && spec.count > 0) ||
                    (strcmp(spec.name, "auto") == 0 && spec.count == 0),
                SPECREG_E_ARG, "plsa '%s': write key=value,key=value, such as topics=10,sweeps=50",
                text);
    for (int i = 0; i < spec.count; i++) {
        SRI_REQUIRE(ctx, spec.arg[i].key, SPECREG_E_ARG, "plsa: '%s' is not key=value",
                    spec.arg[i].value);
        SRI_TRY(set(ctx, spec.arg[i].key, spec.arg[i].value, out));
    }
done:
    sri_spec_free(&spec);
    return st;
}

specreg_status sri_plsa_how_print(specreg_context *ctx, const sri_plsa_how *how, sri_buffer *out)
{
    char held_out[32], temper[32];
    return sri_buffer_print(ctx, out, "topics=%lld,sweeps=%lld,held-out=%s,temper=%s",
                            (long long)how->topics, (long long)how->sweeps,
                            sri_format_double(how->held_out, held_out),
                            sri_format_double(how->temper, temper));
}

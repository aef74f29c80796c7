/* Small texts: numbers in and out without the locale, a growing buffer, the nearest name. */
#ifndef SRI_CORE_TEXT_H
#define SRI_CORE_TEXT_H

#include "core/context.h"

/* Parses all of text[0..length) as a decimal number, correctly rounded, whatever the locale.
 * Accepts inf/nan in any case.  False when it is not a number. */
bool sri_parse_double(const char *text, size_t length, double *value);

/* Whether text[0..length) is `word` (in small letters), whatever its case. */
bool sri_is_word(const char *text, size_t length, const char *word);

/* w * 10^e, correctly rounded, for |e| <= SRI_SCALE_MAX. */
enum { SRI_SCALE_MAX = 27 };
double sri_scale_ten(uint64_t w, int e);

/* The shortest decimal that reads back to the same double, into >= 32 bytes; returns it. */
char *sri_format_double(double value, char *buffer);

typedef struct sri_buffer {
    char *data; /* NUL-terminated once something was added */
    int64_t length, capacity;
} sri_buffer;
specreg_status sri_buffer_add(specreg_context *ctx, sri_buffer *b, const char *text, size_t length);
specreg_status sri_buffer_print(specreg_context *ctx, sri_buffer *b, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sri_buffer_free(sri_buffer *b);

/* The candidate closest to `name` in edit distance, or NULL when none is close. */
const char *sri_nearest(const char *name, const char *const *candidates, int count);

/* Fails with: unknown WHAT 'name' (did you mean 'x'? known: a b c). */
specreg_status sri_fail_unknown(specreg_context *ctx, const char *what, const char *name,
                                const char *const *known, int count);
/* The place of `name` among the known ones, or that failure. */
specreg_status sri_choose_known(specreg_context *ctx, const char *what, const char *name,
                                const char *const *known, int count, int *out);

#endif

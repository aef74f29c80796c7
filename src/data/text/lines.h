/* Texts of lines, as vocabularies and topics are kept. */
#ifndef SRI_DATA_TEXT_LINES_H
#define SRI_DATA_TEXT_LINES_H

#include "core/text.h"

typedef struct sri_lines {
    specreg_context *ctx;
    const char *name;     /* for messages                  */
    const char *at, *end; /* what is left                  */
    const char *text;     /* the line at hand, its length, */
    size_t length;
    int64_t line; /* its number                    */
} sri_lines;

/* Goes to the next line; false at the end. */
bool sri_lines_next(sri_lines *l);
/* Fails: NAME:LINE: what. */
specreg_status sri_lines_broken(const sri_lines *l, const char *what);
/* What follows `word` and a blank on the line, or NULL. */
const char *sri_lines_after(const sri_lines *l, const char *word, size_t *length);
/* The same of the next line, to which it goes. */
const char *sri_lines_head(sri_lines *l, const char *word, size_t *length);
/* The next line, which is `word`, a blank and a whole number from `least` on; `what` is the message
 * when it is something else. */
specreg_status sri_lines_whole(sri_lines *l, const char *word, double least, const char *what,
                               int64_t *out);
/* A JSON text to a C one. */
specreg_status sri_lines_name(const sri_lines *l, const char *text, size_t length, char **out);

/* A whole number from `least` on, below 2^53, at the front of *text, which moves behind it. */
bool sri_take_whole(const char **text, size_t *length, double least, double *out);
#endif

/* Text that is put together line by line: after a failure nothing more is added, and the status is
 * asked for once. */
#ifndef SRI_EXPORT_TEXT_H
#define SRI_EXPORT_TEXT_H

#include "core/text.h"

typedef struct sri_text {
    specreg_context *ctx;
    sri_buffer buffer;
    specreg_status st;
} sri_text;

void sri_text_put(sri_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number that reads back to the same double. */
void sri_text_number(sri_text *text, double value);
/* A text in which each '#' stands for one of the doubles that follow, negative ones in
 * parentheses. */
void sri_text_formula(sri_text *text, const char *formula, ...);
/* To a file, which is complete or not there; frees the text in every case. */
specreg_status sri_text_finish(sri_text *text, const char *path);

#endif

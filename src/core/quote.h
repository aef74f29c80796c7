/* Texts in double quotes, as JSON has them: they have no line break or tab, whatever is in them. */
#ifndef SRI_CORE_QUOTE_H
#define SRI_CORE_QUOTE_H

#include "core/text.h"

specreg_status sri_json_quote(specreg_context *ctx, const char *text, sri_buffer *out);
/* Newly allocated; NULL where text[0 .. length) is no such thing. */
specreg_status sri_json_unquote(specreg_context *ctx, const char *text, size_t length, char **out);

#endif

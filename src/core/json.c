#include "core/json.h"

#include <math.h>

#include "core/memory.h"
#include "core/quote.h"

void sri_json_put(json_t **object, const char *key, json_t *value)
{
    if (json_object_set_new(*object, key, value) == 0)
        return;
    json_decref(*object);
    *object = NULL;
}

void sri_json_add(json_t **array, json_t *value)
{
    if (json_array_append_new(*array, value) == 0)
        return;
    json_decref(*array);
    *array = NULL;
}

json_t *sri_json_number(double v)
{
    return isfinite(v) ? json_real(v) : json_null();
}

json_t *sri_json_string(const char *text)
{
    json_t *json = json_string(text);
    const char *byte = text;
    while (*byte && (unsigned char)*byte <= 127)
        byte++;
    if (!*byte) /* nothing but ASCII: it fails for want of memory alone */
        return json;
    char *copy = json ? NULL : sri_strdup(NULL, text);
    if (!copy)
        return json;
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c > 127)
            *c = '?';
    json = json_string(copy);
    sri_free(copy);
    return json;
}

/* Into a buffer of the known size: json_dumps() can lose bytes unnoticed when memory runs out. */
specreg_status sri_json_quote(specreg_context *ctx, const char *text, sri_buffer *out)
{
    specreg_status st = SPECREG_OK;
    json_t *json = json_string(text);
    char *quoted = NULL;
    const size_t length = json ? json_dumpb(json, NULL, 0, JSON_ENCODE_ANY) : 0;
    SRI_REQUIRE(ctx, length > 0, SPECREG_E_NOMEM, "out of memory");
    SRI_ALLOC(ctx, quoted, (int64_t)length, 1);
    SRI_REQUIRE(ctx, json_dumpb(json, quoted, length, JSON_ENCODE_ANY) == length, SPECREG_E_NOMEM,
                "out of memory");
    SRI_TRY(sri_buffer_add(ctx, out, quoted, length));
done:
    sri_free(quoted);
    json_decref(json);
    return st;
}

specreg_status sri_json_unquote(specreg_context *ctx, const char *text, size_t length, char **out)
{
    specreg_status st = SPECREG_OK;
    json_error_t error = {0};
    json_t *json = json_loadb(text, length, JSON_DECODE_ANY, &error);
    *out = NULL;
    SRI_REQUIRE(ctx, json || (error.text[0] && json_error_code(&error) != json_error_out_of_memory),
                SPECREG_E_NOMEM, "out of memory");
    if (json_is_string(json))
        SRI_STRDUP(ctx, *out, json_string_value(json));
done:
    json_decref(json);
    return st;
}

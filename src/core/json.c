#include "core/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    char *copy = json ? NULL : strdup(text);
    if (!copy)
        return json;
    for (char *c = copy; *c; c++)
        if ((unsigned char)*c > 127)
            *c = '?';
    json = json_string(copy);
    free(copy);
    return json;
}

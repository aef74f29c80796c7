/* Reading the records that the library returns.  A key that is absent is no error. */
#include <stdlib.h>
#include <string.h>

#include "common.h"

json_t *cli_load(const char *text)
{
    json_t *record = text ? json_loads(text, JSON_REJECT_DUPLICATES, NULL) : NULL;
    return record ? record : json_object();
}

json_t *cli_get(const json_t *record, const char *path)
{
    const json_t *value = record;
    while (value && *path) {
        const size_t length = strcspn(path, ".");
        char *key = cli_format("%.*s", (int)length, path);
        value = json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10))
                                     : json_object_get(value, key);
        free(key);
        path += length + (path[length] == '.');
    }
    return (json_t *)value;
}

bool cli_get_number(const json_t *record, const char *path, double *value)
{
    const json_t *found = cli_get(record, path);
    if (!json_is_number(found))
        return false;
    *value = json_number_value(found);
    return true;
}

const char *cli_get_text(const json_t *record, const char *path)
{
    return json_string_value(cli_get(record, path));
}

const char *cli_path_parameter(const json_t *object)
{
    static const char *const names[] = {"lambda", "t", "components", "order"};
    for (int i = 0; i < 4; i++)
        if (json_is_number(cli_get(object, names[i])))
            return names[i];
    return NULL;
}

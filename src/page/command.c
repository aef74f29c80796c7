/* The command line that makes a record of a file again, from its options. */
#include <string.h>

#include "page/page.h"

/* As a shell takes it: in single quotes unless it is plain. */
static bool add_word(sri_buffer *line, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+@%-";
    const char *next = word;
    if (*word && strspn(word, plain) == strlen(word))
        return sri_buffer_print(NULL, line, " %s", word) == SPECREG_OK;
    bool good = sri_buffer_print(NULL, line, " '") == SPECREG_OK;
    for (; good && *next; next++)
        good = sri_buffer_print(NULL, line, *next == '\'' ? "'\\''" : "%c", *next) == SPECREG_OK;
    return good && sri_buffer_print(NULL, line, "'") == SPECREG_OK;
}

/* Whether it may be left out.  The sample of rows for pictures changes no prediction, and --report
 * chooses it. */
static bool is_usual(const char *name, const char *value)
{
    const char *usual = specreg_options_get(NULL, name);
    return strcmp(name, "portrait") == 0 || (usual && strcmp(value, usual) == 0);
}

static bool add_options(sri_buffer *line, const json_t *options)
{
    const char *name;
    json_t *value;
    bool good = true;
    json_object_foreach ((json_t *)options, name, value) {
        const char *text = json_string_value(value);
        if (!text || strspn(name, "abcdefghijklmnopqrstuvwxyz-") != strlen(name) ||
            is_usual(name, text))
            continue;
        good = good && sri_buffer_print(NULL, line, " --%s", name) == SPECREG_OK &&
               (strcmp(text, "yes") == 0 || add_word(line, text));
    }
    return good;
}

json_t *sri_page_command(const json_t *record)
{
    const char *command = json_string_value(json_object_get(record, "command"));
    const json_t *data = json_object_get(record, "data");
    const char *file = json_string_value(json_object_get(data, "file"));
    const char *format = json_string_value(json_object_get(data, "format"));
    const json_t *options = json_object_get(record, "options");
    sri_buffer line = {0};
    json_t *out = NULL;
    const bool in_memory = format && strcmp(format, "arrays") == 0;
    if (!command || !file || !*file || in_memory || !json_is_object(options) ||
        strspn(command, "abcdefghijklmnopqrstuvwxyz") != strlen(command))
        return json_null();
    if (sri_buffer_print(NULL, &line, "specreg %s", command) == SPECREG_OK &&
        add_word(&line, file) && add_options(&line, options))
        out = sri_json_string(line.data);
    sri_buffer_free(&line);
    return out;
}

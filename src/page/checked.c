/* A portrait from a file: lists of the right lengths and kinds, or nothing. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "page/page.h"

enum { MOST_POINTS = 10000, MOST_LISTED = 100000, MOST_CELLS = 1 << 20 };

void sri_page_cannot(json_t **cannot, const char *format, ...)
{
    char line[600];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    sri_json_add(cannot, sri_json_string(line));
}

static bool is_number_or_null(const json_t *v)
{
    return json_is_null(v) || (json_is_number(v) && isfinite(json_number_value(v)));
}

/* A list of `count` numbers, some of them null; any number of them for -1. */
static bool are_numbers(const json_t *list, int64_t count)
{
    const int64_t n = (int64_t)json_array_size(list);
    if (!json_is_array(list) || n > MOST_CELLS || (count >= 0 && n != count))
        return false;
    for (int64_t i = 0; i < n; i++)
        if (!is_number_or_null(json_array_get(list, (size_t)i)))
            return false;
    return true;
}

/* A list of `rows` such lists. */
static bool are_lists(const json_t *list, int64_t rows, int64_t cols)
{
    if (!json_is_array(list) || (int64_t)json_array_size(list) != rows)
        return false;
    for (int64_t i = 0; i < rows; i++)
        if (!are_numbers(json_array_get(list, (size_t)i), cols))
            return false;
    return true;
}

static bool are_texts(const json_t *list, size_t least, size_t most)
{
    if (!json_is_array(list) || json_array_size(list) < least || json_array_size(list) > most)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!json_is_string(json_array_get(list, i)))
            return false;
    return true;
}

/* Whole numbers from 0 to below `end`. */
static bool are_codes(const json_t *list, int64_t count, int64_t end)
{
    if (!json_is_array(list) || (count >= 0 && (int64_t)json_array_size(list) != count))
        return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *v = json_array_get(list, i);
        if (!json_is_integer(v) || json_integer_value(v) < 0 || json_integer_value(v) >= end)
            return false;
    }
    return true;
}

static bool are_points(const json_t *list)
{
    static const char *const keys[] = {"at", "df", "train", "value", "stderr"};
    if (!json_is_array(list) || json_array_size(list) > MOST_POINTS)
        return false;
    for (size_t i = 0; i < json_array_size(list); i++)
        for (int k = 0; k < 5; k++)
            if (!is_number_or_null(json_object_get(json_array_get(list, i), keys[k])))
                return false;
    return true;
}

static bool is_spectrum(const json_t *s)
{
    const json_t *index = json_object_get(s, "index");
    const int64_t n = (int64_t)json_array_size(index);
    return n > 0 && n <= MOST_LISTED && are_numbers(index, n) &&
           is_number_or_null(json_object_get(s, "trace")) &&
           are_numbers(json_object_get(s, "eigenvalues"), n) &&
           are_numbers(json_object_get(s, "target_share"), n) &&
           (!json_object_get(s, "target_cumulative") ||
            are_numbers(json_object_get(s, "target_cumulative"), n));
}

static bool is_filter(const json_t *f, int64_t points)
{
    const json_t *s = json_object_get(f, "s");
    return json_array_size(s) > 1 && are_numbers(s, -1) &&
           are_lists(json_object_get(f, "kept"), points, (int64_t)json_array_size(s));
}

static bool is_curve(const json_t *c, int64_t points)
{
    const json_t *x = json_object_get(c, "x"), *y = json_object_get(c, "y");
    const json_t *inputs = json_object_get(c, "inputs"), *outputs = json_object_get(c, "outputs");
    const json_t *f = json_object_get(c, "f"), *at = json_object_get(c, "points");
    const json_t *rows = json_object_get(c, "rows"), *rx = json_object_get(rows, "x");
    const bool plane = json_array_size(inputs) == 2;
    const json_t *rz = json_object_get(rows, plane ? "z" : "y"),
                 *class = json_object_get(rows, "class");
    const int64_t T = (int64_t)json_array_size(outputs), n = (int64_t)json_array_size(rx);
    if (!are_texts(inputs, 1, 2) || !are_texts(outputs, 1, 100000) || !are_numbers(x, -1) ||
        (plane && !are_numbers(y, -1)) || !json_is_array(f) ||
        !are_codes(at, (int64_t)json_array_size(f), points))
        return false;
    const int64_t cells = (int64_t)json_array_size(x) * (plane ? (int64_t)json_array_size(y) : 1);
    if (cells < 1 || cells > MOST_CELLS)
        return false;
    for (size_t k = 0; k < json_array_size(f); k++)
        if (!are_lists(json_array_get(f, k), T, cells))
            return false;
    return are_numbers(rx, -1) && (!plane || are_numbers(json_object_get(rows, "y"), n)) &&
           (class ? are_codes(class, n, T == 1 ? 2 : T) : are_lists(rz, T, n));
}

static bool is_parameter(const json_t *name)
{
    const char *text = json_string_value(name);
    for (int kind = SRI_PATH_LAMBDA; text && kind <= SRI_PATH_ORDER; kind++)
        if (strcmp(text, sri_path_name((sri_path_kind)kind)) == 0)
            return true;
    return false;
}

/* Puts a part that fits; says that one does not. */
static void put(json_t **out, const char *key, const json_t *part, bool fits, json_t **cannot)
{
    if (part && !json_is_null(part) && !fits)
        sri_page_cannot(cannot, "The model's portrait is damaged: its %s is not shown.", key);
    sri_json_put(out, key, part && fits ? json_incref((json_t *)part) : json_null());
}

static void take_sentences(const json_t *portrait, json_t **cannot)
{
    const json_t *missing = json_object_get(portrait, "missing");
    if (missing && are_texts(missing, 0, 100))
        for (size_t i = 0; i < json_array_size(missing); i++)
            sri_json_add(cannot, json_incref(json_array_get(missing, i)));
}

json_t *sri_page_portrait(const json_t *portrait, json_t **cannot)
{
    const json_t *points = json_object_get(portrait, "points"),
                 *chosen = json_object_get(portrait, "chosen"), *part;
    const int64_t count = (int64_t)json_array_size(points);
    json_t *out = json_object();
    if (!are_points(points) || !is_parameter(json_object_get(portrait, "parameter"))) {
        json_decref(out);
        sri_page_cannot(cannot, "The model's portrait is damaged and not shown.");
        return NULL;
    }
    for (int k = 0; k < 2; k++) {
        const char *key = k ? "rows_used" : "n";
        part = json_object_get(portrait, key);
        put(&out, key, part, json_is_integer(part) && json_integer_value(part) >= 0, cannot);
    }
    put(&out, "parameter", json_object_get(portrait, "parameter"), true, cannot);
    put(&out, "points", points, true, cannot);
    put(&out, "chosen", chosen,
        json_is_integer(chosen) && json_integer_value(chosen) >= 0 &&
            json_integer_value(chosen) < count,
        cannot);
    part = json_object_get(portrait, "train_measure");
    put(&out, "train_measure", part, json_is_string(part), cannot);
    part = json_object_get(portrait, "df_of_sample");
    put(&out, "df_of_sample", part, json_is_boolean(part), cannot);
    part = json_object_get(portrait, "spectrum");
    put(&out, "spectrum", part, part && is_spectrum(part), cannot);
    part = json_object_get(portrait, "filter");
    put(&out, "filter", part, part && is_filter(part, count), cannot);
    part = json_object_get(portrait, "curve");
    put(&out, "curve", part, part && is_curve(part, count), cannot);
    take_sentences(portrait, cannot);
    return out;
}

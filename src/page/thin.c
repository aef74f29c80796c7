/* Long lists of a record, for a page that stays small. */
#include <math.h>
#include <string.h>

#include "page/page.h"

enum {
    MOST_TRIED = 4000,
    MOST_EIGENVALUES = 300,
    FIRST_EIGENVALUES = 100,
    MOST_CLASSES = 60,
    MOST_CURVE = 300,
    MOST_PAIRS = 100
};

/* Some rows of a table at equal distances, and all of one kernel. */
static json_t *some_rows(const json_t *table, const json_t *kernel)
{
    json_t *kept = json_array();
    const size_t n = json_array_size(table);
    size_t seen = 0;
    for (size_t i = 0; i < n; i++) {
        json_t *row = json_array_get(table, i);
        const bool own = kernel && json_equal(json_object_get(row, "kernel"), kernel);
        const bool next = i * MOST_TRIED / n >= seen;
        seen += next;
        if (own || next)
            sri_json_add(&kept, json_incref(row));
    }
    return kept;
}

/* Puts a part into a record; *cannot is NULL when out of memory. */
static void replace(json_t *object, const char *key, json_t *value, json_t **cannot)
{
    if (json_object_set_new(object, key, value) == 0)
        return;
    json_decref(*cannot);
    *cannot = NULL;
}

static void thin_table(json_t *owner, const json_t *kernel, json_t **cannot)
{
    json_t *table = json_object_get(owner, "table");
    const size_t n = json_array_size(table);
    if (n <= MOST_TRIED)
        return;
    json_t *kept = some_rows(table, kernel);
    sri_page_cannot(cannot,
                    "%zu points were tried; %zu of them are shown, with all of the kernel that was "
                    "chosen.",
                    n, json_array_size(kept));
    replace(owner, "table", kept, cannot);
    replace(owner, "tried", json_integer((json_int_t)n), cannot);
}

void sri_page_thin_record(json_t *record, json_t **cannot)
{
    const json_t *kernel = json_object_get(record, "kernel");
    thin_table(record, kernel, cannot);
    thin_table(json_object_get(record, "selection"), kernel, cannot);
    if (json_array_size(json_object_get(record, "eigenvalues")) > MOST_EIGENVALUES) {
        json_object_del(record, "eigenvalues"); /* see sri_page_spectrum */
        json_object_del(record, "target_share");
    }
    sri_page_thin_errors(json_object_get(record, "test"), cannot);
}

/* At most so many points of each curve, its ends among them. */
static json_t *thin_curves(const json_t *roc)
{
    json_t *kept = json_array();
    const size_t n = json_array_size(roc);
    for (size_t i = 0, end; i < n; i = end) {
        const json_t *class = json_object_get(json_array_get(roc, i), "class");
        for (end = i + 1;
             end < n && json_equal(json_object_get(json_array_get(roc, end), "class"), class);)
            end++;
        const size_t count = end - i, most = count < MOST_CURVE ? count : MOST_CURVE;
        for (size_t k = 0; k < most; k++)
            sri_json_add(&kept, json_incref(
                                    json_array_get(roc, i + (most > 1 ? k * (count - 1) / (most - 1)
                                                                      : 0))));
    }
    return kept;
}

typedef struct pair {
    size_t true_class, label;
    json_int_t count;
} pair;

/* Puts a pair in its place among the best, the most frequent first and those of one count as they
 * come; gives how many there are. */
static size_t keep_most(pair *best, size_t found, pair one)
{
    size_t place = found;
    while (place > 0 && best[place - 1].count < one.count)
        place--;
    if (place == MOST_PAIRS)
        return found;
    found += found < MOST_PAIRS;
    memmove(best + place + 1, best + place, (found - place - 1) * sizeof *best);
    best[place] = one;
    return found;
}

/* What is confused most often, in place of a matrix of very many classes. */
static json_t *most_confused(const json_t *labels, const json_t *counts)
{
    json_t *list = json_array();
    pair best[MOST_PAIRS];
    size_t found = 0;
    const size_t k = json_array_size(labels);
    for (size_t c = 0; c < k; c++) {
        const json_t *row = json_array_get(counts, c);
        for (size_t g = 0; g < k; g++) {
            const json_int_t count = json_integer_value(json_array_get(row, g));
            if (c != g && count > 0)
                found = keep_most(best, found, (pair){c, g, count});
        }
    }
    for (size_t i = 0; i < found; i++) {
        json_t *one = json_object();
        sri_json_put(&one, "true", json_incref(json_array_get(labels, best[i].true_class)));
        sri_json_put(&one, "label", json_incref(json_array_get(labels, best[i].label)));
        sri_json_put(&one, "count", json_integer(best[i].count));
        sri_json_add(&list, one);
    }
    return list;
}

void sri_page_thin_errors(json_t *errors, json_t **cannot)
{
    const json_t *confusion = json_object_get(errors, "confusion"),
                 *labels = json_object_get(confusion, "labels");
    const size_t k = json_array_size(labels);
    if (json_array_size(json_object_get(errors, "roc")))
        replace(errors, "roc", thin_curves(json_object_get(errors, "roc")), cannot);
    if (k <= MOST_CLASSES)
        return;
    replace(errors, "confused", most_confused(labels, json_object_get(confusion, "counts")),
            cannot);
    json_object_del(errors, "confusion");
    json_object_del(errors, "roc");
    sri_page_cannot(cannot,
                    "There are %zu classes: in place of the confusion matrix there are the "
                    "%d pairs that are confused most often, and no ROC curves.",
                    k, (int)MOST_PAIRS);
}

json_t *sri_page_spectrum(const json_t *record)
{
    const json_t *values = json_object_get(record, "eigenvalues"),
                 *share = json_object_get(record, "target_share");
    const size_t n = json_array_size(values), listed = n < MOST_EIGENVALUES ? n : MOST_EIGENVALUES;
    const size_t first = listed < FIRST_EIGENVALUES ? listed : FIRST_EIGENVALUES;
    json_t *index = json_array(), *s = json_array(), *along = json_array(), *out = json_object();
    size_t last = 0;
    for (size_t k = 0; k < listed; k++) {
        const double far = (double)(k - first + 1) / (double)(listed - first + (listed == first));
        size_t i =
            k < first ? k + 1 : (size_t)lrint((double)first * pow((double)n / (double)first, far));
        i = i > n ? n : i;
        if (i <= last)
            continue;
        last = i;
        const json_t *value = json_array_get(values, i - 1), *part = json_array_get(share, i - 1);
        sri_json_add(&index, json_integer((json_int_t)i));
        sri_json_add(&s, json_is_number(value) ? json_incref((json_t *)value) : json_null());
        sri_json_add(&along, json_is_number(part) ? json_incref((json_t *)part) : json_null());
    }
    const json_t *trace = json_object_get(record, "trace"), *rank = json_object_get(record, "rank");
    sri_json_put(&out, "trace", json_is_number(trace) ? json_incref((json_t *)trace) : json_null());
    sri_json_put(&out, "rank", json_is_number(rank) ? json_incref((json_t *)rank) : json_null());
    sri_json_put(&out, "index", index);
    sri_json_put(&out, "eigenvalues", s);
    sri_json_put(&out, "target_share", along);
    return out;
}

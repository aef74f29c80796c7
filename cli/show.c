/* Records as text.  Every key may be absent: what is not there is not shown. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "features.h"

/* --------------------------------------------------------------------- numbers */

/* The shortest decimal that reads back to the same double. */
char *cli_exact(double v)
{
    for (int digits = 15; digits < 17; digits++) {
        char *text = cli_format("%.*g", digits, v);
        if (strtod(text, NULL) == v || isnan(v))
            return text;
        free(text);
    }
    return cli_format("%.17g", v);
}

char *cli_approx(double v)
{
    return cli_format("%.4g", v);
}

char *cli_percent(double fraction)
{
    const double p = 100.0 * fraction;
    return fabs(p) >= 1.0 || p == 0.0 ? cli_format("%.2f %%", p) : cli_format("%.3g %%", p);
}

char *cli_bytes(double bytes)
{
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    int k = 0;
    while (bytes >= 1024.0 && k < 5) {
        bytes /= 1024.0;
        k++;
    }
    return cli_format(k > 0 && bytes < 10.0 ? "%.1f %s" : "%.0f %s", bytes, unit[k]);
}

char *cli_duration(double seconds)
{
    const double minute = 60, hour = 3600, day = 24 * hour;
    if (seconds < 9.95)
        return cli_format("%.2g s", seconds);
    if (seconds < 1.5 * minute)
        return cli_format("%.0f s", seconds);
    if (seconds < 1.5 * hour)
        return cli_format("%.0f min", seconds / minute);
    if (seconds < 1.5 * day)
        return cli_format("%.1f h", seconds / hour);
    return cli_format("%.0f days", seconds / day);
}

/* Prints a text made by one of the above, between two others, and frees it. */
static void put(const char *before, char *text, const char *after)
{
    printf("%s%s%s", before, text, after);
    free(text);
}

void cli_label(const char *label)
{
    printf("%-10s", label);
}

/* ------------------------------------------------------------ kernel and filter */

static void show_parameter(const char *key, const json_t *value)
{
    if (json_is_number(value)) {
        printf(" %s=", key);
        put("", cli_exact(json_number_value(value)), "");
    } else if (json_is_string(value)) {
        printf(" %s=%s", key, json_string_value(value));
    }
}

void cli_show_parameters(const json_t *object, const char *skip)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        if (strcmp(key, "name") != 0 && (!skip || strcmp(key, skip) != 0))
            show_parameter(key, value);
    }
}

/* "rbf sigma=0.83", or "0.5*rbf sigma=1 + linear" */
void cli_show_kernel(const json_t *kernel)
{
    const json_t *terms = cli_get(kernel, "terms");
    const char *name = cli_get_text(kernel, "name");
    if (!json_is_array(terms)) {
        printf("%s", name ? name : "?");
        cli_show_parameters(kernel, NULL);
        return;
    }
    size_t i;
    json_t *term;
    json_array_foreach ((json_t *)terms, i, term) {
        double weight = 1.0;
        cli_get_number(term, "weight", &weight);
        if (i > 0)
            printf(json_is_true(cli_get(term, "times")) ? " * " : " + ");
        if (weight != 1.0)
            put("", cli_exact(weight), "*");
        name = cli_get_text(term, "name");
        printf("%s", name ? name : "?");
        cli_show_parameters(term, "weight");
    }
}

/* " lambda=0.1, 0.02" where every output has its own, the first eight. */
static void show_each(const char *path, const json_t *each)
{
    enum { MOST = 8 };
    const size_t n = json_array_size(each);
    if (n)
        printf(" %s=", path);
    for (size_t t = 0; t < n && t < MOST; t++)
        put(t ? ", " : "", cli_approx(json_number_value(json_array_get(each, t))), "");
    if (n > MOST)
        printf(", ... (%zu outputs)", n);
}

/* Its own parameters, then the one that was chosen from the path: "nu nu=1 t=37" */
void cli_show_filter(const json_t *filter, bool chosen)
{
    const char *name = cli_get_text(filter, "name");
    const char *path = cli_path_parameter(filter);
    printf("%s", name ? name : "?");
    cli_show_parameters(filter, path);
    if (path && chosen)
        show_parameter(path, cli_get(filter, path));
    if (path && chosen)
        show_each(path, cli_get(filter, "per_output"));
}

/* ------------------------------------------------------- how many values were tried */

/* The entry of selection.searched for a parameter; term -1: it is of no sum.  NULL: it had one
 * value. */
static const json_t *find_searched(const json_t *searched, const char *of, int term,
                                   const char *name)
{
    size_t i;
    json_t *one;
    json_array_foreach ((json_t *)searched, i, one) {
        const char *place = cli_get_text(one, "of"), *known = cli_get_text(one, "name");
        double number = -1.0;
        cli_get_number(one, "term", &number);
        if (place && known && strcmp(place, of) == 0 && strcmp(known, name) == 0 && number == term)
            return one;
    }
    return NULL;
}

/* "10 values tried, 0.21 to 3.32" for each number in `object`, a kernel or its outputs or a term of
 * theirs, that took several values. Gives how many were shown before and here. */
static int show_numbers_tried(const json_t *object, const char *of, int term,
                              const json_t *searched, int shown)
{
    const bool named = term >= 0 || json_object_size(object) > 2;
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value) {
        const json_t *one = find_searched(searched, of, term, key);
        double values, least, largest;
        if (!cli_get_number(one, "values", &values) || !cli_get_number(one, "least", &least) ||
            !cli_get_number(one, "largest", &largest))
            continue;
        printf("%s", shown++ ? "; " : " (");
        if (named)
            printf("%s: ", key);
        printf("%.0f values tried, ", values);
        put("", cli_approx(least), " to ");
        put("", cli_approx(largest), "");
    }
    return shown;
}

void cli_show_tried(const json_t *record, const char *of)
{
    const json_t *object = cli_get(record, of), *terms = cli_get(object, "terms");
    const json_t *searched = cli_get(record, "selection.searched");
    int shown = 0;
    if (!terms)
        shown = show_numbers_tried(object, of, -1, searched, shown);
    for (size_t i = 0; i < json_array_size(terms); i++)
        shown = show_numbers_tried(json_array_get(terms, i), of, (int)i, searched, shown);
    if (shown)
        putchar(')');
}

/* "; the best of rbf, laplace", where several families were compared. */
static void show_families(const json_t *record)
{
    const json_t *families = cli_get(record, "selection.families");
    for (size_t i = 0; i < json_array_size(families); i++)
        printf("%s%s", i ? ", " : "; the best of ", json_string_value(json_array_get(families, i)));
}

static int searched_of_filter(const json_t *searched)
{
    int count = 0;
    for (size_t i = 0; i < json_array_size(searched); i++) {
        const char *of = cli_get_text(json_array_get(searched, i), "of");
        count += of && strcmp(of, "filter") == 0;
    }
    return count;
}

/* "(51 values tried)" for the path alone; with other parameters of the filter all of them. */
static void show_path_tried(const json_t *record)
{
    const char *path = cli_path_parameter(cli_get(record, "filter"));
    const json_t *searched = cli_get(record, "selection.searched");
    double values;
    if (searched_of_filter(searched) > 1) {
        cli_show_tried(record, "filter");
        return;
    }
    if (path && cli_get_number(find_searched(searched, "filter", -1, path), "values", &values))
        printf(" (%.0f values tried)", values);
}

/* ----------------------------------------------------------------- parts of a summary */

static const char *delimiter_name(const char *text)
{
    static const char *const name[][2] = {{",", "comma"},
                                          {";", "semicolon"},
                                          {"\t", "tab"},
                                          {" ", "space"},
                                          {"|", "bar"}};
    for (size_t i = 0; text && i < sizeof name / sizeof *name; i++)
        if (strcmp(text, name[i][0]) == 0)
            return name[i][1];
    return text;
}

/* "a, b, c", at most eight of them, with counts where they are known: "a (12), b (3)" */
void cli_show_list(const json_t *names, const json_t *counts)
{
    enum { MOST = 8 };
    const size_t n = json_array_size(names);
    for (size_t i = 0; i < n && i < MOST; i++) {
        const json_t *count = json_array_get(counts, i);
        const char *name = json_string_value(json_array_get(names, i));
        printf("%s%s", i ? ", " : "", name ? name : "?");
        if (json_is_number(count))
            printf(" (%.0f)", json_number_value(count));
    }
    if (n > MOST)
        printf(" and %zu more", n - MOST);
}

static void show_file_format(const json_t *data)
{
    const char *format = cli_get_text(data, "format");
    const char *delimiter = delimiter_name(cli_get_text(data, "delimiter"));
    const json_t *header = cli_get(data, "header");
    if (delimiter && *delimiter)
        printf(", %s-separated", delimiter);
    else if (format && *format)
        printf(", %s", format);
    if (json_is_boolean(header) && (!format || strcmp(format, "csv") == 0))
        printf(json_is_true(header) ? ", header" : ", no header");
    if (cli_get(data, "decimal"))
        printf(", decimal comma");
}

static const char *plural(double n, const char *one, const char *many)
{
    return n == 1.0 ? one : many;
}

/* What became of the rows: left out, in groups, weighted. */
static void show_rows(const json_t *data)
{
    const char *group = cli_get_text(data, "group"), *weights = cli_get_text(data, "weights");
    const char *tasks_by = cli_get_text(data, "task_column");
    double dropped, groups, tasks;
    if (cli_get_number(data, "dropped_rows", &dropped) && dropped > 0)
        printf(", %.0f %s with missing values%s left out", dropped, plural(dropped, "row", "rows"),
               weights ? " or weight 0" : "");
    if (group && cli_get_number(data, "groups", &groups))
        printf(", %.0f %s by %s", groups, plural(groups, "group", "groups"), group);
    if (tasks_by && cli_get_number(data, "tasks", &tasks))
        printf(", %.0f %s by %s", tasks, plural(tasks, "task", "tasks"), tasks_by);
    if (weights)
        printf(", weights %s", weights);
    if (cli_get(data, "class_weight"))
        printf(", weights by class");
}

void cli_show_data(const json_t *record)
{
    const json_t *data = cli_get(record, "data");
    double n, p;
    if (!json_is_object(data))
        return;
    const char *file = cli_get_text(data, "file"), *problem = cli_get_text(data, "problem");
    cli_label("data");
    printf("%s%s", file ? file : "", file ? ": " : "");
    if (cli_get_number(data, "n", &n))
        printf("%.0f %s", n, plural(n, "row", "rows"));
    if (cli_get_number(data, "p", &p))
        printf(", %.0f %s", p, plural(p, "feature", "features"));
    else if (cli_get_number(data, "columns", &p)) /* a table of which nobody made features yet */
        printf(", %.0f %s", p, plural(p, "column", "columns"));
    show_file_format(data);
    show_rows(data);
    if (problem) {
        printf("; %s of ", problem);
        cli_show_list(cli_get(data, "targets"), NULL);
        cli_show_gaps(data);
    }
    if (json_array_size(cli_get(data, "classes")) > 0) {
        printf(": ");
        cli_show_list(cli_get(data, "classes"), cli_get(data, "class_counts"));
    }
    putchar('\n');
}

void cli_show_method(const json_t *selection)
{
    const char *method = json_is_string(selection) ? json_string_value(selection)
                                                   : cli_get_text(selection, "method");
    double k, repeats;
    if (method && strcmp(method, "kfold") == 0 && cli_get_number(selection, "k", &k)) {
        printf("%.0f-fold cross-validation", k);
        if (cli_get_number(selection, "repeats", &repeats) && repeats > 1)
            printf(", %.0f times", repeats);
        return;
    }
    const char *title = method ? specreg_rule_title(method) : "?";
    printf("%s", title ? title : method);
}

/* ----------------------------------------------------------------- errors */

/* The measure of this name; NULL: it is a selection rule's own. */
static const specreg_measure_info *measure_named(const char *name)
{
    const specreg_measure_info *m;
    for (int i = 0; (m = specreg_measure_at(i)); i++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

static bool in_percent(const specreg_measure_info *measure)
{
    return measure && strcmp(measure->unit, "%") == 0;
}

static char *error_text(const specreg_measure_info *measure, double value)
{
    return in_percent(measure) ? cli_percent(value) : cli_approx(value);
}

const specreg_measure_info **cli_measures_of(const json_t *errors, int *count)
{
    const specreg_measure_info *m, **list = cli_alloc(json_object_size(errors), sizeof *list);
    *count = 0;
    for (int i = 0; (m = specreg_measure_at(i)); i++)
        if (m->line == 1 && cli_get(errors, m->name))
            list[(*count)++] = m;
    return list;
}

void cli_show_error(const specreg_measure_info *measure, double value, const char *comma)
{
    const bool percent = in_percent(measure);
    printf("%s%s ", comma, measure->title);
    put("", error_text(measure, value), "");
    if (!percent && *measure->unit)
        printf(" %s", measure->unit);
}

bool cli_show_baseline(const json_t *baseline, const specreg_measure_info *measure, bool named)
{
    double value;
    if (!measure || !cli_get_number(baseline, measure->name, &value))
        return false;
    printf(" (%s alone%s%s",
           cli_get(baseline, "error_rate") ? "the most frequent class" : "the mean",
           named ? ": " : "", named ? measure->title : "");
    put(" ", error_text(measure, value), "");
    return true;
}

/* ", a linear kernel 1.802", where families were compared and another one won. */
static void show_linear(const json_t *record, const specreg_measure_info *measure)
{
    const char *winner = cli_get_text(record, "kernel.name");
    double best = NAN, value;
    size_t i;
    json_t *row;
    if (!cli_get(record, "selection.families") || !winner || strcmp(winner, "linear") == 0)
        return;
    json_array_foreach (cli_get(record, "selection.table"), i, row) {
        const char *name = cli_get_text(row, "kernel.name");
        if (name && strcmp(name, "linear") == 0 && cli_get_number(row, "value", &value) &&
            !(measure->larger_is_better ? value <= best : value >= best))
            best = value;
    }
    if (isfinite(best))
        put(", a linear kernel ", error_text(measure, best), "");
}

static void show_selection(const json_t *record)
{
    const json_t *selection = cli_get(record, "selection");
    const char *method = cli_get_text(selection, "method");
    const char *criterion = cli_get_text(selection, "criterion");
    const char *title = criterion ? specreg_criterion_title(criterion) : "value";
    const bool percent = criterion && in_percent(measure_named(criterion));
    double value, deviation;
    if (!method || strcmp(method, "none") == 0)
        return;
    cli_label("selected");
    printf(json_is_false(cli_get(selection, "exact")) ? "by approximate " : "by ");
    cli_show_method(selection);
    if (cli_get_number(selection, "value", &value)) {
        printf(": %s ", title ? title : criterion);
        put("", percent ? cli_percent(value) : cli_approx(value), "");
        if (cli_get_number(selection, "stderr", &deviation))
            put(" +- ",
                percent ? cli_format("%.2g", 100.0 * deviation) : cli_format("%.3g", deviation),
                "");
        const specreg_measure_info *measure = criterion ? measure_named(criterion) : NULL;
        const json_t *weighted = cli_get(record, "train.weighted_baseline");
        if (cli_show_baseline(weighted ? weighted : cli_get(record, "train.baseline"), measure,
                              false)) {
            show_linear(record, measure);
            putchar(')');
        }
    }
    putchar('\n');
}

void cli_show_scores(const char *label, const json_t *scores)
{
    const char *comma = "";
    double value;
    int n;
    if (!json_is_object(scores))
        return;
    const specreg_measure_info **m = cli_measures_of(scores, &n);
    cli_label(label);
    for (int i = 0; i < n; i++)
        if (cli_get_number(scores, m[i]->name, &value)) {
            cli_show_error(m[i], value, comma);
            comma = ", ";
        }
    if (n > 0 && strcmp(label, "train") != 0 &&
        cli_show_baseline(cli_get(scores, "baseline"), m[0], true))
        putchar(')');
    putchar('\n');
    free(m);
}

/* A coding other than one against all. */
static void show_coding(const json_t *record)
{
    const char *name = cli_get_text(record, "coding.name");
    double columns;
    if (!name || strcmp(name, "ova") == 0)
        return;
    cli_label("coding");
    printf("%s", name);
    cli_show_parameters(cli_get(record, "coding"), NULL);
    if (cli_get_number(record, "data.outputs", &columns))
        printf(" (%.0f %s)", columns, plural(columns, "column", "columns"));
    putchar('\n');
}

static void show_stages(const json_t *seconds)
{
    static const char *const stage[][2] = {{"read", "read"},
                                           {"gram", "kernel"},
                                           {"solve", "solve"},
                                           {"select", "selection"}};
    int shown = 0;
    for (size_t i = 0; i < sizeof stage / sizeof *stage; i++) {
        double value;
        if (cli_get_number(seconds, stage[i][0], &value))
            printf("%s%s %.2f", shown++ ? ", " : " (", stage[i][1], value);
    }
    if (shown)
        putchar(')');
}

void cli_show_time(const json_t *record)
{
    double total, peak, threads;
    if (!cli_get_number(record, "seconds.total", &total))
        return;
    cli_label("time");
    if (total < 100)
        printf("%.2f s", total);
    else
        put("", cli_duration(total), "");
    show_stages(cli_get(record, "seconds"));
    if (cli_get_number(record, "peak_bytes", &peak))
        put(", peak memory ", cli_bytes(peak), "");
    if (cli_get_number(record, "threads", &threads))
        printf(", %.0f %s", threads, plural(threads, "thread", "threads"));
    putchar('\n');
}

void cli_show_notes(const json_t *record)
{
    size_t i;
    json_t *note;
    json_array_foreach (cli_get(record, "notes"), i, note) {
        if (json_is_string(note)) {
            cli_label("note");
            puts(json_string_value(note));
        }
    }
}

/* One engine may search and another train the winner. */
static void show_engine(const json_t *record)
{
    const char *engine = cli_get_text(record, "engine");
    const char *search = cli_get_text(record, "selection.engine");
    if (engine && search && strcmp(engine, search) != 0)
        printf("; engine %s for the search, %s for the model", search, engine);
    else if (engine)
        printf("; engine %s", engine);
    double rank, n, left, rounding;
    if (cli_get_number(record, "rounding", &rounding) && rounding > 0)
        printf(" in single precision");
    if (cli_get_number(record, "rank", &rank) && cli_get_number(record, "rank_error", &left) &&
        (cli_get_number(record, "data.points", &n) || cli_get_number(record, "data.n", &n)))
        printf(", rank %.0f of %.0f, trace left %.1e", rank, n, left);
    double residual, steps;
    if (cli_get_number(record, "residual", &residual) && cli_get_number(record, "steps", &steps))
        printf(", residual %.1e after %.0f steps", residual, steps);
}

/* Of documents. */
static void show_words(const json_t *record)
{
    double words, seen;
    const char *how = cli_get_text(record, "text.how");
    if (!how || !cli_get_number(record, "text.words", &words) ||
        !cli_get_number(record, "text.seen", &seen))
        return;
    cli_label("words");
    printf("%.0f of %.0f; %s\n", words, seen, how);
}

/* "rectangle, 1000 centres (uniform), rank 998; 99.1 % of the kernel's trace" */
void cli_show_approx(const json_t *record)
{
    double m, rank = 0, captured = 0, passes, residual;
    const char *name = cli_get_text(record, "approx.name");
    if (!name || !cli_get_number(record, "approx.m", &m))
        return;
    cli_label("approx");
    printf("%s, %.0f centres (%s)", name, m, cli_get_text(record, "approx.centers"));
    if (!cli_get_number(record, "approx.rank", &rank) ||
        !cli_get_number(record, "approx.captured", &captured)) {
        putchar('\n');
        return;
    }
    if (rank < m)
        printf(", of which %.0f are independent", rank);
    put("; they capture ", cli_percent(captured), " of the kernel's trace\n");
    if (!cli_get_number(record, "approx.passes", &passes))
        return;
    cli_label("solver");
    if (cli_get_number(record, "approx.residual", &residual))
        printf("conjugate gradients, %.0f passes over the rows; residual %.2g\n", passes, residual);
    else
        printf("%.0f passes over the rows\n", passes);
}

void cli_show_fit(const json_t *record)
{
    const json_t *kernel = cli_get(record, "kernel"), *filter = cli_get(record, "filter");
    show_words(record);
    show_coding(record);
    if (kernel) {
        cli_label("kernel");
        cli_show_kernel(kernel);
        cli_show_tried(record, "kernel");
        show_families(record);
        putchar('\n');
    }
    cli_show_approx(record);
    cli_show_outputs(record);
    cli_show_features(record);
    if (filter) {
        cli_label("filter");
        cli_show_filter(filter, true);
        show_path_tried(record);
        show_engine(record);
        putchar('\n');
    }
    cli_show_components(record);
    show_selection(record);
    cli_show_compared(record);
    cli_show_scores("train", cli_get(record, "train"));
    cli_show_time(record);
    cli_show_notes(record);
}

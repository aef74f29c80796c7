/* Outputs and tasks as text: what they have to do with each other, and the errors of each. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { MOST = 20, ENDS = 8 }; /* tasks that are all shown; else so many of the best and the worst */

/* "common omega=0.3", or "common omega=1 + independent" */
static void show_matrix(const json_t *outputs)
{
    const json_t *terms = cli_get(outputs, "terms");
    const size_t count = json_is_array(terms) ? json_array_size(terms) : 1;
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_is_array(terms) ? json_array_get(terms, i) : outputs;
        const char *name = cli_get_text(one, "name");
        printf("%s%s", i ? " + " : "", name ? name : "?");
        cli_show_parameters(one, NULL);
    }
}

void cli_show_outputs(const json_t *record)
{
    const json_t *outputs = cli_get(record, "outputs");
    const char *name = cli_get_text(outputs, "name");
    double tasks, count;
    const bool many = cli_get_number(record, "data.tasks", &tasks);
    if (!name || (strcmp(name, "independent") == 0 && !many))
        return;
    cli_label("outputs");
    show_matrix(outputs);
    cli_show_tried(record, "outputs");
    if (many)
        printf("; %.0f tasks", tasks);
    else if (cli_get_number(record, "data.outputs", &count))
        printf("; %.0f outputs", count);
    putchar('\n');
}

void cli_show_gaps(const json_t *data)
{
    const json_t *missing = cli_get(data, "missing_targets");
    double sum = 0;
    for (size_t i = 0; i < json_array_size(missing); i++)
        sum += json_number_value(json_array_get(missing, i));
    if (sum > 0)
        printf(" (%.0f %s missing)", sum, sum == 1 ? "value" : "values");
}

/* ------------------------------------------------------------------------ errors of each */

/* By the first measure there is: the error rate, or the squared error. */
static double badness(const json_t *one)
{
    const specreg_measure_info *m;
    double value;
    for (int i = 0; (m = specreg_measure_at(i)); i++)
        if (cli_get_number(one, m->name, &value))
            return m->larger_is_better ? -value : value;
    return 0;
}

static int better_first(const void *a, const void *b)
{
    const double x = badness(*(json_t *const *)a), y = badness(*(json_t *const *)b);
    return (x > y) - (x < y);
}

static void add_row(cli_grid *g, const json_t *one, const specreg_measure_info **measure,
                    int columns, bool counts)
{
    const char *name = cli_get_text(one, "name");
    double value;
    cli_grid_add(g, cli_format("%s", name ? name : "(not in training)"));
    if (counts)
        cli_grid_add(g, cli_get_number(one, "n", &value) ? cli_format("%.0f", value) : NULL);
    for (int k = 0; k < columns; k++)
        cli_grid_add(g, cli_get_number(one, measure[k]->name, &value) ? cli_approx(value) : NULL);
}

/* A row for each of `list`, in which NULL stands for those that are left out. */
static void print_each(const char *title, json_t *const *list, size_t n, bool counts)
{
    int columns;
    const specreg_measure_info **measure = cli_measures_of(list[0], &columns);
    cli_grid *g = cli_grid_new(1 + counts + columns, 1);
    cli_grid_add(g, cli_format("%s", title));
    if (counts)
        cli_grid_add(g, cli_format("n"));
    for (int k = 0; k < columns; k++)
        cli_grid_add(g, cli_format("%s", measure[k]->name));
    for (size_t i = 0; i < n; i++)
        if (list[i]) {
            add_row(g, list[i], measure, columns, counts);
        } else {
            cli_grid_add(g, cli_format("..."));
            for (int k = 0; k < counts + columns; k++)
                cli_grid_add(g, NULL);
        }
    cli_grid_print(g);
    cli_grid_free(g);
    free(measure);
}

void cli_show_each(const json_t *scores)
{
    const json_t *outputs = cli_get(scores, "per_output"), *tasks = cli_get(scores, "per_task");
    const bool are_tasks = json_array_size(tasks) > 0;
    const json_t *from = are_tasks ? tasks : outputs;
    size_t n = json_array_size(from);
    if (n < 2 && !are_tasks)
        return;
    json_t **list = cli_alloc(n, sizeof *list);
    for (size_t i = 0; i < n; i++)
        list[i] = json_array_get(from, i);
    const size_t all = n;
    if (n > MOST) { /* the best and the worst */
        qsort(list, n, sizeof *list, better_first);
        memmove(list + ENDS + 1, list + n - ENDS, ENDS * sizeof *list);
        list[ENDS] = NULL;
        n = 2 * ENDS + 1;
    }
    print_each(are_tasks ? "task" : "output", list, n, are_tasks);
    if (n < all)
        printf("  the best and the worst of %zu (--json has all)\n", all);
    free(list);
}

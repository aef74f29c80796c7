/* Charts for a terminal: curves as dots of Braille letters where the locale has Unicode, else as
 * plain letters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "chart.h"

enum { ROWS = 12, MOST_COLUMNS = 72, FEWEST_COLUMNS = 40, COLOURS = 6 };

static const char *const colours[COLOURS] = {"\033[36m", "\033[33m", "\033[32m",
                                             "\033[35m", "\033[34m", "\033[31m"};
static const char plain_letters[] = "*+ox.#";

typedef struct cell {
    unsigned char dots; /* of Braille, or 1 */
    signed char owner;  /* the series that was drawn last; -1: none */
    bool marked;
} cell;

typedef struct canvas {
    const cli_chart *chart;
    cli_axis axis[2];
    bool unicode, coloured;
    int cols, rows;       /* letters        */
    int per_col, per_row; /* dots in a letter */
    int label;            /* width of the labels on the left */
    cell *cells;
    FILE *to;
} canvas;

/* Letters, not bytes. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* A text of at most so many letters, with "lambda" for a Greek letter that plain letters do not
 * have; free() it. */
static char *words(const canvas *v, const char *text, int most)
{
    static const char greek[] = "λ";
    const char *at = v->unicode ? NULL : strstr(text, greek);
    char *made = at ? cli_format("%.*slambda%s", (int)(at - text), text, at + strlen(greek))
                    : cli_format("%s", text);
    char *end = made;
    for (int letters = 0; *end; end++)
        if (((unsigned char)*end & 0xc0) != 0x80 && letters++ == (most > 0 ? most : 0))
            break;
    *end = '\0';
    return made;
}

/* ---------------------------------------------------------------------- dots */

static void dot(canvas *v, int x, int y, int owner)
{
    static const unsigned char bit[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    if (x < 0 || y < 0 || x >= v->cols * v->per_col || y >= v->rows * v->per_row)
        return;
    cell *at = &v->cells[y / v->per_row * v->cols + x / v->per_col];
    at->dots |= v->unicode ? bit[y % v->per_row][x % v->per_col] : 1;
    at->owner = (signed char)owner;
}

static bool place(const canvas *v, double x, double y, int out[2])
{
    const double u = cli_axis_place(&v->axis[0], x), w = cli_axis_place(&v->axis[1], y);
    if (isnan(u + w) || u < -1 || u > 2 || w < -1 || w > 2)
        return false;
    out[0] = (int)lround(u * (v->cols * v->per_col - 1));
    out[1] = (int)lround((1 - w) * (v->rows * v->per_row - 1));
    return true;
}

/* Whether a curve has a dot at so many dots from its start: the second is dashed, the third
 * dotted. */
static bool is_on(const canvas *v, const cli_series *s, int at)
{
    if (s->mark == CLI_MARK_GUIDE)
        return at % 4 == 0;
    if (!v->unicode || !s->name)
        return true;
    return s->colour % 3 == 0 || (s->colour % 3 == 1 ? at % 6 < 4 : at % 3 == 0);
}

static void draw_line(canvas *v, const cli_series *s, const int from[2], const int to[2], int *at)
{
    const int dx = to[0] - from[0], dy = to[1] - from[1];
    const int steps = abs(dx) > abs(dy) ? abs(dx) : abs(dy);
    for (int k = 0; k <= steps; k++) {
        const double share = steps ? (double)k / steps : 0;
        if (k > 0 || *at == 0) {
            if (is_on(v, s, *at))
                dot(v, (int)lround(from[0] + share * dx), (int)lround(from[1] + share * dy),
                    s->mark == CLI_MARK_GUIDE ? -1 : s->colour);
            ++*at;
        }
    }
}

static void draw_series(canvas *v, const cli_series *s)
{
    int last[2], now[2], at = 0;
    bool begun = false;
    for (int64_t i = 0; i < s->n; i++) {
        const bool there = place(v, s->x[i], s->y[i], now);
        if (there && s->mark == CLI_MARK_DOTS)
            dot(v, now[0], now[1], s->colour);
        else if (there)
            draw_line(v, s, begun ? last : now, now, &at);
        begun = there;
        memcpy(last, now, sizeof last);
    }
}

/* The first curve is drawn last, so that it is seen whole. */
static void draw_all(canvas *v)
{
    for (int s = v->chart->count - 1; s >= 0; s--)
        if (v->chart->series[s].mark != CLI_MARK_BAND)
            draw_series(v, &v->chart->series[s]);
    int at[2];
    if (v->chart->marked && place(v, v->chart->at[0], v->chart->at[1], at)) {
        const int x = at[0] / v->per_col, y = at[1] / v->per_row;
        if (x >= 0 && x < v->cols && y >= 0 && y < v->rows)
            v->cells[y * v->cols + x].marked = true;
    }
}

/* --------------------------------------------------------------------- lines */

static void put_cell(const canvas *v, const cell *c)
{
    const bool coloured = v->coloured && c->owner >= 0 && c->dots && !c->marked;
    if (coloured)
        fputs(colours[c->owner % COLOURS], v->to);
    if (c->marked)
        fputs(v->unicode ? "◆" : "@", v->to);
    else if (!c->dots)
        fputc(' ', v->to);
    else if (v->unicode) /* U+2800 and the dots, as UTF-8 */
        fprintf(v->to, "\xe2%c%c", 0xa0 | (c->dots >> 6), 0x80 | (c->dots & 0x3f));
    else
        fputc(c->owner < 0 ? '.' : plain_letters[c->owner % COLOURS], v->to);
    if (coloured)
        fputs("\033[0m", v->to);
}

/* The label of the tick in a row of letters; NULL: there is none.  free() it. */
static char *tick_in_row(const canvas *v, const cli_ticks *t, int row)
{
    for (int k = 0; k < t->count; k++) {
        const double place = (1 - cli_axis_place(&v->axis[1], t->value[k])) * (v->rows - 1);
        if ((int)lround(place) == row)
            return cli_tick_text(t->value[k]);
    }
    return NULL;
}

static void put_rows(const canvas *v)
{
    const cli_ticks t = cli_axis_ticks(&v->axis[1], v->rows / 2);
    for (int row = 0; row < v->rows; row++) {
        char *label = tick_in_row(v, &t, row);
        fprintf(v->to, "%*s %s", v->label, label ? label : "",
                !v->unicode ? (label ? "+" : "|")
                : label     ? "┤"
                            : "│");
        free(label);
        int last = v->cols - 1; /* no blanks at the end of a line */
        while (last >= 0 && !v->cells[row * v->cols + last].dots &&
               !v->cells[row * v->cols + last].marked)
            last--;
        for (int k = 0; k <= last; k++)
            put_cell(v, &v->cells[row * v->cols + k]);
        fputc('\n', v->to);
    }
}

/* The axis with its ticks, and their labels below as far as they have room. */
static void put_bottom(const canvas *v)
{
    const cli_ticks t = cli_axis_ticks(&v->axis[0], v->cols / 10);
    char *below = cli_alloc((size_t)v->cols + 32, 1);
    memset(below, ' ', (size_t)v->cols + 31);
    int free_from = 0;
    fprintf(v->to, "%*s %s", v->label, "", v->unicode ? "└" : "+");
    for (int k = 0; k < v->cols; k++) {
        bool tick = false;
        for (int i = 0; i < t.count; i++)
            if ((int)lround(cli_axis_place(&v->axis[0], t.value[i]) * (v->cols - 1)) == k) {
                char *text = cli_tick_text(t.value[i]);
                const int n = (int)strlen(text), from = k - n / 2 < 0 ? 0 : k - n / 2;
                if (from >= free_from && from + n < v->cols + 8) {
                    memcpy(below + from, text, (size_t)n);
                    free_from = from + n + 1;
                    tick = true;
                }
                free(text);
            }
        fputs(v->unicode ? (tick ? "┬" : "─") : tick ? "+" : "-", v->to);
    }
    int end = v->cols + 31;
    while (end > 0 && below[end - 1] == ' ')
        below[--end] = '\0';
    fprintf(v->to, "\n%*s  %s\n", v->label, "", below);
    free(below);
}

/* What stands before a name in the legend; of the point that is marked without a series. */
static const char *stroke_of(const canvas *v, const cli_series *s)
{
    static const char *const strokes[] = {"──", "╌╌", "··"};
    static const char plain[COLOURS][2] = {"*", "+", "o", "x", ".", "#"};
    if (!s)
        return v->unicode ? "◆" : "@";
    if (s->mark == CLI_MARK_GUIDE)
        return v->unicode ? "··" : ".";
    if (!v->unicode)
        return plain[s->colour % COLOURS];
    return s->mark == CLI_MARK_DOTS ? "··" : strokes[s->colour % 3];
}

/* "── leave-one-out  ╌╌ training rows  ◆ chosen", over as many lines as needed. */
static void put_legend(const canvas *v)
{
    int used = 0;
    for (int s = 0; s <= v->chart->count; s++) {
        const cli_series *c = s < v->chart->count ? &v->chart->series[s] : NULL;
        const char *full = c ? c->name : v->chart->marked ? v->chart->at_label : NULL;
        if (!full)
            continue;
        char *name = words(v, full, v->cols - 4);
        const int width = width_of(name) + 5;
        if (used && used + width > v->cols) {
            fputc('\n', v->to);
            used = 0;
        }
        const bool coloured = v->coloured && c && c->mark != CLI_MARK_GUIDE;
        fprintf(v->to, "%*s%s%s%s %s", used ? 2 : v->label + 2, "",
                coloured ? colours[c->colour % COLOURS] : "", stroke_of(v, c),
                coloured ? "\033[0m" : "", name);
        used += width;
        free(name);
    }
    if (used)
        fputc('\n', v->to);
}

/* --------------------------------------------------------------------- the whole */

/* Whether the locale's letters are UTF-8, as its name says. */
static bool has_unicode(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (int i = 0; i < 3; i++) {
        const char *value = getenv(names[i]);
        if (value && *value)
            return strstr(value, "UTF-8") || strstr(value, "utf8") || strstr(value, "UTF8") ||
                   strstr(value, "utf-8");
    }
    return false;
}

static bool has_colours(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");
    return isatty(STDOUT_FILENO) && !(no && *no) && term && *term && strcmp(term, "dumb") != 0;
}

static int label_width(const canvas *v)
{
    const cli_ticks t = cli_axis_ticks(&v->axis[1], v->rows / 2);
    int width = 4;
    for (int k = 0; k < t.count; k++) {
        char *text = cli_tick_text(t.value[k]);
        width = (int)strlen(text) > width ? (int)strlen(text) : width;
        free(text);
    }
    return width + 2;
}

/* That of standard output, else as COLUMNS says. */
static int terminal_width(void)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    const long number = columns ? strtol(columns, NULL, 10) : 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return number > 0 && number < 1000 ? (int)number : 80;
}

static void put_chart(canvas *v)
{
    const char *dot = v->unicode ? " · " : " - ", *title = v->chart->title;
    char *all = cli_format("%s%s%s%s%s", v->chart->axis[1].label, dot, v->chart->axis[0].label,
                           *title ? dot : "", title);
    char *shown = words(v, all, v->cols);
    fprintf(v->to, "\n%*s%s\n", v->label + 2, "", shown);
    free(shown);
    free(all);
    put_rows(v);
    put_bottom(v);
    put_legend(v);
}

void cli_chart_print(const cli_chart *chart)
{
    const int width = terminal_width();
    if (width < FEWEST_COLUMNS)
        return;
    canvas v = {.chart = chart,
                .unicode = has_unicode(),
                .coloured = has_colours(),
                .axis = {cli_chart_scaled(chart, 0, false), cli_chart_scaled(chart, 1, false)},
                .rows = ROWS};
    v.per_col = v.unicode ? 2 : 1;
    v.per_row = v.unicode ? 4 : 1;
    v.label = label_width(&v);
    v.cols = (width < MOST_COLUMNS ? width : MOST_COLUMNS) - v.label - 4;
    if (v.cols < 12)
        return;
    char *text = NULL;
    size_t size = 0;
    v.to = open_memstream(&text, &size);
    if (!v.to)
        return;
    v.cells = cli_alloc((size_t)v.cols * (size_t)v.rows, sizeof *v.cells);
    for (int k = 0; k < v.cols * v.rows; k++)
        v.cells[k].owner = -1;
    draw_all(&v);
    put_chart(&v);
    if (fclose(v.to) == 0)
        cli_put_raw(text);
    free(text);
    free(v.cells);
}

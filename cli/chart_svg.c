/* Charts as SVG, for papers: text stays text, nothing is loaded or run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart.h"

enum {
    WIDTH = 460,
    HEIGHT = 340,
    LEFT = 66,
    RIGHT = 18,
    BOTTOM = 50,
    TOP = 30,    /* above the first line of the legend        */
    LINE = 18,   /* from one line of the legend to the next   */
    SWATCH = 26, /* its line, before its name                 */
    MOST_DOTS = 5000
};

/* Colours that colour-blind readers can tell apart (Okabe and Ito). */
static const char *const colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                      "#E69F00", "#56B4E9", "#000000", "#999999"};
static const char *const dashes[] = {"", "6 3", "2 3", "8 3 2 3"};
enum { COLOURS = sizeof colours / sizeof *colours, DASHES = sizeof dashes / sizeof *dashes };

typedef struct panel {
    const cli_chart *chart;
    cli_axis axis[2];
    double left, right, top, bottom; /* of the plot */
    double x0, y0;                   /* of the panel */
    FILE *to;
} panel;

/* Text of a file's, as XML has it. */
static void put_text(FILE *to, const char *text)
{
    for (const char *s = text; *s; s++) {
        const unsigned char b = (unsigned char)*s;
        if (b == '<')
            fputs("&lt;", to);
        else if (b == '>')
            fputs("&gt;", to);
        else if (b == '&')
            fputs("&amp;", to);
        else if (b == '"')
            fputs("&quot;", to);
        else
            fputc(b < ' ' || b == 0x7f ? ' ' : b, to);
    }
}

/* Of its panel; the plot of a square one is as wide as high. */
static int width_of(const cli_chart *chart)
{
    return chart->square ? HEIGHT - BOTTOM - TOP + LEFT + RIGHT : WIDTH;
}

/* Letters, not bytes. */
static int letters(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static double x_of(const panel *p, double v)
{
    return p->left + cli_axis_place(&p->axis[0], v) * (p->right - p->left);
}

static double y_of(const panel *p, double v)
{
    return p->bottom - cli_axis_place(&p->axis[1], v) * (p->bottom - p->top);
}

/* ------------------------------------------------------------------------- axes */

/* 10 with its exponent raised, or the number itself. */
static void put_tick(const panel *p, const cli_ticks *t, double v)
{
    if (t->powers) {
        const int k = (int)lround(log10(v));
        const char *minus = k < 0 ? "−" : "";
        fprintf(p->to, "10<tspan dy=\"-5\" font-size=\"9\">%s%d</tspan>", minus, abs(k));
        return;
    }
    char *text = cli_tick_text(v);
    fprintf(p->to, "%s%s", text[0] == '-' ? "−" : "", text + (text[0] == '-'));
    free(text);
}

static void put_x_axis(const panel *p)
{
    const cli_ticks t = cli_axis_ticks(&p->axis[0], 7);
    for (int k = 0; k < t.count; k++) {
        const double x = x_of(p, t.value[k]);
        fprintf(p->to,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n"
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"axis\"/>\n"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                x, p->top, x, p->bottom, x, p->bottom, x, p->bottom + 4, x, p->bottom + 18);
        put_tick(p, &t, t.value[k]);
        fputs("</text>\n", p->to);
    }
    fprintf(p->to, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"13\">",
            (p->left + p->right) / 2, p->bottom + 39);
    put_text(p->to, p->axis[0].label);
    fputs("</text>\n", p->to);
}

static void put_y_axis(const panel *p)
{
    const cli_ticks t = cli_axis_ticks(&p->axis[1], 6);
    for (int k = 0; k < t.count; k++) {
        const double y = y_of(p, t.value[k]);
        fprintf(p->to,
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>\n"
                "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"axis\"/>\n"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
                p->left, y, p->right, y, p->left - 4, y, p->left, y, p->left - 8, y + 4);
        put_tick(p, &t, t.value[k]);
        fputs("</text>\n", p->to);
    }
    fprintf(p->to,
            "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\" "
            "font-size=\"13\">",
            p->x0 + 16, (p->top + p->bottom) / 2);
    put_text(p->to, p->axis[1].label);
    fputs("</text>\n", p->to);
}

/* ------------------------------------------------------------------------ series */

static const char *colour_of(const cli_series *s)
{
    return s->mark == CLI_MARK_GUIDE ? "#777777" : colours[s->colour % COLOURS];
}

/* The points of a line, without those that would lie on the one before; a gap begins anew. */
static void put_points(const panel *p, const cli_series *s, const double *y)
{
    double last[2] = {NAN, NAN};
    for (int64_t i = 0; i < s->n; i++) {
        const double at[2] = {x_of(p, s->x[i]), y_of(p, y[i])};
        const bool gap = isnan(at[0] + at[1]), after_gap = isnan(last[0]);
        if (!gap && !after_gap && i + 1 < s->n && hypot(at[0] - last[0], at[1] - last[1]) < 0.25)
            continue;
        if (!gap)
            fprintf(p->to, "%s%.2f %.2f", after_gap ? "M" : "L", at[0], at[1]);
        last[0] = gap ? NAN : at[0];
        last[1] = gap ? NAN : at[1];
    }
}

/* Whether curves without a name can be told apart, so that they need not be thin. */
static bool few_lines(const panel *p)
{
    int lines = 0;
    for (int s = 0; s < p->chart->count; s++)
        lines += p->chart->series[s].mark == CLI_MARK_LINE;
    return lines <= 2;
}

static void put_line(const panel *p, const cli_series *s)
{
    const bool guide = s->mark == CLI_MARK_GUIDE;
    const char *dash = guide ? "4 4" : s->name ? dashes[s->colour % DASHES] : "";
    fprintf(p->to, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\"", colour_of(s),
            guide                     ? "1"
            : s->name || few_lines(p) ? "1.8"
                                      : "0.8");
    if (*dash)
        fprintf(p->to, " stroke-dasharray=\"%s\"", dash);
    fputs(" stroke-linejoin=\"round\" d=\"", p->to);
    put_points(p, s, s->y);
    fputs("\"/>\n", p->to);
}

/* From the lower ends to the right, and back along the upper ones. */
static void put_band(const panel *p, const cli_series *s)
{
    bool begun = false;
    fprintf(p->to, "<path fill=\"%s\" fill-opacity=\"0.16\" stroke=\"none\" d=\"", colour_of(s));
    for (int64_t k = 0; k < 2 * s->n; k++) {
        const int64_t i = k < s->n ? k : 2 * s->n - 1 - k;
        const double low = fmax(s->y[i], p->axis[1].low);
        const double y = y_of(p, k < s->n ? low : s->high[i]), x = x_of(p, s->x[i]);
        if (isnan(x + y) || isnan(s->y[i]) || isnan(s->high[i]))
            continue;
        fprintf(p->to, "%s%.2f %.2f", begun ? "L" : "M", x, y);
        begun = true;
    }
    fputs(begun ? "Z\"/>\n" : "\"/>\n", p->to);
}

/* Every so many, so that a picture of many rows stays small. */
static void put_dots(const panel *p, const cli_series *s)
{
    const int64_t step = 1 + (s->n - 1) / MOST_DOTS;
    fprintf(p->to,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-linecap=\"round\" "
            "stroke-opacity=\"0.6\" d=\"",
            colour_of(s), s->n > 1000 ? "3" : "4.5");
    for (int64_t i = 0; i < s->n; i += step) {
        const double x = x_of(p, s->x[i]), y = y_of(p, s->y[i]);
        if (!isnan(x + y))
            fprintf(p->to, "M%.2f %.2fh0", x, y);
    }
    fputs("\"/>\n", p->to);
}

static void put_series(const panel *p)
{
    for (int layer = 0; layer < 2; layer++)
        for (int s = 0; s < p->chart->count; s++) {
            const cli_series *c = &p->chart->series[s];
            if ((c->mark == CLI_MARK_BAND) != (layer == 0))
                continue;
            if (c->mark == CLI_MARK_BAND)
                put_band(p, c);
            else if (c->mark == CLI_MARK_DOTS)
                put_dots(p, c);
            else
                put_line(p, c);
        }
}

static void put_point(const panel *p)
{
    if (!p->chart->marked)
        return;
    const double x = x_of(p, p->chart->at[0]), y = y_of(p, p->chart->at[1]);
    const bool on_right = x > (p->left + p->right) / 2;
    fprintf(p->to,
            "<line x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\" stroke=\"#777777\" "
            "stroke-dasharray=\"2 3\"/>\n"
            "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"4.5\" fill=\"#ffffff\" stroke=\"#222222\" "
            "stroke-width=\"1.6\"/>\n"
            "<text x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\" class=\"note\">",
            x, p->top, x, p->bottom, x, y, x + (on_right ? -7 : 7), p->top + 13,
            on_right ? "end" : "start");
    put_text(p->to, p->chart->at_label);
    fputs("</text>\n", p->to);
}

/* ------------------------------------------------------------------------ legend */

/* Puts the legend, or only says how many lines it takes. */
static int legend(const panel *p, bool put)
{
    const double most = width_of(p->chart) - RIGHT;
    double x = LEFT;
    int lines = 0;
    for (int s = 0; s < p->chart->count; s++) {
        const cli_series *c = &p->chart->series[s];
        if (!c->name)
            continue;
        const double width = SWATCH + 6 + 6.3 * letters(c->name) + 14;
        if (lines == 0 || x + width > most) {
            lines++;
            x = LEFT;
        }
        const double y = p->y0 + TOP + LINE * (lines - 1), at = p->x0 + x;
        if (put) {
            const char *dash = c->mark == CLI_MARK_GUIDE ? "4 4" : dashes[c->colour % DASHES];
            if (c->mark == CLI_MARK_DOTS)
                fprintf(p->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n",
                        at + SWATCH / 2.0, y - 4, colour_of(c));
            else
                fprintf(p->to,
                        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
                        "stroke-width=\"1.8\"%s%s%s/>\n",
                        at, y - 4, at + SWATCH, y - 4, colour_of(c),
                        *dash ? " stroke-dasharray=\"" : "", dash, *dash ? "\"" : "");
            fprintf(p->to, "<text x=\"%.1f\" y=\"%.1f\">", at + SWATCH + 6, y);
            put_text(p->to, c->name);
            fputs("</text>\n", p->to);
        }
        x += width;
    }
    return lines;
}

static void put_panel(panel *p, double height)
{
    const cli_chart *chart = p->chart;
    p->axis[0] = cli_chart_scaled(chart, 0, true);
    p->axis[1] = cli_chart_scaled(chart, 1, true);
    p->left = p->x0 + LEFT;
    p->right = p->x0 + width_of(chart) - RIGHT;
    p->bottom = p->y0 + height - BOTTOM;
    p->top = p->bottom - (HEIGHT - BOTTOM - TOP);
    if (*chart->title) {
        fprintf(p->to, "<text x=\"%.1f\" y=\"%.1f\" font-weight=\"bold\" font-size=\"13\">",
                p->x0 + LEFT, p->y0 + 15);
        put_text(p->to, chart->title);
        fputs("</text>\n", p->to);
    }
    put_x_axis(p);
    put_y_axis(p);
    put_series(p);
    fprintf(p->to,
            "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
            "class=\"axis\"/>\n",
            p->left, p->top, p->right - p->left, p->bottom - p->top);
    put_point(p);
    legend(p, true);
}

/* The whole picture; panels stand two in a row. */
static void put_figure(FILE *to, cli_chart *const *charts, int count)
{
    int lines = 0;
    for (int k = 0; k < count; k++) {
        const int more = legend(&(panel){.chart = charts[k]}, false);
        lines = more > lines ? more : lines;
    }
    const int cols = count > 1 ? 2 : 1, rows = (count + cols - 1) / cols;
    const int height = HEIGHT + LINE * lines, width = width_of(charts[0]);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\" role=\"img\" font-family=\"Helvetica, Arial, sans-serif\" "
            "font-size=\"12\" fill=\"#222222\">\n<title>",
            cols * width, rows * height, cols * width, rows * height);
    put_text(to, charts[0]->title);
    fputs("</title>\n<style>.grid{stroke:#e4e4e4}.axis{stroke:#444444}.note{font-size:11px}"
          "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
          to);
    for (int k = 0; k < count; k++) {
        panel p = {.chart = charts[k], .to = to};
        p.x0 = (k % cols) * (double)width;
        p.y0 = (k / cols) * (double)height;
        put_panel(&p, height);
    }
    fputs("</svg>\n", to);
}

int cli_chart_write(cli *c, cli_chart *const *charts, int count, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return cli_fail(CLI_FAILED, "out of memory");
    put_figure(to, charts, count);
    const bool whole = fclose(to) == 0;
    const int rc = whole ? cli_write_text(c, path, text) : cli_fail(CLI_FAILED, "out of memory");
    free(text);
    return rc;
}

/* Axes of charts: their ends, where a value lies, and round values for ticks. */
#include <math.h>
#include <stdlib.h>

#include "chart.h"

static double logged(const cli_axis *a, double v)
{
    return a->is_log ? log10(v) : v;
}

static void widen(const cli_axis *a, double v, double ends[2])
{
    if (!isfinite(v) || (a->is_log && !(v > 0)))
        return;
    ends[0] = fmin(ends[0], logged(a, v));
    ends[1] = fmax(ends[1], logged(a, v));
}

/* Guides follow the data and do not widen the axes. */
static void widen_by(const cli_chart *chart, int which, bool bands, const cli_axis *a,
                     double ends[2])
{
    for (int s = 0; s < chart->count; s++) {
        const cli_series *c = &chart->series[s];
        if (c->mark == CLI_MARK_GUIDE || (c->mark == CLI_MARK_BAND && !bands))
            continue;
        for (int64_t i = 0; i < c->n; i++) {
            widen(a, which == 0 ? c->x[i] : c->y[i], ends);
            if (which == 1 && c->high)
                widen(a, c->high[i], ends);
        }
    }
}

cli_axis cli_chart_scaled(const cli_chart *chart, int which, bool bands)
{
    cli_axis a = chart->axis[which];
    double ends[2] = {INFINITY, -INFINITY};
    if (a.fixed)
        return a;
    widen_by(chart, which, bands, &a, ends);
    if (chart->square)
        widen_by(chart, !which, bands, &a, ends);
    if (!(ends[0] <= ends[1]))
        ends[0] = ends[1] = 0;
    double room = 0.04 * (ends[1] - ends[0]);
    if (!(room > 0))
        room = a.is_log || ends[0] == 0 ? 0.5 : 0.1 * fabs(ends[0]);
    const bool from_zero = !a.is_log && which == 1 && ends[0] >= 0 && ends[0] < 0.3 * ends[1];
    a.low = from_zero && !chart->square ? 0 : ends[0] - room;
    a.high = ends[1] + room;
    if (a.is_log) {
        a.low = pow(10, a.low);
        a.high = pow(10, a.high);
    }
    return a;
}

double cli_axis_place(const cli_axis *a, double value)
{
    if (!isfinite(value) || (a->is_log && !(value > 0)))
        return NAN;
    const double low = logged(a, a->low), high = logged(a, a->high);
    return (logged(a, value) - low) / (high - low);
}

/* Values whole, low <= value <= high, that are multiples of a step. */
static void add_multiples(cli_ticks *t, double low, double high, double step, bool powers)
{
    for (double k = ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++)
        if (t->count < CLI_MOST_TICKS)
            t->value[t->count++] = powers ? pow(10, k * step) : k * step;
}

/* 1, 2 or 5 times a power of ten, so that there are at most so many steps. */
static double round_step(double length, int most)
{
    const double rough = length / most, power = pow(10, floor(log10(rough)));
    const double r = rough / power;
    return power * (r <= 1.0000001 ? 1 : r <= 2.0000001 ? 2 : r <= 5.0000001 ? 5 : 10);
}

/* 1, 2, 5, 10, 20, ... */
static void add_within_decades(cli_ticks *t, const cli_axis *a)
{
    static const double digit[] = {1, 2, 5};
    for (double k = floor(log10(a->low)); k <= ceil(log10(a->high)); k++)
        for (int d = 0; d < 3; d++) {
            const double v = digit[d] * pow(10, k);
            if (v >= a->low * (1 - 1e-9) && v <= a->high * (1 + 1e-9) && t->count < CLI_MOST_TICKS)
                t->value[t->count++] = v;
        }
}

cli_ticks cli_axis_ticks(const cli_axis *a, int most)
{
    cli_ticks t = {0};
    most = most < 2 ? 2 : most > CLI_MOST_TICKS - 1 ? CLI_MOST_TICKS - 1 : most;
    if (!a->is_log) {
        add_multiples(&t, a->low, a->high, round_step(a->high - a->low, most), false);
        return t;
    }
    const double low = log10(a->low), high = log10(a->high);
    if (high - low >= 2) {
        const double step = ceil((high - low) / most - 1e-9);
        add_multiples(&t, low, high, step < 1 ? 1 : step, true);
        t.powers = a->low < 9e-4 || a->high > 2e4;
        return t;
    }
    add_within_decades(&t, a);
    if (t.count < 2) {
        t.count = 0;
        add_multiples(&t, a->low, a->high, round_step(a->high - a->low, most), false);
    }
    return t;
}

char *cli_tick_text(double value)
{
    char *text = cli_format("%.6g", fabs(value) < 1e-300 ? 0 : value);
    return text;
}

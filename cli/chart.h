/* What the files that draw charts share: chart.c, chart_scale.c, chart_text.c, chart_svg.c. */
#ifndef CLI_CHART_H
#define CLI_CHART_H

#include "common.h"

typedef struct cli_series {
    cli_mark mark;
    char *name; /* in the legend; NULL: not in it          */
    int64_t n;
    double *x, *y;
    double *high; /* of a band: y is its lower end          */
    int colour;   /* 0, 1, ...: of those in the legend      */
} cli_series;

/* An axis with the ends and ticks that its data give. */
typedef struct cli_axis {
    char *label;
    bool is_log, fixed;
    double low, high;
} cli_axis;

struct cli_chart {
    char *title;
    cli_axis axis[2]; /* x and y */
    bool square;      /* both axes have the same ends */
    int count, colours;
    cli_series *series;
    bool marked; /* a point stands out */
    double at[2];
    char *at_label;
};

enum { CLI_MOST_TICKS = 16 };

typedef struct cli_ticks {
    int count;
    double value[CLI_MOST_TICKS];
    bool powers; /* labels are powers of ten */
} cli_ticks;

/* The axis with ends that show all of the data, maybe with bands, and some room beside them. */
cli_axis cli_chart_scaled(const cli_chart *chart, int which, bool bands);
/* Where a value lies between the ends, 0 to 1; NaN where it is none. */
double cli_axis_place(const cli_axis *axis, double value);
/* Round values, at most `most` of them. */
cli_ticks cli_axis_ticks(const cli_axis *axis, int most);
/* A tick's label: "0.01"; free() it. */
char *cli_tick_text(double value);

#endif

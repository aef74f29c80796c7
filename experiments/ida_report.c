/* experiment ida: our errors beside the published ones, as tables and as a record. */
#include "ida.h"

static const double allowance = 0.5; /* percentage points that our mean may be above theirs */

void ida_print_heading(int column)
{
    printf("%-14s %-10s %15s  %15s  %6s  %-5s  %9s  %9s  %7s\n", "set", "splits", "test error %",
           column < 0 ? "" : ida_method_title[column], column < 0 ? "" : "bound", "", "sigma",
           column == IDA_LANDWEBER || column == IDA_NU ? "t" : "parameter", "seconds");
}

void ida_print_row(const ida_outcome *o, int column)
{
    printf("%-14s %3d %-6s %6.2f +- %5.2f", o->set->name, (int)o->splits,
           o->original ? "orig" : "random", o->mean, o->stddev);
    if (column >= 0) {
        const ida_error theirs = ida_published_by(o->set, column);
        const double bound = theirs.mean + 2.0 * theirs.stddev;
        printf("  %6.2f +- %5.2f  %6.2f  %-5s", theirs.mean, theirs.stddev, bound,
               o->mean <= bound ? "ok" : "worse");
    } else {
        printf("  %15s  %6s  %-5s", "", "", "");
    }
    printf("  %9.3g  %9.3g  %7.1f\n", exp_median(o->sigma, o->splits),
           exp_median(o->parameter, o->splits), o->seconds);
    fflush(stdout);
}

void ida_print_averages(const ida_outcome *o, int count, int column)
{
    double ours = 0.0, theirs = 0.0, seconds = 0.0;
    for (int i = 0; i < count; i++) {
        ours += o[i].mean / count;
        theirs += column >= 0 ? ida_published_by(o[i].set, column).mean / count : 0.0;
        seconds += o[i].seconds;
    }
    printf("mean over %d %s: %.2f %%", count, count == 1 ? "set" : "sets", ours);
    if (column >= 0 && count == 1)
        printf(", published %.2f %%", theirs);
    else if (column >= 0)
        printf(", published %.2f %%; no worse than %.2f %%: %s", theirs, theirs + allowance,
               ours <= theirs + allowance ? "ok" : "worse");
    printf("; %.1f s in all\n", seconds);
}

void ida_print_best(const ida_outcome *o, int count)
{
    double ours = 0.0, theirs = 0.0;
    int as_good = 0;
    printf("\n%-14s %12s  %15s  %-10s  %10s\n", "set", "test error %", "best published", "by",
           "difference");
    for (int i = 0; i < count; i++) {
        const ida_best best = ida_best_of(o[i].set);
        const double difference = o[i].mean - best.error.mean;
        printf("%-14s %12.2f  %6.2f +- %5.2f  %-10s  %+10.2f\n", o[i].set->name, o[i].mean,
               best.error.mean, best.error.stddev, best.who, difference);
        ours += o[i].mean / count;
        theirs += best.error.mean / count;
        as_good += difference <= 0;
    }
    printf("%-14s %12.2f  %6.2f %8s  %-10s  %+10.2f\n", "mean", ours, theirs, "", "",
           ours - theirs);
    printf("as good as the best published or better: %d of %d sets\n", as_good, count);
}

static json_t *record_of_set(const ida_outcome *o, int column)
{
    const ida_best best = ida_best_of(o->set);
    json_t *errors = json_array();
    for (int64_t k = 0; k < o->splits; k++)
        json_array_append_new(errors, json_real(o->error[k]));
    json_t *set = json_pack("{s:s, s:s, s:o, s:f, s:f, s:f}", "name", o->set->name, "splits",
                            o->original ? "original" : "random", "errors", errors, "mean", o->mean,
                            "stddev", o->stddev, "seconds", o->seconds);
    if (column >= 0) {
        json_object_set_new(set, "published", json_real(ida_published_by(o->set, column).mean));
        json_object_set_new(set, "published_stddev",
                            json_real(ida_published_by(o->set, column).stddev));
    }
    json_object_set_new(set, "sigma", exp_numbers(o->sigma, o->splits));
    json_object_set_new(set, "parameter", exp_numbers(o->parameter, o->splits));
    json_object_set_new(set, "best_published", json_real(best.error.mean));
    json_object_set_new(set, "best_published_stddev", json_real(best.error.stddev));
    json_object_set_new(set, "best_published_by", json_string(best.who));
    return set;
}

json_t *ida_record(const ida_outcome *o, int count, int column)
{
    json_t *sets = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(sets, record_of_set(&o[i], column));
    return json_pack("{s:s, s:s, s:s, s:o}", "specreg", specreg_version(), "command", "experiment",
                     "experiment", "ida", "sets", sets);
}

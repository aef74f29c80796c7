/* specreg experiment: run an experiment of the papers and print it beside the published numbers. */
#include <string.h>

#include "cli.h"

static const struct {
    const char *name;
    int (*run)(cli *c);
} experiments[] = {
    {"ida", cli_experiment_ida},           {"multitask", cli_experiment_multitask},
    {"field1", cli_experiment_field1},     {"field2", cli_experiment_field2},
    {"school", cli_experiment_school},     {"currents", cli_experiment_currents},
};
enum { COUNT = sizeof experiments / sizeof *experiments };

static int run(cli *c)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(c->file[0], experiments[i].name) == 0)
            return experiments[i].run(c);
    return cli_usage(c, "unknown experiment '%s' (known: ida, multitask, field1, field2, school, currents)", c->file[0]);
}

static const cli_option options[] = {
    {CLI_DATA, "data", 0, "DIR",
     "The folder with the data. Default: $SPECREG_DATA, else ../shared/data."},
    {CLI_SETS, "sets", 0, "A,B,...",
     "Which sets. ida: banana, breast_cancer, diabetis, flare_solar, german, heart, image, "
     "ringnorm, splice, thyroid, titanic, twonorm, waveform, or all, which adds a table beside the "
     "best published error of each; default: heart, banana, thyroid, ringnorm, twonorm."},
    {CLI_SPLITS, "splits", 0, "N", "How many splits of each set into training and test rows [10]."},
    {CLI_REPEATS, "repeats", 0, "N", "How many repetitions, 1 to 100 [10]. Not for ida."},
    {CLI_SIZES, "sizes", 0, "N,N,...",
     "Numbers of training points. multitask (of each task): 5,10,20,40,80; field1 and field2: "
     "10,20,50,100,200."},
    {CLI_ALL, "all", 0, "", "field1: gamma from 0 to 1 in steps of 0.1, not 0 and 0.5 alone."},
    {CLI_OUTPUT, "output", 'o', "FILE",
     "Write the numbers of the figure as a table; currents: the fields on a grid. Not for ida."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_experiment = {
    .name = "experiment",
    .files = {"NAME"},
    .synopsis = "[OPTIONS] NAME",
    .brief = "run an experiment of the papers beside the published numbers",
    .description =
        "ida: fits on the first splits of sets of the IDA benchmark and prints the mean test error "
        "beside Table 2 of Lo Gerfo, Rosasco, Odone, De Vito and Verri, Spectral Algorithms for "
        "Supervised Learning. The column of the table follows --filter. All options of fit are "
        "passed on; without any, every fit is a default fit. With --select ida the parameters are "
        "those of the paper's protocol: medians of 5-fold choices on the first five splits, once "
        "for all splits.",
    .examples = "specreg experiment ida\n"
                "specreg experiment ida --sets all --json ida.json\n"
                "specreg experiment ida --sets all --filter nu:nu=5 --select ida\n"
                "specreg experiment ida --filter nu:nu=5 --sets banana,heart --splits 5",
    .scope = SPECREG_FOR_FIT,
    .options = options,
    .run = run,
};

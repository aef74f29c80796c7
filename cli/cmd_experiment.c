/* specreg experiment: an experiment of the papers, printed beside the published numbers. */
#include <string.h>

#include "cli.h"

static const struct {
    const char *name;
    int (*run)(cli *c);
    int own[8]; /* those of the options below that it takes, then -1 */
} experiments[] = {
    {"ida", cli_experiment_ida, {CLI_DATA, CLI_SETS, CLI_SPLITS, -1}},
    {"multitask", cli_experiment_multitask, {CLI_REPEATS, CLI_SIZES, CLI_OUTPUT, -1}},
    {"field1",
     cli_experiment_field1,
     {CLI_REPEATS, CLI_SIZES, CLI_ALL, CLI_WIDTH, CLI_SPREAD, CLI_OUTPUT, -1}},
    {"field2", cli_experiment_field2, {CLI_REPEATS, CLI_SIZES, CLI_WIDTH, CLI_OUTPUT, -1}},
    {"school", cli_experiment_school, {CLI_DATA, CLI_REPEATS, CLI_OUTPUT, -1}},
    {"currents", cli_experiment_currents, {CLI_DATA, CLI_SETS, CLI_REPEATS, CLI_OUTPUT, -1}},
    {"trend", cli_experiment_trend, {CLI_REPEATS, CLI_OUTPUT, -1}},
};
enum { COUNT = sizeof experiments / sizeof *experiments };

static int check_options(const cli *c, const int *own)
{
    for (const cli_option *o = c->command->options; o->name; o++) {
        bool takes = false;
        for (int i = 0; own[i] >= 0; i++)
            takes = takes || own[i] == (int)o->id;
        if (c->value[o->id] && !takes)
            return cli_usage(c, "%s has no option --%s", c->file[0], o->name);
    }
    return CLI_OK;
}

static int run(cli *c)
{
    for (int i = 0; i < COUNT; i++)
        if (strcmp(c->file[0], experiments[i].name) == 0) {
            const int rc = check_options(c, experiments[i].own);
            return rc ? rc : experiments[i].run(c);
        }
    const char *near = NULL;
    int distance = 0;
    for (int i = 0; i < COUNT; i++)
        cli_consider(c->file[0], experiments[i].name, &near, &distance);
    if (near)
        return cli_usage(c, "unknown experiment '%s' (did you mean '%s'?)", c->file[0], near);
    return cli_usage(c,
                     "unknown experiment '%s' (known: ida, multitask, field1, field2, school, "
                     "currents, trend)",
                     c->file[0]);
}

static const cli_option options[] = {
    {CLI_DATA, "data", 0, "DIR",
     "The folder with the data. Default: $SPECREG_DATA, else ../shared/data."},
    {CLI_SETS, "sets", 0, "A,B,...",
     "Which sets. ida: banana, breast_cancer, diabetis, flare_solar, german, heart, image, "
     "ringnorm, splice, thyroid, titanic, twonorm, waveform, or all, which adds a table beside the "
     "best published error of each; default: heart, banana, thyroid, ringnorm, twonorm. currents: "
     "glad_full, glad_sparse, laser_full, laser_sparse, or all; default: all."},
    {CLI_SPLITS, "splits", 0, "N",
     "ida: how many splits of each set into training and test rows [10]."},
    {CLI_REPEATS, "repeats", 0, "N", "All but ida: how many repetitions, 1 to 100 [10]."},
    {CLI_SIZES, "sizes", 0, "N,N,...",
     "Numbers of training points. multitask (of each task): 5,10,20,40,80; field1 and field2: "
     "10,20,50,100,200."},
    {CLI_ALL, "all", 0, "", "field1: gamma from 0 to 1 in steps of 0.1, not 0 and 0.5 alone."},
    {CLI_WIDTH, "width", 0, "SIGMA",
     "field1 and field2: the width of the kernels, of the field and of its components [0.8]."},
    {CLI_SPREAD, "spread", 0, "S",
     "field1: the deviation of the Gaussians whose gradient is learned. Default: a variance of "
     "0.45."},
    {CLI_OUTPUT, "output", 'o', "FILE",
     "All but ida: write the numbers of the figure or table; currents: the field that the first "
     "set "
     "gives, less the mean current, and its parts on a grid; trend: points and curves of the first "
     "repetition."},
    {0, NULL, 0, NULL, NULL},
};

static const char *const without[] = {"text", "text-column", NULL};

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
        "for all splits.\n\n"
        "The others set the options of fit themselves, but for --seed, --threads, --memory and "
        "--calibrate, and end by saying which claims hold. All but trend are those of Baldassarre, "
        "Rosasco, Barla and Verri, Multi-Output Learning via Spectral Filtering.\n\n"
        "multitask (Figure 3): four related functions, learned together and one by one, from "
        "points "
        "of their own and from the same ones.\n\n"
        "field1 (Figures 6 to 8) and field2 (Figure 10): vector fields in the plane by the kernel "
        "helmholtz and component by component, without and with noise; the error is an angle in "
        "degrees.\n\n"
        "school (Table 1): exam scores in 139 schools by three filters; explained variance and "
        "time "
        "of the search beside theirs, and the time of a search that decomposes for every omega.\n\n"
        "currents: velocities of ocean drifters, a fifth of them held out; not in the paper.\n\n"
        "trend (Figure 1 of Li, Lee and Leung, Generalized Regularized Least-Squares Learning with "
        "Predefined Features): noisy points of |5 - x|, with and without a polynomial that is not "
        "penalised; how much the curve changes with the width of the kernel.",
    .examples = "specreg experiment ida\n"
                "specreg experiment ida --sets all --json ida.json\n"
                "specreg experiment ida --sets all --filter nu:nu=5 --select ida\n"
                "specreg experiment ida --filter nu:nu=5 --sets banana,heart --splits 5\n"
                "specreg experiment multitask -o figure3.csv\n"
                "specreg experiment field1 --sizes 10,50,200 --repeats 3\n"
                "specreg experiment school --json school.json\n"
                "specreg experiment currents --sets laser_full -o field.csv\n"
                "specreg experiment trend -o trend.csv",
    .scope = SPECREG_FOR_FIT,
    .without = without,
    .options = options,
    .run = run,
};

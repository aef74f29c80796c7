/* specreg-experiments: experiments of the papers, printed beside the published numbers.  It is a
 * program of its own over the public header; `specreg experiment` starts it. */
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

static const experiment *const experiments[] = {
    &exp_ida,      &exp_multitask, &exp_field1,     &exp_field2,     &exp_school,
    &exp_currents, &exp_trend,     &exp_unlabelled, &exp_saturation, &exp_loo,
};

const experiment *exp_at(int index)
{
    const int count = (int)(sizeof experiments / sizeof *experiments);
    return index >= 0 && index < count ? experiments[index] : NULL;
}

static const experiment *find(const char *name)
{
    const experiment *e;
    for (int i = 0; (e = exp_at(i)); i++)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

/* Refuses an option of another experiment. */
static int check_options(const cli *c, const int *taken)
{
    for (const cli_option *o = c->command->options; o->name; o++) {
        bool takes = o->id == EXP_QUICK && taken[0] >= 0;
        for (int i = 0; taken[i] >= 0; i++)
            takes = takes || taken[i] == o->id;
        if (c->value[o->id] && !takes)
            return cli_usage(c, "%s has no option --%s", c->file[0], o->name);
    }
    return CLI_OK;
}

static int unknown(const cli *c)
{
    const char *near = NULL;
    char *known = NULL;
    const experiment *e;
    int distance = 0;
    for (int i = 0; (e = exp_at(i)); i++) {
        char *longer = cli_format("%s%s%s", known ? known : "", known ? ", " : "", e->name);
        free(known);
        known = longer;
        cli_consider(c->file[0], e->name, &near, &distance);
    }
    const int rc =
        near ? cli_usage(c, "unknown experiment '%s' (did you mean '%s'?)", c->file[0], near)
             : cli_usage(c, "unknown experiment '%s' (known: %s)", c->file[0], known);
    free(known);
    return rc;
}

static int run(cli *c)
{
    static const int none[] = {-1};
    const bool list = strcmp(c->file[0], "list") == 0;
    const experiment *e = find(c->file[0]);
    if (!e && !list)
        return unknown(c);
    const int rc = check_options(c, list ? none : e->options);
    if (rc)
        return rc;
    return list ? exp_list(c) : e->run(c);
}

static const cli_option options[] = {
    {EXP_DATA, "data", 0, "DIR",
     "The folder with the data of ida, loo, school and currents. Default: $SPECREG_DATA."},
    {EXP_SETS, "sets", 0, "A,B,...",
     "Which sets. ida: banana, breast_cancer, diabetis, flare_solar, german, heart, image, "
     "ringnorm, splice, thyroid, titanic, twonorm, waveform, or all, which adds a table beside the "
     "best published error of each; default: heart, banana, thyroid, ringnorm, twonorm. loo: the "
     "same names; default: banana, heart, ringnorm, twonorm, waveform. currents: "
     "glad_full, glad_sparse, laser_full, laser_sparse, or all; default: all."},
    {EXP_SPLITS, "splits", 0, "N",
     "ida and loo: how many splits of each set into training and test rows [10]."},
    {EXP_REPEATS, "repeats", 0, "N",
     "All but ida and loo: how many repetitions, 1 to 100 [10; saturation 70]."},
    {EXP_SIZES, "sizes", 0, "N,N,...",
     "Numbers of training points. multitask (of each task): 5,10,20,40,80; field1 and field2: "
     "10,20,50,100,200; unlabelled: 6,8,16,32,64,128; saturation: 16,32,64,128,256,512."},
    {EXP_ALL, "all", 0, "", "field1: gamma from 0 to 1 in steps of 0.1, not 0 and 0.5 alone."},
    {EXP_WIDTH, "width", 0, "SIGMA",
     "field1 and field2: the width of the kernels, of the field and of its components [0.8]."},
    {EXP_SPREAD, "spread", 0, "S",
     "field1: the deviation of the Gaussians whose gradient is learned. Default: a variance of "
     "0.45."},
    {EXP_QUICK, "quick", 0, "",
     "A look in seconds: two repetitions of the two smallest sizes; two small sets and two splits "
     "of ida, "
     "25 schools, one small set of currents. Claims of a paper need more to show."},
    {CLI_OUTPUT, "output", 'o', "FILE",
     "All but ida: write the numbers of the figure or table; currents: the field that the first "
     "set gives, less the mean current, and its parts on a grid; trend: points and curves of the "
     "first "
     "repetition."},
    {0, NULL, 0, NULL, NULL},
};

static const char *const without[] = {"text", "text-column", NULL};

static const cli_command command = {
    .name = "experiment",
    .files = {"NAME"},
    .synopsis = "[OPTIONS] NAME",
    .brief = "run an experiment of the papers beside the published numbers",
    .description =
        "list: the experiments with their papers, and how long they take.\n\n"
        "ida: fits on the first splits of sets of the IDA benchmark and prints the mean test error "
        "beside Table 2 of Lo Gerfo, Rosasco, Odone, De Vito and Verri, Spectral Algorithms for "
        "Supervised Learning. The column of the table follows --filter. All options of fit are "
        "passed on; without any, every fit is a default fit. With --select ida the parameters are "
        "those of the paper's protocol: medians of 5-fold choices on the first five splits, once "
        "for all splits.\n\n"
        "The others set the options of fit themselves, but for --seed, --threads, --memory and "
        "--calibrate, and end by saying which claims hold. All but trend, unlabelled, "
        "saturation and loo are those of Baldassarre, "
        "Rosasco, Barla and Verri, Multi-Output Learning via Spectral Filtering.\n\n"
        "multitask (Figure 3): four related functions, learned together and one by one, from "
        "points of their own and from the same ones.\n\n"
        "field1 (Figures 6 to 8) and field2 (Figure 10): vector fields in the plane by the kernel "
        "helmholtz and component by component, without and with noise; the error is an angle in "
        "degrees.\n\n"
        "school (Table 1): exam scores in 139 schools by three filters; explained variance and "
        "time of the search beside theirs, and the time of a search that decomposes for every "
        "omega.\n\n"
        "currents: velocities of ocean drifters, a fifth of them held out; not in the paper.\n\n"
        "trend (Figure 1 of Li, Lee and Leung, Generalized Regularized Least-Squares Learning with "
        "Predefined Features): noisy points of |5 - x|, with and without a polynomial that is not "
        "penalised; how much the curve changes with the width of the kernel.\n\n"
        "unlabelled: rows without targets beside n that have them: the kernel matrix of all rows "
        "for a step, a smooth curve and a rougher one (Caponnetto, Optimal rates for "
        "regularization operators in "
        "learning theory), and a graph of neighbours for two moons (Belkin, Niyogi and Sindhwani, "
        "Manifold regularization).\n\n"
        "saturation (Figures 1 to 3 of Lo Gerfo et al.): how fast the approximation error of four "
        "filters falls with lambda, and the least error along their paths for a rough curve and "
        "two smooth ones as n grows.\n\n"
        "loo (section 7.7 of Rifkin, Yeo and Poggio, Regularized Least-Squares Classification): "
        "leave-one-out, GACV and both forms of the bound beside the test error along lambda, on "
        "sets of ida.",
    .examples = "specreg experiment list\n"
                "specreg experiment ida\n"
                "specreg experiment ida --sets all --json ida.json\n"
                "specreg experiment ida --sets all --filter nu:nu=5 --select ida\n"
                "specreg experiment ida --filter nu:nu=5 --sets banana,heart --splits 5\n"
                "specreg experiment multitask -o figure3.csv\n"
                "specreg experiment field1 --sizes 10,50,200 --repeats 3\n"
                "specreg experiment school --json school.json\n"
                "specreg experiment currents --sets laser_full -o field.csv\n"
                "specreg experiment trend -o trend.csv\n"
                "specreg experiment unlabelled --repeats 3\n"
                "specreg experiment saturation --repeats 10 -o figure3.csv",
    .scope = SPECREG_FOR_FIT,
    .without = without,
    .options = options,
    .run = run,
};

const cli_command *cli_command_at(int index)
{
    return index == 0 ? &command : NULL;
}

static int dispatch(int argc, char **argv)
{
    cli_set_thread_waiting(argv);
    return cli_run(&command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    return cli_main(argc, argv, dispatch);
}

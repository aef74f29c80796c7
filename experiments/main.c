/* specreg-experiments: experiments of the papers, printed beside the published numbers.  It is a
 * program of its own over the public header; `specreg experiment` starts it. */
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

static const experiment *const experiments[] = {
    &exp_ida,        &exp_multitask, &exp_field1,     &exp_field2,       &exp_school,
    &exp_currents,   &exp_trend,     &exp_unlabelled, &exp_saturation,   &exp_loo,
    &exp_newsgroups, &exp_faces,     &exp_usps4,      &exp_faces_approx, &exp_sparse_tasks,
    &exp_grls_text,  &exp_timing,    &exp_scale,
};

const experiment *exp_at(int index)
{
    const int count = (int)(sizeof experiments / sizeof *experiments);
    return index >= 0 && index < count ? experiments[index] : NULL;
}

const experiment *exp_find(const char *name)
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
    const experiment *e = exp_find(c->file[0]);
    if (!e && !list)
        return unknown(c);
    const int rc = check_options(c, list ? none : e->options);
    if (rc)
        return rc;
    return list ? exp_list(c) : e->run(c);
}

static const cli_option options[] = {
    {EXP_DATA, "data", 0, "DIR",
     "The folder with the data of those that read some. Default: $SPECREG_DATA."},
    {EXP_SETS, "sets", 0, "A,B,...",
     "Which sets. ida: banana, breast_cancer, diabetis, flare_solar, german, heart, image, "
     "ringnorm, splice, thyroid, titanic, twonorm, waveform, or all, which adds a table beside the "
     "best published error of each; default: heart, banana, thyroid, ringnorm, twonorm. loo: the "
     "same names; default: banana, heart, ringnorm, twonorm, waveform. currents: "
     "glad_full, glad_sparse, laser_full, laser_sparse, or all; default: all. grls-text: comp, "
     "rec, sci, talk, or all; default: all."},
    {EXP_SPLITS, "splits", 0, "N",
     "ida and loo: how many splits of each set into training and test rows [10]."},
    {EXP_REPEATS, "repeats", 0, "N",
     "All but ida and loo: how many repetitions, 1 to 100 [10; saturation 70]."},
    {EXP_SIZES, "sizes", 0, "N,N,...",
     "Numbers of training points. multitask (of each task): 5,10,20,40,80; field1, field2 and "
     "sparse-tasks: 10,20,50,100,200; unlabelled: 6,8,16,32,64,128; saturation: "
     "16,32,64,128,256,512; "
     "newsgroups (documents of each class): 30,100,250,800; faces: 600,700,800; "
     "usps4 and faces-approx (centres): 1024,512,256,128 and 1000,500,250,125; grls-text: "
     "100,200,400,800,1600,3200; timing: 10,20,40,80,160."},
    {EXP_ALL, "all", 0, "", "field1: gamma from 0 to 1 in steps of 0.1, not 0 and 0.5 alone."},
    {EXP_SVM, "svm", 0, "", "ida: LIBSVM in the place of the filters, by the paper's protocol."},
    {EXP_WIDTH, "width", 0, "SIGMA",
     "field1, field2 and sparse-tasks: the width of the kernels, of the field and of its "
     "components [0.8]."},
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

static cli_command command = {
    .name = "experiment",
    .files = {"NAME"},
    .synopsis = "[OPTIONS] NAME",
    .brief = "run an experiment of the papers beside the published numbers",
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

static const char *const introduction =
    "list: the experiments with their papers, and how long they take.\n\n"
    "Each prints the commands that it stands for, our numbers beside the published ones, and which "
    "claims of its paper hold. All but ida set the options of fit themselves, but for --seed, "
    "--threads, --memory and --calibrate; the papers' form is --features none --kernel rbf "
    "--search grid.";

/* The introduction and a paragraph for each experiment; it lasts as long as the program. */
static const char *description(void)
{
    char *text = cli_format("%s", introduction);
    const experiment *e;
    for (int i = 0; (e = exp_at(i)); i++) {
        char *longer = cli_format("%s\n\n%s (%s): %s", text, e->name,
                                  e->paper ? e->paper : "in no paper", e->about);
        free(text);
        text = longer;
    }
    return text;
}

const cli_command *cli_command_at(int index)
{
    if (!command.description)
        command.description = description();
    return index == 0 ? &command : NULL;
}

static int dispatch(int argc, char **argv)
{
    cli_set_thread_waiting(argv);
    return cli_run(cli_command_at(0), argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    return cli_main(argc, argv, dispatch);
}

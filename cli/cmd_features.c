/* specreg features: make features. */
#include <string.h>

#include "features.h"

static const cli_features_kind *const kinds[] = {&cli_features_text, &cli_features_plsa,
                                                 &cli_features_kpca, &cli_features_nystrom};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Who can apply what is in a file: one that knows it, else the one that takes any. */
static const cli_features_kind *kind_of_file(cli *c, const char *path)
{
    const cli_features_kind *any = NULL;
    for (int i = 0; i < KINDS; i++) {
        if (kinds[i]->knows && kinds[i]->knows(c, path))
            return kinds[i];
        if (!kinds[i]->knows)
            any = kinds[i];
    }
    return any;
}

/* The one kind that was asked for. */
static int find_kind(cli *c, const cli_features_kind **out)
{
    const char *apply = c->value[CLI_APPLY];
    *out = NULL;
    for (int i = 0; i < KINDS; i++) {
        if (!*specreg_options_get(c->options, kinds[i]->option))
            continue;
        if (apply)
            return cli_usage(c,
                             "--%s says how to learn, --apply takes what was learned: give one "
                             "of them",
                             kinds[i]->option);
        if (*out && !(*out == &cli_features_text && kinds[i]->of_words))
            return cli_usage(c, "--%s and --%s cannot be given together", (*out)->option,
                             kinds[i]->option);
        *out = kinds[i];
    }
    if (apply)
        *out = kind_of_file(c, apply);
    return *out ? CLI_OK
                : cli_usage(
                      c, "which features? Give --text, --plsa, --kpca, --nystrom or --apply FILE");
}

/* The first of these options that has not its default value, or NULL. */
static const char *first_given(const cli *c, const char *const *names)
{
    const specreg_option_info *info;
    for (; names && *names; names++)
        for (int i = 0; (info = specreg_option_at(i)); i++)
            if (strcmp(info->name, *names) == 0 &&
                strcmp(specreg_options_get(c->options, info->name), info->default_value) != 0)
                return info->name;
    return NULL;
}

/* Options of the command that say nothing about this kind, or nothing any more. */
static int check_options(const cli *c, const cli_features_kind *kind)
{
    const char *name;
    for (int i = 0; i < KINDS; i++)
        if (kinds[i]->file != kind->file && c->value[kinds[i]->file])
            return cli_usage(c, "--%s is for --%s", kinds[i]->file_name, kinds[i]->option);
    if ((name = first_given(c, kind->without)))
        return cli_usage(c, "--%s is not for --%s", name, kind->option);
    if (c->value[CLI_APPLY] && (name = first_given(c, kind->learns)))
        return cli_usage(c,
                         "--%s says how to learn, --apply takes what was learned: give one of them",
                         name);
    return CLI_OK;
}

static void show(const cli *c, const cli_features_kind *kind, const json_t *record,
                 const char *output)
{
    double n = 0, count = 0;
    cli_show_data(record);
    kind->show(record);
    cli_get_number(record, "data.n", &n);
    cli_label("features");
    printf("%.0f rows, ", n);
    if (cli_get_number(record, "nonzeros", &count))
        printf("%.0f numbers that are not 0, ", count);
    if (cli_get_number(record, "components", &count))
        printf("%.0f coordinate%s, ", count, count == 1 ? "" : "s");
    printf("to %s\n", output);
    if (c->value[kind->file])
        printf("%-10s%s\n", "", c->value[kind->file]);
    cli_show_time(record);
}

static int run(cli *c)
{
    const char *output = c->value[CLI_OUTPUT];
    const cli_features_kind *kind;
    specreg_table *features = NULL;
    char *text = NULL;
    void *learned = NULL;
    int rc = find_kind(c, &kind);
    if (!rc)
        rc = check_options(c, kind);
    if (rc)
        return rc;
    if (!output)
        return cli_usage(c, "-o OUT is missing: where the features go, such as features.libsvm");
    rc = kind->make(c, c->file[0], &features, &text, &learned);
    cli_progress_clear();
    if (!rc)
        rc = cli_write_table(c, features, output);
    if (!rc && c->value[kind->file])
        rc = kind->save(c, learned, c->value[kind->file]);
    if (!rc)
        rc = cli_emit_json(c, text);
    if (!rc && c->show) {
        json_t *record = cli_load(text);
        show(c, kind, record, output);
        json_decref(record);
    }
    specreg_string_free(text);
    kind->release(learned);
    specreg_table_free(features);
    return rc;
}

static const cli_option options[] = {
    {CLI_OUTPUT, "output", 'o', "OUT",
     "Write the columns here; the name gives the format, and .libsvm keeps them sparse."},
    {CLI_VOCABULARY, "vocabulary", 0, "FILE",
     "Write the vocabulary: a word a line with its document count, idf and mutual information."},
    {CLI_TOPICS, "topics", 0, "FILE",
     "Write the topics: the probability of each word in each topic, and the vocabulary."},
    {CLI_MODEL, "model", 0, "FILE",
     "Write what --kpca or --nystrom learned: a model file for --apply, predict and info."},
    {CLI_APPLY, "apply", 0, "FILE",
     "Apply what was learned before: a file written by --vocabulary, --topics or --model."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_features = {
    .name = "features",
    .files = {"TRAIN"},
    .synopsis = "[OPTIONS] TRAIN --text|--plsa|--kpca M|--nystrom SPEC|--apply FILE -o OUT",
    .brief = "make features: words of documents, topics, coordinates by a kernel",
    .description =
        "--text turns documents into sparse columns, one for each word. TRAIN is a folder with a "
        "folder for each class, a file of lines (label, tab, text; or text alone), or a table "
        "with a text column. fit --text does this by itself and keeps the vocabulary in the "
        "model.\n\n"
        "--plsa gives the shares of topics, learned from documents or from a table of counts.\n\n"
        "--kpca gives the coordinates along the leading kernel principal components, with the "
        "kernel, scaling and encoding of fit. It needs no target: a column named y, target or "
        "label, or by --target, comes first in OUT unchanged; all others are inputs.\n\n"
        "--nystrom gives coordinates b(x) in the span of some rows, whose inner products stand for "
        "the kernel: a linear model on them is one with this kernel.\n\n"
        "--apply does the same to new data with what was learned before.",
    .examples =
        "specreg features news/ --text words=2000 -o news.libsvm --vocabulary words.txt\n"
        "specreg features new.txt --apply words.txt -o new.libsvm\n"
        "specreg features mails.csv --text norm=l1 --text-column body -o mails.libsvm\n"
        "specreg features news/ --plsa topics=20 -o shares.csv --topics topics.txt\n"
        "specreg features train.csv --kpca 10 --kernel rbf:sigma=2 -o coordinates.csv --model "
        "kpca.srm\n"
        "specreg features train.csv --nystrom m=200 -o b.npy --model b.srm\n"
        "specreg features new.csv --apply kpca.srm -o new_coordinates.csv",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_FEATURES,
    .options = options,
    .run = run,
};

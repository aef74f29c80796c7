/* specreg features: make features. */
#include <string.h>

#include "features.h"

static const cli_features_kind *const kinds[] = {&cli_features_text, &cli_features_plsa};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The kind whose file --apply names; the first where that cannot be told, which then says so. */
static int applied_kind(cli *c, const char *path, const cli_features_kind **out)
{
    const char *kind = "";
    const int rc = strcmp(path, "-") ? cli_check(c, specreg_features_kind(c->ctx, path, &kind))
                                     : CLI_OK;
    *out = kinds[0];
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i]->option, kind) == 0)
            *out = kinds[i];
    return rc;
}

/* The one kind that was asked for. */
static int find_kind(cli *c, const cli_features_kind **out)
{
    *out = NULL;
    for (int i = 0; i < KINDS; i++) {
        if (!*specreg_options_get(c->options, kinds[i]->option))
            continue;
        if (c->value[kinds[i]->apply])
            return cli_usage(c, "--%s says how to learn, --apply takes what was learned: give one "
                                "of them",
                             kinds[i]->option);
        if (*out && !(*out == &cli_features_text && kinds[i]->of_words))
            return cli_usage(c, "--%s and --%s cannot be given together", (*out)->option,
                             kinds[i]->option);
        *out = kinds[i];
    }
    if (*out)
        return CLI_OK;
    if (c->value[CLI_APPLY])
        return applied_kind(c, c->value[CLI_APPLY], out);
    return cli_usage(c, "which features? Give --text, --plsa or --apply FILE");
}

/* What was learned is written by the option of its kind. */
static int check_file(const cli *c, const cli_features_kind *kind)
{
    for (int i = 0; i < KINDS; i++)
        if (kinds[i]->file != kind->file && c->value[kinds[i]->file])
            return cli_usage(c, "--%s has nothing to write: that is for --%s",
                             kinds[i]->file == CLI_TOPICS ? "topics" : "vocabulary",
                             kinds[i]->option);
    return CLI_OK;
}

static void show(const cli *c, const cli_features_kind *kind, const json_t *record,
                 const char *output)
{
    double n = 0, nonzeros = 0;
    cli_show_data(record);
    kind->show(record);
    cli_get_number(record, "data.n", &n);
    cli_label("features");
    printf("%.0f rows", n);
    if (cli_get_number(record, "nonzeros", &nonzeros))
        printf(", %.0f numbers that are not 0,", nonzeros);
    printf(" to %s\n", output);
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
        rc = check_file(c, kind);
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
     "Write the features here, in the format that the name says: .libsvm keeps them sparse."},
    {CLI_VOCABULARY, "vocabulary", 0, "FILE",
     "Write the words: one a line, with the documents that have it, its idf and its mutual "
     "information."},
    {CLI_TOPICS, "topics", 0, "FILE",
     "Write the topics: the probability of each word in each of them, and the vocabulary."},
    {CLI_APPLY, "apply", 0, "FILE",
     "Take the words or the topics of this file, which --vocabulary or --topics wrote."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_features = {
    .name = "features",
    .files = {"TRAIN"},
    .synopsis = "[OPTIONS] TRAIN --text [SPEC] | --plsa [SPEC] -o OUT",
    .brief = "make features: words of documents, topics",
    .description =
        "Turns documents into sparse features. TRAIN is a folder with one folder for each class, a "
        "file of lines (label, tab, text; or text alone), or a table with a text column. Words are "
        "runs of letters in small letters; those with the highest mutual information with the "
        "class are kept, or the most frequent where there are no classes.\n\n"
        "fit --text does the same by itself and keeps the words in the model; then predict and "
        "eval take documents.\n\n"
        "With --plsa the features are shares of topics, which are learned from documents or from a "
        "table of counts; the summary lists the words of each.",
    .examples = "specreg features news/ --text words=2000 -o news.libsvm --vocabulary words.txt\n"
                "specreg features new.txt --apply words.txt -o new.libsvm\n"
                "specreg features news/ --plsa topics=20 -o shares.csv --topics topics.txt\n"
                "specreg features mails.csv --text norm=l1 --text-column body -o mails.libsvm",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_FEATURES,
    .options = options,
    .run = run,
};

/* specreg features: make features. */
#include <string.h>

#include "features.h"

static const cli_features_kind *const kinds[] = {&cli_features_text};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The one kind that was asked for. */
static int find_kind(cli *c, const cli_features_kind **out)
{
    *out = NULL;
    for (int i = 0; i < KINDS; i++) {
        const bool learn = *specreg_options_get(c->options, kinds[i]->option) != '\0';
        const bool apply = c->value[kinds[i]->apply] != NULL;
        if (learn && apply)
            return cli_usage(c, "--%s says how to learn, --apply takes what was learned: give one "
                                "of them",
                             kinds[i]->option);
        if ((learn || apply) && *out)
            return cli_usage(c, "--%s and --%s cannot be given together", (*out)->option,
                             kinds[i]->option);
        if (learn || apply)
            *out = kinds[i];
    }
    return *out ? CLI_OK : cli_usage(c, "which features? Give --text or --apply FILE");
}

static void show(const cli *c, const cli_features_kind *kind, const json_t *record,
                 const char *output)
{
    double n = 0, nonzeros = 0;
    cli_show_data(record);
    kind->show(record);
    cli_get_number(record, "data.n", &n);
    cli_get_number(record, "nonzeros", &nonzeros);
    cli_label("features");
    printf("%.0f rows, %.0f numbers that are not 0, to %s\n", n, nonzeros, output);
    if (c->value[CLI_VOCABULARY])
        printf("%-10s%s\n", "", c->value[CLI_VOCABULARY]);
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
    if (rc)
        return rc;
    if (!output)
        return cli_usage(c, "-o OUT is missing: where the features go, such as features.libsvm");
    rc = kind->make(c, c->file[0], &features, &text, &learned);
    cli_progress_clear();
    if (!rc)
        rc = cli_write_table(c, features, output);
    if (!rc && c->value[CLI_VOCABULARY])
        rc = kind->save(c, learned, c->value[CLI_VOCABULARY]);
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
    {CLI_APPLY, "apply", 0, "FILE", "Take the words of this file, which --vocabulary wrote."},
    {0, NULL, 0, NULL, NULL},
};

const cli_command cli_cmd_features = {
    .name = "features",
    .files = {"TRAIN"},
    .synopsis = "[OPTIONS] TRAIN --text [SPEC] -o OUT",
    .brief = "make features: words of documents",
    .description =
        "Turns documents into sparse features. TRAIN is a folder with one folder for each class, a "
        "file of lines (label, tab, text; or text alone), or a table with a text column. Words are "
        "runs of letters in small letters; those with the highest mutual information with the "
        "class are kept, or the most frequent where there are no classes.\n\n"
        "fit --text does the same by itself and keeps the words in the model; then predict and "
        "eval take documents.",
    .examples = "specreg features news/ --text words=2000 -o news.libsvm --vocabulary words.txt\n"
                "specreg features new.txt --apply words.txt -o new.libsvm\n"
                "specreg features mails.csv --text norm=l1 --text-column body -o mails.libsvm",
    .scope = SPECREG_FOR_READ | SPECREG_FOR_FEATURES,
    .options = options,
    .run = run,
};

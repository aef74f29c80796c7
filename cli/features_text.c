/* Words of documents as features. */
#include "features.h"

/* Learned here, or read where --apply names a file. */
static int get_vocabulary(cli *c, const specreg_table *documents, specreg_vocabulary **out)
{
    const char *apply = c->value[CLI_APPLY];
    return cli_check(c, apply ? specreg_vocabulary_load(c->ctx, apply, out)
                              : specreg_vocabulary_learn(c->ctx, documents, c->options, out));
}

static int make(cli *c, const char *path, specreg_table **features, char **record, void **learned)
{
    specreg_table *documents = NULL;
    specreg_vocabulary *vocabulary = NULL;
    int rc = CLI_OK;
    if (c->value[CLI_APPLY]) /* so that a file of any name is read as documents */
        rc = cli_check(c, specreg_options_set(c->ctx, c->options, "text", "auto"));
    if (!rc)
        rc = cli_check(c, specreg_table_read(c->ctx, path, c->options, &documents));
    if (!rc)
        rc = get_vocabulary(c, documents, &vocabulary);
    if (!rc)
        rc = cli_check(c, specreg_vocabulary_apply(c->ctx, vocabulary, documents, c->options,
                                                   features, record));
    specreg_table_free(documents);
    *learned = vocabulary;
    return rc;
}

static int save(cli *c, const void *learned, const char *path)
{
    int rc = cli_write_begin(path);
    if (rc)
        return rc;
    rc = cli_check(c, specreg_vocabulary_save(c->ctx, learned, path));
    cli_write_end();
    return rc;
}

static void release(void *learned)
{
    specreg_vocabulary_free(learned);
}

static void show(const json_t *record)
{
    double words = 0, seen = 0, empty = 0, unknown = 0;
    const char *how = cli_get_text(record, "text");
    cli_get_number(record, "words", &words);
    cli_get_number(record, "seen", &seen);
    cli_get_number(record, "empty_documents", &empty);
    cli_get_number(record, "unknown_documents", &unknown);
    cli_label("words");
    printf("%.0f of %.0f; %s\n", words, seen, how ? how : "?");
    if (empty > 0 || unknown > 0) {
        cli_label("note");
        printf("rows of zeros: %.0f documents without words, %.0f without words of the "
               "vocabulary\n",
               empty, unknown);
    }
}

static const char *const without[] = {"kernel", "scale", "missing", NULL};

const cli_features_kind cli_features_text = {
    .option = "text",
    .file = CLI_VOCABULARY,
    .file_name = "vocabulary",
    .without = without,
    .make = make,
    .save = save,
    .release = release,
    .show = show,
};

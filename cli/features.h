/* Kinds of features: one file each, listed in cmd_features.c. */
#ifndef CLI_FEATURES_H
#define CLI_FEATURES_H

#include "cli.h"

typedef struct cli_features_kind {
    const char *option; /* the library's option that asks for it: "text"        */
    bool (*knows)(
        cli *c,
        const char *path);      /* whether it can --apply this file; NULL: any that no other can */
    cli_option_id file;         /* where save() writes what was learned */
    const char *file_name;      /* ... "vocabulary"                  */
    bool of_words;              /* --text beside it says which words it is made of */
    const char *const *without; /* options of the command that it has no use for, ended by NULL */
    const char *const *learns;  /* ... that it has no use for with --apply; NULL: none */
    /* Makes the features of a file; `record` takes the library's JSON text, `learned` what save()
     * writes and release() frees. */
    int (*make)(cli *c, const char *path, specreg_table **features, char **record, void **learned);
    int (*save)(cli *c, const void *learned, const char *path);
    void (*release)(void *learned);
    void (*show)(const json_t *record); /* its lines of the summary */
} cli_features_kind;

extern const cli_features_kind cli_features_text, cli_features_plsa, cli_features_kpca,
    cli_features_nystrom;

/* features_kpca.c: eigenvalues and shares of a record; nothing where it has none. */
void cli_show_components(const json_t *record);

#endif

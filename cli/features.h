/* Kinds of features: one file each, listed in cmd_features.c. */
#ifndef CLI_FEATURES_H
#define CLI_FEATURES_H

#include "cli.h"

typedef struct cli_features_kind {
    const char *option; /* the library's option that asks for it: "text"        */
    cli_option_id apply; /* or the command's, which applies what another run learned */
    cli_option_id file;  /* the command's that says where to write what was learned  */
    bool of_words; /* --text beside it says which words it is made of        */
    /* Makes the features of a file; `record` takes the library's JSON text, `learned` what save()
     * writes and release() frees. */
    int (*make)(cli *c, const char *path, specreg_table **features, char **record, void **learned);
    int (*save)(cli *c, const void *learned, const char *path);
    void (*release)(void *learned);
    void (*show)(const json_t *record); /* its lines of the summary */
} cli_features_kind;

extern const cli_features_kind cli_features_text, cli_features_plsa;

#endif

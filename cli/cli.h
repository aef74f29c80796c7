/* What the files of the command share.  The command is a thin layer over <specreg/specreg.h>:
 * it parses, calls one or two functions of the library and renders the records they return. */
#ifndef CLI_H
#define CLI_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "specreg/specreg.h"

/* Exit codes; a stop by signal s is 128 + s. */
enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* The options that belong to the command, not to the library; values lie in cli.value[id]. */
typedef enum cli_option_id {
    CLI_OUTPUT,
    CLI_TEST,
    CLI_ROC,
    CLI_CSV,
    CLI_GRID,
    CLI_EXPLAIN,
    CLI_VOCABULARY,
    CLI_TOPICS,
    CLI_APPLY,
    CLI_MODEL,
    CLI_DATA,
    CLI_SETS,
    CLI_SPLITS,
    CLI_REPEATS,
    CLI_SIZES,
    CLI_ALL,
    CLI_WIDTH,
    CLI_SPREAD,
    CLI_COMMANDS,
    CLI_MAN,
    CLI_COMPLETION,
    CLI_JSON,
    CLI_QUIET,
    CLI_VERBOSE,
    CLI_NO_PROGRESS,
    CLI_HELP,
    CLI_OPTION_COUNT
} cli_option_id;

typedef struct cli_option {
    cli_option_id id;
    const char *name;
    char letter;          /* 0: none                 */
    const char *argument; /* "" for a flag           */
    const char *help;
} cli_option;

enum { CLI_MAX_FILES = 2 };

typedef struct cli cli;

typedef struct cli_command {
    const char *name;
    const char *files[CLI_MAX_FILES + 1]; /* names of the positional arguments, then NULL */
    int optional;                         /* how many of them, from the end, may be absent */
    const char *synopsis;                 /* after "specreg NAME [OPTIONS]"               */
    const char *brief;                    /* half a line                                  */
    const char *description;              /* paragraphs divided by "\n\n"                 */
    const char *examples;                 /* lines                                        */
    unsigned scope;                       /* SPECREG_FOR_... : which library options      */
    const char *const *without;           /* those of the scope it has no use for, or NULL */
    const cli_option *options;            /* its own, ended by a NULL name                */
    bool bare;                            /* without --json, --quiet, ...                 */
    int (*run)(cli *c);                   /* gives the exit code                          */
} cli_command;

struct cli {
    specreg_context *ctx;
    specreg_options *options;
    const cli_command *command;
    const char *value[CLI_OPTION_COUNT]; /* NULL: not given; flags are "yes"                */
    const char *file[CLI_MAX_FILES];
    int n_files;
    bool show; /* whether a summary is wanted: not --quiet, and stdout not taken otherwise */
};

/* main.c */
const cli_command *cli_command_at(int index); /* NULL after the last */
const cli_command *cli_command_find(const char *name);

/* The commands, one file each. */
extern const cli_command cli_cmd_fit, cli_cmd_predict, cli_cmd_eval, cli_cmd_path, cli_cmd_cv,
    cli_cmd_spectrum, cli_cmd_plan, cli_cmd_features, cli_cmd_convert, cli_cmd_info,
    cli_cmd_experiment, cli_cmd_help;
/* experiment_NAME.c */
int cli_experiment_ida(cli *c);
int cli_experiment_multitask(cli *c);
int cli_experiment_field1(cli *c); /* experiment_field.c */
int cli_experiment_field2(cli *c); /* the same           */
int cli_experiment_school(cli *c);
int cli_experiment_currents(cli *c);
int cli_experiment_trend(cli *c);

/* args.c: one view of a command's own, library's and common options, and the parser. */
typedef struct cli_option_view {
    const char *name, *argument, *help;
    const char *default_value; /* NULL or "" : none                      */
    char letter;
    int id; /* cli_option_id, or -1: the library's    */
} cli_option_view;
bool cli_option_nth(const cli_command *command, int index, cli_option_view *out);
int cli_parse(cli *c, int argc, char **argv); /* 0 or CLI_USAGE, said why */
int cli_unknown_command(const char *name);
/* Keeps `candidate` in *best when it is closer to `name`; one error in three letters is close. */
void cli_consider(const char *name, const char *candidate, const char **best, int *distance);

/* help.c, man.c, completion.c: the tables as text. */
int cli_print_help(const cli_command *command); /* NULL: the overview */
int cli_print_man(const cli_command *command);  /* NULL: specreg(1)   */
int cli_print_completion(void);                 /* for bash           */

/* status.c: how the command fails.  The text becomes one line on stderr; the code is returned. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_usage(const cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_check(const cli *c, specreg_status status); /* prints the library's text; exit code */
int cli_finish_stdout(void);                        /* notices a full disk or a closed pipe */
bool cli_stdout_pipe_is_closed(void);
void *cli_alloc(size_t count, size_t size); /* zeroed; ends the program without memory */
char *cli_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* progress.c: the bar, the log, and stopping by signal. */
void cli_progress_start(cli *c);
void cli_progress_clear(void);
void cli_progress_task(const char *text); /* shown before the stage; NULL: none */
int cli_stop_code(void);                  /* 0, or the exit code of a stop that was asked for */
int cli_stopped(void);                    /* says so and gives the exit code                  */

/* output.c: writing files. */
int cli_check_outputs(const cli *c);
bool cli_in_place(const char *path);   /* a pipe, a device, stdout: not replaced but written into */
int cli_write_begin(const char *path); /* 0, or the exit code of a stop: do not write then */
void cli_write_end(void);
int cli_write_table(cli *c, const specreg_table *table, const char *path);
int cli_write_model(cli *c, const specreg_model *model, const char *path);
int cli_emit_json(cli *c, const char *text); /* where --json says; nothing without it */
int cli_emit_record(cli *c, json_t *record); /* the same; takes the reference */

/* show.c: records as text. */
char *cli_exact(double v);          /* reads back to the same double; free() it */
char *cli_approx(double v);         /* 4 significant digits                     */
char *cli_percent(double fraction); /* "10.25 %"                                */
char *cli_bytes(double bytes);      /* "18 KiB"                                 */
json_t *cli_load(const char *text); /* a record; never NULL                     */
json_t *cli_get(const json_t *record, const char *path); /* "data.n"; NULL when absent */
bool cli_get_number(const json_t *record, const char *path, double *value);
const char *cli_get_text(const json_t *record, const char *path); /* NULL when absent */
void cli_label(const char *label); /* begins a line of a summary                */
void cli_show_kernel(const json_t *kernel);
void cli_show_filter(const json_t *filter, bool chosen); /* with the chosen lambda, t, ... */
const char *cli_path_parameter(const json_t *object);    /* "lambda", "t", "components" or NULL */
void cli_show_scores(const char *label, const json_t *scores); /* error rate, mse, ...     */
void cli_show_list(const json_t *names, const json_t *counts); /* "a (12), b (3)"; counts or NULL */
void cli_show_data(const json_t *record);
void cli_show_method(const json_t *selection); /* "leave-one-out" */
void cli_show_time(const json_t *record);
void cli_show_notes(const json_t *record);
void cli_show_fit(const json_t *record);
void cli_show_parameters(const json_t *object, const char *skip); /* " sigma=2", but `skip` */
/* " (11 values tried, 0 to 1)" for each number of the record's `of`, kernel or outputs, that took
 * several values. */
void cli_show_tried(const json_t *record, const char *of);

/* show_features.c: features that are not penalised, with their coefficients. */
void cli_show_features(const json_t *record);
/* show_outputs.c: outputs and tasks. */
void cli_show_outputs(const json_t *record); /* a line, where they have to do with each other */
void cli_show_gaps(const json_t *data);      /* ", 12 values missing"                        */
void cli_show_each(const json_t *scores);    /* the errors of every output, or of some tasks */

/* grid.c: text in aligned columns. */
typedef struct cli_grid cli_grid;
cli_grid *cli_grid_new(int cols, unsigned left); /* bit k of left: column k is flush left */
void cli_grid_add(cli_grid *g, char *cell); /* row by row; takes the text; NULL is an empty cell */
void cli_grid_print(const cli_grid *g);
void cli_grid_free(cli_grid *g);

/* columns.c: numbers under names, to be written as a table. */
typedef struct cli_columns cli_columns;
cli_columns *cli_columns_new(int64_t rows);
/* The index of a column, which is made (full of NaN) when it is new. */
int cli_columns_find(cli_columns *t, const char *name);
void cli_columns_set(cli_columns *t, int64_t row, const char *name, double value);
/* In the one column of texts, which comes first; the text is not copied. */
void cli_columns_set_text(cli_columns *t, int64_t row, const char *name, const char *text);
double cli_columns_value(const cli_columns *t, int64_t row, int col);
int cli_columns_count(const cli_columns *t);
const char *cli_columns_name(const cli_columns *t, int col);
int cli_columns_write(cli *c, const cli_columns *t, const char *path);
void cli_columns_free(cli_columns *t);
/* Enters the numbers of a kernel or of outputs: sigma, or term1.weight, term1.sigma, ... of a
 * sum. */
void cli_columns_set_parameters(cli_columns *t, int64_t row, const json_t *of);

/* cmd_plan.c; fit --explain prints it too. */
void cli_show_plan(const json_t *record);
int cli_plan(cli *c, const specreg_table *train,
             char **text); /* measures the machine, unless told not to */

#endif

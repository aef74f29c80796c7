/* The command-line layer that specreg and specreg-experiments share: options and their parser,
 * help, failing, progress, records, tables of numbers and files. */
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

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
    CLI_PREDICT,
    CLI_CURVE,
    CLI_S,
    CLI_NU,
    CLI_FILTER,
    CLI_FORMAT,
    CLI_INPUTS,
    CLI_PARAM,
    CLI_COEFFICIENTS,
    CLI_EXPLAIN,
    CLI_VOCABULARY,
    CLI_TOPICS,
    CLI_APPLY,
    CLI_MODEL,
    CLI_SUMS,
    CLI_COLUMNS,
    CLI_REPORT,
    CLI_DATA,
    CLI_PLOT,
    CLI_COMMANDS,
    CLI_MAN,
    CLI_COMPLETION,
    CLI_JSON,
    CLI_QUIET,
    CLI_VERBOSE,
    CLI_NO_PROGRESS,
    CLI_HELP,
    CLI_FIRST_FREE, /* from here on: ids for a program other than specreg */
    CLI_OPTION_COUNT = CLI_FIRST_FREE + 16
} cli_option_id;

typedef struct cli_option {
    int id; /* cli_option_id, or an id from CLI_FIRST_FREE on */
    const char *name;
    char letter;          /* 0: none                 */
    const char *argument; /* "" for a flag           */
    const char *help;
} cli_option;

enum { CLI_MAX_FILES = 2, CLI_MOST_FILES = 4096 };

typedef struct cli cli;

typedef struct cli_command {
    const char *name;
    const char *files[CLI_MAX_FILES + 1]; /* names of the positional arguments, then NULL */
    int optional;                         /* how many of them, from the end, may be absent */
    bool many;                            /* the last one may be repeated                 */
    const char *synopsis;                 /* after "specreg NAME [OPTIONS]"               */
    const char *brief;                    /* half a line                                  */
    const char *description;              /* paragraphs divided by "\n\n"                 */
    const char *examples;                 /* lines                                        */
    unsigned scope;                       /* SPECREG_FOR_... : which library options      */
    const char *const *without;           /* those of the scope it has no use for, or NULL */
    const cli_option *options;            /* its own, ended by a NULL name                */
    bool bare;                            /* without --json, --quiet, ...                 */
    int (*run)(cli *c);                   /* gives the exit code                          */
    /* Where another program does the work: starts it with these arguments, which end with NULL,
     * and returns only if it cannot.  That program parses, and lists the options; `run` is NULL. */
    int (*hand_over)(char **arguments);
} cli_command;

struct cli {
    specreg_context *ctx;
    specreg_options *options;
    const cli_command *command;
    const char *value[CLI_OPTION_COUNT]; /* NULL: not given; flags are "yes"                */
    const char *file[CLI_MOST_FILES];
    int n_files;
    bool show; /* whether a summary is wanted: not --quiet, and stdout not taken otherwise */
};

/* The table of commands, which each program has in its main.c. */
const cli_command *cli_command_at(int index); /* NULL after the last */

/* start.c: what a program does before and after a command. */
int cli_main(int argc, char **argv, int (*dispatch)(int argc, char **argv));
/* Starts the program once more if the threads of a fit would otherwise wait badly. */
void cli_set_thread_waiting(char **argv);
/* Parses the arguments that follow the command's name, and runs it. */
int cli_run(const cli_command *command, int argc, char **argv);

/* args.c: the options of a command as one list (its own, the library's, the common ones), and the
 * parser. */
typedef struct cli_option_view {
    const char *name, *argument, *help;
    const char *default_value; /* NULL or "" : none                      */
    char letter;
    int id; /* cli_option_id, or -1: the library's    */
} cli_option_view;
bool cli_option_nth(const cli_command *command, int index, cli_option_view *out);
/* The groups of options in help and manual: 0, 1, ... until NULL. */
const char *cli_group_title(int group);
int cli_group_of(const cli_option_view *option);
bool cli_group_is_empty(const cli_command *command, int group);
int cli_parse(cli *c, int argc, char **argv); /* 0 or CLI_USAGE, said why */
/* Hands --columns of a command's own to the library, which knows the option by other words. */
int cli_set_columns(cli *c);
int cli_unknown_command(const char *name);
/* Keeps `candidate` in *best when it is closer to `name`; one error in three letters is close. */
void cli_consider(const char *name, const char *candidate, const char **best, int *distance);

/* help.c */
int cli_print_help(const cli_command *command); /* NULL: the overview */

/* terminal.c: text without characters that control a terminal, on one line; and standard output
 * without them where it is one. */
void cli_put_plain(const char *text, FILE *to);
void cli_make_plain(char *text);
void cli_protect_terminal(void);
/* To standard output as it is, also what controls a terminal: nothing of it may come from files. */
void cli_put_raw(const char *text);

/* status.c: how the command fails.  The text becomes one line on stderr; the code is returned. */
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_usage(const cli *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
int cli_check(const cli *c, specreg_status status); /* prints the library's text; exit code */
const char *cli_failure(void); /* the text of the first failure; NULL: there was none */
int cli_finish_stdout(void);   /* notices a full disk or a closed pipe */
bool cli_stdout_pipe_is_closed(void);
void *cli_alloc(size_t count, size_t size); /* zeroed; ends the program without memory */
char *cli_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* progress.c: the bar, the log, and stopping by signal. */
void cli_progress_start(cli *c);
void cli_progress_clear(void);
/* A text before the stage, which says what is fitted. */
void cli_progress_label(const char *format, ...) __attribute__((format(printf, 1, 2)));
void cli_progress_no_label(void);
/* The plan of the work, by which stages share the bar. */
void cli_progress_plan(const json_t *plan);
bool cli_progress_wanted(void); /* whether there is a bar */
/* A stop says how the same command could go on; checkpoint "": with one. */
void cli_progress_can_resume(const char *checkpoint);
int cli_stop_code(void); /* 0, or the exit code of a stop that was asked for */
int cli_stopped(void);   /* says so and gives the exit code                  */

/* output.c: writing files. */
int cli_check_outputs(const cli *c);
bool cli_in_place(const char *path);   /* a pipe, a device, stdout: not replaced but written into */
int cli_write_begin(const char *path); /* 0, or the exit code of a stop: do not write then */
void cli_write_end(void);
/* After a call that wrote a file.  A reader of our standard output that went away is no news: no
 * message. */
int cli_written(const cli *c, specreg_status st, const char *path);
int cli_write_table(cli *c, const specreg_table *table, const char *path);
int cli_write_model(cli *c, const specreg_model *model, const char *path);
int cli_write_text(cli *c, const char *path, const char *text);
int cli_emit_json(cli *c, const char *text);   /* where --json says; nothing without it */
int cli_emit_record(cli *c, json_t *record);   /* the same; takes the reference */
void cli_emit_failure(const cli *c, int code); /* an error, with --json - */

/* record.c: reading the library's records. */
json_t *cli_load(const char *text);                      /* a record; never NULL           */
json_t *cli_get(const json_t *record, const char *path); /* "data.n"; NULL when absent */
bool cli_get_number(const json_t *record, const char *path, double *value);
const char *cli_get_text(const json_t *record, const char *path); /* NULL when absent */
/* "lambda", "t", "components", "order" or NULL. */
const char *cli_path_parameter(const json_t *object);

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
int cli_columns_table(cli *c, const cli_columns *t, specreg_table **out);
int cli_columns_write(cli *c, const cli_columns *t, const char *path);
void cli_columns_free(cli_columns *t);
/* Enters the numbers of a kernel or of outputs: sigma, or term1.weight, term1.sigma, ... of a
 * sum. */
void cli_columns_set_parameters(cli_columns *t, int64_t row, const json_t *of);

/* chart.c: curves over one another, for a terminal (chart_text.c) or as SVG (chart_svg.c).  Arrays
 * and texts are copied; NaN is a gap. */
typedef enum cli_mark {
    CLI_MARK_LINE,
    CLI_MARK_DOTS,
    CLI_MARK_BAND, /* in the colour of the curve that is added next; not at a terminal */
    CLI_MARK_GUIDE /* a thin line that does not widen the axes                         */
} cli_mark;
typedef struct cli_chart cli_chart;
cli_chart *cli_chart_new(const char *title, const char *x, const char *y);
void cli_chart_log(cli_chart *chart, int axis); /* 0: x, 1: y */
void cli_chart_ends(cli_chart *chart, int axis, double low, double high);
void cli_chart_square(cli_chart *chart); /* both axes are the same */
/* `name` stands in the legend; NULL: in none. */
void cli_chart_add(cli_chart *chart, cli_mark mark, const char *name, const double *x,
                   const double *y, int64_t n);
void cli_chart_band(cli_chart *chart, const double *x, const double *low, const double *high,
                    int64_t n);
void cli_chart_point(cli_chart *chart, double x, double y, const char *label); /* stands out */
void cli_chart_print(const cli_chart *chart);
int cli_chart_write(cli *c, cli_chart *const *charts, int count, const char *path);
void cli_chart_free(cli_chart *chart);
bool cli_is_svg(const char *path);  /* NULL is none */
int cli_check_plot(const cli *c);   /* --plot; 0 or CLI_USAGE, said why */
bool cli_plot_wanted(const cli *c); /* at a terminal, or as --plot says */

#endif

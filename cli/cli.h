/* What the files of the command share, beside common.h.  The command is a thin layer over
 * <specreg/specreg.h>: it parses, calls one or two functions of the library and renders the records
 * they return. */
#ifndef CLI_H
#define CLI_H

#include "common.h"

/* main.c */
const cli_command *cli_command_find(const char *name);

/* The commands, one file each. */
extern const cli_command cli_cmd_fit, cli_cmd_predict, cli_cmd_eval, cli_cmd_path, cli_cmd_cv,
    cli_cmd_spectrum, cli_cmd_plan, cli_cmd_features, cli_cmd_convert, cli_cmd_export, cli_cmd_info,
    cli_cmd_importance, cli_cmd_partial, cli_cmd_sums, cli_cmd_report, cli_cmd_filters,
    cli_cmd_experiment, cli_cmd_help;

/* man.c, completion.c: the tables of options as text. */
int cli_print_man(const cli_command *command); /* NULL: specreg(1)   */
int cli_print_completion(const cli *c, const char *shell);

/* show.c: records as text. */
char *cli_exact(double v);          /* reads back to the same double; free() it */
char *cli_approx(double v);         /* 4 significant digits                     */
char *cli_percent(double fraction); /* "10.25 %"                                */
char *cli_bytes(double bytes);      /* "18 KiB"                                 */
char *cli_duration(double seconds); /* "0.31 s", "16 min"                       */
void cli_label(const char *label);  /* begins a line of a summary                */
void cli_show_kernel(const json_t *kernel);
void cli_show_filter(const json_t *filter, bool chosen); /* with the chosen lambda, t, ... */
void cli_show_compared(const json_t *record);            /* of --select compare; else nothing */
void cli_show_scores(const char *label, const json_t *scores); /* error rate, mse, ...     */
/* The measures of a summary's first line that `errors` has, and how many; free() it. */
const specreg_measure_info **cli_measures_of(const json_t *errors, int *count);
/* "mse 0.24" after `comma` */
void cli_show_error(const specreg_measure_info *measure, double value, const char *comma);
/* What a constant gets by a measure: " (the mean alone 1.798", with the measure's name if asked.
 * Whether there is one; the caller closes the parenthesis. */
bool cli_show_baseline(const json_t *baseline, const specreg_measure_info *measure, bool named);
void cli_show_list(const json_t *names, const json_t *counts); /* "a (12), b (3)"; counts or NULL */
void cli_show_data(const json_t *record);
void cli_show_method(const json_t *selection); /* "leave-one-out" */
void cli_show_time(const json_t *record);
void cli_show_notes(const json_t *record);
void cli_show_approx(const json_t *record); /* centres; nothing where there are none */
void cli_show_fit(const json_t *record);    /* all but the data */
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

/* pictures.c: records as charts; NULL where there is nothing to draw. */
cli_chart *cli_path_chart(const json_t *record, int64_t best); /* row of its table; -1: none */
/* The eigenvalues, and the target along them; gives how many charts there are. */
int cli_spectrum_charts(const json_t *record, cli_chart *charts[2]);
cli_chart *cli_roc_chart(const json_t *record); /* of eval */
/* A column of predictions against the column of that name. */
cli_chart *cli_agreement_chart(const specreg_table *data, const specreg_table *predicted,
                               int64_t column);

/* grid.c: text in aligned columns. */
typedef struct cli_grid cli_grid;
cli_grid *cli_grid_new(int cols, unsigned left); /* bit k of left: column k is flush left */
void cli_grid_add(cli_grid *g, char *cell); /* row by row; takes the text; NULL is an empty cell */
void cli_grid_print(const cli_grid *g);
void cli_grid_free(cli_grid *g);

/* path_solutions.c: the solutions of a path as tables. */
typedef struct cli_solutions cli_solutions;
cli_solutions *cli_solutions_new(bool coefficients);
/* Takes a point; nonzero where its centres are others than those of the first. */
int cli_solutions_take(const specreg_path_point *point, cli_solutions *s, bool grid);
int cli_solutions_write(cli *c, const cli_solutions *s, const char *predictions,
                        const char *coefficients);
void cli_solutions_free(cli_solutions *s);

/* cmd_report.c: the option --report of commands that write a record, and the page of a model or of
 * a record where it is given. */
#define CLI_REPORT_OPTION                                                                  \
    {                                                                                      \
        CLI_REPORT, "report", 0, "PAGE.html",                                              \
            "Also write a page with pictures of the result here; see specreg help report." \
    }
int cli_write_report(cli *c, const specreg_report_part *part);

/* cmd_plan.c; fit --explain prints it too. */
void cli_show_plan(const json_t *record);
void cli_show_work(const json_t *record); /* what is searched, of a plan */
/* Of a table, or, NULL, of the files of the command line.  It measures the machine, unless told not
 * to. */
int cli_plan(cli *c, const specreg_table *train, char **text);
/* Whether rows are to be read in blocks: fewer of them are centres, there are several files or a
 * pattern for their names, or the file has more than so many bytes and nobody asks for all of
 * it. */
bool cli_reads_blocks(const cli *c, int64_t large);

/* cmd_importance.c: the model and the table of the command line, and which columns are asked
 * for. */
int cli_read_model_and_data(cli *c, specreg_model **model, specreg_table **data);

#endif
